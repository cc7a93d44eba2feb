/*
 * books.h - what is held and what is free: the sums of DESIGN.md section 5, derived from a state.
 *
 *     free for a queue = capacity - held by all - free replicas of excluded GPUs - held back by other queues
 *
 * A queue with a guarantee that is not lent holds back what it does not use of it. If the guarantees exceed the
 * capacity (GPUs vanished), they are honoured in the order of the queues' names as far as it goes.
 *
 * The sums follow a grant through books_charge(); nothing else changes while waiters are being granted.
 */
#ifndef ALLOT_ALLOC_BOOKS_H
#define ALLOT_ALLOC_BOOKS_H

#include "alloc/share.h"
#include "alloc/state.h"

struct account {
    struct resources held;
    struct resources kept; /* its non-lent guarantee, as far as the capacity goes */
    uint64_t on_excluded;  /* replicas that it holds on excluded GPUs */
    struct share share;    /* dominant, unweighted */
};

struct books {
    const struct state *state;
    struct resources held;      /* by all grants */
    struct resources held_back; /* by all queues */
    struct resources kept;      /* by all queues */
    uint64_t excluded_free;     /* free replicas of excluded GPUs */
    uint64_t kept_healthy;      /* of what the queues keep of gpu, what must be on healthy GPUs */
    struct account account[QUEUES_MAX];
};

/* A grant that is only being considered. */
struct charge {
    uint32_t queue;
    struct resources amount;
};

void books_init(struct books *books, const struct state *state, uint64_t excluded_free);

void books_charge(struct books *books, const struct charge *charge);

/* What is free for a queue, once `charge` were granted (NULL: as it is now). Never below 0. */
uint64_t books_free(const struct books *books, uint32_t queue, enum resource r, const struct charge *charge);

/* The same for a queue that holds nothing back: the least that is free for anybody. */
uint64_t books_free_for_all(const struct books *books, enum resource r, const struct charge *charge);

/* What would be free for a queue now, if no GPU were excluded. */
uint64_t books_free_if_all_healthy(const struct books *books, uint32_t queue, enum resource r);

/* Does the charge take from what is free for other queues? Not if its own guarantee held that back. */
bool books_takes_from_others(const struct books *books, enum resource r, const struct charge *charge);

/* What the idle node has for a queue: `capacity` less what the other queues keep. */
uint64_t books_idle(const struct books *books, uint32_t queue, enum resource r, uint64_t capacity);

/* The same for gpu without the excluded GPUs, of which `healthy` replicas are left. */
uint64_t books_idle_healthy(const struct books *books, uint32_t queue, uint64_t healthy);

/* Would the queue be above its limit with `ask` more? The first such resource goes to `which` (may be NULL). */
bool books_over_limit(const struct books *books, uint32_t queue, const struct resources *ask,
                      enum resource *which);

/* Is a request of `ask` within the queue's guarantee? */
bool books_within_guarantee(const struct books *books, uint32_t queue, const struct resources *ask);

#endif

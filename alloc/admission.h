/*
 * admission.h - may this request be granted now? The rules of DESIGN.md section 5 for one request.
 *
 * An admission is opened on a state once whatever happened has been written into it, and is used for one decision:
 * it knows the sums (books), the GPUs (placement) and who wants what (wants), and keeps them right while it grants.
 * A new arrival and a waiter are the same to it: a `struct waiter`, which for an arrival is not in the state.
 *
 * While an admission is open, waiters that were granted or refused are only marked (`gone`), so that a waiter is
 * known by its index; admission_close() removes them.
 */
#ifndef ALLOT_ALLOC_ADMISSION_H
#define ALLOT_ALLOC_ADMISSION_H

#include "alloc/books.h"
#include "alloc/decision.h"
#include "alloc/placement.h"
#include "alloc/state.h"
#include "alloc/wants.h"

struct admission {
    struct state *state;
    struct books books;
    struct placement placement;
    struct wants wants;

    bool gone[WAITERS_MAX];
    bool unservable[WAITERS_MAX]; /* the idle node without its excluded GPUs could not hold it */

    /* The waiters of each queue, in the order of arrival. */
    uint32_t first_of_queue[QUEUES_MAX];
    uint32_t last_of_queue[QUEUES_MAX];
    uint32_t next_of_queue[WAITERS_MAX];
    uint32_t waiters_of_queue[QUEUES_MAX];

    /* What those want who were passed over max_bypass times; the others are not in it. */
    struct wants passed_wants;

    uint64_t comparisons; /* of the order and of harm, for the cost tests */
};

void admission_open(struct admission *admission, struct state *state);
void admission_close(struct admission *admission);

/* Rule 1. If so, `why` says it. */
bool admission_never_fits(const struct admission *admission, const struct waiter *waiter,
                          struct explanation *why);

/* Rule 2: a total order. */
bool admission_before(struct admission *admission, const struct waiter *a, const struct waiter *b);

/* Rule 5: passed over often enough, and not exempt at the moment. */
bool admission_protected(const struct admission *admission, const struct waiter *waiter);

/* Is there room in the tables for its grant? */
bool admission_has_room(const struct admission *admission, const struct waiter *waiter);

/* Does it fit: does it lack nothing, and does its queue stay in its limit? While waiters are granted, the answer
 * turns from yes to no, never back. */
bool admission_fits(const struct admission *admission, const struct waiter *waiter);

/* Rule 3, for a request that fits: picks its replicas provisionally and looks whom that harms. INDEX_NONE: no
 * protected waiter ahead of it, and the pick stands, to be followed by admission_grant(). Else the index of such a
 * waiter, and the pick is undone. */
uint32_t admission_try(struct admission *admission, const struct waiter *waiter);

/* Would a grant of `waiter` harm `blocker` wherever its replicas are? Then it does so as long as both wait. */
bool admission_harm_lasts(struct admission *admission, const struct waiter *waiter, uint32_t blocker);

/* Grants what admission_try() picked, and counts whom that passes over. `at` is the granted waiter's index, INDEX_NONE for
 * an arrival. */
void admission_grant(struct admission *admission, const struct waiter *waiter, uint32_t at);

/* The arrival becomes a waiter. CAUSE_NONE, or why there is no room. */
enum cause admission_enqueue(struct admission *admission, const struct waiter *waiter);

/* The waiter is granted or refused: from here on it is not there. */
void admission_strike(struct admission *admission, uint32_t at);

/* Why a request that was not granted was not: the first reason that applies. `blocker` is what admission_try()
 * gave, INDEX_NONE if it did not come to that. */
void admission_explain(struct admission *admission, const struct waiter *waiter, uint32_t blocker,
                       struct explanation *why);

/* The same for a waiter, now. */
void admission_explain_waiter(struct admission *admission, const struct waiter *waiter,
                              struct explanation *why);

#endif

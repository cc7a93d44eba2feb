/*
 * wants.h - who, in the order of arrival, wants more than there is?
 *
 * After a grant, rule 5 asks for the oldest waiter that it harms. To look at every waiter after every grant would
 * cost n x n when a large job ends and n waiters are served at once. So the waiters are the leaves of a binary
 * tree, in the order of arrival, and every inner node knows the largest wish below it, one for each lane; a search
 * for the next one above a threshold skips whole subtrees: O(log n).
 *
 *     lane          a waiter's wish                           what is compared with
 *     cpu, mem      what it asks for                          what is left for a queue without guarantee
 *     gpu           what it asks for, wherever it is          likewise, and the replicas that are left
 *     distinct      what it asks for, each on another GPU     likewise, and the GPUs that are left
 *     devices       what it asks for, on GPUs that it names   likewise, and what is left on the GPUs that were picked
 *
 * A waiter that wants each replica on another one of the GPUs that it names is always looked at. The search errs on the side of too many; whether a waiter is really harmed, admission.c decides.
 */
#ifndef ALLOT_ALLOC_WANTS_H
#define ALLOT_ALLOC_WANTS_H

#include "alloc/state.h"

enum lane {
    LANE_CPU,
    LANE_MEM,
    LANE_GPU,
    LANE_DISTINCT,
    LANE_DEVICES,
};
#define LANE_COUNT 5

/* One amount a lane. As a threshold, LANE_UNCHANGED stands for a lane in which nobody was harmed. */
struct lanes {
    uint64_t of[LANE_COUNT];
};
#define LANE_UNCHANGED UINT64_MAX

struct wants {
    uint32_t width; /* leaves; a power of two */
    uint64_t steps; /* nodes looked at so far: what the cost tests count */
    struct lanes largest[2 * WAITERS_MAX];
};
_Static_assert((WAITERS_MAX & (WAITERS_MAX - 1)) == 0, "the tree is a full one");

/* The wishes of a waiter; nothing of what is switched off. */
struct lanes wants_of(const struct waiter *waiter, const bool off[static RES_COUNT]);

bool lanes_above(const struct lanes *wish, const struct lanes *threshold);

/* Room for `count` waiters, none of which wants anything yet. */
void wants_init(struct wants *wants, uint32_t count);

/* Sets what waiter number `at` wants; NULL: nothing any more. */
void wants_set(struct wants *wants, uint32_t at, const struct lanes *wish);

/* The first waiter from `from` on that wants more than the threshold in some lane, or INDEX_NONE. */
uint32_t wants_next(struct wants *wants, uint32_t from, const struct lanes *threshold);

#endif

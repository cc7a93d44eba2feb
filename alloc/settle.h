/*
 * settle.h - rule 4 of DESIGN.md section 5: after every change, refuse the waiters that can never fit any more, then
 * grant waiters in order until none can be granted.
 *
 * "Starting over after each grant" is what is done, without doing it literally. A grant changes the place in line of
 * its own queue's waiters only (their share, their guarantee), so the line is a heap of queues, each with a heap of its
 * waiters:
 *
 *     heap of queues, by the first waiter of each and the queue's share
 *       +- heap of waiters, by priority, guarantee, protection, arrival
 *
 * A waiter that was looked at and does not fit will not fit later either: grants only take. One that fits but would
 * harm a protected waiter is set aside, in a list of that waiter's queue, and is looked at again when that queue got a
 * grant, since only then can the order between the two have changed; or after any grant, where it is placement that
 * alone decides about harm. Thus n waiters of n queues cost O(n log n), however many of them are granted; where placement
 * alone harms, those set aside are looked at again after each grant.
 */
#ifndef ALLOT_ALLOC_SETTLE_H
#define ALLOT_ALLOC_SETTLE_H

#include "alloc/admission.h"
#include "alloc/heap.h"

/* The lists of those set aside: one for each queue, and one for all. Nodes are waiters; then come the lists' heads. */
#define ASIDE_ANY   QUEUES_MAX
#define ASIDE_LISTS (QUEUES_MAX + 1)
#define ASIDE_NODES (WAITERS_MAX + ASIDE_LISTS)

struct settle {
    struct admission *admission;
    uint64_t looks;   /* how often a waiter was looked at: what the cost tests count */
    uint64_t asides;  /* how often one was set aside */
    struct heap line; /* of queues */
    uint32_t line_slot[QUEUES_MAX];
    uint32_t line_where[QUEUES_MAX];
    struct heap of_queue[QUEUES_MAX];
    uint32_t waiter_slot[WAITERS_MAX];
    uint32_t waiter_where[WAITERS_MAX];

    /* The part of a waiter's key that can change, as the heaps know it. */
    bool within[WAITERS_MAX];
    bool protected[WAITERS_MAX];

    uint32_t aside_next[ASIDE_NODES];
    uint32_t aside_previous[ASIDE_NODES];
};

/* `tell` is called for each waiter that is refused (`why` set) or was granted (`why` NULL), as it happens. */
typedef void settle_tell(void *context, const struct waiter *waiter, const struct explanation *why);

void settle_run(struct settle *settle, struct admission *admission, settle_tell *tell, void *context);

/* Comparisons and steps of the last run, of all its parts. */
uint64_t settle_cost(const struct settle *settle);

#endif

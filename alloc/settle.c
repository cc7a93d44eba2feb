#include "alloc/settle.h"

/* --- the line ------------------------------------------------------------------------------------------------ */

static const struct waiter *waiter_at(const struct settle *settle, uint32_t at)
{
    return &settle->admission->state->waiters[at];
}

/* -1, 0, 1 for the part of the order that does not depend on the queue's share or on arrival. */
static int compare_rank(const struct settle *settle, uint32_t a, uint32_t b)
{
    const struct waiter *left = waiter_at(settle, a);
    const struct waiter *right = waiter_at(settle, b);

    if (left->priority != right->priority)
        return left->priority > right->priority ? -1 : 1;
    if (settle->within[a] != settle->within[b])
        return settle->within[a] ? -1 : 1;
    if (settle->protected[a] != settle->protected[b])
        return settle->protected[a] ? -1 : 1;
    return 0;
}

static bool waiter_before(const void *context, uint32_t a, uint32_t b)
{
    int order = compare_rank(context, a, b);

    return order != 0 ? order < 0 : a < b; /* the index tells the arrival */
}

static bool queue_before(const void *context, uint32_t a, uint32_t b)
{
    const struct settle *settle = context;
    const struct account *account = settle->admission->books.account;
    const struct queue *queues = settle->admission->state->queues;
    uint32_t first_a = heap_first(&settle->of_queue[a]);
    uint32_t first_b = heap_first(&settle->of_queue[b]);
    int order = compare_rank(settle, first_a, first_b);

    if (order == 0)
        order = share_compare(account[a].share, queues[a].weight, account[b].share, queues[b].weight);
    return order != 0 ? order < 0 : first_a < first_b;
}

/* Reads the changeable part of the key anew. True: it is another one. */
static bool refresh_rank(struct settle *settle, uint32_t at)
{
    const struct waiter *waiter = waiter_at(settle, at);
    bool within = books_within_guarantee(&settle->admission->books, waiter->queue, &waiter->ask);
    bool protected = admission_protected(settle->admission, waiter);
    bool changed = within != settle->within[at] || protected != settle->protected[at];

    settle->within[at] = within;
    settle->protected[at] = protected;
    return changed;
}

/* The queue's first waiter or its share is another one: puts the queue where it belongs. */
static void requeue(struct settle *settle, uint32_t queue)
{
    bool in_line = settle->line_where[queue] != HEAP_NOWHERE;

    if (settle->of_queue[queue].count == 0) {
        if (in_line)
            heap_remove(&settle->line, queue);
    } else if (in_line) {
        heap_update(&settle->line, queue);
    } else {
        heap_push(&settle->line, queue);
    }
}

/* --- set aside ----------------------------------------------------------------------------------------------- */

static uint32_t list_head(uint32_t list)
{
    return WAITERS_MAX + list;
}

static void unlink_aside(struct settle *settle, uint32_t node)
{
    uint32_t next = settle->aside_next[node];
    uint32_t previous = settle->aside_previous[node];

    settle->aside_next[previous] = next;
    settle->aside_previous[next] = previous;
    settle->aside_next[node] = settle->aside_previous[node] = INDEX_NONE;
}

static void set_aside(struct settle *settle, uint32_t at, uint32_t list)
{
    uint32_t head = list_head(list);
    uint32_t last = settle->aside_previous[head];

    settle->aside_next[at] = head;
    settle->aside_previous[at] = last;
    settle->aside_next[last] = at;
    settle->aside_previous[head] = at;
}

static void take_back(struct settle *settle, uint32_t at)
{
    uint32_t queue = waiter_at(settle, at)->queue;

    unlink_aside(settle, at);
    refresh_rank(settle, at);
    heap_push(&settle->of_queue[queue], at);
    requeue(settle, queue);
}

static void take_back_all(struct settle *settle, uint32_t list)
{
    uint32_t head = list_head(list);

    while (settle->aside_next[head] != head)
        take_back(settle, settle->aside_next[head]);
}

/* --- the run ------------------------------------------------------------------------------------------------- */

static void refuse_never_fitting(struct settle *settle, settle_tell *tell, void *context)
{
    struct admission *admission = settle->admission;
    struct explanation why;

    for (uint32_t at = 0; at < admission->state->waiter_count; at++) {
        const struct waiter *waiter = waiter_at(settle, at);

        if (admission->gone[at] || !admission_never_fits(admission, waiter, &why))
            continue;
        admission_strike(admission, at);
        tell(context, waiter, &why);
    }
}

static void form_line(struct settle *settle)
{
    struct admission *admission = settle->admission;
    uint32_t start = 0;

    heap_init(&settle->line, settle->line_slot, settle->line_where, queue_before, settle);
    for (uint32_t q = 0; q < admission->state->queue_count; q++) {
        settle->line_where[q] = HEAP_NOWHERE;
        settle->aside_next[list_head(q)] = settle->aside_previous[list_head(q)] = list_head(q);
        heap_init(&settle->of_queue[q], settle->waiter_slot + start, settle->waiter_where, waiter_before,
                  settle);
        start += admission->waiters_of_queue[q];
    }
    settle->aside_next[list_head(ASIDE_ANY)] = settle->aside_previous[list_head(ASIDE_ANY)] =
        list_head(ASIDE_ANY);
    for (uint32_t at = 0; at < admission->state->waiter_count; at++) {
        settle->waiter_where[at] = HEAP_NOWHERE;
        settle->aside_next[at] = settle->aside_previous[at] = INDEX_NONE;
        settle->within[at] = settle->protected[at] = false;
        if (admission->gone[at])
            continue;
        refresh_rank(settle, at);
        heap_push(&settle->of_queue[waiter_at(settle, at)->queue], at);
    }
    for (uint32_t q = 0; q < admission->state->queue_count; q++)
        requeue(settle, q);
}

/* After a grant to `queue`: whom it may have brought nearer. Not whom it harmed: a waiter that has become protected by it
 * lacks something, and will not be granted in this run wherever it stands. */
static void look_again(struct settle *settle, uint32_t queue)
{
    take_back_all(settle, queue);
    take_back_all(settle, ASIDE_ANY);
}

/* Looks at the first in line and takes it out of the line, unless its place there was not up to date. */
static void serve_first(struct settle *settle, settle_tell *tell, void *context)
{
    struct admission *admission = settle->admission;
    uint32_t queue = heap_first(&settle->line);
    uint32_t at = heap_first(&settle->of_queue[queue]);
    const struct waiter *waiter = waiter_at(settle, at);
    uint32_t blocker;

    settle->looks++;
    /* Grants make the rank of whoever may still be granted worse, never better, so a waiter that is first by an old rank
     * is either first indeed, or goes back to where it belongs. */
    if (refresh_rank(settle, at)) {
        heap_update(&settle->of_queue[queue], at);
        requeue(settle, queue);
        return;
    }
    heap_remove(&settle->of_queue[queue], at);
    requeue(settle, queue);
    if (!admission_has_room(admission, waiter) || !admission_fits(admission, waiter))
        return;
    blocker = admission_try(admission, waiter);
    if (blocker != INDEX_NONE) {
        bool lasts = admission_harm_lasts(admission, waiter, blocker);

        settle->asides++;
        set_aside(settle, at, lasts ? waiter_at(settle, blocker)->queue : ASIDE_ANY);
        return;
    }
    admission_grant(admission, waiter, at);
    requeue(settle, queue); /* its share has changed: before anything else in the line moves */
    look_again(settle, queue);
    tell(context, waiter, NULL);
}

void settle_run(struct settle *settle, struct admission *admission, settle_tell *tell, void *context)
{
    settle->admission = admission;
    settle->looks = settle->asides = 0;
    refuse_never_fitting(settle, tell, context);
    form_line(settle);
    while (settle->line.count > 0)
        serve_first(settle, tell, context);
}

uint64_t settle_cost(const struct settle *settle)
{
    const struct admission *admission = settle->admission;
    uint64_t cost = settle->looks + settle->line.comparisons + admission->comparisons +
                    admission->wants.steps + admission->passed_wants.steps;

    for (uint32_t q = 0; q < admission->state->queue_count; q++)
        cost += settle->of_queue[q].comparisons;
    return cost;
}

#include "alloc/admission.h"

#include <string.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_off(const struct admission *admission, enum resource r)
{
    return admission->state->node.off[r];
}

static struct charge charge_of(const struct waiter *waiter)
{
    return (struct charge){.queue = waiter->queue, .amount = waiter->ask};
}

/* --- rule 1 -------------------------------------------------------------------------------------------------- */

/* What the idle node has of a resource for a queue, with or without its excluded GPUs: the others keep their non-lent
 * guarantees. What they hold of those on excluded GPUs, they need not find on the healthy ones. */
static uint64_t idle_for(const struct admission *admission, uint32_t queue, enum resource r,
                         bool with_excluded)
{
    const struct books *books = &admission->books;

    if (r == RES_GPU && !with_excluded)
        return books_idle_healthy(books, queue, admission->placement.idle_healthy.replicas);
    return books_idle(books, queue, r, admission->state->node.capacity.of[r]);
}

/* The first resource of which the idle node has too little, and how much it has. */
static bool idle_lacks(const struct admission *admission, const struct waiter *waiter, bool with_excluded,
                       enum resource *which, uint64_t *bound)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        uint64_t idle = idle_for(admission, waiter->queue, r, with_excluded);

        if (!is_off(admission, r) && waiter->ask.of[r] > idle) {
            *which = r;
            *bound = idle;
            return true;
        }
    }
    return false;
}

static bool over_limit_alone(const struct admission *admission, const struct waiter *waiter,
                             enum resource *which, uint64_t *bound)
{
    const struct resreq *limit = &admission->state->queues[waiter->queue].limit;

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (limit->named[r] && !is_off(admission, r) && waiter->ask.of[r] > limit->amount.of[r]) {
            *which = r;
            *bound = limit->amount.of[r];
            return true;
        }
    }
    return false;
}

bool admission_never_fits(const struct admission *admission, const struct waiter *waiter,
                          struct explanation *why)
{
    enum cause cause = CAUSE_NONE;
    enum resource which = RES_GPU;
    uint64_t bound = placement_finds_idle(&admission->placement, waiter, true);

    if (waiter->ask.of[RES_GPU] > bound)
        cause = CAUSE_PLACEMENT;
    if (waiter->ask.of[RES_GPU] > GRANT_REPLICAS_MAX)
        cause = CAUSE_GRANT_SIZE;
    if (idle_lacks(admission, waiter, true, &which, &bound))
        cause = CAUSE_CAPACITY;
    if (over_limit_alone(admission, waiter, &which, &bound))
        cause = CAUSE_LIMIT;
    if (cause == CAUSE_NONE)
        return false;
    *why = (struct explanation){
        .reason = REASON_NEVER_FITS, .cause = cause, .which = which, .bound = bound, .ask = waiter->ask};
    return true;
}

/* --- what it lacks ------------------------------------------------------------------------------------------- */

/* What a waiter could have of a resource, before or after the request that is being tried. */
static uint64_t available(const struct admission *admission, const struct waiter *waiter, enum resource r,
                          const struct charge *charge)
{
    uint64_t free = books_free(&admission->books, waiter->queue, r, charge);

    if (r == RES_GPU)
        free = least(free, placement_finds(&admission->placement, waiter, charge == NULL ? BEFORE : AFTER));
    return free;
}

bool admission_has_room(const struct admission *admission, const struct waiter *waiter)
{
    return admission->state->grant_count < GRANTS_MAX &&
           waiter->ask.of[RES_GPU] <= REPLICAS_MAX - admission->state->replica_count;
}

bool admission_fits(const struct admission *admission, const struct waiter *waiter)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (!is_off(admission, r) && waiter->ask.of[r] > available(admission, waiter, r, NULL))
            return false;
    }
    return !books_over_limit(&admission->books, waiter->queue, &waiter->ask, NULL);
}

/* Does `waiter` lack more of something once `charge` is granted? */
static bool is_harmed(struct admission *admission, const struct waiter *waiter, const struct charge *charge)
{
    admission->comparisons++;
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        uint64_t ask = waiter->ask.of[r];

        if (is_off(admission, r) || ask == 0 || charge->amount.of[r] == 0)
            continue;
        if (least(ask, available(admission, waiter, r, charge)) <
            least(ask, available(admission, waiter, r, NULL)))
            return true;
    }
    return false;
}

bool admission_harm_lasts(struct admission *admission, const struct waiter *waiter, uint32_t blocker)
{
    const struct waiter *harmed = &admission->state->waiters[blocker];
    struct charge charge = charge_of(waiter);

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        uint64_t ask = harmed->ask.of[r];

        if (is_off(admission, r) || ask == 0 || charge.amount.of[r] == 0)
            continue;
        /* What the sums leave it is less than it asks and than its placement finds, so the sums decide. */
        if (books_free(&admission->books, harmed->queue, r, &charge) <
            least(ask, available(admission, harmed, r, NULL)))
            return true;
    }
    return false;
}

/* --- rule 2 -------------------------------------------------------------------------------------------------- */

/* Rule 5's exception: whom its own queue's limit stops, or who could not be served even on an idle node, is neither
 * counted nor protected. */
static bool is_unservable(const struct admission *admission, const struct waiter *waiter)
{
    enum resource which;
    uint64_t bound;

    return idle_lacks(admission, waiter, false, &which, &bound) ||
           waiter->ask.of[RES_GPU] > placement_finds_idle(&admission->placement, waiter, false);
}

static bool is_exempt(const struct admission *admission, uint32_t at)
{
    const struct waiter *waiter = &admission->state->waiters[at];

    return admission->unservable[at] ||
           books_over_limit(&admission->books, waiter->queue, &waiter->ask, NULL);
}

bool admission_protected(const struct admission *admission, const struct waiter *waiter)
{
    return waiter->bypassed >= admission->state->node.max_bypass && !is_unservable(admission, waiter) &&
           !books_over_limit(&admission->books, waiter->queue, &waiter->ask, NULL);
}

bool admission_before(struct admission *admission, const struct waiter *a, const struct waiter *b)
{
    const struct books *books = &admission->books;
    bool a_first;
    int order;

    admission->comparisons++;
    if (a->priority != b->priority)
        return a->priority > b->priority;
    a_first = books_within_guarantee(books, a->queue, &a->ask);
    if (a_first != books_within_guarantee(books, b->queue, &b->ask))
        return a_first;
    a_first = admission_protected(admission, a);
    if (a_first != admission_protected(admission, b))
        return a_first;
    order = share_compare(books->account[a->queue].share, admission->state->queues[a->queue].weight,
                          books->account[b->queue].share, admission->state->queues[b->queue].weight);
    return order != 0 ? order < 0 : a->arrival < b->arrival;
}

/* --- rules 3 and 5 ------------------------------------------------------------------------------------------- */

/* Whoever wants no more than this, in every lane, is not harmed by the charge: wants.h. */
static struct lanes harm_threshold(const struct admission *admission, const struct charge *charge)
{
    static const enum lane lane_of[] = {[RES_CPU] = LANE_CPU, [RES_MEM] = LANE_MEM};
    const struct books *books = &admission->books;
    const struct openings *openings = admission->placement.openings;
    struct lanes threshold;

    for (enum lane lane = LANE_CPU; lane < LANE_COUNT; lane++)
        threshold.of[lane] = LANE_UNCHANGED;
    for (enum resource r = RES_CPU; r < RES_GPU; r++) {
        if (books_takes_from_others(books, r, charge))
            threshold.of[lane_of[r]] = books_free_for_all(books, r, charge);
    }
    if (charge->amount.of[RES_GPU] > 0) {
        uint64_t free = books_free_for_all(books, RES_GPU, charge);
        bool from_others = books_takes_from_others(books, RES_GPU, charge);

        threshold.of[LANE_DEVICES] = least(free, placement_least_left(&admission->placement));
        /* A container on a GPU with a cap shuts others out of replicas that it does not take itself. */
        if (from_others || admission->state->node.max_containers_per_gpu > 0)
            threshold.of[LANE_GPU] = least(free, openings[AFTER].replicas);
        if (from_others || openings[AFTER].gpus < openings[BEFORE].gpus)
            threshold.of[LANE_DISTINCT] = least(free, openings[AFTER].gpus);
    }
    return threshold;
}

/* Does the charge take something that its own queue had held back, so that within the queue others may be harmed
 * although nobody outside is? */
static bool takes_from_own(const struct admission *admission, const struct charge *charge)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (charge->amount.of[r] > 0 && !books_takes_from_others(&admission->books, r, charge))
            return true;
    }
    return false;
}

/* Is this a protected waiter ahead of `waiter` that the charge harms? */
static bool is_in_the_way(struct admission *admission, uint32_t at, const struct waiter *waiter,
                          const struct charge *charge)
{
    const struct waiter *other = &admission->state->waiters[at];

    return other != waiter && !is_exempt(admission, at) && is_harmed(admission, other, charge) &&
           admission_before(admission, other, waiter);
}

static uint32_t harmed_protected_ahead(struct admission *admission, const struct waiter *waiter,
                                       const struct charge *charge)
{
    const struct state *state = admission->state;
    struct lanes threshold = harm_threshold(admission, charge);
    uint32_t at = wants_next(&admission->passed_wants, 0, &threshold);

    for (; at != INDEX_NONE; at = wants_next(&admission->passed_wants, at + 1, &threshold)) {
        if (is_in_the_way(admission, at, waiter, charge))
            return at;
    }
    if (!takes_from_own(admission, charge))
        return INDEX_NONE;
    for (at = admission->first_of_queue[charge->queue]; at != INDEX_NONE; at = admission->next_of_queue[at]) {
        if (!admission->gone[at] && state->waiters[at].bypassed >= state->node.max_bypass &&
            is_in_the_way(admission, at, waiter, charge))
            return at;
    }
    return INDEX_NONE;
}

uint32_t admission_try(struct admission *admission, const struct waiter *waiter)
{
    struct charge charge = charge_of(waiter);
    uint32_t blocker;

    placement_pick(&admission->placement, waiter);
    blocker = harmed_protected_ahead(admission, waiter, &charge);
    if (blocker != INDEX_NONE)
        placement_drop(&admission->placement);
    return blocker;
}

/* The oldest waiter from before `waiter` that the charge harms, of all queues. */
static uint32_t oldest_harmed(struct admission *admission, const struct waiter *waiter,
                              const struct charge *charge)
{
    const struct waiter *waiters = admission->state->waiters;
    struct lanes threshold = harm_threshold(admission, charge);
    uint32_t at = wants_next(&admission->wants, 0, &threshold);

    while (at != INDEX_NONE && waiters[at].arrival < waiter->arrival) {
        if (is_exempt(admission, at))
            wants_set(&admission->wants, at, NULL); /* and it stays so: use only grows in here */
        else if (is_harmed(admission, &waiters[at], charge))
            return at;
        at = wants_next(&admission->wants, at + 1, &threshold);
    }
    return INDEX_NONE;
}

/* Likewise, of the charge's own queue. */
static uint32_t oldest_harmed_of_queue(struct admission *admission, const struct waiter *waiter,
                                       const struct charge *charge)
{
    const struct waiter *waiters = admission->state->waiters;
    uint32_t at = admission->first_of_queue[charge->queue];

    for (; at != INDEX_NONE && waiters[at].arrival < waiter->arrival; at = admission->next_of_queue[at]) {
        if (!admission->gone[at] && !is_exempt(admission, at) && is_harmed(admission, &waiters[at], charge))
            return at;
    }
    return INDEX_NONE;
}

/* Adds a waiter to those that were passed over often enough. */
static void note_passed(struct admission *admission, uint32_t at)
{
    struct lanes wish = wants_of(&admission->state->waiters[at], admission->state->node.off);

    wants_set(&admission->passed_wants, at, &wish);
}

static void pass_over(struct admission *admission, uint32_t at)
{
    struct waiter *waiter = &admission->state->waiters[at];

    if (waiter->bypassed == BYPASS_MAX)
        return;
    waiter->bypassed++;
    if (waiter->bypassed == admission->state->node.max_bypass)
        note_passed(admission, at);
}

void admission_grant(struct admission *admission, const struct waiter *waiter, uint32_t at)
{
    struct state *state = admission->state;
    struct charge charge = charge_of(waiter);
    uint32_t harmed = oldest_harmed(admission, waiter, &charge);
    uint32_t in_queue =
        takes_from_own(admission, &charge) ? oldest_harmed_of_queue(admission, waiter, &charge) : INDEX_NONE;

    if (in_queue < harmed)
        harmed = in_queue;
    if (at != INDEX_NONE)
        admission_strike(admission, at);
    state_add_grant(state, waiter, admission->placement.picks);
    placement_keep(&admission->placement);
    state->cursor = admission->placement.cursor[BEFORE];
    books_charge(&admission->books, &charge);

    if (harmed != INDEX_NONE)
        pass_over(admission, harmed);
}

/* --- the waiters --------------------------------------------------------------------------------------------- */

static void note_waiter(struct admission *admission, uint32_t at)
{
    const struct waiter *waiter = &admission->state->waiters[at];
    struct lanes wish = wants_of(waiter, admission->state->node.off);
    uint32_t last = admission->last_of_queue[waiter->queue];

    admission->gone[at] = false;
    admission->unservable[at] = is_unservable(admission, waiter);
    admission->next_of_queue[at] = INDEX_NONE;
    if (last == INDEX_NONE)
        admission->first_of_queue[waiter->queue] = at;
    else
        admission->next_of_queue[last] = at;
    admission->last_of_queue[waiter->queue] = at;
    admission->waiters_of_queue[waiter->queue]++;
    wants_set(&admission->wants, at, &wish);
    if (waiter->bypassed >= admission->state->node.max_bypass)
        note_passed(admission, at);
}

void admission_open(struct admission *admission, struct state *state)
{
    uint32_t room = state->waiter_count < WAITERS_MAX ? state->waiter_count + 1 : WAITERS_MAX;

    admission->state = state;
    placement_init(&admission->placement, state);
    books_init(&admission->books, state, admission->placement.excluded_free);
    wants_init(&admission->wants, room);
    wants_init(&admission->passed_wants, room);
    admission->comparisons = 0;
    for (uint32_t q = 0; q < state->queue_count; q++) {
        admission->first_of_queue[q] = admission->last_of_queue[q] = INDEX_NONE;
        admission->waiters_of_queue[q] = 0;
    }
    for (uint32_t at = 0; at < state->waiter_count; at++)
        note_waiter(admission, at);
}

void admission_close(struct admission *admission)
{
    state_remove_waiters(admission->state, admission->gone);
}

void admission_strike(struct admission *admission, uint32_t at)
{
    admission->gone[at] = true;
    wants_set(&admission->wants, at, NULL);
    wants_set(&admission->passed_wants, at, NULL);
}

enum cause admission_enqueue(struct admission *admission, const struct waiter *waiter)
{
    if (admission->state->waiter_count == WAITERS_MAX)
        return CAUSE_WAITERS;
    if (admission->waiters_of_queue[waiter->queue] >= WAITERS_PER_QUEUE)
        return CAUSE_QUEUE_WAITERS;
    state_add_waiter(admission->state, waiter);
    note_waiter(admission, admission->state->waiter_count - 1);
    return CAUSE_NONE;
}

/* --- why not ------------------------------------------------------------------------------------------------- */

static bool fits_if_all_healthy(const struct admission *admission, const struct waiter *waiter)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        uint64_t free = books_free_if_all_healthy(&admission->books, waiter->queue, r);

        if (r == RES_GPU)
            free = least(free, placement_finds_if_all_healthy(&admission->placement, waiter));
        if (!is_off(admission, r) && waiter->ask.of[r] > free)
            return false;
    }
    return true;
}

static uint32_t count_excluded(const struct state *state)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < state->node_gpus; i++)
        count += state->gpus[i].excluded;
    return count;
}

static uint32_t count_ahead(struct admission *admission, const struct waiter *waiter)
{
    uint32_t count = 0;

    for (uint32_t at = 0; at < admission->state->waiter_count; at++) {
        const struct waiter *other = &admission->state->waiters[at];

        count += other->arrival != waiter->arrival && !admission->gone[at] &&
                 admission_before(admission, other, waiter);
    }
    return count;
}

void admission_explain(struct admission *admission, const struct waiter *waiter, uint32_t blocker,
                       struct explanation *why)
{
    const struct account *account = &admission->books.account[waiter->queue];

    *why = (struct explanation){
        .ask = waiter->ask, .held = account->held, .share = share_reduce(account->share)};
    why->ahead = count_ahead(admission, waiter);
    why->excluded_gpus = count_excluded(admission->state);
    for (enum resource r = RES_CPU; r < RES_COUNT; r++)
        why->free.of[r] =
            is_off(admission, r) ? waiter->ask.of[r] : books_free(&admission->books, waiter->queue, r, NULL);
    why->found = placement_finds(&admission->placement, waiter, BEFORE);

    if (books_over_limit(&admission->books, waiter->queue, &waiter->ask, &why->which)) {
        why->reason = REASON_OVER_LIMIT;
        why->bound = admission->state->queues[waiter->queue].limit.amount.of[why->which];
    } else if (blocker != INDEX_NONE) {
        const struct waiter *other = &admission->state->waiters[blocker];

        why->reason = REASON_BEHIND_PROTECTED;
        why->bypassed = other->bypassed;
        memcpy(why->subject, other->id, sizeof(why->subject));
    } else if (admission_fits(admission, waiter)) {
        why->reason = REASON_LEDGER_FULL;
        why->cause = CAUSE_GRANTS;
    } else {
        why->reason = fits_if_all_healthy(admission, waiter) ? REASON_NO_HEALTHY_GPU : REASON_NO_CAPACITY;
    }
}

void admission_explain_waiter(struct admission *admission, const struct waiter *waiter,
                              struct explanation *why)
{
    uint32_t blocker = INDEX_NONE;

    if (admission_fits(admission, waiter) && admission_has_room(admission, waiter)) {
        blocker = admission_try(admission, waiter);
        if (blocker == INDEX_NONE)
            placement_drop(&admission->placement);
    }
    admission_explain(admission, waiter, blocker, why);
}

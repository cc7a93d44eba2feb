#include "alloc/decide.h"

#include <assert.h>
#include <string.h>

#include "alloc/number.h"

/* One call of decide(). */
struct hearing {
    struct state *state;
    struct workspace *workspace;
    struct decisions *decisions;
    struct error *err;
};

/* --- telling ------------------------------------------------------------------------------------------------- */

static struct decision *tell(struct hearing *hearing, enum verdict verdict, const char *id, uint32_t queue)
{
    struct decision *decision = &hearing->decisions->item[hearing->decisions->count++];

    assert(hearing->decisions->count <= DECISIONS_MAX);
    *decision = (struct decision){.verdict = verdict};
    memcpy(decision->id, id, sizeof(decision->id));
    if (queue != INDEX_NONE)
        memcpy(decision->queue, hearing->state->queues[queue].name, sizeof(decision->queue));
    return decision;
}

static void tell_replicas(struct hearing *hearing, struct decision *decision, const struct grant *grant)
{
    struct decisions *decisions = hearing->decisions;

    decision->first_replica = decisions->replica_count;
    decision->replica_count = (uint32_t)grant->ask.of[RES_GPU];
    memcpy(&decisions->replicas[decisions->replica_count], &hearing->state->replicas[grant->first_replica],
           decision->replica_count * sizeof(decisions->replicas[0]));
    decisions->replica_count += decision->replica_count;
}

/* The grant that was given last. */
static void tell_granted(struct hearing *hearing)
{
    const struct state *state = hearing->state;
    const struct grant *grant = &state->grants[state->grant_count - 1];
    struct decision *decision = tell(hearing, VERDICT_GRANTED, grant->id, grant->queue);

    tell_replicas(hearing, decision, grant);
    decision->share = share_reduce(hearing->workspace->admission.books.account[grant->queue].share);
}

static void tell_settled(void *context, const struct waiter *waiter, const struct explanation *why)
{
    struct hearing *hearing = context;

    if (why == NULL)
        tell_granted(hearing);
    else
        tell(hearing, VERDICT_DENIED, waiter->id, waiter->queue)->why = *why;
}

/* --- settling ------------------------------------------------------------------------------------------------ */

static void settle_open(struct hearing *hearing)
{
    settle_run(&hearing->workspace->settle, &hearing->workspace->admission, tell_settled, hearing);
    admission_close(&hearing->workspace->admission);
}

static int settle(struct hearing *hearing)
{
    admission_open(&hearing->workspace->admission, hearing->state);
    settle_open(hearing);
    return 0;
}

/* --- a request ----------------------------------------------------------------------------------------------- */

uint32_t decide_find_gpu(const struct state *state, const char *name, size_t length)
{
    char uuid[UUID_SIZE];
    uint64_t index;

    if (length == 0 || length >= sizeof(uuid))
        return INDEX_NONE;
    if (number_parse(name, length, GPUS_MAX, &index) == NULL)
        return index < state->node_gpus ? (uint32_t)index : INDEX_NONE;
    memcpy(uuid, name, length);
    uuid[length] = '\0';
    return state_find_gpu(state, uuid);
}

/* The devices that the request names, as indices, each once. */
static enum cause find_devices(const struct state *state, const char *devices, struct waiter *waiter,
                               struct explanation *why)
{
    while (*devices != '\0') {
        size_t length = strcspn(devices, ",");
        uint32_t gpu = decide_find_gpu(state, devices, length);
        size_t shown = length < sizeof(why->subject) ? length : sizeof(why->subject) - 1;

        memcpy(why->subject, devices, shown);
        why->subject[shown] = '\0';
        if (gpu >= state->node_gpus)
            return CAUSE_UNKNOWN_DEVICE;
        if (!waiter_names_device(waiter, gpu)) {
            if (waiter->device_count == DEVICES_MAX)
                return CAUSE_MANY_DEVICES;
            waiter->devices[waiter->device_count++] = (uint16_t)gpu;
        }
        devices += length + (devices[length] == ',');
    }
    return CAUSE_NONE;
}

/* Fills in the request as somebody who may wait. False: it is a bad one, and `why` says how. */
static bool understand(const struct state *state, const struct request *request, struct waiter *waiter,
                       struct explanation *why)
{
    const struct queue *queue = &state->queues[waiter->queue];

    *why = (struct explanation){.reason = REASON_BAD_REQUEST,
                                .ask = request->ask,
                                .priority = request->priority,
                                .max_priority = queue->max_priority};
    why->cause = find_devices(state, request->devices, waiter, why);
    if (request->priority < PRIORITY_MIN || request->priority > queue->max_priority)
        why->cause = CAUSE_PRIORITY;
    waiter->ask = request->ask;
    waiter->priority = (int32_t)request->priority;
    waiter->policy = request->policy;
    waiter->distinct = request->distinct;
    waiter->holder = request->holder;
    memcpy(waiter->id, request->id, sizeof(waiter->id));
    return why->cause == CAUSE_NONE;
}

/* Grants an arrival if rule 3 lets it; else says why not. */
static bool admit(struct admission *admission, const struct waiter *arrival, struct explanation *why)
{
    uint32_t blocker = INDEX_NONE;

    if (admission_never_fits(admission, arrival, why))
        return false;
    if (admission_fits(admission, arrival) && admission_has_room(admission, arrival)) {
        blocker = admission_try(admission, arrival);
        if (blocker == INDEX_NONE) {
            admission_grant(admission, arrival, INDEX_NONE);
            return true;
        }
    }
    admission_explain(admission, arrival, blocker, why);
    return false;
}

/* Lets it wait, if it may and waiting can help. */
static bool enqueue(struct admission *admission, const struct waiter *arrival, bool may_wait,
                    struct explanation *why)
{
    enum cause cause;

    if (!may_wait || why->reason == REASON_NEVER_FITS || why->reason == REASON_LEDGER_FULL)
        return false;
    cause = admission_enqueue(admission, arrival);
    if (cause == CAUSE_NONE)
        return true;
    *why = (struct explanation){.reason = REASON_LEDGER_FULL, .cause = cause};
    return false;
}

static int deny(struct hearing *hearing, const struct waiter *arrival, const struct explanation *why)
{
    tell(hearing, VERDICT_DENIED, arrival->id, arrival->queue)->why = *why;
    return settle(hearing);
}

static int on_request(struct hearing *hearing, const struct request *request)
{
    struct admission *admission = &hearing->workspace->admission;
    struct state *state = hearing->state;
    struct waiter arrival = {.queue = INDEX_NONE};
    struct explanation why;
    char quoted[QUOTE_SIZE];

    if (state_find_grant(state, request->id) != INDEX_NONE ||
        state_find_waiter(state, request->id) != INDEX_NONE)
        return error_set(hearing->err, ERROR_INPUT, "%s holds or awaits a grant already",
                         text_quote(quoted, request->id, strnlen(request->id, ID_SIZE)));
    arrival.arrival = state->next_arrival++;
    arrival.queue = state_use_queue(state, request->queue);
    if (arrival.queue == INDEX_NONE) {
        memcpy(arrival.id, request->id, sizeof(arrival.id));
        return deny(hearing, &arrival,
                    &(struct explanation){.reason = REASON_LEDGER_FULL, .cause = CAUSE_QUEUES});
    }
    if (!understand(state, request, &arrival, &why))
        return deny(hearing, &arrival, &why);

    admission_open(admission, state);
    if (admit(admission, &arrival, &why))
        tell_granted(hearing);
    else if (enqueue(admission, &arrival, request->wait, &why))
        tell(hearing, VERDICT_WAITING, arrival.id, arrival.queue)->why = why;
    else
        tell(hearing, VERDICT_DENIED, arrival.id, arrival.queue)->why = why;
    settle_open(hearing);
    return 0;
}

/* Opens an admission for a request that is only being considered. False: it cannot be understood, and `why` says so. */
static bool consider(struct state *state, const struct request *request, struct workspace *workspace,
                     struct waiter *arrival, struct explanation *why)
{
    *arrival =
        (struct waiter){.arrival = state->next_arrival, .queue = state_use_queue(state, request->queue)};
    *why = (struct explanation){.reason = REASON_LEDGER_FULL, .cause = CAUSE_QUEUES};
    if (arrival->queue == INDEX_NONE || !understand(state, request, arrival, why))
        return false;
    admission_open(&workspace->admission, state);
    return true;
}

bool decide_would_grant(struct state *state, const struct request *request, struct workspace *workspace)
{
    struct admission *admission = &workspace->admission;
    struct waiter arrival;
    struct explanation why;

    if (!consider(state, request, workspace, &arrival, &why) ||
        admission_never_fits(admission, &arrival, &why) || !admission_fits(admission, &arrival) ||
        !admission_has_room(admission, &arrival) || admission_try(admission, &arrival) != INDEX_NONE)
        return false;
    placement_drop(&admission->placement);
    return true;
}

bool decide_never_fits(struct state *state, const struct request *request, struct workspace *workspace,
                       struct explanation *why)
{
    struct waiter arrival;

    return !consider(state, request, workspace, &arrival, why) ||
           admission_never_fits(&workspace->admission, &arrival, why);
}

/* --- the other events ---------------------------------------------------------------------------------------- */

static int refuse_id(struct hearing *hearing, const char *id, const char *wrong)
{
    char quoted[QUOTE_SIZE];

    return error_set(hearing->err, ERROR_INPUT, "%s %s", text_quote(quoted, id, strlen(id)), wrong);
}

static int on_release(struct hearing *hearing, const struct event *event)
{
    struct state *state = hearing->state;
    bool *gone = hearing->workspace->gone;

    memset(gone, 0, state->grant_count * sizeof(gone[0]));
    for (uint32_t i = 0; i < event->id_count; i++) {
        uint32_t at = state_find_grant(state, event->ids[i]);

        if (at == INDEX_NONE)
            return refuse_id(hearing, event->ids[i], "holds no grant");
        if (gone[at])
            return refuse_id(hearing, event->ids[i], "is named twice");
        gone[at] = true;
    }
    for (uint32_t i = 0; i < event->id_count; i++) {
        const struct grant *grant = &state->grants[state_find_grant(state, event->ids[i])];

        tell_replicas(hearing, tell(hearing, VERDICT_RELEASED, grant->id, grant->queue), grant);
    }
    state_remove_grants(state, gone);
    return settle(hearing);
}

/* A waiter has waited long enough. */
static int on_timeout(struct hearing *hearing, const char *id)
{
    struct admission *admission = &hearing->workspace->admission;
    uint32_t at = state_find_waiter(hearing->state, id);
    const struct waiter *waiter;
    struct decision *decision;

    if (at == INDEX_NONE)
        return refuse_id(hearing, id, "does not wait");
    waiter = &hearing->state->waiters[at];
    admission_open(admission, hearing->state);
    decision = tell(hearing, VERDICT_DENIED, waiter->id, waiter->queue);
    admission_explain_waiter(admission, waiter, &decision->why);
    decision->why.beneath = decision->why.reason;
    decision->why.reason = REASON_TIMED_OUT;
    admission_strike(admission, at);
    settle_open(hearing);
    return 0;
}

static int on_cancel(struct hearing *hearing, const struct event *event)
{
    struct state *state = hearing->state;
    bool *gone = hearing->workspace->gone;

    memset(gone, 0, state->waiter_count * sizeof(gone[0]));
    for (uint32_t i = 0; i < event->id_count; i++) {
        uint32_t at = state_find_waiter(state, event->ids[i]);

        if (at == INDEX_NONE)
            return refuse_id(hearing, event->ids[i], "does not wait");
        if (gone[at])
            return refuse_id(hearing, event->ids[i], "is named twice");
        gone[at] = true;
    }
    for (uint32_t i = 0; i < event->id_count; i++) {
        const struct waiter *waiter = &state->waiters[state_find_waiter(state, event->ids[i])];

        tell(hearing, VERDICT_CANCELLED, waiter->id, waiter->queue);
    }
    state_remove_waiters(state, gone);
    return settle(hearing);
}

static int on_health(struct hearing *hearing, const struct event *event)
{
    uint32_t gpu = decide_find_gpu(hearing->state, event->gpu, strlen(event->gpu));

    if (gpu == INDEX_NONE)
        return refuse_id(hearing, event->gpu, "is no GPU of this node");
    hearing->state->gpus[gpu].excluded = event->excluded;
    return settle(hearing);
}

static int on_node(struct hearing *hearing, const struct node_description *node)
{
    if (state_set_node(hearing->state, node, hearing->workspace->gpus, hearing->err) < 0)
        return -1;
    return settle(hearing);
}

static int on_queue(struct hearing *hearing, const struct queue *queue)
{
    if (state_declare_queue(hearing->state, queue, hearing->err) < 0)
        return -1;
    return settle(hearing);
}

int decide(struct state *state, const struct event *event, struct workspace *workspace,
           struct decisions *decisions, struct error *err)
{
    struct hearing hearing = {state, workspace, decisions, err};

    decisions->count = 0;
    decisions->replica_count = 0;
    /* Only now: the decisions of the last call may have named what is forgotten here. */
    state_tidy(state);
    switch (event->kind) {
    case EVENT_NODE: return on_node(&hearing, event->node);
    case EVENT_QUEUE: return on_queue(&hearing, event->queue);
    case EVENT_REQUEST: return on_request(&hearing, event->request);
    case EVENT_RELEASE: return on_release(&hearing, event);
    case EVENT_TIMEOUT: return on_timeout(&hearing, event->ids[0]);
    case EVENT_CANCEL: return on_cancel(&hearing, event);
    case EVENT_HEALTH: return on_health(&hearing, event);
    case EVENT_SETTLE: return settle(&hearing);
    }
    return error_set(err, ERROR_BUG, "an event of an unknown kind");
}

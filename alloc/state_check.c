/*
 * state_check.c - does a state keep the promises of state.h? Read by tests after every step, and by whoever
 * got a state from outside. Plain and slow on purpose: it shares no code with what it checks.
 */
#include "alloc/state.h"

#include <string.h>

static bool in_bounds(const struct resources *amount)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (amount->of[r] > QUANTITY_MAX)
            return false;
    }
    return true;
}

static const char *broken_gpus(const struct state *state)
{
    uint64_t replicas = 0;

    if (state->gpu_count > GPUS_MAX || state->node_gpus > state->gpu_count)
        return "GPU counts";
    for (uint32_t i = 0; i < state->gpu_count; i++) {
        if (memchr(state->gpus[i].uuid, '\0', UUID_SIZE) == NULL || state->gpus[i].uuid[0] == '\0')
            return "the UUID of a GPU";
        if (state->gpus[i].replicas > REPLICAS_PER_GPU_MAX ||
            (state->gpus[i].replicas == 0) != (i >= state->node_gpus))
            return "the replicas of a GPU";
        replicas += state->gpus[i].replicas;
    }
    if (replicas != state->node.capacity.of[RES_GPU])
        return "the capacity in replicas";
    if (!in_bounds(&state->node.capacity))
        return "the capacity";
    /* cpu and memory may be switched off; replicas are what there is to place. */
    if (state->node.off[RES_GPU])
        return "GPUs that are switched off";
    if (state->cursor != INDEX_NONE && state->cursor >= state->gpu_count)
        return "the cursor";
    for (uint32_t i = 0; i < state->gpu_count; i++) {
        if (state_find_gpu(state, state->gpus[i].uuid) != i)
            return "a GPU that is there twice";
    }
    return NULL;
}

static const char *broken_queues(const struct state *state)
{
    if (state->queue_count > QUEUES_MAX)
        return "the number of queues";
    for (uint32_t i = 0; i < state->queue_count; i++) {
        const struct queue *queue = &state->queues[i];
        const char *end = memchr(queue->name, '\0', QUEUE_NAME_SIZE);

        if (end == NULL || queue_name_wrong(queue->name, (size_t)(end - queue->name)) != NULL)
            return "the name of a queue";
        if (queue->weight < 1 || queue->weight > WEIGHT_MAX)
            return "the weight of a queue";
        if (!in_bounds(&queue->guarantee.amount) || !in_bounds(&queue->limit.amount))
            return "the bounds of a queue";
        if (i > 0 && strcmp(state->queues[i - 1].name, queue->name) >= 0)
            return "the order of the queues";
    }
    return NULL;
}

static const char *broken_record(const struct state *state, const char *id, const struct resources *ask,
                                 uint32_t queue, uint64_t arrival)
{
    if (id[0] == '\0' || memchr(id, '\0', ID_SIZE) == NULL)
        return "the id of a record";
    if (!in_bounds(ask))
        return "the amounts of a record";
    if (queue >= state->queue_count)
        return "the queue of a record";
    return arrival == 0 || arrival >= state->next_arrival ? "the arrival of a record" : NULL;
}

static const char *broken_grants(const struct state *state)
{
    uint32_t first = 0;

    if (state->grant_count > GRANTS_MAX || state->replica_count > REPLICAS_MAX)
        return "the number of grants";
    for (uint32_t i = 0; i < state->grant_count; i++) {
        const struct grant *grant = &state->grants[i];
        const char *wrong = broken_record(state, grant->id, &grant->ask, grant->queue, grant->arrival);

        if (wrong != NULL)
            return wrong;
        if (grant->first_replica != first || grant->ask.of[RES_GPU] > state->replica_count - first)
            return "the replicas of a grant";
        first += (uint32_t)grant->ask.of[RES_GPU];
    }
    return first != state->replica_count ? "replicas that no grant holds" : NULL;
}

/* Each GPU in turn: a bitmap of all of them would not fit on the stack of a small thread. */
static const char *broken_replicas(const struct state *state)
{
    for (uint32_t i = 0; i < state->replica_count; i++) {
        if (state->replicas[i].gpu >= state->gpu_count || state->replicas[i].number >= REPLICAS_PER_GPU_MAX)
            return "a replica that is not there";
    }
    for (uint32_t gpu = 0; gpu < state->gpu_count; gpu++) {
        bool held[REPLICAS_PER_GPU_MAX] = {false};

        for (uint32_t i = 0; i < state->replica_count; i++) {
            if (state->replicas[i].gpu != gpu)
                continue;
            if (held[state->replicas[i].number])
                return "a replica that is held twice";
            held[state->replicas[i].number] = true;
        }
    }
    return NULL;
}

static const char *broken_devices(const struct state *state, const struct waiter *waiter)
{
    if (waiter->device_count > DEVICES_MAX)
        return "the devices of a waiter";
    for (uint32_t i = 0; i < waiter->device_count; i++) {
        if (waiter->devices[i] >= state->gpu_count)
            return "a device of a waiter";
        for (uint32_t other = 0; other < i; other++) {
            if (waiter->devices[other] == waiter->devices[i])
                return "a device that a waiter names twice";
        }
    }
    return NULL;
}

static const char *broken_waiters(const struct state *state)
{
    if (state->waiter_count > WAITERS_MAX)
        return "the number of waiters";
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        const struct waiter *waiter = &state->waiters[i];
        const char *wrong = broken_record(state, waiter->id, &waiter->ask, waiter->queue, waiter->arrival);

        if (wrong == NULL)
            wrong = broken_devices(state, waiter);
        if (wrong != NULL)
            return wrong;
        if (i > 0 && state->waiters[i - 1].arrival >= waiter->arrival)
            return "the order of the waiters";
        if ((unsigned)waiter->policy >= POLICY_COUNT)
            return "the placement of a waiter";
    }
    return NULL;
}

const char *state_broken(const struct state *state)
{
    static const char *(*const checks[])(const struct state *) = {
        broken_gpus, broken_queues, broken_grants, broken_replicas, broken_waiters,
    };

    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        const char *wrong = checks[i](state);

        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

#include "alloc/state.h"

#include <assert.h>
#include <string.h>

#include "alloc/heap.h"

void state_init(struct state *state)
{
    state->node = (struct node){.off = {true, true, false}, .max_bypass = 8};
    state->gpu_count = 0;
    state->node_gpus = 0;
    state->queue_count = 0;
    state->grant_count = 0;
    state->waiter_count = 0;
    state->replica_count = 0;
    state->cursor = INDEX_NONE;
    state->next_arrival = 1;
}

/* --- GPUs ---------------------------------------------------------------------------------------------------- */

uint32_t state_find_gpu(const struct state *state, const char *uuid)
{
    for (uint32_t i = 0; i < state->gpu_count; i++) {
        if (strcmp(state->gpus[i].uuid, uuid) == 0)
            return i;
    }
    return INDEX_NONE;
}

static bool uuid_before(const void *context, uint32_t a, uint32_t b)
{
    const struct gpu *gpus = context;
    int order = strcmp(gpus[a].uuid, gpus[b].uuid);

    return order < 0 || (order == 0 && a < b);
}

/* The first UUID that stands in the list twice, or NULL. Sorted through a heap: qsort may allocate. */
static const char *duplicate_uuid(const struct gpu *gpus, uint32_t count)
{
    uint32_t slot[GPUS_MAX];
    uint32_t where[GPUS_MAX];
    const char *last = NULL;
    struct heap heap;

    heap_init(&heap, slot, where, uuid_before, gpus);
    for (uint32_t i = 0; i < count; i++) {
        where[i] = HEAP_NOWHERE;
        heap_push(&heap, i);
    }
    while (heap.count > 0) {
        uint32_t next = heap_first(&heap);

        if (last != NULL && strcmp(last, gpus[next].uuid) == 0)
            return last;
        last = gpus[next].uuid;
        heap_remove(&heap, next);
    }
    return NULL;
}

static int check_description(const struct node_description *description, struct error *err)
{
    uint64_t replicas = 0;
    const char *twice;
    char quoted[QUOTE_SIZE];

    if (description->gpu_count > GPUS_MAX)
        return error_set(err, ERROR_INPUT, "%u GPUs are more than the %u that a node may have",
                         description->gpu_count, GPUS_MAX);
    for (uint32_t i = 0; i < description->gpu_count; i++) {
        const struct gpu *gpu = &description->gpus[i];

        if (gpu->uuid[0] == '\0')
            return error_set(err, ERROR_INPUT, "GPU %u has an empty UUID", i);
        if (gpu->replicas < 1 || gpu->replicas > REPLICAS_PER_GPU_MAX)
            return error_set(err, ERROR_INPUT, "GPU %s has %u replicas; 1 to %u are allowed",
                             text_quote(quoted, gpu->uuid, strlen(gpu->uuid)), gpu->replicas,
                             REPLICAS_PER_GPU_MAX);
        replicas += gpu->replicas;
    }
    if (replicas > REPLICAS_MAX)
        return error_set(err, ERROR_INPUT, "the GPUs have more than %u replicas in all", REPLICAS_MAX);
    twice = duplicate_uuid(description->gpus, description->gpu_count);
    if (twice != NULL)
        return error_set(err, ERROR_INPUT, "GPU %s is there twice", text_quote(quoted, twice, strlen(twice)));
    return 0;
}

/* Rewrites every reference to a GPU: index i becomes to[i]. */
static void remap_gpus(struct state *state, const uint32_t *to)
{
    for (uint32_t i = 0; i < state->replica_count; i++)
        state->replicas[i].gpu = (uint16_t)to[state->replicas[i].gpu];
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        struct waiter *waiter = &state->waiters[i];

        for (uint32_t d = 0; d < waiter->device_count; d++)
            waiter->devices[d] = (uint16_t)to[waiter->devices[d]];
    }
    if (state->cursor != INDEX_NONE)
        state->cursor = to[state->cursor];
}

static void mark_gpus_in_use(const struct state *state, bool *in_use)
{
    for (uint32_t i = 0; i < state->gpu_count; i++)
        in_use[i] = i < state->node_gpus || state->gpus[i].excluded;
    for (uint32_t i = 0; i < state->replica_count; i++)
        in_use[state->replicas[i].gpu] = true;
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        for (uint32_t d = 0; d < state->waiters[i].device_count; d++)
            in_use[state->waiters[i].devices[d]] = true;
    }
    if (state->cursor != INDEX_NONE)
        in_use[state->cursor] = true;
}

/* Drops vanished GPUs that nothing refers to. */
static void tidy_gpus(struct state *state)
{
    bool in_use[GPUS_MAX];
    uint32_t to[GPUS_MAX];
    uint32_t kept = 0;

    mark_gpus_in_use(state, in_use);
    for (uint32_t i = 0; i < state->gpu_count; i++) {
        to[i] = kept;
        if (!in_use[i])
            continue;
        if (kept != i)
            state->gpus[kept] = state->gpus[i];
        kept++;
    }
    if (kept != state->gpu_count)
        remap_gpus(state, to);
    state->gpu_count = kept;
}

/* Where an old GPU is in the new list; mostly where it always was. */
static uint32_t find_described(const struct node_description *description, const char *uuid, uint32_t hint)
{
    if (hint < description->gpu_count && strcmp(description->gpus[hint].uuid, uuid) == 0)
        return hint;
    for (uint32_t i = 0; i < description->gpu_count; i++) {
        if (strcmp(description->gpus[i].uuid, uuid) == 0)
            return i;
    }
    return INDEX_NONE;
}

/* Maps each old GPU to its place in the new table; the vanished go behind the new ones. Returns the new count,
 * which may be more than fits. */
static uint32_t map_gpus(const struct state *state, const struct node_description *description, uint32_t *to)
{
    uint32_t count = description->gpu_count;

    for (uint32_t i = 0; i < state->gpu_count; i++) {
        to[i] = find_described(description, state->gpus[i].uuid, i);
        if (to[i] == INDEX_NONE)
            to[i] = count++;
    }
    return count;
}

int state_set_node(struct state *state, const struct node_description *description,
                   struct gpu spare[static GPUS_MAX], struct error *err)
{
    uint32_t to[GPUS_MAX];
    uint32_t count;

    if (check_description(description, err) < 0)
        return -1;
    count = map_gpus(state, description, to);
    if (count > GPUS_MAX)
        return error_set(err, ERROR_INPUT, "with GPUs that vanished while in use there are more than %u",
                         GPUS_MAX);

    memcpy(spare, state->gpus, state->gpu_count * sizeof(spare[0]));
    state->node = description->node;
    state->node.capacity.of[RES_GPU] = 0;
    for (uint32_t i = 0; i < description->gpu_count; i++) {
        state->gpus[i] = description->gpus[i];
        state->gpus[i].excluded = false;
        state->node.capacity.of[RES_GPU] += description->gpus[i].replicas;
    }
    for (uint32_t i = 0; i < state->gpu_count; i++) {
        struct gpu *gpu = &state->gpus[to[i]];

        if (to[i] >= description->gpu_count) {
            *gpu = spare[i];
            gpu->replicas = 0;
        }
        gpu->excluded = spare[i].excluded;
    }
    state->gpu_count = count;
    state->node_gpus = description->gpu_count;
    remap_gpus(state, to);
    return 0;
}

/* --- queues -------------------------------------------------------------------------------------------------- */

/* The first queue whose name is not below `name`. */
static uint32_t queue_position(const struct state *state, const char *name)
{
    uint32_t low = 0;
    uint32_t high = state->queue_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (strcmp(state->queues[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_queue(const struct state *state, uint32_t at, const char *name)
{
    return at < state->queue_count && strcmp(state->queues[at].name, name) == 0;
}

uint32_t state_find_queue(const struct state *state, const char *name)
{
    uint32_t at = queue_position(state, name);

    return has_queue(state, at, name) ? at : INDEX_NONE;
}

static void insert_queue(struct state *state, uint32_t at, const struct queue *queue)
{
    memmove(&state->queues[at + 1], &state->queues[at], (state->queue_count - at) * sizeof(state->queues[0]));
    state->queues[at] = *queue;
    state->queue_count++;
    for (uint32_t i = 0; i < state->grant_count; i++)
        state->grants[i].queue += state->grants[i].queue >= at;
    for (uint32_t i = 0; i < state->waiter_count; i++)
        state->waiters[i].queue += state->waiters[i].queue >= at;
}

uint32_t state_use_queue(struct state *state, const char *name)
{
    uint32_t at = queue_position(state, name);
    struct queue queue;

    if (has_queue(state, at, name))
        return at;
    if (state->queue_count == QUEUES_MAX)
        return INDEX_NONE;
    queue = queue_default(name, state->node.undeclared_max_priority);
    insert_queue(state, at, &queue);
    return at;
}

/* What would be held back in all, of one resource, if `queue` were declared. */
static uint64_t not_lent(const struct state *state, const struct queue *queue, enum resource r)
{
    uint64_t sum = queue->lend ? 0 : queue->guarantee.amount.of[r];

    for (uint32_t i = 0; i < state->queue_count; i++) {
        if (!state->queues[i].lend && strcmp(state->queues[i].name, queue->name) != 0 &&
            __builtin_add_overflow(sum, state->queues[i].guarantee.amount.of[r], &sum))
            return UINT64_MAX;
    }
    return sum;
}

int state_declare_queue(struct state *state, const struct queue *queue, struct error *err)
{
    uint32_t at = queue_position(state, queue->name);
    char sum[AMOUNT_TEXT_SIZE];
    char capacity[AMOUNT_TEXT_SIZE];

    if (queue_check(queue, err) < 0)
        return -1;
    for (enum resource r = RES_CPU; r < RES_COUNT && !queue->lend; r++) {
        if (!state->node.off[r] && queue->guarantee.amount.of[r] > 0 &&
            not_lent(state, queue, r) > state->node.capacity.of[r])
            return error_set(err, ERROR_INPUT,
                             "the guarantees that are not lent add up to %s=%s, above the node's %s=%s; "
                             "lower a guarantee or set lend = true",
                             resource_name(r), amount_format(r, not_lent(state, queue, r), sum),
                             resource_name(r), amount_format(r, state->node.capacity.of[r], capacity));
    }
    if (has_queue(state, at, queue->name))
        state->queues[at] = *queue;
    else if (state->queue_count == QUEUES_MAX)
        return error_set(err, ERROR_INPUT, "more than %u queues are in use", QUEUES_MAX);
    else
        insert_queue(state, at, queue);
    state->queues[at].declared = true;
    return 0;
}

/* Drops undeclared queues that hold and want nothing. */
static void tidy_queues(struct state *state)
{
    bool in_use[QUEUES_MAX];
    uint32_t to[QUEUES_MAX];
    uint32_t kept = 0;

    for (uint32_t i = 0; i < state->queue_count; i++)
        in_use[i] = state->queues[i].declared;
    for (uint32_t i = 0; i < state->grant_count; i++)
        in_use[state->grants[i].queue] = true;
    for (uint32_t i = 0; i < state->waiter_count; i++)
        in_use[state->waiters[i].queue] = true;
    for (uint32_t i = 0; i < state->queue_count; i++) {
        to[i] = kept;
        if (!in_use[i])
            continue;
        if (kept != i)
            state->queues[kept] = state->queues[i];
        kept++;
    }
    if (kept == state->queue_count)
        return;
    state->queue_count = kept;
    for (uint32_t i = 0; i < state->grant_count; i++)
        state->grants[i].queue = to[state->grants[i].queue];
    for (uint32_t i = 0; i < state->waiter_count; i++)
        state->waiters[i].queue = to[state->waiters[i].queue];
}

void state_tidy(struct state *state)
{
    tidy_gpus(state);
    tidy_queues(state);
}

/* --- grants and waiters -------------------------------------------------------------------------------------- */

uint32_t state_find_grant(const struct state *state, const char *id)
{
    for (uint32_t i = 0; i < state->grant_count; i++) {
        if (strcmp(state->grants[i].id, id) == 0)
            return i;
    }
    return INDEX_NONE;
}

uint32_t state_find_waiter(const struct state *state, const char *id)
{
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        if (strcmp(state->waiters[i].id, id) == 0)
            return i;
    }
    return INDEX_NONE;
}

void state_add_grant(struct state *state, const struct waiter *waiter, const struct replica *replicas)
{
    uint32_t count = (uint32_t)waiter->ask.of[RES_GPU];
    struct grant *grant = &state->grants[state->grant_count];

    assert(state->grant_count < GRANTS_MAX && count <= REPLICAS_MAX - state->replica_count);
    *grant = (struct grant){
        .holder = waiter->holder,
        .ask = waiter->ask,
        .arrival = waiter->arrival,
        .first_replica = state->replica_count,
        .queue = waiter->queue,
        .priority = waiter->priority,
    };
    memcpy(grant->id, waiter->id, sizeof(grant->id));
    if (count > 0)
        memcpy(&state->replicas[state->replica_count], replicas, count * sizeof(replicas[0]));
    state->grant_count++;
    state->replica_count += count;
}

void state_remove_grants(struct state *state, const bool *gone)
{
    uint32_t kept = 0;
    uint32_t replicas = 0;

    for (uint32_t i = 0; i < state->grant_count; i++) {
        struct grant grant = state->grants[i];
        uint32_t count = (uint32_t)grant.ask.of[RES_GPU];

        if (gone[i])
            continue;
        memmove(&state->replicas[replicas], &state->replicas[grant.first_replica],
                count * sizeof(state->replicas[0]));
        grant.first_replica = replicas;
        state->grants[kept++] = grant;
        replicas += count;
    }
    state->grant_count = kept;
    state->replica_count = replicas;
}

void state_add_waiter(struct state *state, const struct waiter *waiter)
{
    uint32_t at = state->waiter_count;

    assert(state->waiter_count < WAITERS_MAX);
    while (at > 0 && state->waiters[at - 1].arrival > waiter->arrival)
        at--;
    memmove(&state->waiters[at + 1], &state->waiters[at],
            (state->waiter_count - at) * sizeof(state->waiters[0]));
    state->waiters[at] = *waiter;
    state->waiter_count++;
}

bool waiter_names_device(const struct waiter *waiter, uint32_t gpu)
{
    for (uint32_t i = 0; i < waiter->device_count; i++) {
        if (waiter->devices[i] == gpu)
            return true;
    }
    return false;
}

void state_remove_waiters(struct state *state, const bool *gone)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < state->waiter_count; i++) {
        if (gone[i])
            continue;
        if (kept != i)
            state->waiters[kept] = state->waiters[i];
        kept++;
    }
    state->waiter_count = kept;
}

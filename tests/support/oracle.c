#include "tests/support/oracle.h"

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t oracle_held(const struct state *state, uint32_t queue, enum resource r)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < state->grant_count; i++) {
        if (queue == INDEX_NONE || state->grants[i].queue == queue)
            sum += state->grants[i].ask.of[r];
    }
    return sum;
}

/* --- GPUs ---------------------------------------------------------------------------------------------------- */

static bool is_held(const struct state *state, uint32_t gpu, uint32_t number)
{
    for (uint32_t i = 0; i < state->replica_count; i++) {
        if (state->replicas[i].gpu == gpu && state->replicas[i].number == number)
            return true;
    }
    return false;
}

uint32_t oracle_gpu_free(const struct state *state, uint32_t gpu)
{
    uint32_t count = 0;

    for (uint32_t n = 0; gpu < state->node_gpus && n < state->gpus[gpu].replicas; n++)
        count += !is_held(state, gpu, n);
    return count;
}

uint32_t oracle_gpu_used(const struct state *state, uint32_t gpu)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < state->replica_count; i++)
        count += state->replicas[i].gpu == gpu;
    return count;
}

uint32_t oracle_gpu_containers(const struct state *state, uint32_t gpu)
{
    uint32_t count = 0;

    for (uint32_t g = 0; g < state->grant_count; g++) {
        bool there = false;

        for (uint32_t i = 0; i < state->grants[g].ask.of[RES_GPU]; i++)
            there = there || state->replicas[state->grants[g].first_replica + i].gpu == gpu;
        count += there;
    }
    return count;
}

static bool may_use(const struct waiter *waiter, uint32_t gpu)
{
    for (uint32_t i = 0; i < waiter->device_count; i++) {
        if (waiter->devices[i] == gpu)
            return true;
    }
    return waiter->device_count == 0;
}

/* What the placement constraints find: now, or on the idle node. */
static uint64_t finds(const struct state *state, const struct waiter *waiter, bool idle)
{
    uint32_t cap = state->node.max_containers_per_gpu;
    uint64_t sum = 0;

    for (uint32_t gpu = 0; gpu < state->node_gpus; gpu++) {
        uint32_t free = idle ? state->gpus[gpu].replicas : oracle_gpu_free(state, gpu);

        if (state->gpus[gpu].excluded || !may_use(waiter, gpu) || free == 0)
            continue;
        if (!idle && cap > 0 && oracle_gpu_containers(state, gpu) >= cap)
            continue;
        sum += waiter->distinct ? 1 : free;
    }
    return sum;
}

/* --- guarantees ---------------------------------------------------------------------------------------------- */

/* What a queue keeps for itself, with those before it served first. */
static uint64_t keeps(const struct state *state, uint32_t queue, enum resource r)
{
    uint64_t left = state->node.off[r] ? 0 : state->node.capacity.of[r];
    uint64_t mine = 0;

    for (uint32_t q = 0; q <= queue; q++) {
        mine = state->queues[q].lend ? 0 : least(left, state->queues[q].guarantee.amount.of[r]);
        left -= mine;
    }
    return mine;
}

uint64_t oracle_free(const struct state *state, uint32_t queue, enum resource r)
{
    uint64_t taken = oracle_held(state, INDEX_NONE, r);

    for (uint32_t gpu = 0; r == RES_GPU && gpu < state->node_gpus; gpu++)
        taken += state->gpus[gpu].excluded ? oracle_gpu_free(state, gpu) : 0;
    for (uint32_t q = 0; q < state->queue_count; q++) {
        if (q != queue)
            taken += above(keeps(state, q, r), oracle_held(state, q, r));
    }
    return above(state->node.capacity.of[r], taken);
}

/* --- the words of section 5 ---------------------------------------------------------------------------------- */

void oracle_lacks(const struct state *state, const struct waiter *waiter, uint64_t lacks[static RES_COUNT])
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        uint64_t free = oracle_free(state, waiter->queue, r);

        if (r == RES_GPU)
            free = least(free, finds(state, waiter, false));
        lacks[r] = state->node.off[r] ? 0 : above(waiter->ask.of[r], free);
    }
}

bool oracle_harmed(const uint64_t before[static RES_COUNT], const uint64_t after[static RES_COUNT])
{
    return after[RES_CPU] > before[RES_CPU] || after[RES_MEM] > before[RES_MEM] ||
           after[RES_GPU] > before[RES_GPU];
}

static bool inside(const struct state *state, const struct waiter *waiter, const struct resreq *bound)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (bound->named[r] && !state->node.off[r] &&
            oracle_held(state, waiter->queue, r) + waiter->ask.of[r] > bound->amount.of[r])
            return false;
    }
    return true;
}

bool oracle_in_limit(const struct state *state, const struct waiter *waiter)
{
    return inside(state, waiter, &state->queues[waiter->queue].limit);
}

bool oracle_fits(const struct state *state, const struct waiter *waiter)
{
    static const uint64_t nothing[RES_COUNT] = {0};
    uint64_t lacks[RES_COUNT];

    oracle_lacks(state, waiter, lacks);
    return !oracle_harmed(nothing, lacks) && oracle_in_limit(state, waiter);
}

/* What a queue holds of its guarantee where nobody else could use it. */
static uint64_t on_excluded(const struct state *state, uint32_t queue, enum resource r)
{
    uint64_t sum = 0;

    for (uint32_t g = 0; r == RES_GPU && g < state->grant_count; g++) {
        for (uint32_t i = 0; state->grants[g].queue == queue && i < state->grants[g].ask.of[RES_GPU]; i++)
            sum += state->gpus[state->replicas[state->grants[g].first_replica + i].gpu].excluded;
    }
    return sum;
}

bool oracle_exempt(const struct state *state, const struct waiter *waiter)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        uint64_t idle = state->node.capacity.of[r];

        for (uint32_t gpu = 0; r == RES_GPU && gpu < state->node_gpus; gpu++)
            idle -= state->gpus[gpu].excluded ? state->gpus[gpu].replicas : 0;
        for (uint32_t q = 0; q < state->queue_count; q++)
            idle = above(idle, q != waiter->queue ? above(keeps(state, q, r), on_excluded(state, q, r)) : 0);
        if (!state->node.off[r] && waiter->ask.of[r] > idle)
            return true;
    }
    return waiter->ask.of[RES_GPU] > finds(state, waiter, true) || !oracle_in_limit(state, waiter);
}

bool oracle_protected(const struct state *state, const struct waiter *waiter)
{
    return waiter->bypassed >= state->node.max_bypass && !oracle_exempt(state, waiter);
}

static bool within(const struct state *state, const struct waiter *waiter)
{
    const struct resreq *guarantee = &state->queues[waiter->queue].guarantee;
    bool asks = false;

    for (enum resource r = RES_CPU; r < RES_COUNT; r++)
        asks = asks || (guarantee->named[r] && !state->node.off[r] && waiter->ask.of[r] > 0);
    return asks && inside(state, waiter, guarantee);
}

/* Is the weighted dominant share of queue a below that of queue b? The worlds of the tests are so small that plain
 * 64-bit products do: capacities and uses below 2^12, weights below 2^4. */
static int compare_shares(const struct state *state, uint32_t a, uint32_t b)
{
    uint64_t top[2] = {0, 0};
    uint64_t bottom[2] = {1, 1};
    uint32_t queue[2] = {a, b};

    for (int side = 0; side < 2; side++) {
        for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
            uint64_t held = oracle_held(state, queue[side], r);
            uint64_t capacity = state->node.capacity.of[r] * state->queues[queue[side]].weight;

            if (!state->node.off[r] && capacity > 0 && held * bottom[side] > top[side] * capacity) {
                top[side] = held;
                bottom[side] = capacity;
            }
        }
    }
    return (top[0] * bottom[1] > top[1] * bottom[0]) - (top[0] * bottom[1] < top[1] * bottom[0]);
}

bool oracle_before(const struct state *state, const struct waiter *a, const struct waiter *b)
{
    int order;

    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (within(state, a) != within(state, b))
        return within(state, a);
    if (oracle_protected(state, a) != oracle_protected(state, b))
        return oracle_protected(state, a);
    order = compare_shares(state, a->queue, b->queue);
    return order != 0 ? order < 0 : a->arrival < b->arrival;
}

#include "alloc/placement.h"

#include <assert.h>
#include <string.h>

/* --- what a bucket takes ------------------------------------------------------------------------------------- */

/* Does the GPU take a container that has nothing on it yet? */
static bool takes_container(const struct placement *placement, const struct bucket *bucket, enum view view)
{
    uint32_t cap = placement->state->node.max_containers_per_gpu;
    uint32_t free = bucket->free + (view == BEFORE ? bucket->picked : 0);
    uint32_t containers = bucket->containers + (view == AFTER && bucket->picked > 0);

    return bucket->healthy && free > 0 && (cap == 0 || containers < cap);
}

/* Does it take a further replica of the request that is being placed? */
static bool takes_replica(const struct placement *placement, const struct bucket *bucket)
{
    if (bucket->picked > 0)
        return bucket->free > 0 && !placement->distinct;
    return takes_container(placement, bucket, BEFORE);
}

/* --- the order of each policy -------------------------------------------------------------------------------- */

struct key {
    uint32_t first;
    uint32_t second;
};

static struct key policy_key(enum policy policy, const struct bucket *bucket)
{
    switch (policy) {
    case POLICY_SPREAD: return (struct key){bucket->used, bucket->picked};
    case POLICY_SCATTER: return (struct key){bucket->picked, bucket->used};
    case POLICY_PACKED: return (struct key){UINT32_MAX - bucket->used, bucket->picked};
    case POLICY_LEAST_REQUEST: return (struct key){bucket->containers + (bucket->picked > 0), bucket->used};
    case POLICY_ROUND_ROBIN: break; /* has no key: see pick_round_robin */
    }
    return (struct key){0, 0};
}

static bool bucket_before(const struct placement *placement, enum policy policy, uint32_t a, uint32_t b)
{
    const struct bucket *left = &placement->bucket[a];
    const struct bucket *right = &placement->bucket[b];
    bool left_takes = takes_replica(placement, left);
    struct key x = policy_key(policy, left);
    struct key y = policy_key(policy, right);

    if (left_takes != takes_replica(placement, right))
        return left_takes;
    if (x.first != y.first)
        return x.first < y.first;
    if (x.second != y.second)
        return x.second < y.second;
    return left->index < right->index;
}

static bool before_spread(const void *placement, uint32_t a, uint32_t b)
{
    return bucket_before(placement, POLICY_SPREAD, a, b);
}

static bool before_scatter(const void *placement, uint32_t a, uint32_t b)
{
    return bucket_before(placement, POLICY_SCATTER, a, b);
}

static bool before_packed(const void *placement, uint32_t a, uint32_t b)
{
    return bucket_before(placement, POLICY_PACKED, a, b);
}

static bool before_least_request(const void *placement, uint32_t a, uint32_t b)
{
    return bucket_before(placement, POLICY_LEAST_REQUEST, a, b);
}

static heap_before *const orders[POLICY_COUNT] = {
    [POLICY_SPREAD] = before_spread,
    [POLICY_SCATTER] = before_scatter,
    [POLICY_PACKED] = before_packed,
    [POLICY_LEAST_REQUEST] = before_least_request,
};

/* --- reading the state --------------------------------------------------------------------------------------- */

static void add_openings(struct openings *openings, uint64_t replicas)
{
    openings->replicas += replicas;
    openings->gpus++;
}

static void init_buckets(struct placement *placement)
{
    const struct state *state = placement->state;

    for (uint32_t i = 0; i < state->gpu_count; i++) {
        placement->bucket[i] = (struct bucket){
            .healthy = i < state->node_gpus && !state->gpus[i].excluded,
            .index = i,
            .replicas = state->gpus[i].replicas,
            .free = state->gpus[i].replicas,
            .last_grant = INDEX_NONE,
        };
    }
    for (uint32_t g = 0; g < state->grant_count; g++) {
        const struct grant *grant = &state->grants[g];

        for (uint32_t i = 0; i < grant->ask.of[RES_GPU]; i++) {
            struct replica replica = state->replicas[grant->first_replica + i];
            struct bucket *bucket = &placement->bucket[replica.gpu];

            bucket->used++;
            /* A GPU that came back with fewer replicas: those beyond are held, but are none of its free. */
            bucket->free -= replica.number < bucket->replicas;
            bucket->held[replica.number / 64] |= 1ULL << (replica.number % 64);
            bucket->containers += bucket->last_grant != g;
            bucket->last_grant = g;
        }
    }
}

void placement_init(struct placement *placement, const struct state *state)
{
    placement->state = state;
    placement->openings[BEFORE] = placement->openings[AFTER] = (struct openings){0};
    placement->idle = placement->idle_healthy = (struct openings){0};
    placement->excluded_free = 0;
    placement->cursor[BEFORE] = placement->cursor[AFTER] = state->cursor;
    placement->distinct = false;
    placement->pick_count = 0;
    for (enum policy policy = POLICY_SPREAD; policy < POLICY_COUNT; policy++)
        placement->whole[policy].built = false;
    init_buckets(placement);

    gpu_set_clear(&placement->open);
    for (uint32_t i = 0; i < state->node_gpus; i++) {
        const struct bucket *bucket = &placement->bucket[i];

        placement->where[POLICY_COUNT][i] = HEAP_NOWHERE;
        add_openings(&placement->idle, bucket->replicas);
        if (bucket->healthy)
            add_openings(&placement->idle_healthy, bucket->replicas);
        else
            placement->excluded_free += bucket->free;
        if (takes_container(placement, bucket, BEFORE)) {
            add_openings(&placement->openings[BEFORE], bucket->free);
            gpu_set_put(&placement->open, i, true);
        }
    }
    placement->openings[AFTER] = placement->openings[BEFORE];
}

/* --- picking ------------------------------------------------------------------------------------------------- */

static uint16_t lowest_free(const struct bucket *bucket)
{
    uint32_t at = 0;

    while (bucket->held[at] == UINT64_MAX)
        at++;
    return (uint16_t)(at * 64 + (uint32_t)__builtin_ctzll(~bucket->held[at]));
}

/* Corrects the AFTER view for one GPU, around a change of it. */
static void count_opening(struct placement *placement, const struct bucket *bucket, bool add)
{
    struct openings *after = &placement->openings[AFTER];

    if (!takes_container(placement, bucket, AFTER))
        return;
    after->replicas += add ? bucket->free : -(uint64_t)bucket->free;
    after->gpus += add ? 1 : -(uint64_t)1;
}

/* One GPU has another key now. Heaps are put right after each single change: two keys that change at once could
 * leave a heap that no sequence of sifts repairs. */
static void bucket_changed(struct placement *placement, uint32_t gpu)
{
    for (enum policy policy = POLICY_SPREAD; policy < POLICY_COUNT; policy++) {
        if (placement->whole[policy].built)
            heap_update(&placement->whole[policy].heap, gpu);
    }
    gpu_set_put(&placement->open, gpu, takes_replica(placement, &placement->bucket[gpu]));
}

static void take_replica(struct placement *placement, uint32_t gpu)
{
    struct bucket *bucket = &placement->bucket[gpu];
    uint16_t number = lowest_free(bucket);

    assert(takes_replica(placement, bucket) && number < bucket->replicas);
    count_opening(placement, bucket, false);
    bucket->held[number / 64] |= 1ULL << (number % 64);
    bucket->used++;
    bucket->free--;
    bucket->picked++;
    count_opening(placement, bucket, true);
    bucket_changed(placement, gpu);
    placement->picks[placement->pick_count++] = (struct replica){(uint16_t)gpu, number};
}

static struct heap *whole_heap(struct placement *placement, enum policy policy)
{
    struct bucket_heap *whole = &placement->whole[policy];

    if (!whole->built) {
        heap_init(&whole->heap, whole->slot, placement->where[policy], orders[policy], placement);
        heap_fill(&whole->heap, placement->state->node_gpus);
        whole->built = true;
    }
    return &whole->heap;
}

static struct heap *listed_heap(struct placement *placement, const struct waiter *waiter)
{
    struct bucket_heap *listed = &placement->listed;
    uint32_t *where = placement->where[POLICY_COUNT];

    heap_init(&listed->heap, listed->slot, where, orders[waiter->policy], placement);
    for (uint32_t i = 0; i < waiter->device_count; i++) {
        if (waiter->devices[i] < placement->state->node_gpus)
            heap_push(&listed->heap, waiter->devices[i]);
    }
    return &listed->heap;
}

static void pick_from_whole(struct placement *placement, enum policy policy, uint32_t count)
{
    const struct heap *heap = whole_heap(placement, policy);

    for (uint32_t i = 0; i < count; i++)
        take_replica(placement, heap_first(heap));
}

static void pick_from_listed(struct placement *placement, const struct waiter *waiter, uint32_t count)
{
    struct heap *heap = listed_heap(placement, waiter);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t gpu = heap_first(heap);

        take_replica(placement, gpu);
        heap_update(heap, gpu);
    }
    while (heap->count > 0)
        heap_remove(heap, heap->slot[heap->count - 1]);
}

/* The next GPU with room after the cursor, and around. */
static void pick_round_robin(struct placement *placement, const struct waiter *waiter, uint32_t count)
{
    struct gpu_set listed;
    const struct gpu_set *also = NULL;

    if (waiter->device_count > 0) {
        gpu_set_clear(&listed);
        for (uint32_t i = 0; i < waiter->device_count; i++)
            gpu_set_put(&listed, waiter->devices[i], true);
        also = &listed;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cursor = placement->cursor[AFTER];
        bool known = cursor < placement->state->node_gpus;
        uint32_t gpu = gpu_set_next(&placement->open, also, known ? cursor + 1 : 0);

        if (gpu == GPUS_MAX)
            gpu = gpu_set_next(&placement->open, also, 0);
        assert(gpu < GPUS_MAX);
        take_replica(placement, gpu);
        placement->cursor[AFTER] = gpu;
    }
}

void placement_pick(struct placement *placement, const struct waiter *waiter)
{
    uint32_t count = (uint32_t)waiter->ask.of[RES_GPU];

    assert(placement->pick_count == 0);
    placement->distinct = waiter->distinct;
    if (waiter->policy == POLICY_ROUND_ROBIN)
        pick_round_robin(placement, waiter, count);
    else if (waiter->device_count == 0)
        pick_from_whole(placement, waiter->policy, count);
    else
        pick_from_listed(placement, waiter, count);
}

void placement_keep(struct placement *placement)
{
    for (uint32_t i = 0; i < placement->pick_count; i++) {
        uint32_t gpu = placement->picks[i].gpu;
        struct bucket *bucket = &placement->bucket[gpu];

        if (bucket->picked == 0)
            continue; /* seen already */
        bucket->containers++;
        bucket->picked = 0;
        bucket_changed(placement, gpu);
    }
    placement->openings[BEFORE] = placement->openings[AFTER];
    placement->cursor[BEFORE] = placement->cursor[AFTER];
    placement->pick_count = 0;
    placement->distinct = false;
}

void placement_drop(struct placement *placement)
{
    for (uint32_t i = 0; i < placement->pick_count; i++) {
        struct replica pick = placement->picks[i];
        struct bucket *bucket = &placement->bucket[pick.gpu];

        bucket->held[pick.number / 64] &= ~(1ULL << (pick.number % 64));
        bucket->used--;
        bucket->free++;
        bucket->picked--;
        bucket_changed(placement, pick.gpu);
    }
    placement->openings[AFTER] = placement->openings[BEFORE];
    placement->cursor[AFTER] = placement->cursor[BEFORE];
    placement->pick_count = 0;
    placement->distinct = false;
}

/* --- looking ------------------------------------------------------------------------------------------------- */

static uint64_t of_openings(struct openings openings, const struct waiter *waiter)
{
    return waiter->distinct ? openings.gpus : openings.replicas;
}

uint64_t placement_finds(const struct placement *placement, const struct waiter *waiter, enum view view)
{
    struct openings found = {0};

    if (waiter->device_count == 0)
        return of_openings(placement->openings[view], waiter);
    for (uint32_t i = 0; i < waiter->device_count; i++) {
        const struct bucket *bucket = &placement->bucket[waiter->devices[i]];

        if (takes_container(placement, bucket, view))
            add_openings(&found, bucket->free + (view == BEFORE ? bucket->picked : 0));
    }
    return of_openings(found, waiter);
}

/* The i-th GPU that `waiter` may use, of `count`. */
static uint32_t usable_gpu(const struct waiter *waiter, uint32_t i)
{
    return waiter->device_count > 0 ? waiter->devices[i] : i;
}

static uint32_t usable_count(const struct placement *placement, const struct waiter *waiter)
{
    return waiter->device_count > 0 ? waiter->device_count : placement->state->node_gpus;
}

uint64_t placement_finds_if_all_healthy(const struct placement *placement, const struct waiter *waiter)
{
    struct openings found = {0};

    for (uint32_t i = 0; i < usable_count(placement, waiter); i++) {
        struct bucket bucket = placement->bucket[usable_gpu(waiter, i)];

        bucket.healthy = bucket.index < placement->state->node_gpus;
        if (takes_container(placement, &bucket, BEFORE))
            add_openings(&found, bucket.free);
    }
    return of_openings(found, waiter);
}

uint64_t placement_finds_idle(const struct placement *placement, const struct waiter *waiter,
                              bool with_excluded)
{
    struct openings found = {0};

    if (waiter->device_count == 0)
        return of_openings(with_excluded ? placement->idle : placement->idle_healthy, waiter);
    for (uint32_t i = 0; i < waiter->device_count; i++) {
        const struct bucket *bucket = &placement->bucket[waiter->devices[i]];

        if (bucket->replicas > 0 && (with_excluded || bucket->healthy))
            add_openings(&found, bucket->replicas);
    }
    return of_openings(found, waiter);
}

uint64_t placement_least_left(const struct placement *placement)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < placement->pick_count; i++) {
        const struct bucket *bucket = &placement->bucket[placement->picks[i].gpu];
        uint64_t left = takes_container(placement, bucket, AFTER) ? bucket->free : 0;

        least = left < least ? left : least;
    }
    return least;
}

uint64_t placement_comparisons(const struct placement *placement)
{
    uint64_t sum = 0;

    for (enum policy policy = POLICY_SPREAD; policy < POLICY_COUNT; policy++)
        sum += placement->whole[policy].built ? placement->whole[policy].heap.comparisons : 0;
    return sum;
}

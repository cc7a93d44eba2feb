/*
 * test_placement.c - the heap against a plain sort for every policy, the placement vectors, and the cost in comparisons.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/dice.h"
#include "tests/support/oracle.h"
#include "tests/support/vectors.h"
#include "tests/support/world.h"

static struct world *world;
static struct placement *placement;

static int set_up(void **context)
{
    (void)context;
    world = world_new();
    placement = &world->workspace->admission.placement;
    return 0;
}

static int tear_down(void **context)
{
    (void)context;
    world_free(world);
    return 0;
}

/* --- a plain sort -------------------------------------------------------------------------------------------- */

/* One GPU as DESIGN.md section 6 sees it. */
struct plain_gpu {
    uint32_t index;
    uint32_t used;
    uint32_t picked;
    uint32_t containers;
    uint32_t after_cursor; /* how many steps the round-robin takes to come to it */
};

static enum policy sorted_by;

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* The table of section 6, row by row. */
static int compare_gpus(const void *left, const void *right)
{
    const struct plain_gpu *a = left;
    const struct plain_gpu *b = right;
    int used = compare_numbers(a->used, b->used);
    int picked = compare_numbers(a->picked, b->picked);
    int index = compare_numbers(a->index, b->index);
    int containers = compare_numbers(a->containers, b->containers);

    switch (sorted_by) {
    case POLICY_SPREAD: return used ? used : picked ? picked : index;
    case POLICY_SCATTER: return picked ? picked : used ? used : index;
    case POLICY_PACKED: return used ? -used : picked ? picked : index;
    case POLICY_LEAST_REQUEST: return containers ? containers : used ? used : index;
    case POLICY_ROUND_ROBIN: return compare_numbers(a->after_cursor, b->after_cursor);
    }
    return 0;
}

static bool plain_may_use(const struct waiter *waiter, uint32_t gpu)
{
    for (uint32_t i = 0; i < waiter->device_count; i++) {
        if (waiter->devices[i] == gpu)
            return true;
    }
    return waiter->device_count == 0;
}

static bool is_held(const struct state *state, const struct replica *picks, uint32_t count, uint32_t gpu,
                    uint32_t number)
{
    for (uint32_t i = 0; i < state->replica_count; i++) {
        if (state->replicas[i].gpu == gpu && state->replicas[i].number == number)
            return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (picks[i].gpu == gpu && picks[i].number == number)
            return true;
    }
    return false;
}

/* Picks as the text says, sorting all GPUs anew for every replica. False: there is no room. */
static bool plain_pick(const struct state *state, const struct waiter *waiter, struct replica *picks)
{
    uint32_t picked[GPUS_MAX] = {0};
    uint32_t cursor = state->cursor;

    for (uint32_t n = 0; n < waiter->ask.of[RES_GPU]; n++) {
        struct plain_gpu gpus[16];
        uint32_t count = 0;
        uint16_t number = 0;

        for (uint32_t i = 0; i < state->node_gpus; i++) {
            uint32_t cap = state->node.max_containers_per_gpu;
            uint32_t containers = oracle_gpu_containers(state, i);

            if (state->gpus[i].excluded || !plain_may_use(waiter, i) ||
                oracle_gpu_free(state, i) == picked[i] || (waiter->distinct && picked[i] > 0) ||
                (cap > 0 && picked[i] == 0 && containers >= cap))
                continue;
            gpus[count++] = (struct plain_gpu){
                .index = i,
                .used = oracle_gpu_used(state, i) + picked[i],
                .picked = picked[i],
                .containers = containers + (picked[i] > 0),
                .after_cursor =
                    cursor < state->node_gpus ? (i + state->node_gpus - cursor - 1) % state->node_gpus : i,
            };
        }
        if (count == 0)
            return false;
        sorted_by = waiter->policy;
        qsort(gpus, count, sizeof(gpus[0]), compare_gpus);
        while (is_held(state, picks, n, gpus[0].index, number))
            number++;
        picks[n] = (struct replica){(uint16_t)gpus[0].index, number};
        picked[gpus[0].index]++;
        cursor = gpus[0].index;
    }
    return true;
}

static void the_heap_agrees_with_a_plain_sort_for_every_policy(void **context)
{
    uint64_t seed = dice_seed(__func__);
    uint32_t rounds = dice_rounds(1000);
    uint32_t placed[POLICY_COUNT] = {0};

    (void)context;
    for (uint32_t round = 0; round < rounds; round++) {
        struct dice dice = dice_new(seed + round);
        struct random_event event;

        world_begin(world, &dice);
        for (uint32_t i = 0; i < 30; i++) {
            world_roll(world, &dice, &event);
            world_decide(world, &event.event);
        }
        placement_init(placement, world->state);
        for (uint32_t i = 0; i < 40; i++) {
            struct replica expected[GRANT_REPLICAS_MAX];
            struct waiter waiter = {.policy = (enum policy)dice_below(&dice, POLICY_COUNT),
                                    .distinct = dice_chance(&dice, 4)};
            bool fits;

            waiter.ask.of[RES_GPU] = dice_between(&dice, 1, 6);
            for (uint32_t gpu = 0; dice_chance(&dice, 3) && gpu < world->state->node_gpus; gpu++) {
                if (dice_chance(&dice, 2))
                    waiter.devices[waiter.device_count++] = (uint16_t)gpu;
            }
            fits = plain_pick(world->state, &waiter, expected);
            assert_true(fits == (placement_finds(placement, &waiter, BEFORE) >= waiter.ask.of[RES_GPU]));
            if (!fits)
                continue;
            placement_pick(placement, &waiter);
            assert_int_equal(placement->pick_count, waiter.ask.of[RES_GPU]);
            assert_memory_equal(placement->picks, expected, placement->pick_count * sizeof(expected[0]));
            placed[waiter.policy]++;
            /* Some are kept, as a grant is, and some are dropped: the next must find all heaps in order. */
            if (dice_chance(&dice, 2)) {
                waiter.queue = state_use_queue(world->state, "a");
                waiter.arrival = world->state->next_arrival++;
                snprintf(waiter.id, sizeof(waiter.id), "p%u", i);
                state_add_grant(world->state, &waiter, placement->picks);
                placement_keep(placement);
                world->state->cursor = placement->cursor[BEFORE];
            } else {
                placement_drop(placement);
            }
        }
    }
    for (int policy = 0; policy < POLICY_COUNT; policy++)
        assert_true(placed[policy] > rounds / 4);
}

/* --- the vectors --------------------------------------------------------------------------------------------- */

static void check_vector(const struct placement_vector *vector)
{
    struct node_description node = {.gpus = vector->gpus, .gpu_count = vector->gpu_count};
    struct request request = {.policy = vector->policy};
    uint32_t per_gpu[PLACEMENT_VECTOR_GPUS] = {0};
    const struct decision *decision;

    state_init(world->state);
    node.node.off[RES_CPU] = node.node.off[RES_MEM] = true;
    node.node.undeclared_max_priority = PRIORITY_MAX;
    world_decide(world, &(struct event){.kind = EVENT_NODE, .node = &node});
    for (uint32_t gpu = 0; gpu < vector->gpu_count; gpu++) {
        for (uint16_t n = 0; n < vector->gpus[gpu].replicas; n++) {
            struct waiter holder = {.arrival = world->state->next_arrival, .ask = {{0, 0, 1}}};

            if (!vector->taken[gpu][n])
                continue;
            world->state->next_arrival++;
            holder.queue = state_use_queue(world->state, "holder");
            snprintf(holder.id, sizeof(holder.id), "holder-%u-%u", gpu, n);
            state_add_grant(world->state, &holder, &(struct replica){(uint16_t)gpu, n});
        }
    }
    memcpy(request.id, "asker", sizeof("asker"));
    memcpy(request.queue, "default", sizeof("default"));
    request.ask.of[RES_GPU] = vector->size;
    world_ask(world, &request);
    decision = world_decision(world, "asker");
    assert_non_null(decision);
    assert_int_equal(decision->verdict, vector->error ? VERDICT_DENIED : VERDICT_GRANTED);
    if (vector->error)
        return;
    assert_int_equal(decision->replica_count, vector->size);
    for (uint32_t i = 0; i < decision->replica_count; i++)
        per_gpu[world->decisions->replicas[decision->first_replica + i].gpu]++;
    vector_check_counts(vector, per_gpu);
}

static void the_placement_vectors_hold(void **context)
{
    (void)context;
    for (size_t i = 0; i < placement_vector_count; i++) {
        print_message("# %s: %s\n", policy_name(placement_vectors[i].policy), placement_vectors[i].name);
        check_vector(&placement_vectors[i]);
    }
    assert_true(placement_vector_count >= 20);
}

static void the_shared_placement_vectors_hold(void **context)
{
    (void)context;
    if (!vectors_each_placement(check_vector)) {
        print_message("# ../shared/vectors/placement.json is not there\n");
        skip();
    }
}

/* --- the cost ------------------------------------------------------------------------------------------------ */

static uint32_t log2_up(uint32_t n)
{
    uint32_t log = 0;

    while ((1U << log) < n)
        log++;
    return log;
}

/* Places and keeps `count` replicas; the comparisons that took. */
static uint64_t cost_of(enum policy policy, uint32_t count)
{
    struct waiter waiter = {.policy = policy};
    uint64_t before = placement_comparisons(placement);

    waiter.ask.of[RES_GPU] = count;
    placement_pick(placement, &waiter);
    placement_keep(placement);
    return placement_comparisons(placement) - before;
}

/* All small sizes, then in steps, and the largest. */
static uint32_t next_size(uint32_t gpus)
{
    uint32_t next = gpus < 66 ? gpus + 1 : gpus + gpus / 7;

    return gpus < GPUS_MAX && next > GPUS_MAX ? GPUS_MAX : next;
}

static void placing_n_replicas_over_m_gpus_takes_n_log_m_comparisons(void **context)
{
    static const uint32_t counts[] = {1, 2, 7, 16, 64, 333, 1024, 2048};

    (void)context;
    for (uint32_t gpus = 1; gpus <= GPUS_MAX; gpus = next_size(gpus)) {
        for (enum policy policy = POLICY_SPREAD; policy < POLICY_COUNT; policy++) {
            uint64_t build;

            state_init(world->state);
            world_set_node(world, gpus, REPLICAS_MAX / GPUS_MAX, 0, 0, 8, 0);
            placement_init(placement, world->state);
            build = cost_of(policy, 1);
            /* Building the heap is linear (Floyd: at most two comparisons an element), and happens once. */
            assert_true(build <= 2 * gpus + 4 * (log2_up(gpus) + 1));
            for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
                uint64_t cost;

                if (counts[i] > placement->openings[BEFORE].replicas)
                    break;
                cost = cost_of(policy, counts[i]);
                /* A pick sifts one bucket down (two comparisons a level, one up); keeping it sifts once more. */
                if (cost > 2ULL * counts[i] * (2 * log2_up(gpus) + 2))
                    fail_msg("%s: %u replicas over %u GPUs took %llu comparisons", policy_name(policy),
                             counts[i], gpus, (unsigned long long)cost);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heap_agrees_with_a_plain_sort_for_every_policy),
        cmocka_unit_test(the_placement_vectors_hold),
        cmocka_unit_test(the_shared_placement_vectors_hold),
        cmocka_unit_test(placing_n_replicas_over_m_gpus_takes_n_log_m_comparisons),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

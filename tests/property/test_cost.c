/*
 * test_cost.c - one decision over n queues and n waiters takes no more than n log n steps, counted and not timed:
 * comparisons of all heaps, nodes of the tree of wishes, looks at waiters, judgements of harm.
 *
 * Each scenario is a crowd that waits behind something that ends, so that one event serves, skips or sets aside all of
 * it. From one size to twice that size the steps may grow like n log n, and no faster.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/world.h"

#define SMALLEST 125
#define LARGEST  2000

static struct world *world;

static int set_up(void **context)
{
    (void)context;
    world = world_new();
    return 0;
}

static int tear_down(void **context)
{
    (void)context;
    world_free(world);
    return 0;
}

/* --- crowds -------------------------------------------------------------------------------------------------- */

/* A waiter is put in the state directly: to let thousands arrive through decide() would take long. */
static void add_waiter(uint32_t number, const char *queue, const char *resreq, uint32_t bypassed)
{
    struct waiter waiter = {.ask = world_resreq(resreq).amount, .bypassed = bypassed};

    snprintf(waiter.id, sizeof(waiter.id), "w%u", number);
    waiter.queue = state_use_queue(world->state, queue);
    waiter.arrival = world->state->next_arrival++;
    state_add_waiter(world->state, &waiter);
}

static const char *queue_name(uint32_t number)
{
    static char name[QUEUE_NAME_SIZE];

    snprintf(name, sizeof(name), "q%05u", number);
    return name;
}

/* A node of n cpus and 16 GPUs with n replicas in all, all of it held by one. */
static void begin(uint32_t n, uint32_t max_bypass)
{
    char all[64];

    state_init(world->state);
    world_set_node(world, 16, (n + 15) / 16, n, n, max_bypass, 0);
    snprintf(all, sizeof(all), "cpu=%u,mem=%ug,gpu=%llu", n, n,
             (unsigned long long)world->state->node.capacity.of[RES_GPU]);
    assert_int_equal(world_request(world, "whole", "whole", all), VERDICT_GRANTED);
}

/* Of the node that is held, one replica changes hands and stays held. */
static void hold_a_replica(void)
{
    world_release(world, "whole");
    assert_int_equal(world_request(world, "rest", "rest", "gpu=1"), VERDICT_GRANTED);
    assert_int_equal(world_request(world, "whole", "whole", "gpu=1"), VERDICT_GRANTED);
}

static void everybody_is_served(uint32_t n)
{
    begin(n, 8);
    for (uint32_t i = 0; i < n; i++)
        add_waiter(i, queue_name(i), "cpu=1,gpu=1", 0);
}

static void half_of_them_are_served(uint32_t n)
{
    begin(n, 8);
    for (uint32_t i = 0; i < n; i++)
        add_waiter(i, queue_name(i), i % 3 ? "cpu=1,gpu=2" : "cpu=3", 0);
}

static void nobody_is_served(uint32_t n)
{
    begin(n, 8);
    assert_int_equal(world_request(world, "rest", "whole", "cpu=0"), VERDICT_GRANTED);
    for (uint32_t i = 0; i < n; i++)
        add_waiter(i, queue_name(i), "cpu=1,gpu=1", 0);
}

static void one_queue_has_all_the_waiters(uint32_t n)
{
    begin(n, 8);
    for (uint32_t i = 0; i < n; i++)
        add_waiter(i, "crowd", "cpu=1,gpu=1", 0);
}

/* The oldest want more cpu than there is; the grants of the rest harm none of them. */
static void old_ones_want_what_the_young_do_not(uint32_t n)
{
    char cpu[32];

    begin(n, 8);
    snprintf(cpu, sizeof(cpu), "cpu=%u", n);
    assert_int_equal(world_request(world, "rest", "whole", "cpu=0"), VERDICT_GRANTED);
    for (uint32_t i = 0; i < n; i++)
        add_waiter(i, queue_name(i), i < n / 2 ? cpu : "gpu=1", 0);
}

/* max_bypass 0: everybody is protected. Whoever wants a GPU is behind one that wants them all. */
static void everybody_is_protected(uint32_t n)
{
    char gpu[32];

    begin(n, 0);
    hold_a_replica();
    snprintf(gpu, sizeof(gpu), "gpu=%llu", (unsigned long long)world->state->node.capacity.of[RES_GPU]);
    add_waiter(n, "aaa", gpu, 0);
    add_waiter(n + 1, "aab", gpu, 0);
    for (uint32_t i = 0; i + 2 < n; i++)
        add_waiter(i, queue_name(i), i % 2 ? "cpu=1" : "gpu=1", 0);
}

static void some_are_protected_and_many_set_aside(uint32_t n)
{
    char gpu[32];

    begin(n, 8);
    snprintf(gpu, sizeof(gpu), "cpu=1,gpu=%llu", (unsigned long long)world->state->node.capacity.of[RES_GPU]);
    hold_a_replica();
    for (uint32_t i = 0; i < 8; i++)
        add_waiter(n + i, queue_name(i), gpu, 8);
    for (uint32_t i = 8; i < n; i++)
        add_waiter(i, queue_name(i), i % 2 ? "cpu=1" : "gpu=1", 7);
}

/* One wants the whole node, is protected, and comes last by its priority: nobody is behind it. */
static void all_pass_a_protected_one_of_low_priority(uint32_t n)
{
    char all[64];

    begin(n, 0);
    snprintf(all, sizeof(all), "cpu=%u", n);
    for (uint32_t i = 0; i < n; i++)
        add_waiter(i, queue_name(i), "cpu=1", 0);
    add_waiter(n, "low", all, 0);
    world->state->waiters[n].priority = -1;
}

/* Whoever names its GPU wants it all the same; the youngest queues come first. */
static void all_of_them_name_their_gpu(uint32_t n)
{
    begin(n, 8);
    for (uint32_t i = 0; i < n; i++) {
        struct waiter *waiter;

        add_waiter(i, queue_name(i), "gpu=1", 0);
        waiter = &world->state->waiters[world->state->waiter_count - 1];
        waiter->devices[waiter->device_count++] = (uint16_t)(i % 16);
        waiter->priority = (int32_t)(i % 1000);
    }
}

/* A cap of containers, and a protected waiter for everything: cpu goes on, GPUs are set aside. */
static void a_cap_of_containers_and_a_protected_one(uint32_t n)
{
    char gpu[32];

    begin(n, 0);
    world->state->node.max_containers_per_gpu = n;
    hold_a_replica();
    snprintf(gpu, sizeof(gpu), "gpu=%llu", (unsigned long long)world->state->node.capacity.of[RES_GPU]);
    add_waiter(n, "aaa", gpu, 0);
    for (uint32_t i = 0; i + 1 < n; i++)
        add_waiter(i, queue_name(i), i % 2 ? "cpu=1" : "gpu=1", 0);
}

/* Every queue keeps its own share for itself. */
static void nobody_lends(uint32_t n)
{
    begin(n, 8);
    for (uint32_t i = 0; i < n; i++) {
        struct queue *queue = &world->state->queues[state_use_queue(world->state, queue_name(i))];

        queue->lend = false;
        queue->guarantee = world_resreq("cpu=1");
    }
    for (uint32_t i = 0; i < n; i++)
        add_waiter(i, queue_name(i), i % 2 ? "cpu=1" : "cpu=2,gpu=1", 0);
}

static void limits_stop_half_of_them(uint32_t n)
{
    begin(n, 8);
    for (uint32_t i = 0; i < n; i++) {
        world->state->queues[state_use_queue(world->state, queue_name(i))].limit = world_resreq("gpu=1");
        add_waiter(i, queue_name(i - i % 2), "cpu=1,gpu=1", 0);
    }
}

/* --- counting ------------------------------------------------------------------------------------------------ */

static uint64_t count_release(void)
{
    world_release(world, "whole");
    return settle_cost(&world->workspace->settle) +
           placement_comparisons(&world->workspace->admission.placement);
}

static uint64_t count_arrival(void)
{
    world_request(world, "late", "late", "cpu=1,gpu=1");
    return settle_cost(&world->workspace->settle) +
           placement_comparisons(&world->workspace->admission.placement);
}

static double n_log_n(uint32_t n)
{
    double log = 0;

    for (uint32_t i = n; i > 1; i /= 2)
        log += 1;
    return n * log;
}

static void deciding_over_n_queues_and_n_waiters_takes_n_log_n_steps(void **context)
{
    static const struct {
        const char *name;
        void (*prepare)(uint32_t n);
        uint64_t (*count)(void);
        bool sets_aside;
    } scenarios[] = {
        {"everybody is served", everybody_is_served, count_release, false},
        {"half of them are served", half_of_them_are_served, count_release, false},
        {"nobody is served", nobody_is_served, count_arrival, false},
        {"one queue has all the waiters", one_queue_has_all_the_waiters, count_release, false},
        {"old ones want what the young do not", old_ones_want_what_the_young_do_not, count_release, false},
        {"everybody is protected", everybody_is_protected, count_release, true},
        {"some are protected and many set aside", some_are_protected_and_many_set_aside, count_release, true},
        {"all pass a protected one of low priority", all_pass_a_protected_one_of_low_priority, count_release,
         false},
        {"all of them name their GPU", all_of_them_name_their_gpu, count_release, false},
        {"a cap of containers and a protected one", a_cap_of_containers_and_a_protected_one, count_release,
         true},
        {"nobody lends", nobody_lends, count_release, false},
        {"limits stop half of them", limits_stop_half_of_them, count_release, false},
    };

    (void)context;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        double first = 0;

        for (uint32_t n = SMALLEST; n <= LARGEST; n *= 2) {
            double per_step;
            uint64_t steps;

            scenarios[i].prepare(n);
            steps = scenarios[i].count();
            assert_true(!scenarios[i].sets_aside || world->workspace->settle.asides > n / 4);
            per_step = (double)steps / n_log_n(n);
            print_message("# %s: n = %u, %llu steps, %.2f a n log n\n", scenarios[i].name, n,
                          (unsigned long long)steps, per_step);
            if (n == SMALLEST)
                first = per_step;
            /* Sixteen times the size: anything quadratic would show as a factor of ten. */
            if (per_step > 1.5 * first || per_step > 20)
                fail_msg("%s: %u waiters take %llu steps", scenarios[i].name, n, (unsigned long long)steps);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deciding_over_n_queues_and_n_waiters_takes_n_log_n_steps),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * test_fairness.c - what a queue may rely on: the known cases of Dominant Resource Fairness, nobody starves, nobody is
 * held up by a waiter that cannot be served, and what a decision costs when a thousand queues wait.
 */
#include <inttypes.h>
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

/* --- the known cases ----------------------------------------------------------------------------------------- */

static void drf_prepare(const struct drf_vector *vector)
{
    struct gpu gpu = {.uuid = "GPU-0", .replicas = (uint32_t)vector->capacity[RES_GPU]};
    struct node_description node = {.gpus = &gpu, .gpu_count = gpu.replicas > 0};
    struct request whole = {.id = "whole", .queue = "whole"};

    state_init(world->state);
    node.node.max_bypass = 8;
    node.node.undeclared_max_priority = PRIORITY_MAX;
    for (enum resource r = RES_CPU; r < RES_COUNT; r++)
        node.node.capacity.of[r] = whole.ask.of[r] = vector->capacity[r];
    world_decide(world, &(struct event){.kind = EVENT_NODE, .node = &node});
    for (int side = 0; side < 2; side++)
        world_declare(world, vector->queue[side], vector->weight[side], NULL, NULL, true);
    assert_int_equal(world_ask(world, &whole), VERDICT_GRANTED);
}

static void check_drf(const struct drf_vector *vector)
{
    uint32_t granted[2] = {0, 0};
    char sequence[4 * 512] = "";
    char share[2][64] = {"0/1", "0/1"};

    drf_prepare(vector);
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < vector->granted[side] + 5; i++) {
            struct request request = {.wait = true};

            snprintf(request.id, sizeof(request.id), "%d-%u", side, i);
            snprintf(request.queue, sizeof(request.queue), "%s", vector->queue[side]);
            memcpy(request.ask.of, vector->demand[side], sizeof(request.ask.of));
            assert_int_equal(world_ask(world, &request), VERDICT_WAITING);
        }
    }
    world_release(world, "whole");
    for (uint32_t i = 1; i < world->decisions->count; i++) {
        const struct decision *decision = &world->decisions->item[i];
        int side = strcmp(decision->queue, vector->queue[1]) == 0;
        size_t used = strlen(sequence);

        assert_int_equal(decision->verdict, VERDICT_GRANTED);
        granted[side]++;
        snprintf(sequence + used, sizeof(sequence) - used, "%s%s", used > 0 ? " " : "", decision->queue);
        snprintf(share[side], sizeof(share[side]), "%" PRIu64 "/%" PRIu64, decision->share.held,
                 decision->share.of);
    }
    for (int side = 0; side < 2; side++) {
        assert_int_equal(granted[side], vector->granted[side]);
        if (vector->share[side] != NULL)
            assert_string_equal(share[side], vector->share[side]);
    }
    if (vector->sequence != NULL)
        assert_string_equal(sequence, vector->sequence);
}

static void the_known_cases_of_dominant_resource_fairness_hold(void **context)
{
    (void)context;
    for (size_t i = 0; i < drf_vector_count; i++)
        check_drf(&drf_vectors[i]);
    assert_true(drf_vector_count >= 5);
}

static void the_shared_cases_of_dominant_resource_fairness_hold(void **context)
{
    (void)context;
    if (!vectors_each_drf(check_drf)) {
        print_message("# ../shared/vectors/drf.json is not there\n");
        skip();
    }
}

/* --- nobody starves ------------------------------------------------------------------------------------------ */

#define LIFETIME   12 /* steps that a grant lasts at most */
#define MAX_BYPASS 4

/* Every grant ends within LIFETIME steps; at every step somebody arrives. */
struct traffic {
    uint32_t ends[LIFETIME * 4];
    char id[LIFETIME * 4][ID_SIZE];
    uint32_t count;
    uint32_t longest; /* wait of anybody, in steps */
};

static void note_grants(struct traffic *traffic, struct dice *dice, uint32_t now)
{
    for (uint32_t i = 0; i < world->decisions->count; i++) {
        const struct decision *decision = &world->decisions->item[i];

        if (decision->verdict != VERDICT_GRANTED)
            continue;
        assert_true(traffic->count < LIFETIME * 4);
        traffic->ends[traffic->count] = now + dice_between(dice, 1, LIFETIME);
        memcpy(traffic->id[traffic->count++], decision->id, ID_SIZE);
    }
}

static void end_grants(struct traffic *traffic, struct dice *dice, uint32_t now)
{
    for (uint32_t i = 0; i < traffic->count; i++) {
        char id[ID_SIZE];

        if (traffic->ends[i] > now)
            continue;
        memcpy(id, traffic->id[i], ID_SIZE);
        traffic->count--;
        traffic->ends[i] = traffic->ends[traffic->count];
        memcpy(traffic->id[i], traffic->id[traffic->count], ID_SIZE);
        i--;
        world_release(world, id);
        note_grants(traffic, dice, now);
    }
}

/* Small, large, cpu-only and gpu-only, from many queues; the id tells the step of arrival. */
static void arrive(struct traffic *traffic, struct dice *dice, uint32_t now, uint32_t line_max)
{
    static const char *const shapes[] = {"gpu=1",       "cpu=1",        "cpu=1,mem=1g,gpu=1", "mem=2g",
                                         "gpu=8",       "cpu=8",        "cpu=8,mem=8g,gpu=8", "mem=8g",
                                         "cpu=4,gpu=2", "mem=4g,gpu=4", "cpu=2,mem=6g",       "cpu=6,gpu=1"};
    struct request request;
    char id[ID_SIZE];
    char queue[QUEUE_NAME_SIZE];

    snprintf(id, sizeof(id), "%u", now);
    snprintf(queue, sizeof(queue), "q%u", dice_below(dice, 7));
    request = world_make_request(id, queue, shapes[dice_below(dice, sizeof(shapes) / sizeof(shapes[0]))]);
    request.policy = (enum policy)dice_below(dice, POLICY_COUNT);
    request.wait = world->state->waiter_count < line_max;
    world_ask(world, &request);
    note_grants(traffic, dice, now);
}

/* Small enough requests alone, to pass whatever is large. */
static void arrive_small(struct traffic *traffic, struct dice *dice, uint32_t now)
{
    static const char *const shapes[] = {"gpu=1", "cpu=1,gpu=1", "cpu=1", "mem=1g"};
    char id[ID_SIZE];
    char queue[QUEUE_NAME_SIZE];

    snprintf(id, sizeof(id), "%u", now);
    snprintf(queue, sizeof(queue), "s%u", now % 97);
    world_request(world, id, queue, shapes[dice_below(dice, 4)]);
    note_grants(traffic, dice, now);
}

/*
 * The bound. In any LIFETIME steps in which nobody harms the oldest waiter, all that is held ends, and it is served. A
 * grant that harms it is counted, so after MAX_BYPASS such spans it is protected, and one more span serves it, unless
 * waiters that are protected as well go first; there are at most as many as wait. Whoever waits is the oldest after at
 * most that for each of those before it.
 */
static uint32_t wait_bound(uint32_t line)
{
    return (line + 1) * (MAX_BYPASS + 1) * LIFETIME;
}

static void check_waits(struct traffic *traffic, uint32_t now, uint32_t line_max)
{
    for (uint32_t i = 0; i < world->state->waiter_count; i++) {
        uint32_t since = (uint32_t)strtoul(world->state->waiters[i].id, NULL, 10);
        uint32_t waited = now - since;

        if (waited > traffic->longest)
            traffic->longest = waited;
        if (waited > wait_bound(line_max))
            fail_msg("%s waits for %u steps", world->state->waiters[i].id, waited);
    }
}

static void begin_traffic(struct traffic *traffic)
{
    *traffic = (struct traffic){0};
    state_init(world->state);
    world_set_node(world, 2, 4, 8, 8, MAX_BYPASS, 0);
}

static void no_waiter_starves_under_endless_arrivals_of_all_shapes(void **context)
{
    uint64_t seed = dice_seed(__func__);
    uint32_t longest = 0;

    (void)context;
    for (uint32_t round = 0; round < 20; round++) {
        struct dice dice = dice_new(seed + round);
        uint32_t line = dice_between(&dice, 1, 12);
        struct traffic traffic;

        begin_traffic(&traffic);
        for (uint32_t now = 1; now < 3000; now++) {
            end_grants(&traffic, &dice, now);
            arrive(&traffic, &dice, now, line);
            check_waits(&traffic, now, line);
        }
        longest = traffic.longest > longest ? traffic.longest : longest;
    }
    print_message("# the longest wait was %u steps\n", longest);
}

static void a_request_for_the_whole_node_is_served_although_small_ones_never_stop(void **context)
{
    uint64_t seed = dice_seed(__func__);

    (void)context;
    for (uint32_t round = 0; round < 50; round++) {
        struct dice dice = dice_new(seed + round);
        struct traffic traffic;
        uint32_t now = 1;

        begin_traffic(&traffic);
        for (; now < 50; now++) {
            end_grants(&traffic, &dice, now);
            arrive_small(&traffic, &dice, now);
        }
        assert_int_equal(world_request(world, "whole", "whole", "cpu=8,mem=8g,gpu=8"), VERDICT_WAITING);
        for (; state_find_waiter(world->state, "whole") != INDEX_NONE; now++) {
            if (now > 50 + wait_bound(0))
                fail_msg("the large request still waits after %u steps", now - 50);
            end_grants(&traffic, &dice, now);
            if (state_find_waiter(world->state, "whole") != INDEX_NONE)
                arrive_small(&traffic, &dice, now);
        }
    }
}

/* --- nobody is held up --------------------------------------------------------------------------------------- */

/* The bystander is to stay unservable: no other node or health, and whoever holds what it lacks goes on. */
static bool would_serve_bystander(const struct event *event)
{
    if (event->kind == EVENT_NODE || event->kind == EVENT_QUEUE || event->kind == EVENT_HEALTH)
        return true;
    for (uint32_t i = 0; event->kind == EVENT_RELEASE && i < event->id_count; i++) {
        if (strcmp(event->ids[i], "holder") == 0)
            return true;
    }
    return false;
}

/* Two worlds see the same events; one has a waiter more, that cannot be served. Whatever it does not need must go on as
 * if it were not there. */
static void compare_with_bystander(const struct waiter *bystander, struct dice *dice, bool cpu_only)
{
    struct world *without = world_new();

    world_copy_state(without->state, world->state);
    world->state->next_arrival++;
    state_add_waiter(world->state, bystander);
    without->state->next_arrival++;
    without->next_id = world->next_id = 1000;
    for (uint32_t i = 0; i < 60; i++) {
        struct random_event event;
        uint32_t there = 0;

        do {
            without->next_id = 1000 + i;
            world_roll(without, dice, &event);
        } while (would_serve_bystander(&event.event));
        if (cpu_only)
            event.request.ask.of[RES_GPU] = 0;
        world_decide(without, &event.event);
        world_decide(world, &event.event);
        for (uint32_t d = 0; d < world->decisions->count; d++) {
            const struct decision *mine = &world->decisions->item[d];
            const struct decision *other = &without->decisions->item[there++];

            assert_true(there <= without->decisions->count);
            assert_string_equal(mine->id, other->id);
            assert_int_equal(mine->verdict, other->verdict);
            assert_int_equal(mine->why.reason, other->why.reason);
            assert_memory_equal(&mine->share, &other->share, sizeof(mine->share));
        }
        assert_int_equal(there, without->decisions->count);
    }
    world_free(without);
}

/* A waiter that was passed over a thousand times: it would be protected, if it could be served. */
static struct waiter make_bystander(const char *queue, const char *resreq)
{
    struct waiter waiter = {.id = "bystander", .bypassed = 1000, .arrival = world->state->next_arrival};

    waiter.ask = world_resreq(resreq).amount;
    waiter.queue = state_use_queue(world->state, queue);
    return waiter;
}

static void a_waiter_that_its_own_limit_stops_holds_up_nobody(void **context)
{
    uint64_t seed = dice_seed(__func__);

    (void)context;
    for (uint32_t round = 0; round < 100; round++) {
        struct dice dice = dice_new(seed + round);
        struct waiter waiter;

        state_init(world->state);
        world_set_node(world, 3, 4, 8, 8, 2, 0);
        world_declare(world, "bystander", 1, NULL, "gpu=2", true);
        assert_int_equal(world_request(world, "holder", "bystander", "gpu=2"), VERDICT_GRANTED);
        waiter = make_bystander("bystander", "gpu=1,cpu=8,mem=8g");
        compare_with_bystander(&waiter, &dice, false);
    }
}

static void a_waiter_for_excluded_gpus_holds_up_nobody(void **context)
{
    uint64_t seed = dice_seed(__func__);

    (void)context;
    for (uint32_t round = 0; round < 100; round++) {
        struct dice dice = dice_new(seed + round);
        struct waiter waiter;

        state_init(world->state);
        world_set_node(world, 3, 4, 8, 8, 2, 0);
        world_decide(world, &(struct event){.kind = EVENT_HEALTH, .gpu = "GPU-1", .excluded = true});
        waiter = make_bystander("bystander", round % 2 ? "gpu=1,cpu=8" : "gpu=12,cpu=8,mem=8g");
        if (round % 2) {
            waiter.device_count = 1;
            waiter.devices[0] = 1;
        }
        compare_with_bystander(&waiter, &dice, false);
    }
}

static void a_protected_waiter_for_gpus_holds_up_nobody_who_wants_none(void **context)
{
    uint64_t seed = dice_seed(__func__);

    (void)context;
    for (uint32_t round = 0; round < 100; round++) {
        struct dice dice = dice_new(seed + round);
        struct waiter waiter;

        state_init(world->state);
        world_set_node(world, 2, 4, 8, 8, 2, 0);
        assert_int_equal(world_request(world, "holder", "holder", "gpu=1"), VERDICT_GRANTED);
        waiter = make_bystander("bystander", "gpu=8");
        compare_with_bystander(&waiter, &dice, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_known_cases_of_dominant_resource_fairness_hold),
        cmocka_unit_test(the_shared_cases_of_dominant_resource_fairness_hold),
        cmocka_unit_test(no_waiter_starves_under_endless_arrivals_of_all_shapes),
        cmocka_unit_test(a_request_for_the_whole_node_is_served_although_small_ones_never_stop),
        cmocka_unit_test(a_waiter_that_its_own_limit_stops_holds_up_nobody),
        cmocka_unit_test(a_waiter_for_excluded_gpus_holds_up_nobody),
        cmocka_unit_test(a_protected_waiter_for_gpus_holds_up_nobody_who_wants_none),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * test_settle.c - the rare ways of rule 4: waiters that are set aside behind a protected one and come back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

/* A waiter as it might have come to be; in the order of these calls. */
static struct waiter *put_waiter(const char *id, const char *queue, const char *resreq, uint32_t bypassed)
{
    struct waiter waiter = {.ask = world_resreq(resreq).amount, .bypassed = bypassed};

    snprintf(waiter.id, sizeof(waiter.id), "%s", id);
    waiter.queue = state_use_queue(world->state, queue);
    waiter.arrival = world->state->next_arrival++;
    state_add_waiter(world->state, &waiter);
    return &world->state->waiters[world->state->waiter_count - 1];
}

static void only_on(struct waiter *waiter, uint16_t gpu)
{
    waiter->devices[waiter->device_count++] = gpu;
}

static void settle(void)
{
    world_decide(world, &(struct event){.kind = EVENT_SETTLE});
}

/* The ids of the grants of the last event, in their order, and "id@GPU" for each replica. */
static const char *granted(void)
{
    static char text[256];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < world->decisions->count; i++) {
        const struct decision *decision = &world->decisions->item[i];

        if (decision->verdict != VERDICT_GRANTED)
            continue;
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used > 0 ? " " : "", decision->id);
        for (uint32_t n = 0; n < decision->replica_count; n++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "@%u",
                                     world->decisions->replicas[decision->first_replica + n].gpu);
    }
    return text;
}

static void one_set_aside_comes_back_when_another_grant_leads_its_policy_elsewhere(void **context)
{
    struct request holder = world_make_request("holder0", "h", "gpu=2");

    (void)context;
    state_init(world->state);
    world_set_node(world, 2, 4, 8, 8, 8, 0);
    snprintf(holder.devices, sizeof(holder.devices), "GPU-0");
    assert_int_equal(world_ask(world, &holder), VERDICT_GRANTED);
    holder = world_make_request("holder1", "h", "gpu=1");
    snprintf(holder.devices, sizeof(holder.devices), "GPU-1");
    assert_int_equal(world_ask(world, &holder), VERDICT_GRANTED);

    /* `first` is protected and wants all of GPU-0. `packed` would go there, where most is used, and must not; `other`
     * fills GPU-1, and then that is where most is used. */
    only_on(put_waiter("first", "a", "gpu=4", 8), 0);
    put_waiter("packed", "b", "gpu=1", 0)->policy = POLICY_PACKED;
    only_on(put_waiter("other", "c", "gpu=2", 0), 1);
    settle();
    assert_string_equal(granted(), "other@1@1 packed@1");
}

static void one_set_aside_comes_back_when_the_protected_waiter_falls_behind_it(void **context)
{
    (void)context;
    state_init(world->state);
    world_set_node(world, 1, 1, 8, 8, 8, 0);
    world_declare(world, "a", 1, "cpu=8,mem=1g", NULL, true);
    world_declare(world, "b", 1, "cpu=2", NULL, true);
    assert_int_equal(world_request(world, "holder", "h", "cpu=4"), VERDICT_GRANTED);

    /* Both are within their queues' guarantees, and `first` is protected. `second` would take cpu from it, until a
     * grant to `third` uses up the guarantee that `first` relies on. */
    put_waiter("first", "a", "cpu=8,mem=1g", 8);
    put_waiter("second", "b", "cpu=2", 0);
    put_waiter("third", "a", "mem=1g", 0);
    settle();
    assert_string_equal(granted(), "third second");
}

static void a_waiter_becomes_protected_in_the_midst_of_settling(void **context)
{
    (void)context;
    state_init(world->state);
    world_set_node(world, 1, 8, 8, 8, 2, 0);
    assert_int_equal(world_request(world, "holder", "h", "gpu=5"), VERDICT_GRANTED);

    /* Three replicas are free. `large` is passed over twice, and then the third small one must not pass it. */
    put_waiter("large", "z", "gpu=8", 0);
    put_waiter("small1", "a", "gpu=1", 0)->priority = 1;
    put_waiter("small2", "b", "gpu=1", 0)->priority = 1;
    put_waiter("small3", "c", "gpu=1", 0);
    settle();
    assert_string_equal(granted(), "small1@0 small2@0");
    assert_int_equal(world->state->waiters[0].bypassed, 2);
}

static void one_set_aside_behind_a_distinct_waiter_comes_back_when_its_policy_leads_elsewhere(void **context)
{
    struct request holder = world_make_request("holder0", "h", "gpu=4");
    static const struct gpu gpus[] = {
        {.uuid = "A", .replicas = 2}, {.uuid = "B", .replicas = 2}, {.uuid = "C", .replicas = 5}};
    struct node_description node = {
        .gpus = gpus, .gpu_count = 3, .node = {.off = {true, true, false}, .max_bypass = 8}};

    (void)context;
    state_init(world->state);
    world_decide(world, &(struct event){.kind = EVENT_NODE, .node = &node});
    snprintf(holder.devices, sizeof(holder.devices), "A,B,C");
    assert_int_equal(world_ask(world, &holder), VERDICT_GRANTED); /* A B C A */

    /* `first` wants three GPUs, and A is full. `packed` would fill B, where most is used, and leave it one GPU less. */
    put_waiter("first", "a", "gpu=3", 8)->distinct = true;
    put_waiter("packed", "b", "gpu=1", 0)->policy = POLICY_PACKED;
    only_on(put_waiter("other", "c", "gpu=2", 0), 2);
    settle();
    assert_string_equal(granted(), "other@2@2 packed@2");
}

static void a_grant_within_its_guarantee_harms_whoever_wants_distinct_gpus(void **context)
{
    static const struct gpu gpus[] = {
        {.uuid = "A", .replicas = 1}, {.uuid = "B", .replicas = 5}, {.uuid = "C", .replicas = 8}};
    struct node_description node = {
        .gpus = gpus, .gpu_count = 3, .node = {.off = {true, true, false}, .max_bypass = 1}};
    struct request request;

    (void)context;
    state_init(world->state);
    world_decide(world, &(struct event){.kind = EVENT_NODE, .node = &node});
    world_declare(world, "b", 1, "gpu=1", NULL, false);
    request = world_make_request("holder", "h", "gpu=8");
    snprintf(request.devices, sizeof(request.devices), "C");
    assert_int_equal(world_ask(world, &request), VERDICT_GRANTED);
    request = world_make_request("first", "p", "gpu=3");
    request.distinct = true;
    assert_int_equal(world_ask(world, &request), VERDICT_WAITING);
    /* What the queue had held back for itself is nobody's loss in replicas, but `first` loses a GPU. */
    request = world_make_request("own", "b", "gpu=1");
    snprintf(request.devices, sizeof(request.devices), "A");
    assert_int_equal(world_ask(world, &request), VERDICT_GRANTED);
    assert_int_equal(world->state->waiters[0].bypassed, 1);
    request = world_make_request("next", "z", "gpu=5");
    snprintf(request.devices, sizeof(request.devices), "B");
    assert_int_equal(world_ask(world, &request), VERDICT_WAITING);
    assert_int_equal(world_decision(world, "next")->why.reason, REASON_BEHIND_PROTECTED);
}

static void a_guarantee_that_is_held_on_an_excluded_gpu_exempts_nobody(void **context)
{
    struct request request = world_make_request("holder", "b", "gpu=4");

    (void)context;
    state_init(world->state);
    world_set_node(world, 2, 4, 8, 8, 2, 0);
    world_declare(world, "b", 1, "gpu=4", NULL, false);
    snprintf(request.devices, sizeof(request.devices), "GPU-0");
    assert_int_equal(world_ask(world, &request), VERDICT_GRANTED);
    world_decide(world, &(struct event){.kind = EVENT_HEALTH, .gpu = "GPU-0", .excluded = true});
    /* GPU-1 is all there is, and nobody keeps any of it: `large` can be served, so it is counted and protected. */
    assert_int_equal(world_request(world, "c0", "c", "gpu=1"), VERDICT_GRANTED);
    assert_int_equal(world_request(world, "large", "a", "gpu=4"), VERDICT_WAITING);
    assert_int_equal(world_request(world, "c1", "c", "gpu=1"), VERDICT_GRANTED);
    assert_int_equal(world_request(world, "c2", "c", "gpu=1"), VERDICT_GRANTED);
    assert_int_equal(world_request(world, "c3", "c", "gpu=1"), VERDICT_WAITING);
    assert_int_equal(world_decision(world, "c3")->why.reason, REASON_BEHIND_PROTECTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_set_aside_comes_back_when_another_grant_leads_its_policy_elsewhere),
        cmocka_unit_test(one_set_aside_comes_back_when_the_protected_waiter_falls_behind_it),
        cmocka_unit_test(a_waiter_becomes_protected_in_the_midst_of_settling),
        cmocka_unit_test(one_set_aside_behind_a_distinct_waiter_comes_back_when_its_policy_leads_elsewhere),
        cmocka_unit_test(a_grant_within_its_guarantee_harms_whoever_wants_distinct_gpus),
        cmocka_unit_test(a_guarantee_that_is_held_on_an_excluded_gpu_exempts_nobody),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * test_laws.c - what must hold after every event of random traces of all operations.
 *
 * Each event is also played, grant by grant, on a shadow of the state with the oracle's slow sums: every grant must
 * fit, stay in its queue's limit, harm no protected waiter ahead of it, and leave the counts of bypassed waiters as
 * rule 5 says; in the end shadow and state must be the same.
 */
#include <malloc.h>
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
#include "tests/support/world.h"

#define ROUNDS 2000
#define EVENTS 80

static struct world *world;
static struct state *shadow;

static int set_up(void **context)
{
    (void)context;
    world = world_new();
    shadow = calloc(1, sizeof(*shadow));
    return shadow != NULL ? 0 : -1;
}

static int tear_down(void **context)
{
    (void)context;
    world_free(world);
    free(shadow);
    return 0;
}

/* --- the shadow ---------------------------------------------------------------------------------------------- */

static void shadow_remove_waiter(uint32_t at)
{
    static bool gone[WAITERS_MAX];

    memset(gone, 0, sizeof(gone));
    gone[at] = true;
    state_remove_waiters(shadow, gone);
}

/* What the event itself changes, before anybody is granted anything. */
static void shadow_apply(const struct event *event)
{
    static bool gone[GRANTS_MAX];
    static struct gpu spare[GPUS_MAX];
    struct error err;

    memset(gone, 0, sizeof(gone));
    switch (event->kind) {
    case EVENT_NODE: assert_int_equal(state_set_node(shadow, event->node, spare, &err), 0); break;
    case EVENT_QUEUE: assert_int_equal(state_declare_queue(shadow, event->queue, &err), 0); break;
    case EVENT_RELEASE:
        for (uint32_t i = 0; i < event->id_count; i++)
            gone[state_find_grant(shadow, event->ids[i])] = true;
        state_remove_grants(shadow, gone);
        break;
    case EVENT_TIMEOUT:
    case EVENT_CANCEL: shadow_remove_waiter(state_find_waiter(shadow, event->ids[0])); break;
    case EVENT_HEALTH: shadow->gpus[state_find_gpu(shadow, event->gpu)].excluded = event->excluded; break;
    case EVENT_REQUEST: state_use_queue(shadow, event->request->queue); break;
    case EVENT_SETTLE: break;
    }
}

/* The arrival as the state knows it now, or as it must have been if it was granted at once. */
static struct waiter arrival_of(const struct request *request)
{
    struct waiter waiter = {.ask = request->ask,
                            .arrival = shadow->next_arrival,
                            .queue = state_use_queue(shadow, request->queue),
                            .priority = (int32_t)request->priority,
                            .policy = request->policy,
                            .distinct = request->distinct};
    const char *device = request->devices;

    memcpy(waiter.id, request->id, sizeof(waiter.id));
    while (*device != '\0') {
        size_t length = strcspn(device, ",");

        waiter.devices[waiter.device_count++] = (uint16_t)decide_find_gpu(shadow, device, length);
        device += length + (device[length] == ',');
    }
    return waiter;
}

static void check_grant(const struct waiter *granted, const struct decision *decision)
{
    static uint64_t before[WAITERS_MAX][RES_COUNT];
    static bool protected_ahead[WAITERS_MAX];
    static bool counts[WAITERS_MAX];
    uint32_t oldest = INDEX_NONE;
    uint32_t cap = shadow->node.max_containers_per_gpu;

    assert_true(oracle_fits(shadow, granted));
    for (uint32_t i = 0; i < shadow->waiter_count; i++) {
        const struct waiter *other = &shadow->waiters[i];

        oracle_lacks(shadow, other, before[i]);
        protected_ahead[i] = oracle_protected(shadow, other) && oracle_before(shadow, other, granted);
        counts[i] = other->arrival < granted->arrival && !oracle_exempt(shadow, other);
    }
    assert_int_equal(decision->replica_count, granted->ask.of[RES_GPU]);
    for (uint32_t i = 0; i < decision->replica_count; i++)
        assert_false(shadow->gpus[world->decisions->replicas[decision->first_replica + i].gpu].excluded);
    state_add_grant(shadow, granted, &world->decisions->replicas[decision->first_replica]);
    assert_null(state_broken(shadow)); /* no replica twice */
    for (uint32_t i = 0; cap > 0 && i < decision->replica_count; i++)
        assert_true(oracle_gpu_containers(shadow, shadow->replicas[shadow->replica_count - 1 - i].gpu) <=
                    cap);
    for (uint32_t i = 0; i < shadow->waiter_count; i++) {
        uint64_t after[RES_COUNT];

        oracle_lacks(shadow, &shadow->waiters[i], after);
        if (!oracle_harmed(before[i], after))
            continue;
        assert_false(protected_ahead[i] && shadow->waiters[i].arrival != granted->arrival);
        if (oldest == INDEX_NONE && counts[i])
            oldest = i;
    }
    if (oldest != INDEX_NONE)
        shadow->waiters[oldest].bypassed++;
}

/* Plays the decisions of the last event on the shadow. */
static void follow(const struct event *event)
{
    const struct decisions *decisions = world->decisions;
    struct waiter arrival = {0};

    state_tidy(shadow);
    shadow_apply(event);
    if (event->kind == EVENT_REQUEST) {
        arrival = arrival_of(event->request);
        shadow->next_arrival++;
    }
    for (uint32_t i = 0; i < decisions->count; i++) {
        const struct decision *decision = &decisions->item[i];
        uint32_t at = state_find_waiter(shadow, decision->id);

        if (decision->verdict == VERDICT_GRANTED) {
            struct waiter granted = at != INDEX_NONE ? shadow->waiters[at] : arrival;

            if (at != INDEX_NONE)
                shadow_remove_waiter(at);
            check_grant(&granted, decision);
        } else if (decision->verdict == VERDICT_WAITING) {
            state_add_waiter(shadow, &arrival);
        } else if (decision->verdict == VERDICT_DENIED && at != INDEX_NONE) {
            shadow_remove_waiter(at);
        }
    }
    shadow->cursor = world->state->cursor;
    if (!world_same_state(shadow, world->state))
        fail_msg("the state is not what its decisions say");
}

/* --- the laws ------------------------------------------------------------------------------------------------ */

static void check_order_is_total(void)
{
    const struct state *state = world->state;

    for (uint32_t a = 0; a < state->waiter_count; a++) {
        assert_false(oracle_before(state, &state->waiters[a], &state->waiters[a]));
        for (uint32_t b = 0; b < a; b++) {
            bool a_first = oracle_before(state, &state->waiters[a], &state->waiters[b]);

            assert_true(a_first != oracle_before(state, &state->waiters[b], &state->waiters[a]));
            for (uint32_t c = 0; c < b; c++) {
                bool c_first = oracle_before(state, &state->waiters[c], &state->waiters[a]);

                if (a_first && c_first)
                    assert_true(oracle_before(state, &state->waiters[c], &state->waiters[b]));
            }
        }
    }
}

/* decide()'s own order is the oracle's. */
static void check_order_agrees(void)
{
    struct admission *admission = &world->workspace->admission;
    const struct state *state = world->state;

    admission_open(admission, world->state);
    for (uint32_t a = 0; a < state->waiter_count; a++) {
        for (uint32_t b = 0; b < state->waiter_count; b++)
            assert_true(admission_before(admission, &state->waiters[a], &state->waiters[b]) ==
                        oracle_before(state, &state->waiters[a], &state->waiters[b]));
    }
    admission_close(admission);
}

/* Would the grant, placed as the policy says, harm a protected waiter ahead? */
static bool is_blocked(const struct waiter *waiter)
{
    struct placement *placement = &world->workspace->admission.placement;
    const struct state *state = world->state;
    bool blocked = false;

    placement_init(placement, state);
    placement_pick(placement, waiter);
    world_copy_state(shadow, state);
    state_add_grant(shadow, waiter, placement->picks);
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        const struct waiter *other = &state->waiters[i];
        uint64_t before[RES_COUNT];
        uint64_t after[RES_COUNT];

        oracle_lacks(state, other, before);
        oracle_lacks(shadow, other, after);
        blocked = blocked || (other != waiter && oracle_protected(state, other) &&
                              oracle_before(state, other, waiter) && oracle_harmed(before, after));
    }
    return blocked;
}

static void check_nobody_waits_in_vain(void)
{
    const struct state *state = world->state;

    for (uint32_t i = 0; i < state->waiter_count; i++) {
        if (oracle_fits(state, &state->waiters[i]) && !is_blocked(&state->waiters[i]))
            fail_msg("%s waits, but may be granted", state->waiters[i].id);
    }
}

/* While the node and the limits stay as they were, nothing is ever above them. */
static void check_nothing_is_oversold(void)
{
    const struct state *state = world->state;

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (!state->node.off[r])
            assert_true(oracle_held(state, INDEX_NONE, r) <= state->node.capacity.of[r]);
        for (uint32_t q = 0; q < state->queue_count; q++) {
            const struct resreq *limit = &state->queues[q].limit;

            if (limit->named[r] && !state->node.off[r])
                assert_true(oracle_held(state, q, r) <= limit->amount.of[r]);
        }
    }
    for (uint32_t gpu = 0; gpu < state->gpu_count; gpu++) {
        uint32_t cap = state->node.max_containers_per_gpu;

        assert_true(oracle_gpu_used(state, gpu) <= state->gpus[gpu].replicas);
        assert_true(cap == 0 || oracle_gpu_containers(state, gpu) <= cap);
    }
}

static void play(const char *name, bool with_changes, void (*check)(void))
{
    uint64_t seed = dice_seed(name);
    uint32_t rounds = dice_rounds(ROUNDS);

    for (uint32_t round = 0; round < rounds; round++) {
        struct dice dice = dice_new(seed + round);
        struct random_event event;

        world_begin(world, &dice);
        for (uint32_t i = 0; i < EVENTS; i++) {
            world_roll(world, &dice, &event);
            if (!with_changes && (event.event.kind == EVENT_NODE || event.event.kind == EVENT_QUEUE))
                continue;
            world_decide(world, &event.event);
            check();
        }
    }
}

static void nothing_is_oversold_and_no_queue_exceeds_its_limit(void **context)
{
    (void)context;
    play(__func__, false, check_nothing_is_oversold);
}

static void the_order_of_waiters_is_total(void **context)
{
    (void)context;
    play(__func__, true, check_order_is_total);
}

static void the_order_is_that_of_the_text(void **context)
{
    (void)context;
    play(__func__, true, check_order_agrees);
}

static void no_waiter_that_may_be_granted_is_left_waiting(void **context)
{
    (void)context;
    play(__func__, true, check_nobody_waits_in_vain);
}

static void every_grant_fits_harms_no_protected_waiter_ahead_and_counts_whom_it_passes(void **context)
{
    uint64_t seed = dice_seed(__func__);
    uint32_t rounds = dice_rounds(ROUNDS);

    (void)context;
    for (uint32_t round = 0; round < rounds; round++) {
        struct dice dice = dice_new(seed + round);
        struct random_event event;

        world_begin(world, &dice);
        for (uint32_t i = 0; i < EVENTS; i++) {
            world_copy_state(shadow, world->state);
            world_roll(world, &dice, &event);
            world_decide(world, &event.event);
            follow(&event.event);
        }
    }
}

static void grant_then_release_restores_the_state_exactly(void **context)
{
    uint64_t seed = dice_seed(__func__);
    uint32_t rounds = dice_rounds(ROUNDS);
    uint32_t tried = 0;

    (void)context;
    for (uint32_t round = 0; round < rounds; round++) {
        struct dice dice = dice_new(seed + round);
        struct random_event event;

        world_begin(world, &dice);
        for (uint32_t i = 0; i < EVENTS; i++) {
            struct request request;

            world_roll(world, &dice, &event);
            world_decide(world, &event.event);
            state_tidy(world->state);
            world_copy_state(shadow, world->state);
            world_roll_request(world, &dice, &request);
            request.wait = false;
            /* With waiters, a release serves them; and round-robin remembers where it was. */
            if (world->state->waiter_count > 0 || request.policy == POLICY_ROUND_ROBIN)
                continue;
            if (world_ask(world, &request) == VERDICT_GRANTED) {
                world_release(world, request.id);
                tried++;
            }
            state_tidy(world->state);
            assert_true(world_same_state(shadow, world->state));
        }
    }
    assert_true(tried > rounds);
}

static void the_same_events_give_the_same_bytes(void **context)
{
    struct world *twin = world_new();
    uint64_t seed = dice_seed(__func__);
    uint32_t rounds = dice_rounds(ROUNDS);

    (void)context;
    for (uint32_t round = 0; round < rounds; round++) {
        struct dice dice = dice_new(seed + round);
        struct dice same = dice;
        struct random_event event;

        world_begin(world, &dice);
        world_begin(twin, &same);
        /* The twin's workspace is full of what it did before: nothing of that may matter. */
        memset(twin->workspace, round % 2 ? 0xa5 : 0, sizeof(*twin->workspace));
        for (uint32_t i = 0; i < EVENTS / 4; i++) {
            world_roll(world, &dice, &event);
            world_decide(world, &event.event);
            world_decide(twin, &event.event);
            assert_int_equal(world->decisions->count, twin->decisions->count);
            assert_memory_equal(world->decisions->item, twin->decisions->item,
                                world->decisions->count * sizeof(struct decision));
            assert_true(world_same_state(world->state, twin->state));
        }
    }
    world_free(twin);
}

static void decide_allocates_nothing(void **context)
{
    uint64_t seed = dice_seed(__func__);
    struct dice dice = dice_new(seed);
    struct random_event event;
    struct error err;

    (void)context;
    world_begin(world, &dice);
    for (uint32_t i = 0; i < EVENTS; i++) {
        struct mallinfo2 before;
        struct mallinfo2 after;

        world_roll(world, &dice, &event);
        before = mallinfo2();
        assert_int_equal(decide(world->state, &event.event, world->workspace, world->decisions, &err), 0);
        after = mallinfo2();
        assert_int_equal(before.uordblks, after.uordblks);
        assert_int_equal(before.hblks, after.hblks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_oversold_and_no_queue_exceeds_its_limit),
        cmocka_unit_test(the_order_of_waiters_is_total),
        cmocka_unit_test(the_order_is_that_of_the_text),
        cmocka_unit_test(no_waiter_that_may_be_granted_is_left_waiting),
        cmocka_unit_test(every_grant_fits_harms_no_protected_waiter_ahead_and_counts_whom_it_passes),
        cmocka_unit_test(grant_then_release_restores_the_state_exactly),
        cmocka_unit_test(the_same_events_give_the_same_bytes),
        cmocka_unit_test(decide_allocates_nothing),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

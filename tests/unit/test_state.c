/*
 * The state of a node: references stay right whatever moves, refused changes change nothing, damage is found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/state.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

struct bench {
    struct state state;
    struct state before; /* a copy, to see that nothing changed */
    struct gpu gpus[GPUS_MAX + 1];
    struct gpu spare[GPUS_MAX];
    struct error err;
};

static int make_bench(void **state)
{
    struct bench *bench = calloc(1, sizeof(*bench));

    *state = bench;
    if (bench == NULL)
        return -1;
    state_init(&bench->state);
    return 0;
}

static int free_bench(void **state)
{
    free(*state);
    return 0;
}

/* --- making --- */

/* "A:4 B:2": GPUs with their replicas. */
static struct node_description describe(struct bench *bench, const char *text)
{
    struct node_description node = {
        .node = {.capacity = {{64000, 1ULL << 40, 0}}, .max_bypass = 8, .undeclared_max_priority = 5},
        .gpus = bench->gpus,
    };
    int used;

    while (sscanf(text, " %95[^:]:%u%n", bench->gpus[node.gpu_count].uuid,
                  &bench->gpus[node.gpu_count].replicas, &used) == 2) {
        text += used;
        node.gpu_count++;
    }
    assert_int_equal(*text, '\0');
    return node;
}

static int try_node(struct bench *bench, const struct node_description *node)
{
    return state_set_node(&bench->state, node, bench->spare, &bench->err);
}

static void must_be_whole(const struct bench *bench)
{
    const char *broken = state_broken(&bench->state);

    if (broken != NULL)
        fail_msg("broken: %s", broken);
}

static void set_node(struct bench *bench, const char *text)
{
    struct node_description node = describe(bench, text);

    if (try_node(bench, &node) != 0)
        fail_msg("%s: %s", text, bench->err.text);
    must_be_whole(bench);
}

static struct waiter record(struct bench *bench, const char *id, const char *queue, uint64_t gpu)
{
    struct waiter waiter = {.ask = {{1000, 1 << 20, gpu}}, .arrival = bench->state.next_arrival++};

    snprintf(waiter.id, sizeof(waiter.id), "%s", id);
    waiter.queue = state_use_queue(&bench->state, queue);
    return waiter;
}

/* "A::0 A::1 B::0", as a grant holds them; returns how many there are. */
static uint32_t read_replicas(const struct bench *bench, const char *text, struct replica *out)
{
    uint32_t count = 0;
    char uuid[UUID_SIZE];
    unsigned number;
    int used;

    while (sscanf(text, " %95[^:]::%u%n", uuid, &number, &used) == 2) {
        uint32_t gpu = state_find_gpu(&bench->state, uuid);

        assert_int_not_equal(gpu, INDEX_NONE);
        out[count++] = (struct replica){(uint16_t)gpu, (uint16_t)number};
        text += used;
    }
    assert_int_equal(*text, '\0');
    return count;
}

static void grant(struct bench *bench, const char *id, const char *queue, const char *replicas)
{
    struct replica list[16];
    struct waiter waiter = record(bench, id, queue, read_replicas(bench, replicas, list));

    state_add_grant(&bench->state, &waiter, list);
}

static struct waiter *let_wait(struct bench *bench, const char *id, const char *queue, const char *device)
{
    struct waiter waiter = record(bench, id, queue, 1);

    if (device != NULL)
        waiter.devices[waiter.device_count++] = (uint16_t)state_find_gpu(&bench->state, device);
    state_add_waiter(&bench->state, &waiter);
    return &bench->state.waiters[bench->state.waiter_count - 1];
}

/* --- looking --- */

/* What a state refers to, by names: "c1/a A::0 A::1; c2/b;" for grants, "w1/a B;" for waiters. */
static const char *tell_grants(const struct bench *bench)
{
    static char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < bench->state.grant_count; i++) {
        const struct grant *held = &bench->state.grants[i];

        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s/%s", held->id,
                                 bench->state.queues[held->queue].name);
        for (uint32_t r = 0; r < held->ask.of[RES_GPU]; r++) {
            struct replica replica = bench->state.replicas[held->first_replica + r];

            used += (size_t)snprintf(text + used, sizeof(text) - used, " %s::%u",
                                     bench->state.gpus[replica.gpu].uuid, replica.number);
        }
        used += (size_t)snprintf(text + used, sizeof(text) - used, "; ");
    }
    return text;
}

static const char *tell_waiters(const struct bench *bench)
{
    static char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < bench->state.waiter_count; i++) {
        const struct waiter *waiter = &bench->state.waiters[i];

        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s/%s", waiter->id,
                                 bench->state.queues[waiter->queue].name);
        for (uint32_t d = 0; d < waiter->device_count; d++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, " %s",
                                     bench->state.gpus[waiter->devices[d]].uuid);
        used += (size_t)snprintf(text + used, sizeof(text) - used, "; ");
    }
    return text;
}

/* "A:4 B:2! (C!)": in order; excluded with a mark, vanished in brackets. */
static const char *tell_gpus(const struct bench *bench)
{
    static char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < bench->state.gpu_count; i++) {
        const struct gpu *gpu = &bench->state.gpus[i];
        const char *mark = gpu->excluded ? "!" : "";
        const char *space = i > 0 ? " " : "";

        if (i < bench->state.node_gpus)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s:%u%s", space, gpu->uuid,
                                     gpu->replicas, mark);
        else
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s(%s%s)", space, gpu->uuid, mark);
    }
    return text;
}

static const char *tell_queues(const struct bench *bench)
{
    static char text[4096];
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < bench->state.queue_count; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s", i > 0 ? " " : "",
                                 bench->state.queues[i].name, bench->state.queues[i].declared ? "*" : "");
    return text;
}

static void remember(struct bench *bench)
{
    memcpy(&bench->before, &bench->state, sizeof(bench->state));
}

/* Refused as bad input with these words, and the state is what it was. */
static void must_have_refused(const struct bench *bench, int result, const char *words)
{
    assert_int_equal(result, -1);
    assert_int_equal(bench->err.kind, ERROR_INPUT);
    if (strstr(bench->err.text, words) == NULL)
        fail_msg("not \"%s\": %s", words, bench->err.text);
    assert_true(memcmp(&bench->before, &bench->state, sizeof(bench->state)) == 0);
}

/* --- an empty node --- */

static void a_new_state_is_whole_and_empty_whatever_was_in_the_memory(void **state)
{
    struct bench *bench = *state;

    memset(&bench->state, 0xff, sizeof(bench->state));
    state_init(&bench->state);
    must_be_whole(bench);
    assert_string_equal(tell_gpus(bench), "");
    assert_string_equal(tell_queues(bench), "");
    assert_string_equal(tell_grants(bench), "");
    assert_string_equal(tell_waiters(bench), "");
    assert_int_equal(bench->state.cursor, INDEX_NONE);
    assert_int_equal(bench->state.node.capacity.of[RES_GPU], 0);
    assert_int_equal(state_find_gpu(&bench->state, "A"), INDEX_NONE);
    assert_int_equal(state_find_grant(&bench->state, "c"), INDEX_NONE);
    assert_int_equal(state_find_waiter(&bench->state, "c"), INDEX_NONE);
}

/* --- the node --- */

static void a_node_has_the_described_gpus_in_their_order_and_all_their_replicas(void **state)
{
    struct bench *bench = *state;

    set_node(bench, "B:4 A:2 C:1");
    assert_string_equal(tell_gpus(bench), "B:4 A:2 C:1");
    assert_int_equal(bench->state.node.capacity.of[RES_GPU], 7);
    assert_int_equal(bench->state.node.capacity.of[RES_CPU], 64000);
    assert_int_equal(state_find_gpu(&bench->state, "A"), 1);
    assert_int_equal(state_find_gpu(&bench->state, "a"), INDEX_NONE);
}

static void only_uuid_and_replicas_of_a_described_gpu_count(void **state)
{
    struct bench *bench = *state;
    struct node_description node = describe(bench, "A:2 B:2");

    bench->gpus[0].excluded = true;
    node.node.capacity.of[RES_GPU] = 99;
    assert_int_equal(try_node(bench, &node), 0);
    assert_string_equal(tell_gpus(bench), "A:2 B:2");
    assert_int_equal(bench->state.node.capacity.of[RES_GPU], 4);
}

static void a_node_replaces_the_earlier_one_wholly(void **state)
{
    struct bench *bench = *state;
    struct node_description node = describe(bench, "A:2");

    node.node.max_containers_per_gpu = 3;
    node.node.off[RES_CPU] = true;
    assert_int_equal(try_node(bench, &node), 0);
    assert_int_equal(bench->state.node.max_containers_per_gpu, 3);
    set_node(bench, "A:8");
    assert_int_equal(bench->state.node.max_containers_per_gpu, 0);
    assert_false(bench->state.node.off[RES_CPU]);
    assert_int_equal(bench->state.node.capacity.of[RES_GPU], 8);
}

/* Two grants, two waiters and the cursor, on four GPUs of which one is excluded. */
static void furnish(struct bench *bench)
{
    set_node(bench, "A:4 B:4 C:4 D:4");
    grant(bench, "c1", "q", "A::0 C::3");
    grant(bench, "c2", "q", "C::0");
    let_wait(bench, "w1", "q", "B");
    let_wait(bench, "w2", "q", NULL);
    bench->state.gpus[1].excluded = true;
    bench->state.cursor = 2;
    must_be_whole(bench);
}

static void whatever_happens_to_the_gpus_references_follow_the_uuid(void **state)
{
    static const struct {
        const char *name;
        const char *node;
        const char *gpus;
        const char *after_tidy;
    } rows[] = {
        {"the same", "A:4 B:4 C:4 D:4", "A:4 B:4! C:4 D:4", "A:4 B:4! C:4 D:4"},
        {"turned round", "D:4 C:4 B:4 A:4", "D:4 C:4 B:4! A:4", "D:4 C:4 B:4! A:4"},
        {"moved on", "D:4 A:4 B:4 C:4", "D:4 A:4 B:4! C:4", "D:4 A:4 B:4! C:4"},
        {"more replicas", "A:8 B:4 C:5 D:4", "A:8 B:4! C:5 D:4", "A:8 B:4! C:5 D:4"},
        {"fewer replicas than are held", "A:1 B:1 C:1 D:1", "A:1 B:1! C:1 D:1", "A:1 B:1! C:1 D:1"},
        {"a new one in front", "X:2 A:4 B:4 C:4 D:4", "X:2 A:4 B:4! C:4 D:4", "X:2 A:4 B:4! C:4 D:4"},
        {"an unused one vanished", "A:4 B:4 C:4", "A:4 B:4! C:4 (D)", "A:4 B:4! C:4"},
        {"one in use vanished", "A:4 B:4 D:4", "A:4 B:4! D:4 (C)", "A:4 B:4! D:4 (C)"},
        {"the excluded one vanished", "A:4 C:4 D:4", "A:4 C:4 D:4 (B!)", "A:4 C:4 D:4 (B!)"},
        {"the first vanished, the rest turned round", "D:4 C:4 B:4", "D:4 C:4 B:4! (A)", "D:4 C:4 B:4! (A)"},
        {"all are others", "X:1 Y:1", "X:1 Y:1 (A) (B!) (C) (D)", "X:1 Y:1 (A) (B!) (C)"},
        {"none is left", "", "(A) (B!) (C) (D)", "(A) (B!) (C)"},
    };
    struct bench *bench = *state;

    for (size_t i = 0; i < ROWS(rows); i++) {
        state_init(&bench->state);
        furnish(bench);
        for (int round = 0; round < 2; round++) {
            if (round == 0)
                set_node(bench, rows[i].node);
            else
                state_tidy(&bench->state);
            must_be_whole(bench);
            if (strcmp(tell_gpus(bench), round == 0 ? rows[i].gpus : rows[i].after_tidy) != 0)
                fail_msg("%s: %s", rows[i].name, tell_gpus(bench));
            assert_string_equal(tell_grants(bench), "c1/q A::0 C::3; c2/q C::0; ");
            assert_string_equal(tell_waiters(bench), "w1/q B; w2/q; ");
            assert_string_equal(bench->state.gpus[bench->state.cursor].uuid, "C");
        }
    }
}

static void a_vanished_gpu_that_comes_back_is_the_same_one_with_its_new_replicas(void **state)
{
    struct bench *bench = *state;

    furnish(bench);
    set_node(bench, "A:4");
    state_tidy(&bench->state);
    set_node(bench, "D:1 C:2 B:3 A:4");
    assert_string_equal(tell_gpus(bench), "D:1 C:2 B:3! A:4");
    assert_string_equal(tell_grants(bench), "c1/q A::0 C::3; c2/q C::0; ");
    assert_string_equal(tell_waiters(bench), "w1/q B; w2/q; ");
    assert_string_equal(bench->state.gpus[bench->state.cursor].uuid, "C");
    assert_int_equal(bench->state.node.capacity.of[RES_GPU], 10);
}

static void a_vanished_gpu_is_forgotten_once_nothing_refers_to_it(void **state)
{
    struct bench *bench = *state;
    bool gone[2] = {true, true};

    furnish(bench);
    set_node(bench, "");
    state_remove_grants(&bench->state, gone);
    state_tidy(&bench->state);
    assert_string_equal(tell_gpus(bench), "(B!) (C)"); /* B: excluded, and w1's device; C: the cursor */
    assert_string_equal(bench->state.gpus[bench->state.cursor].uuid, "C");
    bench->state.cursor = INDEX_NONE;
    state_tidy(&bench->state);
    assert_string_equal(tell_gpus(bench), "(B!)");
    bench->state.gpus[0].excluded = false;
    state_tidy(&bench->state);
    assert_string_equal(tell_gpus(bench), "(B)");
    state_remove_waiters(&bench->state, gone);
    state_tidy(&bench->state);
    assert_string_equal(tell_gpus(bench), "");
    must_be_whole(bench);
}

static void an_excluded_gpu_that_vanishes_is_still_excluded_when_it_comes_back(void **state)
{
    struct bench *bench = *state;

    set_node(bench, "A:1 B:1");
    bench->state.gpus[1].excluded = true;
    set_node(bench, "A:1");
    state_tidy(&bench->state);
    assert_string_equal(tell_gpus(bench), "A:1 (B!)");
    set_node(bench, "B:1 A:1");
    assert_string_equal(tell_gpus(bench), "B:1! A:1");
}

static void an_impossible_node_is_refused_and_changes_nothing(void **state)
{
    static const struct {
        const char *node;
        const char *words;
    } rows[] = {
        {"A:4 A:4", "GPU \"A\" is there twice"},
        {"A:1 B:1 C:1 D:1 B:1", "GPU \"B\" is there twice"},
        {"B:0", "GPU \"B\" has 0 replicas; 1 to 1024 are allowed"},
        {"A:4 B:1025", "GPU \"B\" has 1025 replicas; 1 to 1024 are allowed"},
        {"A:4294967295", "GPU \"A\" has 4294967295 replicas"},
    };
    struct bench *bench = *state;

    furnish(bench);
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct node_description node = describe(bench, rows[i].node);

        remember(bench);
        must_have_refused(bench, try_node(bench, &node), rows[i].words);
    }
}

static void a_gpu_without_a_uuid_is_refused(void **state)
{
    struct bench *bench = *state;
    struct node_description node = describe(bench, "A:4 B:4");

    bench->gpus[1].uuid[0] = '\0';
    remember(bench);
    must_have_refused(bench, try_node(bench, &node), "GPU 1 has an empty UUID");
}

/* `count` GPUs of `replicas` each, named G0 and so on. */
static struct node_description describe_many(struct bench *bench, uint32_t count, uint32_t replicas)
{
    struct node_description node = describe(bench, "");

    for (uint32_t i = 0; i < count; i++) {
        snprintf(bench->gpus[i].uuid, sizeof(bench->gpus[i].uuid), "G%u", i);
        bench->gpus[i].replicas = replicas;
    }
    node.gpu_count = count;
    return node;
}

static void a_node_has_up_to_4096_gpus_with_65536_replicas_in_all(void **state)
{
    static const struct {
        uint32_t gpus;
        uint32_t replicas;
        const char *words;
    } rows[] = {
        {4096, 16, NULL},
        {64, 1024, NULL},
        {4097, 1, "4097 GPUs are more than the 4096 that a node may have"},
        {4096, 17, "the GPUs have more than 65536 replicas in all"},
        {65, 1024, "the GPUs have more than 65536 replicas in all"},
    };
    struct bench *bench = *state;

    for (size_t i = 0; i < ROWS(rows); i++) {
        struct node_description node = describe_many(bench, rows[i].gpus, rows[i].replicas);
        int result;

        state_init(&bench->state);
        remember(bench);
        result = try_node(bench, &node);
        if (rows[i].words != NULL) {
            must_have_refused(bench, result, rows[i].words);
            continue;
        }
        assert_int_equal(result, 0);
        assert_int_equal(bench->state.node.capacity.of[RES_GPU], 65536);
        must_be_whole(bench);
    }
}

static void vanished_gpus_that_are_in_use_count_towards_the_4096(void **state)
{
    struct bench *bench = *state;
    struct node_description node;

    furnish(bench);
    node = describe_many(bench, 4093, 1);
    remember(bench);
    must_have_refused(bench, try_node(bench, &node), "with GPUs that vanished while in use");
    node.gpu_count = 4092;
    assert_int_equal(try_node(bench, &node), 0);
    must_be_whole(bench);
    assert_string_equal(tell_grants(bench), "c1/q A::0 C::3; c2/q C::0; ");
}

/* --- queues --- */

static void a_queue_that_is_used_is_there_once_and_in_the_order_of_names(void **state)
{
    static const char *const names[] = {"m", "z", "a", "ma", "M", "0", "a.b", "a-b", "m", "z", "0"};
    struct bench *bench = *state;

    set_node(bench, "A:1");
    for (size_t i = 0; i < ROWS(names); i++) {
        uint32_t at = state_use_queue(&bench->state, names[i]);

        assert_string_equal(bench->state.queues[at].name, names[i]);
        must_be_whole(bench);
    }
    assert_string_equal(tell_queues(bench), "0 M a a-b a.b m ma z");
    assert_int_equal(bench->state.queues[0].weight, 1);
    assert_int_equal(bench->state.queues[0].max_priority, 5); /* as the node says of undeclared ones */
    assert_true(bench->state.queues[0].lend);
}

static void a_queue_that_comes_in_between_moves_no_reference(void **state)
{
    static const char *const names[] = {"a", "n", "z", "0", "mm", "m0", "zz"};
    struct bench *bench = *state;

    set_node(bench, "A:4");
    grant(bench, "c1", "m", "A::0");
    grant(bench, "c2", "y", "");
    let_wait(bench, "w1", "m", NULL);
    let_wait(bench, "w2", "b", "A");
    for (size_t i = 0; i < ROWS(names); i++) {
        struct queue queue = queue_default(names[i], 0);

        if (i % 2 == 0)
            state_use_queue(&bench->state, names[i]);
        else
            assert_int_equal(state_declare_queue(&bench->state, &queue, &bench->err), 0);
        must_be_whole(bench);
        assert_string_equal(tell_grants(bench), "c1/m A::0; c2/y; ");
        assert_string_equal(tell_waiters(bench), "w1/m; w2/b A; ");
    }
    assert_string_equal(tell_queues(bench), "0* a b m m0* mm n* y z zz");
}

static struct queue queue_with(const char *name, const char *guarantee, const char *limit, bool lend)
{
    struct queue queue = queue_default(name, 0);
    struct error err = {0};

    queue.lend = lend;
    if (guarantee != NULL)
        assert_int_equal(resreq_parse(guarantee, strlen(guarantee), &queue.guarantee, &err), 0);
    if (limit != NULL)
        assert_int_equal(resreq_parse(limit, strlen(limit), &queue.limit, &err), 0);
    return queue;
}

static int declare(struct bench *bench, const char *name, const char *guarantee, const char *limit, bool lend)
{
    struct queue queue = queue_with(name, guarantee, limit, lend);

    return state_declare_queue(&bench->state, &queue, &bench->err);
}

static void a_declaration_replaces_the_earlier_one_wholly_and_keeps_what_the_queue_holds(void **state)
{
    struct bench *bench = *state;
    struct queue queue = queue_with("m", "gpu=1", "gpu=2", false);
    const struct queue *now;

    set_node(bench, "A:4");
    grant(bench, "c1", "m", "A::0");
    queue.weight = 7;
    assert_int_equal(state_declare_queue(&bench->state, &queue, &bench->err), 0);
    now = &bench->state.queues[state_use_queue(&bench->state, "m")];
    assert_true(now->declared);
    assert_int_equal(now->weight, 7);
    assert_int_equal(now->guarantee.amount.of[RES_GPU], 1);
    assert_int_equal(declare(bench, "m", NULL, "cpu=1", true), 0);
    assert_true(now->declared);
    assert_int_equal(now->weight, 1);
    assert_false(now->guarantee.named[RES_GPU]);
    assert_false(now->limit.named[RES_GPU]);
    assert_true(now->limit.named[RES_CPU]);
    assert_string_equal(tell_grants(bench), "c1/m A::0; ");
    assert_int_equal(bench->state.queue_count, 1);
}

static void guarantees_that_are_not_lent_add_up_to_at_most_the_capacity(void **state)
{
    struct bench *bench = *state;

    set_node(bench, "A:4"); /* and cpu=64, mem=1t */
    assert_int_equal(declare(bench, "a", "gpu=3", NULL, false), 0);
    remember(bench);
    must_have_refused(bench, declare(bench, "b", "gpu=2", NULL, false),
                      "the guarantees that are not lent add up to gpu=5, above the node's gpu=4");
    must_have_refused(bench, declare(bench, "b", "cpu=64.001", NULL, false),
                      "cpu=64.001, above the node's cpu=64");
    must_have_refused(bench, declare(bench, "b", "mem=2t", NULL, false), "mem=2t, above the node's mem=1t");
    must_have_refused(bench, declare(bench, "a", "gpu=5", NULL, false), "gpu=5, above the node's gpu=4");
    assert_int_equal(declare(bench, "b", "gpu=9,cpu=900", NULL, true), 0);
    assert_int_equal(declare(bench, "a", "gpu=4", NULL, false), 0); /* its own earlier one does not count */
    assert_int_equal(declare(bench, "c", "cpu=64,mem=1t,gpu=0", NULL, false), 0);
    remember(bench);
    must_have_refused(bench, declare(bench, "d", "gpu=1", NULL, false), "gpu=5, above the node's gpu=4");
    must_be_whole(bench);
}

static void the_sum_of_the_largest_guarantees_does_not_wrap(void **state)
{
    struct bench *bench = *state;
    struct node_description node = describe(bench, "A:4");

    node.node.capacity.of[RES_MEM] = QUANTITY_MAX;
    assert_int_equal(try_node(bench, &node), 0);
    assert_int_equal(declare(bench, "a", "mem=8p", NULL, false), 0);
    remember(bench);
    must_have_refused(bench, declare(bench, "b", "mem=1", NULL, false), "the guarantees that are not lent");
    must_have_refused(bench, declare(bench, "b", "mem=8p", NULL, false), "the guarantees that are not lent");
}

static void a_guarantee_of_what_is_switched_off_has_no_capacity_to_exceed(void **state)
{
    struct bench *bench = *state;
    struct node_description node = describe(bench, "A:4");

    node.node.off[RES_CPU] = true;
    node.node.capacity.of[RES_CPU] = 0;
    assert_int_equal(try_node(bench, &node), 0);
    assert_int_equal(declare(bench, "a", "cpu=1000", NULL, false), 0);
}

static void where_guarantees_exceed_a_shrunken_node_a_queue_that_lends_is_still_welcome(void **state)
{
    struct bench *bench = *state;

    set_node(bench, "A:4");
    assert_int_equal(declare(bench, "a", "gpu=4", NULL, false), 0);
    set_node(bench, "A:1");
    assert_int_equal(declare(bench, "b", "gpu=1", NULL, true), 0);
    assert_int_equal(declare(bench, "c", "cpu=1", NULL, false), 0); /* it asks for nothing of what is short */
    assert_int_equal(declare(bench, "a", "gpu=4", NULL, true), 0);
}

static void a_guarantee_above_the_limit_is_refused_and_changes_nothing(void **state)
{
    struct bench *bench = *state;

    set_node(bench, "A:4");
    assert_int_equal(declare(bench, "a", "gpu=1", "gpu=1", true), 0);
    remember(bench);
    must_have_refused(bench, declare(bench, "a", "gpu=2", "gpu=1", true), "is above the limit gpu=1");
    must_have_refused(bench, declare(bench, "b", "gpu=2", "gpu=1", true), "is above the limit gpu=1");
}

static void there_are_at_most_4096_queues(void **state)
{
    struct bench *bench = *state;

    set_node(bench, "A:4");
    for (unsigned i = 0; i < QUEUES_MAX; i++) {
        char name[QUEUE_NAME_SIZE];

        snprintf(name, sizeof(name), "q%u", i * 7919 % 10007);
        assert_int_not_equal(state_use_queue(&bench->state, name), INDEX_NONE);
    }
    must_be_whole(bench);
    remember(bench);
    assert_int_equal(state_use_queue(&bench->state, "one-more"), INDEX_NONE);
    must_have_refused(bench, declare(bench, "one-more", NULL, NULL, true),
                      "more than 4096 queues are in use");
    assert_string_equal(bench->state.queues[state_use_queue(&bench->state, "q0")].name, "q0");
    assert_int_equal(declare(bench, "q0", NULL, NULL, true), 0);
}

static void an_undeclared_queue_is_forgotten_once_nobody_refers_to_it(void **state)
{
    struct bench *bench = *state;
    bool gone[1] = {true};

    set_node(bench, "A:4");
    state_use_queue(&bench->state, "a");
    grant(bench, "c1", "b", "A::0");
    assert_int_equal(declare(bench, "c", NULL, NULL, true), 0);
    state_use_queue(&bench->state, "d");
    let_wait(bench, "w1", "e", NULL);
    state_use_queue(&bench->state, "f");
    state_tidy(&bench->state);
    must_be_whole(bench);
    assert_string_equal(tell_queues(bench), "b c* e");
    assert_string_equal(tell_grants(bench), "c1/b A::0; ");
    assert_string_equal(tell_waiters(bench), "w1/e; ");
    state_remove_grants(&bench->state, gone);
    state_tidy(&bench->state);
    assert_string_equal(tell_queues(bench), "c* e");
    assert_string_equal(tell_waiters(bench), "w1/e; ");
    state_remove_waiters(&bench->state, gone);
    state_tidy(&bench->state);
    assert_string_equal(tell_queues(bench), "c*");
    must_be_whole(bench);
}

/* --- grants and waiters --- */

static void a_grant_keeps_what_its_request_asked_for(void **state)
{
    struct bench *bench = *state;
    const struct grant *given;
    struct waiter waiter;

    set_node(bench, "A:4");
    waiter = record(bench, "c1", "q", 1);
    waiter.priority = -7;
    waiter.arrival = 1;
    state_add_grant(&bench->state, &waiter, &(struct replica){0, 3});
    given = &bench->state.grants[state_find_grant(&bench->state, "c1")];
    assert_string_equal(given->id, "c1");
    assert_memory_equal(&given->ask, &waiter.ask, sizeof(given->ask));
    assert_int_equal(given->arrival, 1);
    assert_int_equal(given->priority, -7);
    assert_int_equal(given->queue, waiter.queue);
    assert_string_equal(tell_grants(bench), "c1/q A::3; ");
    must_be_whole(bench);
}

static const char *const held[] = {"c0/q A::0; ", "c1/q A::1 A::2 B::0; ", "c2/q; ", "c3/q B::1 B::2; ",
                                   "c4/q A::3; "};

static void grants_that_end_leave_the_others_with_their_replicas_in_their_order(void **state)
{
    struct bench *bench = *state;

    for (unsigned ended = 0; ended < 1U << ROWS(held); ended++) {
        char left[256] = "";
        bool gone[ROWS(held)];

        state_init(&bench->state);
        set_node(bench, "A:4 B:4");
        grant(bench, "c0", "q", "A::0");
        grant(bench, "c1", "q", "A::1 A::2 B::0");
        grant(bench, "c2", "q", "");
        grant(bench, "c3", "q", "B::1 B::2");
        grant(bench, "c4", "q", "A::3");
        for (unsigned i = 0; i < ROWS(held); i++) {
            gone[i] = ended >> i & 1;
            if (!gone[i])
                strncat(left, held[i], sizeof(left) - strlen(left) - 1);
        }
        state_remove_grants(&bench->state, gone);
        must_be_whole(bench);
        assert_string_equal(tell_grants(bench), left);
        for (unsigned i = 0; i < ROWS(held); i++) {
            char id[8];

            snprintf(id, sizeof(id), "c%u", i);
            assert_int_equal(state_find_grant(&bench->state, id) == INDEX_NONE, gone[i]);
        }
    }
}

static void waiters_that_leave_leave_the_others_in_their_order(void **state)
{
    static const char *const waiting[] = {"w0/a; ", "w1/b A; ", "w2/a B; ", "w3/c; "};
    struct bench *bench = *state;

    for (unsigned left_line = 0; left_line < 1U << ROWS(waiting); left_line++) {
        char left[256] = "";
        bool gone[ROWS(waiting)];

        state_init(&bench->state);
        set_node(bench, "A:4 B:4");
        let_wait(bench, "w0", "a", NULL);
        let_wait(bench, "w1", "b", "A");
        let_wait(bench, "w2", "a", "B");
        let_wait(bench, "w3", "c", NULL);
        for (unsigned i = 0; i < ROWS(waiting); i++) {
            gone[i] = left_line >> i & 1;
            if (!gone[i])
                strncat(left, waiting[i], sizeof(left) - strlen(left) - 1);
        }
        state_remove_waiters(&bench->state, gone);
        must_be_whole(bench);
        assert_string_equal(tell_waiters(bench), left);
        for (unsigned i = 0; i < ROWS(waiting); i++) {
            char id[8];

            snprintf(id, sizeof(id), "w%u", i);
            assert_int_equal(state_find_waiter(&bench->state, id) == INDEX_NONE, gone[i]);
        }
    }
}

static void a_waiter_stands_where_its_arrival_puts_it(void **state)
{
    static const uint64_t arrivals[] = {5, 2, 9, 1, 7, 3};
    struct bench *bench = *state;

    set_node(bench, "A:4");
    bench->state.next_arrival = 10;
    for (size_t i = 0; i < ROWS(arrivals); i++) {
        char id[8];
        struct waiter waiter;

        snprintf(id, sizeof(id), "w%u", (unsigned)arrivals[i]);
        waiter = record(bench, id, "q", 1);
        waiter.arrival = arrivals[i];
        state_add_waiter(&bench->state, &waiter);
        must_be_whole(bench);
    }
    assert_string_equal(tell_waiters(bench), "w1/q; w2/q; w3/q; w5/q; w7/q; w9/q; ");
}

static void an_id_is_found_whole_or_not_at_all(void **state)
{
    struct bench *bench = *state;

    set_node(bench, "A:4");
    grant(bench, "abc", "q", "");
    let_wait(bench, "abd", "q", NULL);
    assert_int_equal(state_find_grant(&bench->state, "abc"), 0);
    assert_int_equal(state_find_grant(&bench->state, "ab"), INDEX_NONE);
    assert_int_equal(state_find_grant(&bench->state, "abcd"), INDEX_NONE);
    assert_int_equal(state_find_grant(&bench->state, "abd"), INDEX_NONE);
    assert_int_equal(state_find_waiter(&bench->state, "abd"), 0);
    assert_int_equal(state_find_waiter(&bench->state, "abc"), INDEX_NONE);
}

static void a_waiter_names_the_devices_of_its_list_and_no_others(void **state)
{
    struct bench *bench = *state;
    const struct waiter *waiter;

    set_node(bench, "A:4 B:4");
    waiter = let_wait(bench, "w1", "q", "B");
    assert_false(waiter_names_device(waiter, 0));
    assert_true(waiter_names_device(waiter, 1));
    assert_false(waiter_names_device(let_wait(bench, "w2", "q", NULL), 0));
}

/* --- damage --- */

/* A whole state with something of everything: GPUs A and B, C that vanished, queues a, b and c. */
static void furnish_for_damage(struct bench *bench)
{
    set_node(bench, "A:4 B:4 C:4");
    grant(bench, "c1", "a", "A::0 A::1");
    grant(bench, "c2", "b", "C::0");
    grant(bench, "c3", "b", "B::0 B::1");
    set_node(bench, "A:4 B:4");
    let_wait(bench, "w1", "a", "B");
    let_wait(bench, "w2", "c", NULL);
    bench->state.cursor = 2;
    must_be_whole(bench);
    assert_string_equal(tell_gpus(bench), "A:4 B:4 (C)");
    assert_string_equal(tell_queues(bench), "a b c");
}

/* One field set to another value; a string that is wider than a word is filled up, so that it does not end. */
struct damage {
    const char *name;
    size_t offset;
    size_t size;
    uint64_t value;
    const char *phrase;
};

#define FIELD(field) #field, offsetof(struct state, field), sizeof(((struct state *)0)->field)

static void do_damage(struct state *state, const struct damage *damage)
{
    char *at = (char *)state + damage->offset;

    if (damage->size <= sizeof(damage->value))
        memcpy(at, &damage->value, damage->size); /* the low bytes come first on every machine we build for */
    else
        memset(at, 'x', damage->size);
}

static void every_kind_of_damage_is_found_and_named(void **state)
{
    static const struct damage rows[] = {
        {FIELD(gpu_count), GPUS_MAX + 1, "GPU counts"},
        {FIELD(node_gpus), 4, "GPU counts"},
        {FIELD(gpus[0].uuid[0]), 0, "the UUID of a GPU"},
        {FIELD(gpus[1].uuid), 0, "the UUID of a GPU"},
        {FIELD(gpus[2].uuid[0]), 0, "the UUID of a GPU"},
        {FIELD(gpus[0].replicas), 0, "the replicas of a GPU"},
        {FIELD(gpus[1].replicas), 1025, "the replicas of a GPU"},
        {FIELD(gpus[2].replicas), 1, "the replicas of a GPU"},
        {FIELD(node_gpus), 3, "the replicas of a GPU"},
        {FIELD(node_gpus), 1, "the replicas of a GPU"},
        {FIELD(gpus[0].replicas), 5, "the capacity in replicas"},
        {FIELD(node.capacity.of[RES_GPU]), 12, "the capacity in replicas"},
        {FIELD(cursor), 3, "the cursor"},
        {FIELD(gpus[1].uuid[0]), 'A', "a GPU that is there twice"},
        {FIELD(gpus[2].uuid[0]), 'B', "a GPU that is there twice"},
        {FIELD(queue_count), QUEUES_MAX + 1, "the number of queues"},
        {FIELD(queues[0].name[0]), 0, "the name of a queue"},
        {FIELD(queues[1].name[0]), '-', "the name of a queue"},
        {FIELD(queues[2].name), 0, "the name of a queue"},
        {FIELD(queues[0].weight), 0, "the weight of a queue"},
        {FIELD(queues[2].weight), WEIGHT_MAX + 1, "the weight of a queue"},
        {FIELD(queues[0].name[0]), 'b', "the order of the queues"},
        {FIELD(queues[0].name[0]), 'x', "the order of the queues"},
        {FIELD(grant_count), GRANTS_MAX + 1, "the number of grants"},
        {FIELD(replica_count), REPLICAS_MAX + 1, "the number of grants"},
        {FIELD(grants[0].id[0]), 0, "the id of a record"},
        {FIELD(grants[2].id), 0, "the id of a record"},
        {FIELD(grants[0].ask.of[RES_CPU]), QUANTITY_MAX + 1, "the amounts of a record"},
        {FIELD(grants[1].ask.of[RES_MEM]), UINT64_MAX, "the amounts of a record"},
        {FIELD(grants[0].queue), 3, "the queue of a record"},
        {FIELD(grants[2].queue), INDEX_NONE, "the queue of a record"},
        {FIELD(grants[0].arrival), 0, "the arrival of a record"},
        {FIELD(grants[0].arrival), 6, "the arrival of a record"},
        {FIELD(next_arrival), 3, "the arrival of a record"},
        {FIELD(grants[0].first_replica), 1, "the replicas of a grant"},
        {FIELD(grants[1].first_replica), 1, "the replicas of a grant"},
        {FIELD(grants[2].first_replica), 4, "the replicas of a grant"},
        {FIELD(grants[2].ask.of[RES_GPU]), 3, "the replicas of a grant"},
        {FIELD(grants[0].ask.of[RES_GPU]), (1ULL << 32) + 2, "the replicas of a grant"},
        {FIELD(replica_count), 4, "the replicas of a grant"},
        {FIELD(grants[2].ask.of[RES_GPU]), 1, "replicas that no grant holds"},
        {FIELD(replica_count), 6, "replicas that no grant holds"},
        {FIELD(grant_count), 2, "replicas that no grant holds"},
        {FIELD(replicas[0].gpu), 3, "a replica that is not there"},
        {FIELD(replicas[4].gpu), UINT16_MAX, "a replica that is not there"},
        {FIELD(node.off[RES_GPU]), 1, "GPUs that are switched off"},
        {FIELD(replicas[0].number), 1024, "a replica that is not there"},
        {FIELD(replicas[1].number), 0, "a replica that is held twice"},
        {FIELD(replicas[4].gpu), 0, "a replica that is held twice"},
        {FIELD(waiter_count), WAITERS_MAX + 1, "the number of waiters"},
        {FIELD(waiters[0].id[0]), 0, "the id of a record"},
        {FIELD(waiters[1].id), 0, "the id of a record"},
        {FIELD(waiters[1].ask.of[RES_GPU]), QUANTITY_MAX + 1, "the amounts of a record"},
        {FIELD(waiters[0].queue), 3, "the queue of a record"},
        {FIELD(queue_count), 2, "the queue of a record"},
        {FIELD(waiters[0].arrival), 0, "the arrival of a record"},
        {FIELD(waiters[1].arrival), 6, "the arrival of a record"},
        {FIELD(waiters[0].arrival), 5, "the order of the waiters"},
        {FIELD(waiters[1].arrival), 1, "the order of the waiters"},
        {FIELD(waiters[0].device_count), DEVICES_MAX + 1, "the devices of a waiter"},
        {FIELD(waiters[1].policy), POLICY_COUNT, "the placement of a waiter"},
        {FIELD(waiters[0].devices[0]), 3, "a device of a waiter"},
        {FIELD(waiters[0].devices[0]), UINT16_MAX, "a device of a waiter"},
    };
    struct bench *bench = *state;

    furnish_for_damage(bench);
    assert_int_equal(bench->state.next_arrival, 6);
    remember(bench);
    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *broken;

        do_damage(&bench->state, &rows[i]);
        broken = state_broken(&bench->state);
        if (broken == NULL || strcmp(broken, rows[i].phrase) != 0)
            fail_msg("%s = %llu: %s", rows[i].name, (unsigned long long)rows[i].value,
                     broken != NULL ? broken : "whole");
        memcpy(&bench->state, &bench->before, sizeof(bench->state));
    }
}

/* Whoever read a state from outside hands it to decide() when this finds nothing; so it finds what decide() relies on. */
static void damage_that_would_mislead_a_decision_is_found(void **state)
{
    static const struct damage rows[] = {
        {FIELD(waiters[0].devices[1]), 1, "a device that a waiter names twice"},
        {FIELD(node.capacity.of[RES_CPU]), QUANTITY_MAX + 1, "a capacity beyond all bounds"},
        {FIELD(queues[0].guarantee.amount.of[RES_CPU]), QUANTITY_MAX + 1, "a guarantee beyond all bounds"},
        {FIELD(queues[0].limit.amount.of[RES_CPU]), QUANTITY_MAX + 1, "a limit beyond all bounds"},
    };
    struct bench *bench = *state;
    int missed = 0;

    furnish_for_damage(bench);
    bench->state.waiters[0].device_count = 2; /* B, and A until it is damaged */
    must_be_whole(bench);
    remember(bench);
    for (size_t i = 0; i < ROWS(rows); i++) {
        do_damage(&bench->state, &rows[i]);
        if (state_broken(&bench->state) == NULL) {
            print_error("not found: %s\n", rows[i].phrase);
            missed++;
        }
        memcpy(&bench->state, &bench->before, sizeof(bench->state));
    }
    assert_int_equal(missed, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_bench, free_bench)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_state_is_whole_and_empty_whatever_was_in_the_memory),
        TEST(a_node_has_the_described_gpus_in_their_order_and_all_their_replicas),
        TEST(only_uuid_and_replicas_of_a_described_gpu_count),
        TEST(a_node_replaces_the_earlier_one_wholly),
        TEST(whatever_happens_to_the_gpus_references_follow_the_uuid),
        TEST(a_vanished_gpu_that_comes_back_is_the_same_one_with_its_new_replicas),
        TEST(a_vanished_gpu_is_forgotten_once_nothing_refers_to_it),
        TEST(an_excluded_gpu_that_vanishes_is_still_excluded_when_it_comes_back),
        TEST(an_impossible_node_is_refused_and_changes_nothing),
        TEST(a_gpu_without_a_uuid_is_refused),
        TEST(a_node_has_up_to_4096_gpus_with_65536_replicas_in_all),
        TEST(vanished_gpus_that_are_in_use_count_towards_the_4096),
        TEST(a_queue_that_is_used_is_there_once_and_in_the_order_of_names),
        TEST(a_queue_that_comes_in_between_moves_no_reference),
        TEST(a_declaration_replaces_the_earlier_one_wholly_and_keeps_what_the_queue_holds),
        TEST(guarantees_that_are_not_lent_add_up_to_at_most_the_capacity),
        TEST(the_sum_of_the_largest_guarantees_does_not_wrap),
        TEST(a_guarantee_of_what_is_switched_off_has_no_capacity_to_exceed),
        TEST(where_guarantees_exceed_a_shrunken_node_a_queue_that_lends_is_still_welcome),
        TEST(a_guarantee_above_the_limit_is_refused_and_changes_nothing),
        TEST(there_are_at_most_4096_queues),
        TEST(an_undeclared_queue_is_forgotten_once_nobody_refers_to_it),
        TEST(a_grant_keeps_what_its_request_asked_for),
        TEST(grants_that_end_leave_the_others_with_their_replicas_in_their_order),
        TEST(waiters_that_leave_leave_the_others_in_their_order),
        TEST(a_waiter_stands_where_its_arrival_puts_it),
        TEST(an_id_is_found_whole_or_not_at_all),
        TEST(a_waiter_names_the_devices_of_its_list_and_no_others),
        TEST(every_kind_of_damage_is_found_and_named),
        TEST(damage_that_would_mislead_a_decision_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_line.c - each kind of line, to the byte: simulate, the event log and its readers rely on them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/line.h"
#include "tests/support/world.h"

static struct world *world;
static char text[65536];

static int set_up(void **context)
{
    (void)context;
    world = world_new();
    world_set_node(world, 2, 4, 8, 16, 8, 0);
    return 0;
}

static int tear_down(void **context)
{
    (void)context;
    world_free(world);
    return 0;
}

static const char *of_event(const struct event *event, const struct line_stamp *stamp)
{
    struct lines lines;

    lines_init(&lines, text, sizeof(text));
    line_event(&lines, world->state, event, stamp);
    assert_false(lines.full);
    assert_int_equal(strlen(text), lines.used);
    return text;
}

static void every_event_has_its_line(void **context)
{
    const char *const ids[] = {"c1", "c2"};
    struct request request = world_make_request("c\"1", "a", "cpu=0.5,mem=3m,gpu=1");
    struct queue queue = queue_default("a", 5);

    (void)context;
    request.holder = (struct holder){.owner = 7, .owner_start = 9, .since_s = 11};
    snprintf(request.devices, sizeof(request.devices), "1,GPU-0,none");
    assert_string_equal(
        of_event(&(struct event){.kind = EVENT_REQUEST, .request = &request}, NULL),
        "{\"op\":\"request\",\"id\":\"c\\\"1\",\"queue\":\"a\",\"resreq\":\"cpu=0.5,mem=3m,gpu=1\","
        "\"priority\":0,\"policy\":\"spread\",\"distinct\":false,\"devices\":[\"GPU-1\",\"GPU-0\",\"none\"],"
        "\"wait\":true,\"owner\":7,\"start\":9,\"since\":11}\n");
    assert_string_equal(of_event(&(struct event){.kind = EVENT_RELEASE, .ids = ids, .id_count = 2}, NULL),
                        "{\"op\":\"release\",\"ids\":[\"c1\",\"c2\"]}\n");
    assert_string_equal(of_event(&(struct event){.kind = EVENT_CANCEL, .ids = ids, .id_count = 1}, NULL),
                        "{\"op\":\"cancel\",\"ids\":[\"c1\"]}\n");
    assert_string_equal(of_event(&(struct event){.kind = EVENT_TIMEOUT, .ids = ids, .id_count = 1}, NULL),
                        "{\"op\":\"timeout\",\"id\":\"c1\"}\n");
    assert_string_equal(
        of_event(&(struct event){.kind = EVENT_HEALTH, .gpu = "GPU-0", .excluded = true}, NULL),
        "{\"op\":\"health\",\"gpu\":\"GPU-0\",\"state\":\"excluded\"}\n");
    queue.guarantee = world_resreq("gpu=1");
    queue.limit = world_resreq("cpu=2,gpu=0");
    assert_string_equal(
        of_event(&(struct event){.kind = EVENT_QUEUE, .queue = &queue}, NULL),
        "{\"op\":\"queue\",\"name\":\"a\",\"weight\":1,\"guarantee\":\"gpu=1\",\"limit\":\"cpu=2,gpu=0\","
        "\"lend\":true,\"max_priority\":5}\n");
    assert_string_equal(of_event(&(struct event){.kind = EVENT_SETTLE}, NULL), "");
}

static void a_node_says_what_is_off_and_what_undeclared_queues_may_ask(void **context)
{
    struct gpu gpu = {.uuid = "G", .replicas = 3};
    struct node_description node = {.gpus = &gpu, .gpu_count = 1};
    struct lines lines;

    (void)context;
    node.node.off[RES_CPU] = true;
    node.node.capacity.of[RES_MEM] = 1024;
    assert_string_equal(
        of_event(&(struct event){.kind = EVENT_NODE, .node = &node}, NULL),
        "{\"op\":\"node\",\"cpu\":\"off\",\"mem\":\"1k\",\"gpus\":[{\"uuid\":\"G\",\"replicas\":3}],"
        "\"max_bypass\":0,\"max_containers_per_gpu\":0,\"max_priority\":0}\n");
    lines_init(&lines, text, sizeof(text));
    line_node(&lines, world->state, NULL);
    assert_string_equal(
        text, "{\"op\":\"node\",\"cpu\":\"8\",\"mem\":\"16g\",\"gpus\":[{\"uuid\":\"GPU-0\",\"replicas\":4},"
              "{\"uuid\":\"GPU-1\",\"replicas\":4}],\"max_bypass\":8,\"max_containers_per_gpu\":0}\n");
}

static void a_stamp_comes_last(void **context)
{
    struct line_stamp stamp = {
        .number = 5, .time = "2026-01-02T03:04:05.678Z", .engine = "run", .pid = 77, .boot = "b"};
    const char *const ids[] = {"c1"};

    (void)context;
    assert_string_equal(of_event(&(struct event){.kind = EVENT_TIMEOUT, .ids = ids, .id_count = 1}, &stamp),
                        "{\"op\":\"timeout\",\"id\":\"c1\",\"n\":5,\"time\":\"2026-01-02T03:04:05.678Z\","
                        "\"engine\":\"run\",\"pid\":77,\"boot\":\"b\"}\n");
}

static void a_state_has_everything_that_a_simulation_needs(void **context)
{
    struct request request = world_make_request("waits", "b", "gpu=8");
    struct lines lines;

    (void)context;
    assert_int_equal(world_request(world, "holds", "a", "cpu=1,gpu=1"), VERDICT_GRANTED);
    request.policy = POLICY_PACKED;
    snprintf(request.devices, sizeof(request.devices), "0,1");
    assert_int_equal(world_ask(world, &request), VERDICT_WAITING);
    world_decide(world, &(struct event){.kind = EVENT_HEALTH, .gpu = "GPU-1", .excluded = true});
    world->state->cursor = 1;
    world->state->grants[0].holder =
        (struct holder){.owner = 1, .owner_start = 2, .process = 3, .process_start = 4, .since_s = 5};
    lines_init(&lines, text, sizeof(text));
    line_state(&lines, world->state, NULL);
    assert_string_equal(text, "{\"op\":\"state\",\"arrival\":3,\"cursor\":\"GPU-1\",\"excluded\":[\"GPU-1\"],"
                              "\"grants\":[{\"id\":\"holds\","
                              "\"queue\":\"a\",\"resreq\":\"cpu=1,mem=0,gpu=1\",\"priority\":0,\"arrival\":1,"
                              "\"replicas\":[\"GPU-0::0\"],"
                              "\"owner\":1,\"start\":2,\"process\":3,\"process_start\":4,\"since\":5}],"
                              "\"waiters\":[{\"id\":\"waits\","
                              "\"queue\":\"b\",\"resreq\":\"cpu=0,mem=0,gpu=8\",\"priority\":0,\"policy\":"
                              "\"packed\",\"distinct\":false,"
                              "\"devices\":[\"GPU-0\",\"GPU-1\"],\"arrival\":2,\"bypassed\":0}]}\n");
}

static void a_line_that_does_not_fit_is_left_out_whole(void **context)
{
    const char *const ids[] = {"a-rather-long-id"};
    const struct event event = {.kind = EVENT_TIMEOUT, .ids = ids, .id_count = 1};
    size_t length = strlen(of_event(&event, NULL));
    char room[256];
    struct lines lines;

    (void)context;
    for (size_t size = 1; size < 2 * length + 1; size++) {
        lines_init(&lines, room, size);
        line_event(&lines, world->state, &event, NULL);
        line_event(&lines, world->state, &event, NULL);
        assert_true(lines.full);
        assert_int_equal(strlen(room), size > length ? length : 0);
    }
    lines_init(&lines, room, 2 * length + 1);
    line_event(&lines, world->state, &event, NULL);
    line_event(&lines, world->state, &event, NULL);
    assert_false(lines.full);
}

static void control_characters_do_not_break_out_of_a_string(void **context)
{
    const char *const ids[] = {"a\n\x7f\t\\\"b"};

    (void)context;
    assert_string_equal(of_event(&(struct event){.kind = EVENT_TIMEOUT, .ids = ids, .id_count = 1}, NULL),
                        "{\"op\":\"timeout\",\"id\":\"a\\u000a\\u007f\\u0009\\\\\\\"b\"}\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_event_has_its_line),
        TEST(a_node_says_what_is_off_and_what_undeclared_queues_may_ask),
        TEST(a_stamp_comes_last),
        TEST(a_state_has_everything_that_a_simulation_needs),
        TEST(a_line_that_does_not_fit_is_left_out_whole),
        TEST(control_characters_do_not_break_out_of_a_string),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

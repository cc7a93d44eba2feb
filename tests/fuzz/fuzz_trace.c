/*
 * fuzz_trace.c - libFuzzer on traces: every line goes through trace_parse() into decide(), as in `allot simulate`.
 *
 * A crash is found by the sanitizers and by the assertions of the core. Beyond that: after every line the state keeps
 * its promises, an event that cannot be changes nothing, a refusal is one printable line, and every decision is printed
 * as one line of JSON. Unlike `allot simulate`, a bad line does not end the trace, so that the rest is tried too.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/cleanup.h"
#include "alloc/line.h"
#include "hook/cli/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(statement)                                                                                   \
    do {                                                                                                     \
        if (!(statement))                                                                                    \
            abort();                                                                                         \
    } while (0)

static const struct trace_defaults defaults = {
    .policy = POLICY_SPREAD, .allow_override = true, .undeclared_max_priority = TRACE_MAX_PRIORITY};

/* Large; made once, and without meaning from one input to the next. */
struct bench {
    struct state state;
    struct workspace workspace;
    struct decisions decisions;
    char text[GRANT_REPLICAS_MAX * REPLICA_TEXT_SIZE + 4096];
};

static void check_refusal(const struct error *err)
{
    REQUIRE(err->kind == ERROR_INPUT);
    REQUIRE(err->text[0] != '\0');
    for (const char *at = err->text; *at != '\0'; at++)
        REQUIRE(*at >= ' ' && *at <= '~');
}

static void check_printed(const char *text, size_t length)
{
    CLEAN_JSON struct json_object *json = NULL;
    struct error err;
    const char *id;

    REQUIRE(length > 0 && memchr(text, '\n', length) == text + length - 1);
    REQUIRE(json_parse(text, length, &json, &err) == 0);
    REQUIRE(json_get_string(json, "id", &id, &err) == 1);
    REQUIRE(json_get_string(json, "decision", &id, &err) == 1);
}

static void print(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->decisions.count; i++) {
        struct lines lines;

        lines_init(&lines, bench->text, sizeof(bench->text));
        line_decision(&lines, &bench->state, &bench->decisions, &bench->decisions.item[i], NULL);
        REQUIRE(!lines.full);
        check_printed(lines.text, lines.used);
    }
}

/* What an event that cannot be must leave as it was; undeclared queues and vanished GPUs may be forgotten. */
struct figures {
    uint32_t grants;
    uint32_t waiters;
    uint32_t replicas;
    uint32_t node_gpus;
    struct resources capacity;
};

static struct figures figures_of(const struct state *state)
{
    return (struct figures){state->grant_count, state->waiter_count, state->replica_count, state->node_gpus,
                            state->node.capacity};
}

/* Whoever waits holds nothing, and waits once. */
static void check_waiters(const struct state *state)
{
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        REQUIRE(state_find_waiter(state, state->waiters[i].id) == i);
        REQUIRE(state_find_grant(state, state->waiters[i].id) == INDEX_NONE);
    }
}

static void run_event(struct bench *bench, const struct event *event)
{
    struct figures before = figures_of(&bench->state);
    struct figures after;
    struct error err;

    if (decide(&bench->state, event, &bench->workspace, &bench->decisions, &err) == 0) {
        print(bench);
    } else {
        after = figures_of(&bench->state);
        check_refusal(&err);
        REQUIRE(memcmp(&before, &after, sizeof(before)) == 0);
    }
    REQUIRE(state_broken(&bench->state) == NULL);
    check_waiters(&bench->state);
}

/* False: the state is not to be used any more. */
static bool run_line(struct bench *bench, const char *text, size_t length)
{
    CLEAN_TRACE_LINE struct trace_line line = {0};
    struct error err;

    if (trace_parse(text, length, &defaults, &line, &err) < 0) {
        check_refusal(&err);
        return true;
    }
    if (line.op == TRACE_STATE && trace_read_state(line.json, &defaults, &bench->state, &err) < 0) {
        check_refusal(&err);
        return false;
    }
    run_event(bench, &line.event);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bench *bench;
    const char *text = (const char *)data;

    if (bench == NULL)
        bench = calloc(1, sizeof(*bench));
    REQUIRE(bench != NULL);
    state_init(&bench->state);
    while (size > 0) {
        const char *end = memchr(text, '\n', size);
        size_t length = end != NULL ? (size_t)(end - text) : size;

        if (!run_line(bench, text, length))
            return 0;
        size -= length + (end != NULL);
        text += length + (end != NULL);
    }
    return 0;
}

/*
 * cmd_simulate.c - `allot simulate [--config FILE]`: a trace on stdin, decisions on stdout (DESIGN.md section 12).
 *
 * No root, no GPU, no ledger: the same decide() that answers a container answers here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/cleanup.h"
#include "alloc/decide.h"
#include "alloc/line.h"
#include "config/config.h"
#include "config/node.h"
#include "hook/cli/commands.h"
#include "hook/cli/trace.h"
#include "hook/read_line.h"

/* A decision with every replica that a grant may hold. */
#define ANSWER_BYTES_MAX ((size_t)GRANT_REPLICAS_MAX * REPLICA_TEXT_SIZE + 4096)

struct simulation {
    struct state *state;
    struct workspace *workspace;
    struct decisions *decisions;
    char *answer;
    struct trace_defaults defaults;
    bool has_node;
};

static void simulation_clean(struct simulation *simulation)
{
    free(simulation->state);
    free(simulation->workspace);
    free(simulation->decisions);
    free(simulation->answer);
}

static int simulation_init(struct simulation *simulation, struct error *err)
{
    *simulation = (struct simulation){
        .state = calloc(1, sizeof(*simulation->state)),
        .workspace = calloc(1, sizeof(*simulation->workspace)),
        .decisions = calloc(1, sizeof(*simulation->decisions)),
        .answer = malloc(ANSWER_BYTES_MAX),
        .defaults = {.policy = POLICY_SPREAD,
                     .allow_override = true,
                     .undeclared_max_priority = TRACE_MAX_PRIORITY},
    };
    if (simulation->state == NULL || simulation->workspace == NULL || simulation->decisions == NULL ||
        simulation->answer == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    state_init(simulation->state);
    return 0;
}

static int run_event(struct simulation *simulation, const struct event *event, struct error *err)
{
    if (decide(simulation->state, event, simulation->workspace, simulation->decisions, err) < 0)
        return -1;
    for (uint32_t i = 0; i < simulation->decisions->count; i++) {
        struct lines lines;

        lines_init(&lines, simulation->answer, ANSWER_BYTES_MAX);
        line_decision(&lines, simulation->state, simulation->decisions, &simulation->decisions->item[i],
                      NULL);
        fputs(lines.text, stdout);
    }
    return 0;
}

/* The node and the queues of a configuration, instead of a trace's. */
static int use_config(struct simulation *simulation, const char *path, struct error *err)
{
    CLEAN_CONFIG struct config *config = NULL;
    CLEAN_FREE struct gpu *gpus = NULL;
    struct node_description node;
    int result;

    if (config_load(path, &config, err) < 0 || config_describe_node(config, &node, &gpus, err) < 0)
        return -1;
    simulation->defaults = (struct trace_defaults){.policy = config->placement.policy,
                                                   .allow_override = config->placement.allow_override,
                                                   .undeclared_max_priority = CONFIG_PRIORITY_DEFAULT};
    result = run_event(simulation, &(struct event){.kind = EVENT_NODE, .node = &node}, err);
    for (size_t i = 0; i < config->queue_count && result == 0; i++)
        result =
            run_event(simulation, &(struct event){.kind = EVENT_QUEUE, .queue = &config->queues[i]}, err);
    simulation->has_node = true;
    return result < 0 ? error_add_context(err, "%s", path) : 0;
}

/* On a node, a request for a GPU that is not there is refused; in a trace, it is a mistake of the trace. */
static int check_devices(const struct state *state, const struct request *request, struct error *err)
{
    const char *device = request->devices;
    char quoted[QUOTE_SIZE];

    while (*device != '\0') {
        size_t length = strcspn(device, ",");

        if (decide_find_gpu(state, device, length) >= state->node_gpus)
            return error_set(err, ERROR_INPUT, "devices: %s is no GPU of this node",
                             text_quote(quoted, device, length));
        device += length + (device[length] == ',');
    }
    return 0;
}

static int run_line(struct simulation *simulation, const char *text, size_t length, struct error *err)
{
    CLEAN_TRACE_LINE struct trace_line line = {0};

    if (trace_parse(text, length, &simulation->defaults, &line, err) < 0)
        return -1;
    if (line.op == TRACE_NOTE)
        return 0;
    simulation->has_node = simulation->has_node || line.event.kind == EVENT_NODE;
    if (!simulation->has_node)
        return error_set(err, ERROR_INPUT, "the first line must be a node, unless --config gives it");
    if (line.event.kind == EVENT_REQUEST && check_devices(simulation->state, &line.request, err) < 0)
        return -1;
    if (line.op == TRACE_STATE &&
        trace_read_state(line.json, &simulation->defaults, simulation->state, err) < 0)
        return -1;
    return run_event(simulation, &line.event, err);
}

static bool is_blank(const char *text, size_t length)
{
    return strspn(text, " \t\r\n") == length;
}

static int run_trace(struct simulation *simulation, FILE *in, struct error *err)
{
    CLEAN_LINE_READER struct line_reader reader = {.file = in};
    int there;

    while ((there = line_reader_next(&reader, err)) > 0) {
        if (is_blank(reader.text, reader.length))
            continue;
        if (run_line(simulation, reader.text, reader.length, err) < 0)
            return error_add_context(err, "line %lu", reader.number);
    }
    return there;
}

int cmd_simulate(int argc, char **argv, struct error *err)
{
    __attribute__((cleanup(simulation_clean))) struct simulation simulation = {0};
    const char *config = NULL;

    if (argc == 3 && strcmp(argv[1], "--config") == 0)
        config = argv[2];
    else if (argc == 2 && strncmp(argv[1], "--config=", strlen("--config=")) == 0)
        config = argv[1] + strlen("--config=");
    else if (argc != 1)
        return error_set(err, ERROR_INPUT, "simulate takes only --config FILE; see 'allot help'");
    if (simulation_init(&simulation, err) < 0)
        return -1;
    if (config != NULL && use_config(&simulation, config, err) < 0)
        return -1;
    return run_trace(&simulation, stdin, err);
}

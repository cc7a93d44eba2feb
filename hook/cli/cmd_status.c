/*
 * cmd_status.c - `allot status [--json]`: GPUs, who holds what since when, queues with their shares, who waits and why, and
 * how many more units fit. A reader: no lock, no rights, and on a terminal or in a pipe the same words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc/cleanup.h"
#include "hook/cli/commands.h"
#include "hook/cli/node.h"
#include "hook/cli/options.h"
#include "hook/cli/status.h"

/* The idle node as it is configured. */
static int make_idle(struct node_access *node, struct status *status, struct error *err)
{
    struct event event = {.kind = EVENT_NODE, .node = &node->description};
    int result;

    state_init(status->state);
    result = decide(status->state, &event, status->workspace, status->decisions, err);
    event.kind = EVENT_QUEUE;
    for (size_t i = 0; i < node->config->queue_count && result == 0; i++) {
        event.queue = &node->config->queues[i];
        result = decide(status->state, &event, status->workspace, status->decisions, err);
    }
    return result;
}

/* The state that counts; without a ledger, an idle node. */
static int read_state(struct node_access *node, struct status *status, struct error *err)
{
    bool there;

    if (ledger_snapshot(node->options.folder, status->state, &there, err) < 0)
        return -1;
    return there ? 0 : make_idle(node, status, err);
}

int cmd_status(int argc, char **argv, struct error *err)
{
    CLEAN_NODE struct node_access node = {0};
    CLEAN_STATUS struct status status = {0};
    bool json = false;
    const struct option_spec specs[] = {{"--json", NULL, &json}};
    int rest;

    if (options_read(argc, argv, specs, 1, &rest, err) < 0)
        return -1;
    if (rest != argc)
        return error_set(err, ERROR_INPUT, "status takes only --json");
    if (node_load(&node, "cli", err) < 0 || status_init(&status, err) < 0 ||
        read_state(&node, &status, err) < 0)
        return -1;
    status_examine(&status, &node.config->unit.resreq);
    if (json)
        status_print_json(&status, stdout);
    else
        status_print(&status, stdout);
    return 0;
}

/*
 * cmd_ledger.c - `allot ledger dump|check|rebuild`: what is in the ledger, is it whole, and a new one if it is not. The
 * first two only read: no lock, no rights.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/cleanup.h"
#include "hook/cli/commands.h"
#include "hook/cli/node.h"
#include "hook/cli/rebuild.h"

#define DUMP_BYTES_MAX (64UL * 1024 * 1024)

static int dump(const struct state *state, struct error *err)
{
    CLEAN_FREE char *text = malloc(DUMP_BYTES_MAX);
    struct lines lines;

    if (text == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    lines_init(&lines, text, DUMP_BYTES_MAX);
    line_state(&lines, state, NULL);
    if (lines.full)
        return error_set(err, ERROR_SYSTEM, "the state is too large to print");
    fputs(lines.text, stdout);
    return 0;
}

static int check(const struct state *state, const char *folder)
{
    printf("%s: ok: %u %s, %u %s\n", folder, state->grant_count, state->grant_count == 1 ? "grant" : "grants",
           state->waiter_count, state->waiter_count == 1 ? "waiter" : "waiters");
    return 0;
}

static int read_ledger(struct node_access *node, bool print_all, struct error *err)
{
    CLEAN_FREE struct state *state = calloc(1, sizeof(*state));
    bool there;

    if (state == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    if (ledger_snapshot(node->options.folder, state, &there, err) < 0)
        return -1;
    if (!there)
        state_init(state);
    return print_all ? dump(state, err) : check(state, node->options.folder);
}

int cmd_ledger(int argc, char **argv, struct error *err)
{
    CLEAN_NODE struct node_access node = {0};
    const char *what = argc == 2 ? argv[1] : "";
    bool rebuild = strcmp(what, "rebuild") == 0;

    if (!rebuild && strcmp(what, "dump") != 0 && strcmp(what, "check") != 0)
        return error_set(err, ERROR_INPUT, "ledger takes one of dump, check and rebuild");
    if (node_load(&node, "cli", err) < 0)
        return -1;
    if (!rebuild)
        return read_ledger(&node, strcmp(what, "dump") == 0, err);
    if (node_open_ledger(&node, err) < 0)
        return -1;
    return rebuild_ledger(&node, err);
}

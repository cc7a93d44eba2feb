/*
 * cmd_release.c - `allot release ID` and `allot reap`: by hand, what otherwise happens by itself.
 */
#include <stdio.h>
#include <string.h>

#include "hook/cli/commands.h"
#include "hook/cli/node.h"

static int release(struct ledger *ledger, const char *id, struct error *err)
{
    const struct state *state = ledger_state(ledger);
    struct event event = {.kind = EVENT_RELEASE, .ids = &id, .id_count = 1};
    char quoted[QUOTE_SIZE];

    if (state_find_waiter(state, id) != INDEX_NONE)
        event.kind = EVENT_CANCEL;
    else if (state_find_grant(state, id) == INDEX_NONE)
        return error_set(err, ERROR_INPUT, "%s holds no grant and does not wait; see 'allot status'",
                         text_quote(quoted, id, strlen(id)));
    return ledger_decide(ledger, &event, err);
}

int cmd_release(int argc, char **argv, struct error *err)
{
    CLEAN_NODE struct node_access node = {0};

    if (argc != 2 || argv[1][0] == '-')
        return error_set(err, ERROR_INPUT, "release takes one id; see 'allot status' for those there are");
    if (node_load(&node, "cli", err) < 0 || node_open_ledger(&node, err) < 0 ||
        ledger_begin(node.ledger, err) < 0)
        return -1;
    if (release(node.ledger, argv[1], err) < 0 || ledger_end(node.ledger, err) < 0)
        return -1;
    node_report(&node);
    printf("%s: released\n", argv[1]);
    return 0;
}

int cmd_reap(int argc, char **argv, struct error *err)
{
    CLEAN_NODE struct node_access node = {0};
    uint32_t reaped;

    (void)argv;
    if (argc != 1)
        return error_set(err, ERROR_INPUT, "reap takes no arguments");
    if (node_load(&node, "cli", err) < 0 || node_open_ledger(&node, err) < 0 ||
        ledger_begin(node.ledger, err) < 0)
        return -1;
    if (ledger_reap(node.ledger, &reaped, err) < 0 || ledger_end(node.ledger, err) < 0)
        return -1;
    node_report(&node);
    printf("%u %s freed\n", reaped, reaped == 1 ? "record" : "records");
    return 0;
}

/*
 * node.h - what every command that touches the ledger begins with: the configuration, the node that it describes, and the
 * ledger of that node.
 */
#ifndef ALLOT_HOOK_CLI_NODE_H
#define ALLOT_HOOK_CLI_NODE_H

#include "alloc/ledger/ledger.h"
#include "config/config.h"

struct node_access {
    struct config *config;
    struct gpu *gpus;
    struct node_description description;
    struct ledger_options options;
    struct ledger *ledger; /* NULL until node_open_ledger() */
};

#define CLEAN_NODE __attribute__((cleanup(node_clean)))
void node_clean(struct node_access *node);

/* Reads the configuration ($ALLOT_CONFIG, or the default place). `engine` is who we are, for the event log. */
int node_load(struct node_access *node, const char *engine, struct error *err);

int node_open_ledger(struct node_access *node, struct error *err);

/* Warns on stderr of what the last transaction found: a log that cannot be written, GPUs that vanished or came. */
void node_report(const struct node_access *node);

#endif

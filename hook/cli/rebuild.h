/*
 * rebuild.h - `allot ledger rebuild`: a new ledger from the event log and the living.
 */
#ifndef ALLOT_HOOK_CLI_REBUILD_H
#define ALLOT_HOOK_CLI_REBUILD_H

#include "hook/cli/node.h"

/* Replays the log, keeps what belongs to the living, and says on stdout what came of it and what it could not know. */
int rebuild_ledger(struct node_access *node, struct error *err);

#endif

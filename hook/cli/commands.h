/*
 * commands.h - the commands of `allot`, one file each. argv[0] is the command's own name. Each returns 0, or -1 with an
 * error that main() prints and turns into the exit status.
 */
#ifndef ALLOT_HOOK_CLI_COMMANDS_H
#define ALLOT_HOOK_CLI_COMMANDS_H

#include "alloc/error.h"

int cmd_simulate(int argc, char **argv, struct error *err);
int cmd_config(int argc, char **argv, struct error *err);
int cmd_run(int argc, char **argv, struct error *err);
int cmd_release(int argc, char **argv, struct error *err);
int cmd_reap(int argc, char **argv, struct error *err);
int cmd_status(int argc, char **argv, struct error *err);
int cmd_ledger(int argc, char **argv, struct error *err);

#endif

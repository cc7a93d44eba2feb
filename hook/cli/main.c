/*
 * main.c - the command `allot`: finds the command, prints the one line of an error, chooses the exit status.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hook/cli/commands.h"

static const char usage[] =
    "usage: allot COMMAND [ARGUMENTS]\n"
    "\n"
    "  run [OPTIONS] -- CMD       hold a grant for a process; it ends with the process\n"
    "      --replicas N, --resreq cpu=4,mem=16g,gpu=2, --queue Q, --priority P, --wait 30s\n"
    "  status [--json]            GPUs, grants, queues, who waits and why\n"
    "  release ID                 end a grant or a wait by hand\n"
    "  reap                       free what the dead still hold\n"
    "  ledger dump|check|rebuild  the ledger as JSON; is it whole; a new one from the event log\n"
    "  simulate [--config FILE]   decide a trace on stdin (JSON lines), without root or GPUs\n"
    "  config check [FILE]        is the configuration right? If not, where, and what is allowed\n"
    "  config print [FILE]        the configuration in force, each value with its origin\n"
    "  help                       this text\n"
    "  version                    the version of allot\n"
    "\n"
    "Exit status: 0 done, 1 refused, 2 bad input or usage, 3 the system failed, 4 a bug.\n";

static int cmd_help(int argc, char **argv, struct error *err)
{
    (void)argc;
    (void)argv;
    (void)err;
    fputs(usage, stdout);
    return 0;
}

static int cmd_version(int argc, char **argv, struct error *err)
{
    (void)argc;
    (void)argv;
    (void)err;
    puts("allot " ALLOT_VERSION);
    return 0;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv, struct error *err);
} commands[] = {
    {"run", cmd_run},       {"status", cmd_status},     {"release", cmd_release}, {"reap", cmd_reap},
    {"ledger", cmd_ledger}, {"simulate", cmd_simulate}, {"config", cmd_config},   {"help", cmd_help},
    {"--help", cmd_help},   {"-h", cmd_help},           {"version", cmd_version}, {"--version", cmd_version},
};

static int run_command(int argc, char **argv, struct error *err)
{
    char quoted[QUOTE_SIZE];

    if (argc < 2)
        return error_set(err, ERROR_INPUT, "no command given; see 'allot help'");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(commands[i].name, argv[1]) == 0)
            return commands[i].run(argc - 1, argv + 1, err);
    }
    return error_set(err, ERROR_INPUT, "unknown command %s; see 'allot help'",
                     text_quote(quoted, argv[1], strlen(argv[1])));
}

int main(int argc, char **argv)
{
    struct error err = {0};
    int result = run_command(argc, argv, &err);

    /* What was decided before an error still reaches the reader; and output that is lost is an error, too. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == 0)
        result = error_set_errno(&err, errno, "the output cannot be written");
    if (result < 0)
        fprintf(stderr, "allot: %s\n", err.text);
    return error_exit_status(&err);
}

/*
 * cmd_run.c - `allot run … -- CMD`: acquire, set the environment, execvp. The grant belongs to this process and ends with
 * it, because its pid does; nothing stays behind to clean up.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alloc/cleanup.h"
#include "alloc/ledger/life.h"
#include "alloc/number.h"
#include "hook/cli/commands.h"
#include "hook/cli/environment.h"
#include "hook/cli/node.h"
#include "hook/cli/options.h"
#include "hook/cli/waiting.h"

struct run_words {
    const char *replicas;
    const char *resreq;
    const char *queue;
    const char *priority;
    const char *wait;
};

/* --- the request --------------------------------------------------------------------------------------------- */

static int read_resources(const struct run_words *words, struct resources *out, struct error *err)
{
    struct resreq resreq = {0};
    uint64_t replicas = 0;
    const char *wrong;

    if (words->resreq != NULL && resreq_parse(words->resreq, strlen(words->resreq), &resreq, err) < 0)
        return error_add_context(err, "--resreq");
    if (words->replicas != NULL) {
        wrong = number_parse(words->replicas, strlen(words->replicas), GPU_QUANTITY_MAX, &replicas);
        if (wrong != NULL || replicas == 0)
            return error_set(err, ERROR_INPUT, "--replicas %s; for example --replicas 2",
                             wrong != NULL ? wrong : "is not 1 or more");
        if (resreq.named[RES_GPU] && resreq.amount.of[RES_GPU] != replicas)
            return error_set(err, ERROR_INPUT,
                             "--replicas does not agree with the gpu of --resreq; give one of them");
        resreq.amount.of[RES_GPU] = replicas;
    }
    *out = resreq.amount;
    if (words->resreq == NULL && words->replicas == NULL)
        return error_set(err, ERROR_INPUT,
                         "run needs --replicas or --resreq; for example allot run --replicas 1 -- CMD");
    return 0;
}

static int read_wait(const struct run_words *words, const struct config *config, struct request *out,
                     struct error *err)
{
    const char *wrong;

    out->wait_ms = config->admission.default_wait_ms;
    if (words->wait != NULL) {
        wrong = duration_parse(words->wait, strlen(words->wait), &out->wait_ms);
        if (wrong != NULL)
            return error_set(err, ERROR_INPUT, "--wait %s", wrong);
        if (out->wait_ms > config->admission.max_wait_ms)
            out->wait_ms = config->admission.max_wait_ms;
    }
    out->wait = out->wait_ms > 0;
    return 0;
}

static int make_request(const struct run_words *words, const struct config *config, struct request *out,
                        struct error *err)
{
    const char *queue = words->queue != NULL ? words->queue : "default";
    const char *wrong = queue_name_wrong(queue, strlen(queue));

    *out = (struct request){.policy = config->placement.policy};
    if (wrong != NULL)
        return error_set(err, ERROR_INPUT, "--queue %s; for example --queue research", wrong);
    memcpy(out->queue, queue, strlen(queue) + 1);
    if (words->priority != NULL) {
        wrong = number_parse_signed(words->priority, strlen(words->priority), INT32_MIN, INT32_MAX,
                                    &out->priority);
        if (wrong != NULL)
            return error_set(err, ERROR_INPUT, "--priority %s", wrong);
    }
    if (read_resources(words, &out->ask, err) < 0 || read_wait(words, config, out, err) < 0)
        return -1;
    out->holder.owner = (int32_t)getpid();
    out->holder.since_s = (uint64_t)time(NULL);
    /* A pid lives once at a time: with its start it names this process for ever. */
    if (life_start_ticks(out->holder.owner, &out->holder.owner_start, err) < 0)
        return -1;
    snprintf(out->id, sizeof(out->id), "run-%d-%" PRIu64, (int)getpid(), out->holder.owner_start);
    return 0;
}

/* --- the command --------------------------------------------------------------------------------------------- */

/* Is it the caller's word that cannot be run, rather than the machine that cannot run it? */
static bool is_name_wrong(int wrong)
{
    static const int words[] = {ENOENT, EACCES, ENOTDIR, ENAMETOOLONG, ELOOP, ENOEXEC, EISDIR};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (words[i] == wrong)
            return true;
    }
    return false;
}

static int execute(struct node_access *node, const struct request *request, char **command, struct error *err)
{
    char quoted[QUOTE_SIZE];
    int wrong;

    if (environment_set(ledger_state(node->ledger), request->id, err) < 0)
        return -1;
    execvp(command[0], command);
    wrong = errno;
    waiting_give_up(node->ledger, request->id); /* at once: the reaper would do it, too, but later */
    error_set_errno(err, wrong, "%s cannot be run", text_quote(quoted, command[0], strlen(command[0])));
    if (is_name_wrong(wrong))
        err->kind = ERROR_INPUT;
    return -1;
}

int cmd_run(int argc, char **argv, struct error *err)
{
    struct run_words words = {0};
    const struct option_spec specs[] = {
        {"--replicas", &words.replicas, NULL}, {"--resreq", &words.resreq, NULL},
        {"--queue", &words.queue, NULL},       {"--priority", &words.priority, NULL},
        {"--wait", &words.wait, NULL},
    };
    CLEAN_NODE struct node_access node = {0};
    struct request request;
    int rest;

    if (options_read(argc, argv, specs, sizeof(specs) / sizeof(specs[0]), &rest, err) < 0)
        return -1;
    if (rest >= argc)
        return error_set(err, ERROR_INPUT, "run needs a command; for example allot run --replicas 1 -- CMD");
    if (node_load(&node, "run", err) < 0 || make_request(&words, node.config, &request, err) < 0 ||
        node_open_ledger(&node, err) < 0)
        return -1;
    if (waiting_acquire(node.ledger, &request, err) < 0)
        return -1;
    node_report(&node);
    return execute(&node, &request, argv + rest, err);
}

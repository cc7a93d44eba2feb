#include "tests/support/ledger_folder.h"

#include <fcntl.h>
#include <ftw.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "tests/support/oracle.h"
#include "tests/support/processes.h"
#include "tests/support/world.h"

#define OPEN_FOLDERS_MAX 16

/* --- making and removing --- */

static void describe_node(struct ledger_folder *folder)
{
    folder->node = (struct node_description){.gpus = folder->gpus, .gpu_count = LEDGER_FOLDER_GPUS};
    for (uint32_t i = 0; i < LEDGER_FOLDER_GPUS; i++) {
        snprintf(folder->gpus[i].uuid, sizeof(folder->gpus[i].uuid), "GPU-%u", i);
        folder->gpus[i].replicas = LEDGER_FOLDER_REPLICAS;
    }
    folder->node.node.capacity.of[RES_CPU] = 200 * 1000;
    folder->node.node.capacity.of[RES_MEM] = 64ULL << 30;
    folder->node.node.max_bypass = 8;
    folder->queues[0] = queue_default("research", 0);
    folder->queues[0].weight = 2;
    folder->queues[0].limit = world_resreq("gpu=120");
    folder->queues[0].declared = true;
    folder->queues[1] = queue_default("teaching", 0);
    folder->queues[1].guarantee = world_resreq("gpu=2");
    folder->queues[1].declared = true;
}

/* Says to the programs what describe_node() says to the library. */
static int write_config(const struct ledger_folder *folder)
{
    CLEAN_FILE FILE *file = fopen(folder->config, "we");

    if (file == NULL)
        return -1;
    fprintf(file, "[gpu]\nsource = \"config\"\n");
    for (uint32_t i = 0; i < LEDGER_FOLDER_GPUS; i++)
        fprintf(file, "[[gpu.device]]\nuuid = \"GPU-%u\"\nminor = %u\nreplicas = %u\n", i, i,
                LEDGER_FOLDER_REPLICAS);
    fprintf(file,
            "[capacity]\ncpu = 200\nmem = \"64g\"\n"
            "[queues.research]\nweight = 2\nlimit = \"gpu=120\"\n"
            "[queues.teaching]\nguarantee = \"gpu=2\"\n"
            "[ledger]\ndir = \"%s\"\n[log]\nevents = \"%s\"\n",
            folder->ledger, folder->events);
    return fchmod(fileno(file), 0644);
}

static void find_program(struct ledger_folder *folder)
{
    const char *build = getenv("BUILD");
    char name[4096];

    snprintf(name, sizeof(name), "%s/allot", build != NULL ? build : "build");
    if (realpath(name, folder->program) == NULL)
        folder->program[0] = '\0';
}

static bool get_memory(struct ledger_folder *folder)
{
    folder->now = calloc(1, sizeof(*folder->now));
    folder->then = calloc(1, sizeof(*folder->then));
    folder->workspace = calloc(1, sizeof(*folder->workspace));
    folder->decisions = calloc(1, sizeof(*folder->decisions));
    return folder->now != NULL && folder->then != NULL && folder->workspace != NULL &&
           folder->decisions != NULL;
}

int ledger_folder_setup(void **state)
{
    struct ledger_folder *folder = calloc(1, sizeof(*folder));
    const char *base = getenv("TMPDIR");

    /* Tests open ledgers by the thousand: large memory shall come zeroed from the kernel, page by page, each time. */
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    if (folder == NULL || !get_memory(folder))
        return -1;
    snprintf(folder->path, sizeof(folder->path), "%s/allot-ledger-XXXXXX", base != NULL ? base : "/tmp");
    if (mkdtemp(folder->path) == NULL || chmod(folder->path, 0755) < 0)
        return -1;
    *state = folder;
    snprintf(folder->ledger, sizeof(folder->ledger), "%s/ledger", folder->path);
    snprintf(folder->events, sizeof(folder->events), "%s/events.jsonl", folder->path);
    snprintf(folder->config, sizeof(folder->config), "%s/config.toml", folder->path);
    describe_node(folder);
    find_program(folder);
    folder->options = (struct ledger_options){
        .folder = folder->ledger,
        .events = folder->events,
        .engine = "test",
        .group = LEDGER_GROUP_NONE,
        .lock_timeout_ms = LEDGER_LOCK_TIMEOUT_MS,
        .create_grace_ms = 10000,
        .node = &folder->node,
        .queues = folder->queues,
        .queue_count = 2,
    };
    return write_config(folder);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

int ledger_folder_teardown(void **state)
{
    struct ledger_folder *folder = *state;
    int failed = nftw(folder->path, remove_entry, OPEN_FOLDERS_MAX, FTW_DEPTH | FTW_PHYS);

    free(folder->now);
    free(folder->then);
    free(folder->workspace);
    free(folder->decisions);
    free(folder->log_line);
    free(folder);
    *state = NULL;
    return failed;
}

/* --- transactions --- */

struct request ledger_folder_request(const char *id, const char *queue)
{
    struct request request = world_make_request(id, queue, "cpu=1,gpu=1");

    request.wait = false;
    request.holder.owner = (int32_t)getpid();
    request.holder.owner_start = process_start_ticks(getpid());
    return request;
}

int ledger_folder_ask(const struct ledger_folder *folder, const struct request *request, struct error *err)
{
    CLEAN_LEDGER struct ledger *ledger = NULL;

    if (ledger_open(&folder->options, &ledger, err) < 0 || ledger_begin(ledger, err) < 0 ||
        ledger_request(ledger, request, NULL, err) < 0)
        return -1;
    return ledger_end(ledger, err);
}

int ledger_folder_release(const struct ledger_folder *folder, const char *id, struct error *err)
{
    CLEAN_LEDGER struct ledger *ledger = NULL;
    const struct event event = {.kind = EVENT_RELEASE, .ids = &id, .id_count = 1};

    if (ledger_open(&folder->options, &ledger, err) < 0 || ledger_begin(ledger, err) < 0 ||
        ledger_decide(ledger, &event, err) < 0)
        return -1;
    return ledger_end(ledger, err);
}

void ledger_folder_fill(struct ledger_folder *folder, uint32_t count)
{
    CLEAN_LEDGER struct ledger *ledger = NULL;
    struct error err = {0};

    if (ledger_open(&folder->options, &ledger, &err) < 0 || ledger_begin(ledger, &err) < 0)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < count; i++) {
        char id[ID_SIZE];
        struct request request;

        snprintf(id, sizeof(id), "g-%u", i);
        request = ledger_folder_request(id, i % 3 == 0 ? "teaching" : "research");
        if (ledger_request(ledger, &request, NULL, &err) < 0)
            fail_msg("%s", err.text);
    }
    if (ledger_end(ledger, &err) < 0)
        fail_msg("%s", err.text);
    ledger_folder_read(folder, folder->now);
    assert_int_equal(folder->now->grant_count, count);
}

void ledger_folder_read(const struct ledger_folder *folder, struct state *out)
{
    struct error err = {0};
    bool there = false;

    if (ledger_snapshot(folder->ledger, out, &there, &err) < 0)
        fail_msg("the ledger cannot be read: %s", err.text);
    assert_true(there);
}

void ledger_folder_decide(struct ledger_folder *folder, const struct state *from, const struct event *event,
                          struct state *to)
{
    struct error err = {0};

    world_copy_state(to, from);
    if (decide(to, event, folder->workspace, folder->decisions, &err) < 0)
        fail_msg("an event is impossible: %s", err.text);
}

/* --- judging --- */

bool ledger_folder_same(const struct state *a, const struct state *b)
{
    return a->next_arrival == b->next_arrival && a->node_gpus == b->node_gpus &&
           memcmp(&a->node.capacity, &b->node.capacity, sizeof(a->node.capacity)) == 0 &&
           world_same_state(a, b);
}

const char *ledger_folder_unbalanced(const struct state *state)
{
    const char *broken = state_broken(state);

    if (broken != NULL)
        return broken;
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (oracle_held(state, INDEX_NONE, r) > state->node.capacity.of[r])
            return "more is held than there is";
        for (uint32_t i = 0; i < state->queue_count; i++) {
            const struct resreq *limit = &state->queues[i].limit;

            if (limit->named[r] && oracle_held(state, i, r) > limit->amount.of[r])
                return "a queue holds more than its limit";
        }
    }
    return NULL;
}

uint64_t ledger_folder_next_line(const struct ledger_folder *folder)
{
    CLEAN_LEDGER struct ledger *ledger = NULL;
    struct ledger_options options = folder->options;
    struct error err = {0};

    options.events = "";
    if (ledger_open(&options, &ledger, &err) < 0 || ledger_begin(ledger, &err) < 0)
        fail_msg("%s", err.text);
    return ledger->image.next_line;
}

/* --- the log --- */

/* Its own reading: the number behind the last key, of a line that is whole. */
static uint64_t line_number(const char *line)
{
    const char *found = NULL;

    for (const char *at = line; (at = strstr(at, ",\"n\":")) != NULL; at++)
        found = at;
    return found != NULL ? strtoull(found + 5, NULL, 10) : 0;
}

static bool tells_state(const char *line)
{
    return strstr(line, "\"op\":\"node\"") != NULL || strstr(line, "\"op\":\"queue\"") != NULL ||
           strstr(line, "\"op\":\"state\"") != NULL;
}

static const char *judge_line(struct ledger_folder *folder, const char *line, bool gaps)
{
    size_t length = strlen(line);
    uint64_t number = line_number(line);
    const char *wrong = NULL;

    if (length == 0 || line[length - 1] != '}')
        return NULL; /* a piece */
    if (number == 0)
        return "a line has no number";
    if (number == folder->log_last + 1 || folder->log_last == 0 ||
        (gaps && number > folder->log_last && tells_state(line)))
        wrong = NULL;
    else if (number != folder->log_last)
        wrong = number < folder->log_last ? "a number comes again" : "there is a gap in the numbers";
    else if (!tells_state(line) && (folder->log_line == NULL || strcmp(folder->log_line, line) != 0))
        wrong = "two lines with one number differ";
    else if (tells_state(line) && !gaps && folder->log_line != NULL && !tells_state(folder->log_line))
        wrong = "the state is told without need";
    if (wrong != NULL)
        fprintf(stderr, "# after %llu: %.300s\n", (unsigned long long)folder->log_last, line);
    folder->log_last = number;
    free(folder->log_line);
    folder->log_line = strdup(line);
    return wrong;
}

const char *ledger_folder_log_wrong(struct ledger_folder *folder, bool gaps)
{
    CLEAN_FILE FILE *file = fopen(folder->events, "re");
    CLEAN_FREE char *line = NULL;
    const char *wrong = NULL;
    size_t size = 0;
    ssize_t length;

    if (file == NULL || fseeko(file, folder->log_read, SEEK_SET) < 0)
        return "the log cannot be read";
    while (wrong == NULL && (length = getline(&line, &size, file)) > 0 && line[length - 1] == '\n') {
        line[length - 1] = '\0';
        wrong = judge_line(folder, line, gaps);
        folder->log_read += length;
    }
    return wrong;
}

void ledger_folder_forget_log(struct ledger_folder *folder)
{
    folder->log_read = 0;
    folder->log_last = 0;
    free(folder->log_line);
    folder->log_line = NULL;
}

/*
 * ledger_folder.h - a ledger of its own for a test, on a made-up node, with its event log beside it. Below ${TMPDIR:-/tmp},
 * and gone with the test, also when it fails.
 *
 *     FOLDER/ledger/       the ledger's folder
 *     FOLDER/events.jsonl  its log
 *     FOLDER/config.toml   the same node and places for the programs (ALLOT_CONFIG)
 */
#ifndef ALLOT_TESTS_SUPPORT_LEDGER_FOLDER_H
#define ALLOT_TESTS_SUPPORT_LEDGER_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "alloc/ledger/ledger.h"

#define LEDGER_FOLDER_GPUS     16U
#define LEDGER_FOLDER_REPLICAS 8U /* of each */

/* Sanitizers make all this ten times slower; with them, every n-th case is tried. */
#if defined(__SANITIZE_ADDRESS__)
#define LEDGER_FOLDER_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LEDGER_FOLDER_SANITIZED 1
#endif
#endif
#ifndef LEDGER_FOLDER_SANITIZED
#define LEDGER_FOLDER_SANITIZED 0
#endif
#define LEDGER_FOLDER_STRIDE(n) (LEDGER_FOLDER_SANITIZED ? (n) : 1)

struct ledger_folder {
    char path[256];
    char ledger[300];
    char events[300];
    char config[300];
    char program[4096]; /* $BUILD/allot */
    struct ledger_options options;
    struct node_description node;
    struct gpu gpus[LEDGER_FOLDER_GPUS];
    struct queue queues[2];
    struct state *now; /* memory for two states and an event */
    struct state *then;
    struct workspace *workspace;
    struct decisions *decisions;
    /* What was read of the log so far. */
    off_t log_read;
    uint64_t log_last;
    char *log_line;
};

/* cmocka fixtures: *state is a struct ledger_folder. */
int ledger_folder_setup(void **state);
int ledger_folder_teardown(void **state);

/* A request of one replica and a cpu, held by the test's process. */
struct request ledger_folder_request(const char *id, const char *queue);

/* One transaction each, from opening to closing. -1 as the ledger says. */
int ledger_folder_ask(const struct ledger_folder *folder, const struct request *request, struct error *err);
int ledger_folder_release(const struct ledger_folder *folder, const char *id, struct error *err);

/* Grants "g-0"… up to `count`, all in one transaction; fatal to the test if one is not granted. */
void ledger_folder_fill(struct ledger_folder *folder, uint32_t count);

/* The state as a reader sees it; fatal to the test if it cannot be read. */
void ledger_folder_read(const struct ledger_folder *folder, struct state *out);

/* `to` is what the event makes of `from`; fatal to the test if it is impossible. */
void ledger_folder_decide(struct ledger_folder *folder, const struct state *from, const struct event *event,
                          struct state *to);

/* The same to the byte, the arrival counter included. */
bool ledger_folder_same(const struct state *a, const struct state *b);

/* NULL, or what is wrong: promises of state.h, a sum above the capacity or above a queue's limit. */
const char *ledger_folder_unbalanced(const struct state *state);

/*
 * Reads on in the log. NULL, or what is wrong with it: numbers must follow one another, each once, or twice with the same
 * text. A piece of a line does not count. Only a file's beginning may tell the whole state, unless `gaps` are allowed.
 */
const char *ledger_folder_log_wrong(struct ledger_folder *folder, bool gaps);

/* The number that the next line will have, as the ledger says. */
uint64_t ledger_folder_next_line(const struct ledger_folder *folder);

/* The log was removed or replaced: reads from its beginning again. */
void ledger_folder_forget_log(struct ledger_folder *folder);

#endif

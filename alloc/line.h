/*
 * line.h - events, decisions and states as lines of JSON: the language of `allot simulate`, of the event log and of
 * `allot ledger dump` (DESIGN.md section 12).
 *
 * A line is written into memory that the caller lends. What does not fit is not cut but left out whole: `full` is set,
 * and the text ends with the last whole line.
 */
#ifndef ALLOT_ALLOC_LINE_H
#define ALLOT_ALLOC_LINE_H

#include "alloc/decide.h"

struct lines {
    char *text; /* NUL-terminated */
    size_t size;
    size_t used;
    bool full;
};

/* What the event log adds to a line; the members come last in it. Times and numbers are the caller's. */
struct line_stamp {
    uint64_t number;
    const char *time;   /* RFC 3339 */
    const char *engine; /* who asked: "run", "cli", a runtime's name */
    int64_t pid;
    const char *boot; /* whose pids these are; NULL: not said */
};

void lines_init(struct lines *lines, char *text, size_t size);

/* An event as an operation. `state` is the one before it. Without a stamp the line is just what simulate reads. */
void line_event(struct lines *lines, const struct state *state, const struct event *event,
                const struct line_stamp *stamp);

/* `state` is the one that decide() left with these decisions. */
void line_decision(struct lines *lines, const struct state *state, const struct decisions *decisions,
                   const struct decision *decision, const struct line_stamp *stamp);

/* The node and one queue, as the operations that would make them so. */
void line_node(struct lines *lines, const struct state *state, const struct line_stamp *stamp);
void line_queue(struct lines *lines, const struct queue *queue, const struct line_stamp *stamp);

/* Grants, waiters, cursor and exclusions. */
void line_state(struct lines *lines, const struct state *state, const struct line_stamp *stamp);

/* "GPU-0::3" */
#define REPLICA_TEXT_SIZE (UUID_SIZE + 16)
const char *replica_format(const struct state *state, struct replica replica,
                           char buffer[static REPLICA_TEXT_SIZE]);

#endif

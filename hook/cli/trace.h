/*
 * trace.h - one line of a trace (DESIGN.md section 12), read into an event.
 */
#ifndef ALLOT_HOOK_CLI_TRACE_H
#define ALLOT_HOOK_CLI_TRACE_H

#include "alloc/decide.h"
#include "hook/json.h"

/* In a trace a queue may ask for any priority unless its line says otherwise. */
#define TRACE_MAX_PRIORITY PRIORITY_MAX

/* What a trace leaves open. */
struct trace_defaults {
    enum policy policy;
    bool allow_override; /* of the policy, by a request */
    int32_t undeclared_max_priority;
};

enum trace_op {
    TRACE_EVENT, /* for decide() */
    TRACE_STATE, /* for trace_read_state() */
    TRACE_NOTE,  /* a decision, as the event log has them: nothing to do */
};

/* An event together with what it points to. */
struct trace_line {
    enum trace_op op;
    struct json_object *json;
    struct event event;
    struct node_description node;
    struct gpu *gpus;
    struct queue queue;
    struct request request;
    const char **ids;
};

#define CLEAN_TRACE_LINE __attribute__((cleanup(trace_line_clean)))
void trace_line_clean(struct trace_line *line);

/* Reads one line, of a trace or of the event log: what the log adds to a line is allowed. `line` must be zeroed, and is the caller's to clean, also after an error. */
int trace_parse(const char *text, size_t length, const struct trace_defaults *defaults,
                struct trace_line *line, struct error *err);

/* The fields that a request and the records of a state have in common: all but devices and wait. */
int trace_parse_request(struct json_object *json, const struct trace_defaults *defaults, struct request *out,
                        struct error *err);

/* Whom a record belongs to, where the line says it. */
int trace_parse_holder(struct json_object *json, struct holder *out, struct error *err);

/* Replaces the grants, waiters and cursor of `state` by those of a `state` line, and the exclusions if it names any. On
 * an error the state is not to be used any more. */
int trace_read_state(struct json_object *json, const struct trace_defaults *defaults, struct state *state,
                     struct error *err);

#endif

/*
 * trace_state.c - the `state` line of a trace, which is also what `allot ledger dump` prints:
 *
 *     {"op":"state","arrival":9,"cursor":"GPU-1","excluded":["GPU-3"],
 *      "grants":[{"id":"c1","queue":"a","resreq":"cpu=1,gpu=1","priority":0,"arrival":3,"replicas":["GPU-0::0"]}],
 *      "waiters":[{"id":"c2","queue":"b","resreq":"gpu=8","priority":0,"policy":"spread","distinct":false,
 *                  "devices":[],"arrival":5,"bypassed":0}]}
 *
 * `arrival` at the top is the next number to be given. Records of a real ledger also say whom they belong to: owner and
 * start (pid and clock ticks), process and process_start once bound, since. What a line leaves out is empty; without `excluded`, the GPUs
 * stay as they are.
 */
#include <string.h>

#include "alloc/number.h"
#include "hook/cli/trace.h"

/* Arrival numbers stay below what a double holds exactly: other tools read these lines, too. */
#define ARRIVAL_MAX ((int64_t)QUANTITY_MAX)

/* The GPU of that name; one that the node does not have is remembered as vanished. */
static uint32_t use_gpu(struct state *state, const char *uuid, size_t length)
{
    uint32_t gpu = decide_find_gpu(state, uuid, length);
    struct gpu *added = &state->gpus[state->gpu_count];

    if (gpu != INDEX_NONE || length == 0 || length >= UUID_SIZE || state->gpu_count == GPUS_MAX)
        return gpu;
    *added = (struct gpu){.replicas = 0};
    memcpy(added->uuid, uuid, length);
    return state->gpu_count++;
}

/* "GPU-0::3" */
static int read_replica(struct state *state, struct json_object *json, struct replica *out, struct error *err)
{
    const char *text = json_text(json);
    const char *mark = text != NULL ? strstr(text, "::") : NULL;
    uint64_t number = 0;
    uint32_t gpu;

    if (mark == NULL || number_parse(mark + 2, strlen(mark + 2), REPLICAS_PER_GPU_MAX - 1, &number) != NULL)
        return error_set(err, ERROR_INPUT, "replicas: not a replica such as GPU-0::3");
    gpu = use_gpu(state, text, (size_t)(mark - text));
    if (gpu == INDEX_NONE)
        return error_set(err, ERROR_INPUT, "replicas: not the UUID of a GPU, or too many of them");
    *out = (struct replica){(uint16_t)gpu, (uint16_t)number};
    return 0;
}

/* Checks that nothing else has the id, and lets the state's counter follow. */
static int read_arrival(struct state *state, struct json_object *json, const char *id, uint64_t *out,
                        struct error *err)
{
    int64_t arrival = (int64_t)state->next_arrival;
    char quoted[QUOTE_SIZE];

    if (json_get_integer(json, "arrival", 1, ARRIVAL_MAX, &arrival, err) < 0)
        return -1;
    if (state_find_grant(state, id) != INDEX_NONE || state_find_waiter(state, id) != INDEX_NONE)
        return error_set(err, ERROR_INPUT, "%s is there twice", text_quote(quoted, id, strlen(id)));
    *out = (uint64_t)arrival;
    if (*out >= state->next_arrival)
        state->next_arrival = *out + 1;
    return 0;
}

/* What grants and waiters have in common, as a waiter. */
static int read_record(struct state *state, struct json_object *json, const struct trace_defaults *defaults,
                       struct waiter *out, struct error *err)
{
    struct request request = {0};

    if (trace_parse_request(json, defaults, &request, err) < 0 ||
        read_arrival(state, json, request.id, &out->arrival, err) < 0)
        return -1;
    if (request.priority < PRIORITY_MIN || request.priority > PRIORITY_MAX)
        return error_set(err, ERROR_INPUT, "priority must be from %d to %d", PRIORITY_MIN, PRIORITY_MAX);
    out->queue = state_use_queue(state, request.queue);
    if (out->queue == INDEX_NONE)
        return error_set(err, ERROR_INPUT, "more than %u queues", QUEUES_MAX);
    memcpy(out->id, request.id, sizeof(out->id));
    out->ask = request.ask;
    out->priority = (int32_t)request.priority;
    out->policy = request.policy;
    out->distinct = request.distinct;
    out->holder = request.holder;
    return 0;
}

static int read_grant(struct state *state, struct json_object *json, const struct trace_defaults *defaults,
                      struct error *err)
{
    static const char *const known[] = {"id",    "queue", "resreq",  "priority",      "arrival", "replicas",
                                        "owner", "start", "process", "process_start", "since",   NULL};
    struct replica replicas[GRANT_REPLICAS_MAX];
    struct json_object *array = NULL;
    struct waiter waiter = {0};
    CLEAN_JSON struct json_object *plain = NULL;

    if (json_check_keys(json, known, err) < 0 || json_get_array(json, "replicas", &array, err) < 0)
        return -1;
    /* In a request `replicas` is a number; here it is the replicas themselves. */
    if (json_object_deep_copy(json, &plain, NULL) < 0)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    json_object_object_del(plain, "replicas");
    if (read_record(state, plain, defaults, &waiter, err) < 0)
        return -1;
    if (waiter.ask.of[RES_GPU] > GRANT_REPLICAS_MAX ||
        waiter.ask.of[RES_GPU] != (array != NULL ? json_object_array_length(array) : 0))
        return error_set(err, ERROR_INPUT, "replicas: there must be as many as resreq's gpu says, at most %u",
                         GRANT_REPLICAS_MAX);
    if (state->grant_count == GRANTS_MAX || waiter.ask.of[RES_GPU] > REPLICAS_MAX - state->replica_count)
        return error_set(err, ERROR_INPUT, "more than %u grants or %u replicas", GRANTS_MAX, REPLICAS_MAX);
    for (size_t i = 0; i < waiter.ask.of[RES_GPU]; i++) {
        if (read_replica(state, json_object_array_get_idx(array, i), &replicas[i], err) < 0)
            return -1;
    }
    state_add_grant(state, &waiter, replicas);
    return 0;
}

static int read_waiter_devices(struct state *state, struct json_object *json, struct waiter *out,
                               struct error *err)
{
    struct json_object *array;
    int there = json_get_array(json, "devices", &array, err);

    if (there <= 0)
        return there;
    if (json_object_array_length(array) > DEVICES_MAX)
        return error_set(err, ERROR_INPUT, "devices: more than %u", DEVICES_MAX);
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        const char *name = json_text(json_object_array_get_idx(array, i));
        uint32_t gpu = name != NULL ? use_gpu(state, name, strlen(name)) : INDEX_NONE;

        if (gpu == INDEX_NONE)
            return error_set(err, ERROR_INPUT, "devices: entry %zu is not the UUID of a GPU", i);
        if (!waiter_names_device(out, gpu))
            out->devices[out->device_count++] = (uint16_t)gpu;
    }
    return 0;
}

static int read_waiter(struct state *state, struct json_object *json, const struct trace_defaults *defaults,
                       struct error *err)
{
    static const char *const known[] = {"id",       "queue",   "resreq",  "priority", "policy",
                                        "distinct", "devices", "arrival", "bypassed", "owner",
                                        "start",    "since",   NULL};
    struct waiter waiter = {0};
    int64_t bypassed = 0;

    if (json_check_keys(json, known, err) < 0 || read_record(state, json, defaults, &waiter, err) < 0 ||
        json_get_integer(json, "bypassed", 0, BYPASS_MAX, &bypassed, err) < 0 ||
        read_waiter_devices(state, json, &waiter, err) < 0)
        return -1;
    if (state->waiter_count == WAITERS_MAX)
        return error_set(err, ERROR_INPUT, "more than %u waiters", WAITERS_MAX);
    waiter.bypassed = (uint32_t)bypassed;
    state_add_waiter(state, &waiter);
    return 0;
}

static int read_records(struct state *state, struct json_object *json, const char *key,
                        const struct trace_defaults *defaults,
                        int (*read)(struct state *, struct json_object *, const struct trace_defaults *,
                                    struct error *),
                        struct error *err)
{
    struct json_object *array;
    int there = json_get_array(json, key, &array, err);

    if (there <= 0)
        return there;
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        if (read(state, json_object_array_get_idx(array, i), defaults, err) < 0)
            return error_add_context(err, "%s: entry %zu", key, i);
    }
    return 0;
}

static int read_excluded(struct state *state, struct json_object *json, struct error *err)
{
    struct json_object *array;
    int there = json_get_array(json, "excluded", &array, err);

    if (there <= 0)
        return there;
    for (uint32_t i = 0; i < state->gpu_count; i++)
        state->gpus[i].excluded = false;
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        const char *uuid = json_text(json_object_array_get_idx(array, i));
        uint32_t gpu = uuid != NULL ? use_gpu(state, uuid, strlen(uuid)) : INDEX_NONE;

        if (gpu == INDEX_NONE)
            return error_set(err, ERROR_INPUT, "excluded: entry %zu is not the UUID of a GPU", i);
        state->gpus[gpu].excluded = true;
    }
    return 0;
}

static int read_cursor(struct state *state, struct json_object *json, struct error *err)
{
    const char *uuid;
    int there = json_get_string(json, "cursor", &uuid, err);

    if (there <= 0)
        return there;
    state->cursor = use_gpu(state, uuid, strlen(uuid));
    return state->cursor != INDEX_NONE ? 0 : error_set(err, ERROR_INPUT, "cursor is not the UUID of a GPU");
}

int trace_read_state(struct json_object *json, const struct trace_defaults *defaults, struct state *state,
                     struct error *err)
{
    static const char *const known[] = {"op", "arrival", "cursor", "excluded", "grants", "waiters", NULL};
    int64_t arrival = 0;
    const char *broken;

    state->grant_count = state->replica_count = state->waiter_count = 0;
    state->cursor = INDEX_NONE;
    if (json_check_keys(json, known, err) < 0 || read_excluded(state, json, err) < 0 ||
        read_cursor(state, json, err) < 0 ||
        read_records(state, json, "grants", defaults, read_grant, err) < 0 ||
        read_records(state, json, "waiters", defaults, read_waiter, err) < 0 ||
        json_get_integer(json, "arrival", 1, ARRIVAL_MAX, &arrival, err) < 0)
        return -1;
    if ((uint64_t)arrival > state->next_arrival)
        state->next_arrival = (uint64_t)arrival;
    broken = state_broken(state);
    return broken != NULL ? error_set(err, ERROR_INPUT, "the state is not possible: %s", broken) : 0;
}

#include "hook/cli/trace.h"

#include <stdlib.h>
#include <string.h>

#include "alloc/number.h"
#include "config/names.h"

void trace_line_clean(struct trace_line *line)
{
    json_object_put(line->json);
    free(line->gpus);
    free(line->ids);
}

/* --- parts of a line ----------------------------------------------------------------------------------------- */

static int read_resreq(struct json_object *json, const char *key, struct resreq *out, struct error *err)
{
    const char *text;
    char quoted[QUOTE_SIZE];
    int there = json_get_string(json, key, &text, err);

    if (there <= 0)
        return there;
    if (resreq_parse(text, strlen(text), out, err) < 0)
        return error_add_context(err, "%s %s", key, text_quote(quoted, text, strlen(text)));
    return 1;
}

/* Required, and short enough for `out`. */
static int read_id(struct json_object *json, char out[static ID_SIZE], struct error *err)
{
    const char *id = "";
    const char *wrong;
    char quoted[QUOTE_SIZE];
    int there = json_get_string(json, "id", &id, err);

    if (there < 0)
        return -1;
    if (there == 0)
        return error_set(err, ERROR_INPUT, "id is missing");
    wrong = request_id_wrong(id, strlen(id));
    if (wrong != NULL)
        return error_set(err, ERROR_INPUT, "id %s %s", text_quote(quoted, id, strlen(id)), wrong);
    memcpy(out, id, strlen(id) + 1);
    return 0;
}

/* A queue's name under `key`; `out` keeps what it has if there is none. */
static int read_queue_name(struct json_object *json, const char *key, char out[static QUEUE_NAME_SIZE],
                           struct error *err)
{
    const char *name;
    const char *wrong;
    char quoted[QUOTE_SIZE];
    int there = json_get_string(json, key, &name, err);

    if (there <= 0)
        return there;
    wrong = queue_name_wrong(name, strlen(name));
    if (wrong != NULL)
        return error_set(err, ERROR_INPUT, "%s %s %s; for example research", key,
                         text_quote(quoted, name, strlen(name)), wrong);
    memcpy(out, name, strlen(name) + 1);
    return 1;
}

/* --- node ---------------------------------------------------------------------------------------------------- */

/* "64", 64 or "off"; what is not named is off. */
static int read_capacity(struct json_object *json, enum resource r, struct node *node, struct error *err)
{
    const char *key = resource_name(r);
    struct json_object *value;
    const char *text;
    const char *wrong;
    char quoted[QUOTE_SIZE];

    node->off[r] = true;
    if (!json_find(json, key, &value))
        return 0;
    text = json_object_is_type(value, json_type_string) ? json_text(value) : json_object_get_string(value);
    if (text != NULL && strcmp(text, "off") == 0)
        return 0;
    if (text == NULL)
        wrong = "has a NUL in it";
    else if (r == RES_CPU)
        wrong = cpu_parse(text, strlen(text), &node->capacity.of[r]);
    else
        wrong = mem_parse(text, strlen(text), &node->capacity.of[r]);
    node->off[r] = false;
    if (wrong != NULL)
        return error_set(err, ERROR_INPUT, "%s %s %s", key,
                         text_quote(quoted, text != NULL ? text : "", text != NULL ? strlen(text) : 0),
                         wrong);
    return 0;
}

static int read_gpu(struct json_object *json, size_t index, struct gpu *out, struct error *err)
{
    static const char *const known[] = {"uuid", "replicas", NULL};
    const char *uuid = "";
    const char *wrong;
    char quoted[QUOTE_SIZE];
    int64_t replicas = 0;
    int there;

    if (json_check_keys(json, known, err) < 0 || json_get_string(json, "uuid", &uuid, err) < 0)
        return error_add_context(err, "gpus: entry %zu", index);
    there = json_get_integer(json, "replicas", 1, REPLICAS_PER_GPU_MAX, &replicas, err);
    if (there <= 0)
        return there < 0 ? error_add_context(err, "gpus: entry %zu", index)
                         : error_set(err, ERROR_INPUT, "gpus: entry %zu: replicas is missing", index);
    wrong = uuid_wrong(uuid, strlen(uuid));
    if (wrong != NULL)
        return error_set(err, ERROR_INPUT, "gpus: entry %zu: uuid %s %s", index,
                         text_quote(quoted, uuid, strlen(uuid)), wrong);
    memcpy(out->uuid, uuid, strlen(uuid) + 1);
    out->replicas = (uint32_t)replicas;
    return 0;
}

static int read_gpus(struct trace_line *line, struct error *err)
{
    struct json_object *array;
    size_t count;
    int there = json_get_array(line->json, "gpus", &array, err);

    if (there <= 0)
        return there;
    count = json_object_array_length(array);
    if (count > GPUS_MAX)
        return error_set(err, ERROR_INPUT, "gpus: more than %u", GPUS_MAX);
    line->gpus = calloc(count > 0 ? count : 1, sizeof(line->gpus[0]));
    if (line->gpus == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        if (read_gpu(json_object_array_get_idx(array, i), i, &line->gpus[i], err) < 0)
            return -1;
    }
    line->node.gpus = line->gpus;
    line->node.gpu_count = (uint32_t)count;
    return 0;
}

static int parse_node(struct trace_line *line, const struct trace_defaults *defaults, struct error *err)
{
    static const char *const known[] = {
        "op", "cpu", "mem", "gpus", "max_bypass", "max_containers_per_gpu", "max_priority", NULL};
    int64_t max_priority = defaults->undeclared_max_priority;
    int64_t max_bypass = 8;
    int64_t max_containers = 0;

    if (json_check_keys(line->json, known, err) < 0 ||
        read_capacity(line->json, RES_CPU, &line->node.node, err) < 0 ||
        read_capacity(line->json, RES_MEM, &line->node.node, err) < 0 || read_gpus(line, err) < 0 ||
        json_get_integer(line->json, "max_bypass", 0, BYPASS_MAX, &max_bypass, err) < 0 ||
        json_get_integer(line->json, "max_containers_per_gpu", 0, GRANTS_MAX, &max_containers, err) < 0 ||
        json_get_integer(line->json, "max_priority", PRIORITY_MIN, PRIORITY_MAX, &max_priority, err) < 0)
        return -1;
    line->node.node.max_bypass = (uint32_t)max_bypass;
    line->node.node.max_containers_per_gpu = (uint32_t)max_containers;
    line->node.node.undeclared_max_priority = (int32_t)max_priority;
    line->event = (struct event){.kind = EVENT_NODE, .node = &line->node};
    return 0;
}

/* --- queue --------------------------------------------------------------------------------------------------- */

static int parse_queue(struct trace_line *line, const struct trace_defaults *defaults, struct error *err)
{
    static const char *const known[] = {"op",    "name", "weight",       "guarantee",
                                        "limit", "lend", "max_priority", NULL};
    struct queue *queue = &line->queue;
    struct json_object *json = line->json;
    int64_t weight = 1;
    int64_t max_priority = TRACE_MAX_PRIORITY;

    (void)defaults;
    queue->lend = true;
    if (json_check_keys(json, known, err) < 0 || read_queue_name(json, "name", queue->name, err) < 0 ||
        json_get_integer(json, "weight", 1, WEIGHT_MAX, &weight, err) < 0 ||
        read_resreq(json, "guarantee", &queue->guarantee, err) < 0 ||
        read_resreq(json, "limit", &queue->limit, err) < 0 ||
        json_get_bool(json, "lend", &queue->lend, err) < 0 ||
        json_get_integer(json, "max_priority", PRIORITY_MIN, PRIORITY_MAX, &max_priority, err) < 0)
        return -1;
    if (queue->name[0] == '\0')
        return error_set(err, ERROR_INPUT, "name is missing");
    queue->weight = (uint32_t)weight;
    queue->max_priority = (int32_t)max_priority;
    line->event = (struct event){.kind = EVENT_QUEUE, .queue = queue};
    return 0;
}

/* --- holder -------------------------------------------------------------------------------------------------- */

#define TICKS_MAX (INT64_MAX - 1)

int trace_parse_holder(struct json_object *json, struct holder *out, struct error *err)
{
    int64_t owner = 0;
    int64_t start = 0;
    int64_t process = 0;
    int64_t process_start = 0;
    int64_t since = 0;

    if (json_get_integer(json, "owner", 0, INT32_MAX, &owner, err) < 0 ||
        json_get_integer(json, "start", 0, TICKS_MAX, &start, err) < 0 ||
        json_get_integer(json, "process", 0, INT32_MAX, &process, err) < 0 ||
        json_get_integer(json, "process_start", 0, TICKS_MAX, &process_start, err) < 0 ||
        json_get_integer(json, "since", 0, TICKS_MAX, &since, err) < 0)
        return -1;
    *out = (struct holder){.owner = (int32_t)owner,
                           .process = (int32_t)process,
                           .owner_start = (uint64_t)start,
                           .process_start = (uint64_t)process_start,
                           .since_s = (uint64_t)since};
    return 0;
}

/* --- request ------------------------------------------------------------------------------------------------- */

/* resreq and replicas; where both name a number of GPU replicas, it is the same. */
static int read_ask(struct json_object *json, struct resources *out, struct error *err)
{
    struct resreq resreq = {0};
    int64_t replicas = 0;
    int there;

    if (read_resreq(json, "resreq", &resreq, err) < 0)
        return -1;
    there = json_get_integer(json, "replicas", 1, GPU_QUANTITY_MAX, &replicas, err);
    if (there < 0)
        return -1;
    if (there > 0 && resreq.named[RES_GPU] && resreq.amount.of[RES_GPU] != (uint64_t)replicas)
        return error_set(err, ERROR_INPUT, "replicas %lld does not agree with resreq's gpu=%llu",
                         (long long)replicas, (unsigned long long)resreq.amount.of[RES_GPU]);
    *out = resreq.amount;
    if (there > 0)
        out->of[RES_GPU] = (uint64_t)replicas;
    return 0;
}

static int read_policy(struct json_object *json, const struct trace_defaults *defaults, enum policy *out,
                       struct error *err)
{
    const char *name;
    char quoted[QUOTE_SIZE];
    int there = json_get_string(json, "policy", &name, err);

    if (there <= 0)
        return there;
    if (!policy_parse(name, strlen(name), out))
        return error_set(err, ERROR_INPUT, "policy %s is unknown; there are " POLICY_NAMES,
                         text_quote(quoted, name, strlen(name)));
    if (!defaults->allow_override && *out != defaults->policy)
        return error_set(err, ERROR_INPUT, "policy %s: the configuration does not allow to override %s",
                         text_quote(quoted, name, strlen(name)), policy_name(defaults->policy));
    return 1;
}

/* An array of UUIDs or indices becomes the list that an annotation would have. */
static int read_devices(struct json_object *json, char out[static ANNOTATION_SIZE_MAX + 1], struct error *err)
{
    struct json_object *array;
    size_t used = 0;
    int there = json_get_array(json, "devices", &array, err);

    if (there <= 0)
        return there;
    for (size_t i = 0; i < json_object_array_length(array); i++) {
        struct json_object *entry = json_object_array_get_idx(array, i);
        const char *name =
            json_object_is_type(entry, json_type_int) ? json_object_get_string(entry) : json_text(entry);
        size_t length = name != NULL ? strlen(name) : 0;

        if (length == 0 || strpbrk(name, ", ") != NULL)
            return error_set(err, ERROR_INPUT, "devices: entry %zu is not the UUID or index of a GPU", i);
        if (length + 1 > ANNOTATION_SIZE_MAX - used)
            return error_set(err, ERROR_INPUT, "devices: the list is longer than %u bytes",
                             ANNOTATION_SIZE_MAX);
        if (used > 0)
            out[used++] = ',';
        memcpy(out + used, name, length + 1);
        used += length;
    }
    return 1;
}

int trace_parse_request(struct json_object *json, const struct trace_defaults *defaults, struct request *out,
                        struct error *err)
{
    memcpy(out->queue, "default", sizeof("default"));
    out->policy = defaults->policy;
    if (read_queue_name(json, "queue", out->queue, err) < 0 || read_ask(json, &out->ask, err) < 0 ||
        json_get_integer(json, "priority", INT32_MIN, INT32_MAX, &out->priority, err) < 0 ||
        read_policy(json, defaults, &out->policy, err) < 0 ||
        json_get_bool(json, "distinct", &out->distinct, err) < 0 ||
        trace_parse_holder(json, &out->holder, err) < 0)
        return -1;
    return read_id(json, out->id, err);
}

static int parse_request(struct trace_line *line, const struct trace_defaults *defaults, struct error *err)
{
    static const char *const known[] = {"op",       "id",     "queue",    "resreq",  "replicas",
                                        "priority", "policy", "distinct", "devices", "wait",
                                        "owner",    "start",  "since",    NULL};

    if (json_check_keys(line->json, known, err) < 0 ||
        trace_parse_request(line->json, defaults, &line->request, err) < 0 ||
        read_devices(line->json, line->request.devices, err) < 0 ||
        json_get_bool(line->json, "wait", &line->request.wait, err) < 0)
        return -1;
    line->event = (struct event){.kind = EVENT_REQUEST, .request = &line->request};
    return 0;
}

/* --- release, timeout, cancel, health ------------------------------------------------------------------------ */

/* "id":"c1" or "ids":["c1","c2"]. */
static int read_ids(struct trace_line *line, struct error *err)
{
    struct json_object *array = NULL;
    const char *id = NULL;
    int one = json_get_string(line->json, "id", &id, err);
    int many = one < 0 ? -1 : json_get_array(line->json, "ids", &array, err);
    size_t count;

    if (one < 0 || many < 0)
        return -1;
    if (one + many != 1)
        return error_set(err, ERROR_INPUT, "either id or ids must be given");
    count = one ? 1 : json_object_array_length(array);
    if (count == 0 || count > GRANTS_MAX)
        return error_set(err, ERROR_INPUT, "ids must have 1 to %u entries", GRANTS_MAX);
    line->ids = calloc(count, sizeof(line->ids[0]));
    if (line->ids == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        line->ids[i] = one ? id : json_text(json_object_array_get_idx(array, i));
        if (line->ids[i] == NULL)
            return error_set(err, ERROR_INPUT, "ids: entry %zu is not a string", i);
    }
    line->event.ids = line->ids;
    line->event.id_count = (uint32_t)count;
    return 0;
}

static int parse_release(struct trace_line *line, const struct trace_defaults *defaults, struct error *err)
{
    static const char *const known[] = {"op", "id", "ids", NULL};

    (void)defaults;
    line->event.kind = EVENT_RELEASE;
    return json_check_keys(line->json, known, err) < 0 ? -1 : read_ids(line, err);
}

static int parse_cancel(struct trace_line *line, const struct trace_defaults *defaults, struct error *err)
{
    static const char *const known[] = {"op", "id", "ids", NULL};

    (void)defaults;
    line->event.kind = EVENT_CANCEL;
    return json_check_keys(line->json, known, err) < 0 ? -1 : read_ids(line, err);
}

static int parse_timeout(struct trace_line *line, const struct trace_defaults *defaults, struct error *err)
{
    static const char *const known[] = {"op", "id", NULL};

    (void)defaults;
    line->event.kind = EVENT_TIMEOUT;
    return json_check_keys(line->json, known, err) < 0 ? -1 : read_ids(line, err);
}

static int parse_health(struct trace_line *line, const struct trace_defaults *defaults, struct error *err)
{
    static const char *const known[] = {"op", "gpu", "state", NULL};
    const char *state = "";
    int there;

    (void)defaults;
    line->event.kind = EVENT_HEALTH;
    if (json_check_keys(line->json, known, err) < 0)
        return -1;
    there = json_get_string(line->json, "gpu", &line->event.gpu, err);
    if (there < 0 || json_get_string(line->json, "state", &state, err) < 0)
        return -1;
    line->event.excluded = strcmp(state, "excluded") == 0;
    if (there == 0)
        return error_set(err, ERROR_INPUT, "gpu is missing");
    if (!line->event.excluded && strcmp(state, "ok") != 0)
        return error_set(err, ERROR_INPUT, "state must be \"excluded\" or \"ok\"");
    return 0;
}

static int parse_state(struct trace_line *line, const struct trace_defaults *defaults, struct error *err)
{
    (void)defaults;
    (void)err;
    line->op = TRACE_STATE;
    line->event.kind = EVENT_SETTLE;
    return 0;
}

/* --- a line -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*parse)(struct trace_line *, const struct trace_defaults *, struct error *);
} operations[] = {
    {"node", parse_node},       {"queue", parse_queue},     {"request", parse_request},
    {"release", parse_release}, {"timeout", parse_timeout}, {"cancel", parse_cancel},
    {"health", parse_health},   {"state", parse_state},
};

/* What the event log adds to every line. */
static void take_off_stamp(struct json_object *json)
{
    static const char *const stamp[] = {"n", "time", "engine", "pid", "boot"};

    for (size_t i = 0; i < sizeof(stamp) / sizeof(stamp[0]); i++)
        json_object_object_del(json, stamp[i]);
}

int trace_parse(const char *text, size_t length, const struct trace_defaults *defaults,
                struct trace_line *line, struct error *err)
{
    const char *op = "";
    char quoted[QUOTE_SIZE];

    if (json_parse(text, length, &line->json, err) < 0)
        return -1;
    if (!json_object_is_type(line->json, json_type_object))
        return error_set(err, ERROR_INPUT, "is not a JSON object");
    take_off_stamp(line->json);
    if (json_object_object_get_ex(line->json, "decision", NULL)) {
        line->op = TRACE_NOTE;
        return 0;
    }
    if (json_get_string(line->json, "op", &op, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(operations[i].name, op) == 0)
            return operations[i].parse(line, defaults, err);
    }
    return error_set(
        err, ERROR_INPUT,
        "op %s is unknown; there are node, queue, request, release, timeout, cancel, health and state",
        text_quote(quoted, op, strlen(op)));
}

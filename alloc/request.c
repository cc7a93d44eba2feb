#include "alloc/request.h"

#include <string.h>

#include "alloc/number.h"
#include "alloc/queue.h"

#define PREFIX "allot.gpu/"

_Static_assert(ANNOTATION_SIZE_MAX == 4096 && ID_SIZE == 128, "messages below name these");

/* The kernel's default for cpu.cfs_period_us. */
#define CPU_PERIOD_DEFAULT 100000

/* --- which annotations are ours ------------------------------------------------------------------------------ */

enum field {
    FIELD_REPLICAS,
    FIELD_RESREQ,
    FIELD_SLOTS,
    FIELD_QUEUE,
    FIELD_PRIORITY,
    FIELD_WAIT,
    FIELD_POLICY,
    FIELD_DEVICES,
    FIELD_DISTINCT,
};
#define FIELD_COUNT 9

static const struct {
    const char *name;
    const char *example;
} fields[FIELD_COUNT] = {
    [FIELD_REPLICAS] = {"replicas", "2"},    [FIELD_RESREQ] = {"resreq", "cpu=4,mem=16g,gpu=2"},
    [FIELD_SLOTS] = {"slots", "2"},          [FIELD_QUEUE] = {"queue", "research"},
    [FIELD_PRIORITY] = {"priority", "-5"},   [FIELD_WAIT] = {"wait", "30s"},
    [FIELD_POLICY] = {"policy", "spread"},   [FIELD_DEVICES] = {"devices", "0,2"},
    [FIELD_DISTINCT] = {"distinct", "true"},
};

/* A request being read. */
struct reader {
    const struct annotation *annotations;
    size_t count;
    const char *container;                    /* its name in the pod, or NULL */
    const struct annotation *of[FIELD_COUNT]; /* the one that speaks for this container, or NULL */
    const struct request_rules *rules;
    struct error *err;
};

static const char *find_value(const struct annotation *annotations, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(annotations[i].key, key) == 0)
            return annotations[i].value;
    }
    return NULL;
}

/* The first of two keys that is there: containerd and CRI-O spell them differently. */
static const char *find_either(const struct annotation *annotations, size_t count, const char *key,
                               const char *other)
{
    const char *value = find_value(annotations, count, key);

    return value != NULL ? value : find_value(annotations, count, other);
}

static bool is_sandbox(const struct annotation *annotations, size_t count)
{
    const char *type = find_either(annotations, count, "io.kubernetes.cri.container-type",
                                   "io.kubernetes.cri-o.ContainerType");

    return type != NULL && strcmp(type, "sandbox") == 0;
}

/* What stands behind our prefix, or NULL if the key is not for this container. `own`: it has its name in front. */
static const char *own_name(const struct reader *reader, const char *key, bool *own)
{
    size_t length = reader->container != NULL ? strlen(reader->container) : 0;

    *own = false;
    if (strncmp(key, PREFIX, strlen(PREFIX)) == 0)
        return key + strlen(PREFIX);
    *own = true;
    if (length == 0 || strncmp(key, reader->container, length) != 0 || key[length] != '.')
        return NULL;
    key += length + 1;
    return strncmp(key, PREFIX, strlen(PREFIX)) == 0 ? key + strlen(PREFIX) : NULL;
}

static int refuse_unknown(const struct annotation *annotation, struct error *err)
{
    char key[QUOTE_SIZE];
    char value[QUOTE_SIZE];

    return error_set(err, ERROR_INPUT,
                     "annotation %s=%s is unknown; known are " PREFIX
                     "replicas, resreq, slots, queue, priority, wait, policy, devices and distinct, "
                     "for example " PREFIX "replicas=2",
                     text_quote(key, annotation->key, strlen(annotation->key)),
                     text_quote(value, annotation->value, strlen(annotation->value)));
}

/* Every annotation of ours finds its field; the form with the container's name wins. */
static int sort_annotations(struct reader *reader, bool *any)
{
    for (size_t i = 0; i < reader->count; i++) {
        const struct annotation *annotation = &reader->annotations[i];
        bool own;
        const char *name = own_name(reader, annotation->key, &own);
        size_t field = 0;

        if (name == NULL)
            continue;
        while (field < FIELD_COUNT && strcmp(fields[field].name, name) != 0)
            field++;
        if (field == FIELD_COUNT)
            return refuse_unknown(annotation, reader->err);
        if (reader->of[field] == NULL || own)
            reader->of[field] = annotation;
        *any = true;
    }
    return 0;
}

/* --- one value ----------------------------------------------------------------------------------------------- */

static int refuse_value(const struct annotation *annotation, const char *wrong, const char *example,
                        struct error *err)
{
    char key[QUOTE_SIZE];
    char value[QUOTE_SIZE];

    return error_set(err, ERROR_INPUT, "annotation %s=%s %s; for example %s",
                     text_quote(key, annotation->key, strlen(annotation->key)),
                     text_quote(value, annotation->value, strlen(annotation->value)), wrong, example);
}

/* Each reads one annotation into the request; NULL or what is wrong. */

static const char *read_count(const char *value, uint64_t max, uint64_t *out)
{
    const char *wrong = number_parse(value, strlen(value), max, out);

    return wrong == NULL && *out == 0 ? "is not 1 or more" : wrong;
}

static const char *read_wait(const struct request_rules *rules, const char *value, struct request *out)
{
    const char *wrong = duration_parse(value, strlen(value), &out->wait_ms);

    if (out->wait_ms > rules->max_wait_ms)
        out->wait_ms = rules->max_wait_ms;
    return wrong;
}

static const char *read_policy(const struct request_rules *rules, const char *value, struct request *out)
{
    if (!policy_parse(value, strlen(value), &out->policy))
        return "is not a policy; there are " POLICY_NAMES;
    return rules->allow_override || out->policy == rules->policy
               ? NULL
               : "names another policy than the configured one, which this node does not allow";
}

static const char *read_distinct(const char *value, struct request *out)
{
    out->distinct = strcmp(value, "true") == 0;
    return out->distinct || strcmp(value, "false") == 0 ? NULL : "is neither true nor false";
}

/* Comma-separated and none empty; which GPUs they are, decide() knows. */
static const char *read_devices(const char *value, struct request *out)
{
    size_t length = strlen(value);
    bool after_comma = true;

    for (size_t i = 0; i <= length; i++) {
        bool at_comma = i == length || value[i] == ',';

        if (at_comma && after_comma)
            return "has an empty entry";
        if (!at_comma && (value[i] <= ' ' || value[i] > '~'))
            return "has a character that no UUID has";
        after_comma = at_comma;
    }
    memcpy(out->devices, value, length + 1);
    return NULL;
}

static const char *read_field(enum field field, const char *value, const struct request_rules *rules,
                              struct request *out)
{
    uint64_t number;

    switch (field) {
    case FIELD_PRIORITY:
        return number_parse_signed(value, strlen(value), PRIORITY_MIN, PRIORITY_MAX, &out->priority);
    case FIELD_WAIT: return read_wait(rules, value, out);
    case FIELD_POLICY: return read_policy(rules, value, out);
    case FIELD_DEVICES: return read_devices(value, out);
    case FIELD_DISTINCT: return read_distinct(value, out);
    case FIELD_QUEUE: return queue_name_wrong(value, strlen(value));
    case FIELD_REPLICAS:
    case FIELD_SLOTS: return read_count(value, GPU_QUANTITY_MAX, &number);
    case FIELD_RESREQ: break; /* has words of its own: read_resreq */
    }
    return NULL;
}

static int read_resreq(const struct annotation *annotation, struct resreq *out, struct error *err)
{
    char key[QUOTE_SIZE];
    char value[QUOTE_SIZE];

    if (resreq_parse(annotation->value, strlen(annotation->value), out, err) < 0)
        return error_add_context(err, "annotation %s=%s",
                                 text_quote(key, annotation->key, strlen(annotation->key)),
                                 text_quote(value, annotation->value, strlen(annotation->value)));
    return 0;
}

/* All annotations of ours are checked, also one that another overrules. */
static int check_annotations(const struct reader *reader)
{
    struct request scratch = {.policy = reader->rules->policy};
    struct resreq resreq;

    for (size_t i = 0; i < reader->count; i++) {
        const struct annotation *annotation = &reader->annotations[i];
        bool own;
        const char *name = own_name(reader, annotation->key, &own);
        const char *wrong;
        enum field field = FIELD_REPLICAS;

        if (name == NULL)
            continue;
        while (strcmp(fields[field].name, name) != 0)
            field++;
        if (strlen(annotation->value) > ANNOTATION_SIZE_MAX)
            return refuse_value(annotation, "is longer than 4096 bytes", fields[field].example, reader->err);
        if (field == FIELD_RESREQ && read_resreq(annotation, &resreq, reader->err) < 0)
            return -1;
        wrong = read_field(field, annotation->value, reader->rules, &scratch);
        if (wrong != NULL)
            return refuse_value(annotation, wrong, fields[field].example, reader->err);
    }
    return 0;
}

/* --- what it weighs ------------------------------------------------------------------------------------------ */

/* The container's own limits, which count for what nothing else names. */
static struct resreq weigh_limits(const struct container_limits *limits)
{
    struct resreq own = {0};
    uint64_t period = limits->cpu_period > 0 ? limits->cpu_period : CPU_PERIOD_DEFAULT;
    uint64_t milli;

    /* Rounded up: a container must not weigh less than it may use. What is above all bounds is no limit. */
    if (limits->cpu_quota > 0 && !__builtin_mul_overflow((uint64_t)limits->cpu_quota, 1000, &milli)) {
        milli = milli / period + (milli % period != 0);
        own.named[RES_CPU] = milli <= QUANTITY_MAX;
        own.amount.of[RES_CPU] = own.named[RES_CPU] ? milli : 0;
    }
    if (limits->memory_limit > 0 && (uint64_t)limits->memory_limit <= QUANTITY_MAX) {
        own.named[RES_MEM] = true;
        own.amount.of[RES_MEM] = (uint64_t)limits->memory_limit;
    }
    return own;
}

static int weigh_slots(const struct reader *reader, struct resreq *out)
{
    const struct annotation *annotation = reader->of[FIELD_SLOTS];
    uint64_t slots = 0;

    *out = (struct resreq){0};
    if (annotation == NULL)
        return 0;
    read_count(annotation->value, GPU_QUANTITY_MAX, &slots);
    *out = reader->rules->unit;
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (__builtin_mul_overflow(out->amount.of[r], slots, &out->amount.of[r]) ||
            out->amount.of[r] > (r == RES_GPU ? GPU_QUANTITY_MAX : QUANTITY_MAX))
            return refuse_value(annotation, "times the configured unit is too large",
                                fields[FIELD_SLOTS].example, reader->err);
    }
    return 0;
}

/* Explicit resreq and replicas; they must agree. */
static int weigh_explicit(const struct reader *reader, struct resreq *out)
{
    const struct annotation *replicas = reader->of[FIELD_REPLICAS];
    uint64_t count = 0;

    *out = (struct resreq){0};
    if (reader->of[FIELD_RESREQ] != NULL && read_resreq(reader->of[FIELD_RESREQ], out, reader->err) < 0)
        return -1;
    if (replicas == NULL)
        return 0;
    read_count(replicas->value, GPU_QUANTITY_MAX, &count);
    if (out->named[RES_GPU] && out->amount.of[RES_GPU] != count)
        return refuse_value(replicas, "does not agree with the gpu of allot.gpu/resreq",
                            "replicas=2 with resreq gpu=2, or only one of them", reader->err);
    out->named[RES_GPU] = true;
    out->amount.of[RES_GPU] = count;
    return 0;
}

static int weigh(const struct reader *reader, const struct container_limits *limits, struct resources *ask)
{
    struct resreq by_rank[3]; /* the first that names a resource wins */

    if (weigh_explicit(reader, &by_rank[0]) < 0 || weigh_slots(reader, &by_rank[1]) < 0)
        return -1;
    by_rank[2] = weigh_limits(limits);
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        ask->of[r] = 0;
        for (int rank = 2; rank >= 0; rank--) {
            if (by_rank[rank].named[r])
                ask->of[r] = by_rank[rank].amount.of[r];
        }
    }
    return 0;
}

/* --- the queue ----------------------------------------------------------------------------------------------- */

/* The annotation that names the queue: the first of queue_from that is there. Ours may have the container's name. */
static const struct annotation *queue_annotation(const struct reader *reader)
{
    for (size_t i = 0; i < reader->rules->queue_from_count; i++) {
        const char *key = reader->rules->queue_from[i];

        if (strcmp(key, PREFIX "queue") == 0 && reader->of[FIELD_QUEUE] != NULL)
            return reader->of[FIELD_QUEUE];
        for (size_t a = 0; a < reader->count; a++) {
            if (strcmp(reader->annotations[a].key, key) == 0)
                return &reader->annotations[a];
        }
    }
    return NULL;
}

static int read_queue(const struct reader *reader, struct request *out)
{
    const struct annotation *annotation = queue_annotation(reader);
    const char *wrong;

    if (annotation == NULL) {
        memcpy(out->queue, "default", sizeof("default"));
        return 0;
    }
    wrong = queue_name_wrong(annotation->value, strlen(annotation->value));
    if (wrong != NULL)
        return refuse_value(annotation, wrong, fields[FIELD_QUEUE].example, reader->err);
    memcpy(out->queue, annotation->value, strlen(annotation->value) + 1);
    return 0;
}

/* --- all of it ----------------------------------------------------------------------------------------------- */

int request_from_annotations(const struct annotation *annotations, size_t count,
                             const struct container_limits *limits, const struct request_rules *rules,
                             struct request *out, bool *asked, struct error *err)
{
    struct reader reader = {.annotations = annotations, .count = count, .rules = rules, .err = err};

    *asked = false;
    *out = (struct request){.policy = rules->policy, .wait_ms = rules->default_wait_ms};
    if (is_sandbox(annotations, count))
        return 0;
    reader.container =
        find_either(annotations, count, "io.kubernetes.cri.container-name", "io.kubernetes.container.name");
    if (sort_annotations(&reader, asked) < 0)
        return -1;
    if (!*asked)
        return 0;
    if (check_annotations(&reader) < 0 || weigh(&reader, limits, &out->ask) < 0 ||
        read_queue(&reader, out) < 0)
        return -1;
    for (enum field field = FIELD_REPLICAS; field < FIELD_COUNT; field++) {
        if (reader.of[field] != NULL)
            read_field(field, reader.of[field]->value, rules, out);
    }
    out->wait = out->wait_ms > 0;
    return 0;
}

const char *request_id_wrong(const char *id, size_t length)
{
    if (length == 0)
        return "is empty";
    if (length >= ID_SIZE)
        return "is longer than 127 characters";
    for (size_t i = 0; i < length; i++) {
        if (id[i] <= ' ' || id[i] > '~')
            return "has a character that is not printable ASCII";
    }
    return NULL;
}

#include "alloc/line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lines_init(struct lines *lines, char *text, size_t size)
{
    *lines = (struct lines){.text = text, .size = size};
    text[0] = '\0';
}

/* --- writing ------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void put(struct lines *lines, const char *format, ...)
{
    size_t room = lines->size - lines->used;
    va_list args;
    int wrote;

    if (lines->full)
        return;
    va_start(args, format);
    wrote = vsnprintf(lines->text + lines->used, room, format, args);
    va_end(args);
    if (wrote < 0 || (size_t)wrote >= room)
        lines->full = true;
    else
        lines->used += (size_t)wrote;
}

/* A JSON string. Control characters are escaped; what is not ASCII is passed on as it came, which is UTF-8. */
static void put_string(struct lines *lines, const char *text)
{
    put(lines, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            put(lines, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            put(lines, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            put(lines, "%c", *c);
    }
    put(lines, "\"");
}

/* `,"key":"text"` */
static void put_member(struct lines *lines, const char *key, const char *text)
{
    put(lines, ",\"%s\":", key);
    put_string(lines, text);
}

static void put_resreq(struct lines *lines, const char *key, const struct resreq *resreq)
{
    char text[RESREQ_TEXT_SIZE];

    put_member(lines, key, resreq_format(resreq, text));
}

static void put_ask(struct lines *lines, const struct resources *ask)
{
    struct resreq all = {.amount = *ask, .named = {true, true, true}};

    put_resreq(lines, "resreq", &all);
}

/* The end of a line; one that did not fit is taken back whole. */
static void put_end(struct lines *lines, size_t start, const struct line_stamp *stamp)
{
    if (stamp != NULL) {
        put(lines, ",\"n\":%" PRIu64, stamp->number);
        put_member(lines, "time", stamp->time);
        put_member(lines, "engine", stamp->engine);
        put(lines, ",\"pid\":%" PRId64, stamp->pid);
        if (stamp->boot != NULL)
            put_member(lines, "boot", stamp->boot);
    }
    put(lines, "}\n");
    if (lines->full)
        lines->used = start;
    lines->text[lines->used] = '\0';
}

/* --- parts --------------------------------------------------------------------------------------------------- */

const char *replica_format(const struct state *state, struct replica replica,
                           char buffer[static REPLICA_TEXT_SIZE])
{
    snprintf(buffer, REPLICA_TEXT_SIZE, "%s::%u", state->gpus[replica.gpu].uuid, replica.number);
    return buffer;
}

static void put_replicas(struct lines *lines, const struct state *state, const struct replica *replicas,
                         uint64_t count)
{
    char name[REPLICA_TEXT_SIZE];

    put(lines, ",\"replicas\":[");
    for (uint64_t i = 0; i < count; i++) {
        put(lines, "%s", i > 0 ? "," : "");
        put_string(lines, replica_format(state, replicas[i], name));
    }
    put(lines, "]");
}

static void put_devices(struct lines *lines, const struct state *state, const struct waiter *waiter)
{
    put(lines, ",\"devices\":[");
    for (uint32_t i = 0; i < waiter->device_count; i++) {
        put(lines, "%s", i > 0 ? "," : "");
        put_string(lines, state->gpus[waiter->devices[i]].uuid);
    }
    put(lines, "]");
}

static const char *bool_text(bool value)
{
    return value ? "true" : "false";
}

/* Whom a record belongs to: nobody in a simulation, and then it is not mentioned. */
static void put_holder(struct lines *lines, const struct holder *holder)
{
    if (holder->owner == 0)
        return;
    put(lines, ",\"owner\":%" PRId32 ",\"start\":%" PRIu64, holder->owner, holder->owner_start);
    if (holder->process != 0)
        put(lines, ",\"process\":%" PRId32 ",\"process_start\":%" PRIu64, holder->process,
            holder->process_start);
    put(lines, ",\"since\":%" PRIu64, holder->since_s);
}

/* --- events -------------------------------------------------------------------------------------------------- */

/* The request's list of devices as an array, by UUID where the GPU is known. */
static void put_request_devices(struct lines *lines, const struct state *state, const char *devices)
{
    const char *comma = "";

    put(lines, ",\"devices\":[");
    while (*devices != '\0') {
        size_t length = strcspn(devices, ",");
        uint32_t gpu = decide_find_gpu(state, devices, length);
        char name[UUID_SIZE];
        size_t shown = length < sizeof(name) ? length : sizeof(name) - 1;

        memcpy(name, devices, shown);
        name[shown] = '\0';
        put(lines, "%s", comma);
        put_string(lines, gpu != INDEX_NONE ? state->gpus[gpu].uuid : name);
        comma = ",";
        devices += length + (devices[length] == ',');
    }
    put(lines, "]");
}

static void put_request(struct lines *lines, const struct state *state, const struct request *request)
{
    put(lines, "{\"op\":\"request\"");
    put_member(lines, "id", request->id);
    put_member(lines, "queue", request->queue);
    put_ask(lines, &request->ask);
    put(lines, ",\"priority\":%" PRId64, request->priority);
    put_member(lines, "policy", policy_name(request->policy));
    put(lines, ",\"distinct\":%s", bool_text(request->distinct));
    put_request_devices(lines, state, request->devices);
    put(lines, ",\"wait\":%s", bool_text(request->wait));
    put_holder(lines, &request->holder);
}

static void put_ids(struct lines *lines, const char *op, const struct event *event)
{
    put(lines, "{\"op\":\"%s\",\"ids\":[", op);
    for (uint32_t i = 0; i < event->id_count; i++) {
        put(lines, "%s", i > 0 ? "," : "");
        put_string(lines, event->ids[i]);
    }
    put(lines, "]");
}

static void put_queue(struct lines *lines, const struct queue *queue)
{
    put(lines, "{\"op\":\"queue\"");
    put_member(lines, "name", queue->name);
    put(lines, ",\"weight\":%" PRIu32, queue->weight);
    for (int i = 0; i < 2; i++) {
        const struct resreq *bound = i == 0 ? &queue->guarantee : &queue->limit;

        if (bound->named[RES_CPU] || bound->named[RES_MEM] || bound->named[RES_GPU])
            put_resreq(lines, i == 0 ? "guarantee" : "limit", bound);
    }
    put(lines, ",\"lend\":%s,\"max_priority\":%" PRId32, bool_text(queue->lend), queue->max_priority);
}

static void put_node(struct lines *lines, const struct node *node, const struct gpu *gpus, uint32_t count)
{
    char amount[AMOUNT_TEXT_SIZE];

    put(lines, "{\"op\":\"node\"");
    for (enum resource r = RES_CPU; r < RES_GPU; r++)
        put_member(lines, resource_name(r),
                   node->off[r] ? "off" : amount_format(r, node->capacity.of[r], amount));
    put(lines, ",\"gpus\":[");
    for (uint32_t i = 0; i < count; i++) {
        put(lines, "%s{\"uuid\":", i > 0 ? "," : "");
        put_string(lines, gpus[i].uuid);
        put(lines, ",\"replicas\":%" PRIu32 "}", gpus[i].replicas);
    }
    put(lines, "],\"max_bypass\":%" PRIu32 ",\"max_containers_per_gpu\":%" PRIu32, node->max_bypass,
        node->max_containers_per_gpu);
    /* In a trace a queue that nobody declared may ask for any priority; on a node it may not. */
    if (node->undeclared_max_priority != PRIORITY_MAX)
        put(lines, ",\"max_priority\":%" PRId32, node->undeclared_max_priority);
}

void line_event(struct lines *lines, const struct state *state, const struct event *event,
                const struct line_stamp *stamp)
{
    size_t start = lines->used;

    switch (event->kind) {
    case EVENT_NODE: put_node(lines, &event->node->node, event->node->gpus, event->node->gpu_count); break;
    case EVENT_QUEUE: put_queue(lines, event->queue); break;
    case EVENT_REQUEST: put_request(lines, state, event->request); break;
    case EVENT_RELEASE: put_ids(lines, "release", event); break;
    case EVENT_CANCEL: put_ids(lines, "cancel", event); break;
    case EVENT_TIMEOUT:
        put(lines, "{\"op\":\"timeout\"");
        put_member(lines, "id", event->ids[0]);
        break;
    case EVENT_HEALTH:
        put(lines, "{\"op\":\"health\"");
        put_member(lines, "gpu", event->gpu);
        put_member(lines, "state", event->excluded ? "excluded" : "ok");
        break;
    case EVENT_SETTLE: return; /* nothing happened: the state line before it says all */
    }
    put_end(lines, start, stamp);
}

void line_node(struct lines *lines, const struct state *state, const struct line_stamp *stamp)
{
    size_t start = lines->used;

    put_node(lines, &state->node, state->gpus, state->node_gpus);
    put_end(lines, start, stamp);
}

void line_queue(struct lines *lines, const struct queue *queue, const struct line_stamp *stamp)
{
    size_t start = lines->used;

    put_queue(lines, queue);
    put_end(lines, start, stamp);
}

/* --- decisions ----------------------------------------------------------------------------------------------- */

void line_decision(struct lines *lines, const struct state *state, const struct decisions *decisions,
                   const struct decision *decision, const struct line_stamp *stamp)
{
    const struct replica *replicas = &decisions->replicas[decision->first_replica];
    size_t start = lines->used;
    char sentence[SENTENCE_SIZE];

    put(lines, "{\"id\":");
    put_string(lines, decision->id);
    put_member(lines, "decision", verdict_name(decision->verdict));
    switch (decision->verdict) {
    case VERDICT_GRANTED:
        put_replicas(lines, state, replicas, decision->replica_count);
        put_member(lines, "queue", decision->queue);
        put(lines, ",\"share\":\"%" PRIu64 "/%" PRIu64 "\"", decision->share.held, decision->share.of);
        break;
    case VERDICT_WAITING:
    case VERDICT_DENIED:
        put_member(lines, "reason", reason_name(decision->why.reason));
        put_member(lines, "text", explanation_sentence(&decision->why, decision->queue, sentence));
        break;
    case VERDICT_RELEASED: put_replicas(lines, state, replicas, decision->replica_count); break;
    case VERDICT_CANCELLED: break;
    }
    put_end(lines, start, stamp);
}

/* --- a state ------------------------------------------------------------------------------------------------- */

static void put_grant(struct lines *lines, const struct state *state, const struct grant *grant)
{
    put(lines, "{\"id\":");
    put_string(lines, grant->id);
    put_member(lines, "queue", state->queues[grant->queue].name);
    put_ask(lines, &grant->ask);
    put(lines, ",\"priority\":%" PRId32 ",\"arrival\":%" PRIu64, grant->priority, grant->arrival);
    put_replicas(lines, state, &state->replicas[grant->first_replica], grant->ask.of[RES_GPU]);
    put_holder(lines, &grant->holder);
    put(lines, "}");
}

static void put_waiter(struct lines *lines, const struct state *state, const struct waiter *waiter)
{
    put(lines, "{\"id\":");
    put_string(lines, waiter->id);
    put_member(lines, "queue", state->queues[waiter->queue].name);
    put_ask(lines, &waiter->ask);
    put(lines, ",\"priority\":%" PRId32, waiter->priority);
    put_member(lines, "policy", policy_name(waiter->policy));
    put(lines, ",\"distinct\":%s", bool_text(waiter->distinct));
    put_devices(lines, state, waiter);
    put(lines, ",\"arrival\":%" PRIu64 ",\"bypassed\":%" PRIu32, waiter->arrival, waiter->bypassed);
    put_holder(lines, &waiter->holder);
    put(lines, "}");
}

void line_state(struct lines *lines, const struct state *state, const struct line_stamp *stamp)
{
    size_t start = lines->used;
    const char *comma = "";

    put(lines, "{\"op\":\"state\",\"arrival\":%" PRIu64 ",\"cursor\":", state->next_arrival);
    if (state->cursor == INDEX_NONE)
        put(lines, "null");
    else
        put_string(lines, state->gpus[state->cursor].uuid);
    put(lines, ",\"excluded\":[");
    for (uint32_t i = 0; i < state->gpu_count; i++) {
        if (!state->gpus[i].excluded)
            continue;
        put(lines, "%s", comma);
        put_string(lines, state->gpus[i].uuid);
        comma = ",";
    }
    put(lines, "],\"grants\":[");
    for (uint32_t i = 0; i < state->grant_count; i++) {
        put(lines, "%s", i > 0 ? "," : "");
        put_grant(lines, state, &state->grants[i]);
    }
    put(lines, "],\"waiters\":[");
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        put(lines, "%s", i > 0 ? "," : "");
        put_waiter(lines, state, &state->waiters[i]);
    }
    put(lines, "]");
    put_end(lines, start, stamp);
}

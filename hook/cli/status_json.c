/*
 * status_json.c - `allot status --json`: one object, for programs.
 */
#include <inttypes.h>

#include "alloc/line.h"
#include "hook/cli/status.h"
#include "hook/json.h"

static struct json_object *text(const char *value)
{
    return json_object_new_string(value);
}

static struct json_object *number(uint64_t value)
{
    return json_object_new_int64((int64_t)value);
}

static struct json_object *amounts(const struct resources *amount)
{
    struct json_object *object = json_object_new_object();

    json_object_object_add(object, "cpu_milli", number(amount->of[RES_CPU]));
    json_object_object_add(object, "mem_bytes", number(amount->of[RES_MEM]));
    json_object_object_add(object, "gpu", number(amount->of[RES_GPU]));
    return object;
}

/* As a resreq; null if it names nothing. */
static struct json_object *bound(const struct resreq *resreq)
{
    char buffer[RESREQ_TEXT_SIZE];

    return resreq_format(resreq, buffer)[0] != '\0' ? text(buffer) : NULL;
}

static struct json_object *all_gpus(const struct state *state)
{
    struct json_object *array = json_object_new_array();

    for (uint32_t i = 0; i < state->gpu_count; i++) {
        struct json_object *gpu = json_object_new_object();
        uint32_t used = 0;

        for (uint32_t n = 0; n < state->replica_count; n++)
            used += state->replicas[n].gpu == i;
        json_object_object_add(gpu, "uuid", text(state->gpus[i].uuid));
        json_object_object_add(gpu, "replicas", number(state->gpus[i].replicas));
        json_object_object_add(gpu, "used", number(used));
        json_object_object_add(gpu, "excluded", json_object_new_boolean(state->gpus[i].excluded));
        json_object_object_add(gpu, "vanished", json_object_new_boolean(i >= state->node_gpus));
        json_object_array_add(array, gpu);
    }
    return array;
}

static struct json_object *all_queues(const struct status *status)
{
    struct json_object *array = json_object_new_array();

    for (uint32_t i = 0; i < status->state->queue_count; i++) {
        struct json_object *queue = json_object_new_object();
        struct share share = share_reduce(status->account[i].share);
        char fraction[48];

        snprintf(fraction, sizeof(fraction), "%" PRIu64 "/%" PRIu64, share.held, share.of);
        json_object_object_add(queue, "name", text(status->state->queues[i].name));
        json_object_object_add(queue, "weight", number(status->state->queues[i].weight));
        json_object_object_add(queue, "guarantee", bound(&status->state->queues[i].guarantee));
        json_object_object_add(queue, "limit", bound(&status->state->queues[i].limit));
        json_object_object_add(queue, "lend", json_object_new_boolean(status->state->queues[i].lend));
        json_object_object_add(queue, "max_priority",
                               json_object_new_int64(status->state->queues[i].max_priority));
        json_object_object_add(queue, "share", text(fraction));
        json_object_object_add(queue, "held", amounts(&status->account[i].held));
        json_object_array_add(array, queue);
    }
    return array;
}

/* What grants and waiters have in common. */
static struct json_object *record(const struct state *state, const char *id, uint32_t queue,
                                  const struct resources *ask, int32_t priority, const struct holder *holder)
{
    struct json_object *object = json_object_new_object();

    json_object_object_add(object, "id", text(id));
    json_object_object_add(object, "queue", text(state->queues[queue].name));
    json_object_object_add(object, "ask", amounts(ask));
    json_object_object_add(object, "priority", json_object_new_int64(priority));
    json_object_object_add(object, "pid",
                           json_object_new_int64(holder->process != 0 ? holder->process : holder->owner));
    json_object_object_add(object, "since", number(holder->since_s));
    return object;
}

static struct json_object *all_grants(const struct state *state)
{
    struct json_object *array = json_object_new_array();

    for (uint32_t i = 0; i < state->grant_count; i++) {
        const struct grant *grant = &state->grants[i];
        struct json_object *object =
            record(state, grant->id, grant->queue, &grant->ask, grant->priority, &grant->holder);
        struct json_object *replicas = json_object_new_array();
        char name[REPLICA_TEXT_SIZE];

        for (uint32_t n = 0; n < grant->ask.of[RES_GPU]; n++)
            json_object_array_add(
                replicas, text(replica_format(state, state->replicas[grant->first_replica + n], name)));
        json_object_object_add(object, "replicas", replicas);
        json_object_array_add(array, object);
    }
    return array;
}

static struct json_object *all_waiters(const struct status *status)
{
    const struct state *state = status->state;
    struct json_object *array = json_object_new_array();
    char sentence[SENTENCE_SIZE];

    for (uint32_t i = 0; i < state->waiter_count; i++) {
        const struct waiter *waiter = &state->waiters[i];
        struct json_object *object =
            record(state, waiter->id, waiter->queue, &waiter->ask, waiter->priority, &waiter->holder);

        json_object_object_add(object, "bypassed", number(waiter->bypassed));
        json_object_object_add(object, "reason", text(reason_name(status->why[i].reason)));
        json_object_object_add(
            object, "text",
            text(explanation_sentence(&status->why[i], state->queues[waiter->queue].name, sentence)));
        json_object_array_add(array, object);
    }
    return array;
}

void status_print_json(const struct status *status, FILE *out)
{
    CLEAN_JSON struct json_object *object = json_object_new_object();

    json_object_object_add(object, "capacity", amounts(&status->state->node.capacity));
    json_object_object_add(object, "held", amounts(&status->held));
    json_object_object_add(object, "gpus", all_gpus(status->state));
    json_object_object_add(object, "queues", all_queues(status));
    json_object_object_add(object, "grants", all_grants(status->state));
    json_object_object_add(object, "waiters", all_waiters(status));
    json_object_object_add(object, "more_units", number(status->more_units));
    fprintf(out, "%s\n",
            json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
}

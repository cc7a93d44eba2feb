#include "alloc/ledger/in_force.h"

#include <string.h>

static bool same_node(const struct state *state, const struct node_description *node)
{
    const struct node *a = &state->node;
    const struct node *b = &node->node;

    if (state->node_gpus != node->gpu_count || a->off[RES_CPU] != b->off[RES_CPU] ||
        a->off[RES_MEM] != b->off[RES_MEM] || a->capacity.of[RES_CPU] != b->capacity.of[RES_CPU] ||
        a->capacity.of[RES_MEM] != b->capacity.of[RES_MEM] || a->max_bypass != b->max_bypass ||
        a->max_containers_per_gpu != b->max_containers_per_gpu ||
        a->undeclared_max_priority != b->undeclared_max_priority)
        return false;
    for (uint32_t i = 0; i < node->gpu_count; i++) {
        if (strcmp(state->gpus[i].uuid, node->gpus[i].uuid) != 0 ||
            state->gpus[i].replicas != node->gpus[i].replicas)
            return false;
    }
    return true;
}

static bool same_resreq(const struct resreq *a, const struct resreq *b)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (a->named[r] != b->named[r] || a->amount.of[r] != b->amount.of[r])
            return false;
    }
    return true;
}

static bool same_queue(const struct queue *a, const struct queue *b)
{
    return a->weight == b->weight && a->lend == b->lend && a->max_priority == b->max_priority &&
           same_resreq(&a->guarantee, &b->guarantee) && same_resreq(&a->limit, &b->limit);
}

/* The queue as it should be: declared in the options, or nothing special. */
static struct queue queue_in_force(const struct ledger_options *options, const char *name)
{
    for (size_t i = 0; i < options->queue_count; i++) {
        if (strcmp(options->queues[i].name, name) == 0)
            return options->queues[i];
    }
    return queue_default(name, options->node->node.undeclared_max_priority);
}

static bool describes_gpu(const struct node_description *node, const char *uuid)
{
    for (uint32_t i = 0; i < node->gpu_count; i++) {
        if (strcmp(node->gpus[i].uuid, uuid) == 0)
            return true;
    }
    return false;
}

/* How the inventory differs from the one that the ledger knows. */
static void compare_inventory(struct ledger *ledger)
{
    const struct node_description *node = ledger->options.node;
    const struct state *state = ledger->image.state;

    for (uint32_t i = 0; i < state->node_gpus; i++)
        ledger->gpus_vanished += !describes_gpu(node, state->gpus[i].uuid);
    for (uint32_t i = 0; i < node->gpu_count && state->node_gpus > 0; i++) {
        uint32_t at = state_find_gpu(state, node->gpus[i].uuid);

        ledger->gpus_came += at == INDEX_NONE || at >= state->node_gpus;
    }
}

int in_force_apply(struct ledger *ledger, struct error *err)
{
    const struct ledger_options *options = &ledger->options;
    const struct state *state = ledger->image.state;

    ledger->gpus_vanished = ledger->gpus_came = 0;
    if (!same_node(state, options->node)) {
        compare_inventory(ledger);
        if (ledger_decide(ledger, &(struct event){.kind = EVENT_NODE, .node = options->node}, err) < 0)
            return -1;
    }
    for (uint32_t i = 0; i < state->queue_count; i++) {
        struct queue queue = queue_in_force(options, state->queues[i].name);

        if (state->queues[i].declared && !same_queue(&state->queues[i], &queue) &&
            ledger_decide(ledger, &(struct event){.kind = EVENT_QUEUE, .queue = &queue}, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < options->queue_count; i++) {
        const struct queue *queue = &options->queues[i];
        uint32_t at = state_find_queue(state, queue->name);

        if ((at == INDEX_NONE || !state->queues[at].declared) &&
            ledger_decide(ledger, &(struct event){.kind = EVENT_QUEUE, .queue = queue}, err) < 0)
            return -1;
    }
    return 0;
}

#include "tests/support/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct world *world_new(void)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    world->state = calloc(1, sizeof(*world->state));
    world->workspace = calloc(1, sizeof(*world->workspace));
    world->decisions = calloc(1, sizeof(*world->decisions));
    assert_true(world->state != NULL && world->workspace != NULL && world->decisions != NULL);
    state_init(world->state);
    return world;
}

void world_free(struct world *world)
{
    free(world->state);
    free(world->workspace);
    free(world->decisions);
    free(world);
}

void world_copy_state(struct state *to, const struct state *from)
{
    memcpy(to, from, offsetof(struct state, gpus));
    memcpy(to->gpus, from->gpus, from->gpu_count * sizeof(from->gpus[0]));
    memcpy(to->queues, from->queues, from->queue_count * sizeof(from->queues[0]));
    memcpy(to->grants, from->grants, from->grant_count * sizeof(from->grants[0]));
    memcpy(to->waiters, from->waiters, from->waiter_count * sizeof(from->waiters[0]));
    memcpy(to->replicas, from->replicas, from->replica_count * sizeof(from->replicas[0]));
}

bool world_same_state(const struct state *a, const struct state *b)
{
    return a->gpu_count == b->gpu_count && a->queue_count == b->queue_count &&
           a->grant_count == b->grant_count && a->waiter_count == b->waiter_count &&
           a->replica_count == b->replica_count && a->cursor == b->cursor &&
           memcmp(a->gpus, b->gpus, a->gpu_count * sizeof(a->gpus[0])) == 0 &&
           memcmp(a->queues, b->queues, a->queue_count * sizeof(a->queues[0])) == 0 &&
           memcmp(a->grants, b->grants, a->grant_count * sizeof(a->grants[0])) == 0 &&
           memcmp(a->waiters, b->waiters, a->waiter_count * sizeof(a->waiters[0])) == 0 &&
           memcmp(a->replicas, b->replicas, a->replica_count * sizeof(a->replicas[0])) == 0;
}

void world_decide(struct world *world, const struct event *event)
{
    struct error err = {0};

    if (decide(world->state, event, world->workspace, world->decisions, &err) < 0)
        fail_msg("an event is impossible: %s", err.text);
    if (state_broken(world->state) != NULL)
        fail_msg("the state is broken: %s", state_broken(world->state));
}

void world_set_node(struct world *world, uint32_t gpus, uint32_t replicas, uint32_t cpu, uint32_t mem_g,
                    uint32_t max_bypass, uint32_t max_containers)
{
    struct gpu *list = calloc(gpus + 1, sizeof(list[0]));
    struct node_description node = {.gpus = list, .gpu_count = gpus};

    assert_non_null(list);
    for (uint32_t i = 0; i < gpus; i++) {
        snprintf(list[i].uuid, sizeof(list[i].uuid), "GPU-%u", i);
        list[i].replicas = replicas;
    }
    node.node.capacity.of[RES_CPU] = cpu * 1000ULL;
    node.node.capacity.of[RES_MEM] = (uint64_t)mem_g << 30;
    node.node.max_bypass = max_bypass;
    node.node.max_containers_per_gpu = max_containers;
    node.node.undeclared_max_priority = PRIORITY_MAX;
    world_decide(world, &(struct event){.kind = EVENT_NODE, .node = &node});
    free(list);
}

struct resreq world_resreq(const char *text)
{
    struct resreq resreq = {0};
    struct error err = {0};

    if (text != NULL && resreq_parse(text, strlen(text), &resreq, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return resreq;
}

void world_declare(struct world *world, const char *name, uint32_t weight, const char *guarantee,
                   const char *limit, bool lend)
{
    struct queue queue = queue_default(name, PRIORITY_MAX);

    queue.weight = weight;
    queue.guarantee = world_resreq(guarantee);
    queue.limit = world_resreq(limit);
    queue.lend = lend;
    world_decide(world, &(struct event){.kind = EVENT_QUEUE, .queue = &queue});
}

struct request world_make_request(const char *id, const char *queue, const char *resreq)
{
    struct request request = {.ask = world_resreq(resreq).amount, .wait = true};

    snprintf(request.id, sizeof(request.id), "%s", id);
    snprintf(request.queue, sizeof(request.queue), "%s", queue);
    return request;
}

enum verdict world_ask(struct world *world, const struct request *request)
{
    const struct decision *decision;

    world_decide(world, &(struct event){.kind = EVENT_REQUEST, .request = request});
    decision = world_decision(world, request->id);
    if (decision == NULL) {
        fail_msg("nothing was decided about %s", request->id);
        abort(); /* for the compiler, which does not know that fail_msg() ends the test */
    }
    return decision->verdict;
}

enum verdict world_request(struct world *world, const char *id, const char *queue, const char *resreq)
{
    struct request request = world_make_request(id, queue, resreq);

    return world_ask(world, &request);
}

void world_release(struct world *world, const char *id)
{
    world_decide(world, &(struct event){.kind = EVENT_RELEASE, .ids = &id, .id_count = 1});
}

const struct decision *world_decision(const struct world *world, const char *id)
{
    for (uint32_t i = 0; i < world->decisions->count; i++) {
        if (strcmp(world->decisions->item[i].id, id) == 0)
            return &world->decisions->item[i];
    }
    return NULL;
}

/* --- random worlds ------------------------------------------------------------------------------------------- */

static const char *const queue_names[] = {"a", "b", "c", "d", "e", "other"};

static const char *roll_queue_name(struct dice *dice)
{
    return queue_names[dice_below(dice, sizeof(queue_names) / sizeof(queue_names[0]))];
}

static void roll_node(struct dice *dice, struct random_event *out)
{
    struct node *node = &out->node.node;
    uint32_t count = dice_between(dice, 1, 6);
    uint32_t first = dice_below(dice, 3); /* so that GPUs come, go and move */

    out->node = (struct node_description){.gpus = out->gpus, .gpu_count = count};
    for (uint32_t i = 0; i < count; i++) {
        out->gpus[i] = (struct gpu){.replicas = dice_between(dice, 1, 5)};
        snprintf(out->gpus[i].uuid, sizeof(out->gpus[i].uuid), "GPU-%u", first + i);
    }
    for (enum resource r = RES_CPU; r < RES_GPU; r++) {
        node->off[r] = dice_chance(dice, 6);
        node->capacity.of[r] = dice_chance(dice, 12) ? 0 : dice_between(dice, 4, 16);
    }
    node->max_bypass = (uint32_t[]){0, 1, 2, 3, 8}[dice_below(dice, 5)];
    node->max_containers_per_gpu = dice_chance(dice, 3) ? dice_between(dice, 1, 3) : 0;
    node->undeclared_max_priority = PRIORITY_MAX;
    out->event = (struct event){.kind = EVENT_NODE, .node = &out->node};
}

static struct resreq roll_bound(struct dice *dice, uint32_t most)
{
    struct resreq bound = {0};

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        bound.named[r] = dice_chance(dice, 3);
        bound.amount.of[r] = bound.named[r] ? dice_below(dice, most) : 0;
    }
    return bound;
}

static void roll_queue(struct dice *dice, struct random_event *out)
{
    struct queue *queue = &out->queue;

    *queue = queue_default(roll_queue_name(dice), PRIORITY_MAX);
    queue->weight = dice_chance(dice, 2) ? 1 : dice_between(dice, 1, 4);
    queue->lend = !dice_chance(dice, 3);
    if (dice_chance(dice, 2))
        queue->guarantee = roll_bound(dice, queue->lend ? 6 : 3);
    if (dice_chance(dice, 2))
        queue->limit = roll_bound(dice, 10);
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (queue->limit.named[r] && queue->guarantee.amount.of[r] > queue->limit.amount.of[r])
            queue->limit.amount.of[r] = queue->guarantee.amount.of[r];
    }
    out->event = (struct event){.kind = EVENT_QUEUE, .queue = queue};
}

void world_roll_request(struct world *world, struct dice *dice, struct request *out)
{
    const struct state *state = world->state;
    uint32_t shape = dice_below(dice, 5);
    uint32_t scale = dice_chance(dice, 4) ? 8 : 3;

    *out = (struct request){.wait = !dice_chance(dice, 5)};
    snprintf(out->id, sizeof(out->id), "c%u", world->next_id++);
    snprintf(out->queue, sizeof(out->queue), "%s", roll_queue_name(dice));
    if (shape != 1)
        out->ask.of[RES_GPU] = dice_between(dice, 1, scale);
    if (shape != 0)
        out->ask.of[RES_CPU] = dice_below(dice, scale);
    if (shape > 2)
        out->ask.of[RES_MEM] = dice_below(dice, scale);
    out->policy = (enum policy)dice_below(dice, POLICY_COUNT);
    out->priority = dice_chance(dice, 4) ? (int64_t)dice_below(dice, 3) - 1 : 0;
    out->distinct = dice_chance(dice, 5);
    if (dice_chance(dice, 5)) {
        uint32_t gpu = dice_below(dice, state->node_gpus);

        snprintf(out->devices, sizeof(out->devices), "%s", state->gpus[gpu].uuid);
        if (gpu + 1 < state->node_gpus && dice_chance(dice, 2))
            snprintf(out->devices, sizeof(out->devices), "%s,%u", state->gpus[gpu].uuid, gpu + 1);
    }
}

static void roll_release(struct world *world, struct dice *dice, struct random_event *out)
{
    const struct state *state = world->state;
    uint32_t count = dice_chance(dice, 3) ? dice_between(dice, 1, 4) : 1;
    uint32_t first = dice_below(dice, state->grant_count);

    out->event = (struct event){.kind = EVENT_RELEASE, .ids = out->ids};
    for (uint32_t i = 0; i < count && first + i < state->grant_count; i++) {
        memcpy(out->ids_text[i], state->grants[first + i].id, ID_SIZE);
        out->ids[i] = out->ids_text[i];
        out->event.id_count++;
    }
}

static void roll_leave(struct world *world, struct dice *dice, struct random_event *out)
{
    const struct state *state = world->state;

    memcpy(out->ids_text[0], state->waiters[dice_below(dice, state->waiter_count)].id, ID_SIZE);
    out->ids[0] = out->ids_text[0];
    out->event = (struct event){
        .kind = dice_chance(dice, 2) ? EVENT_TIMEOUT : EVENT_CANCEL, .ids = out->ids, .id_count = 1};
}

static void roll_health(struct world *world, struct dice *dice, struct random_event *out)
{
    memcpy(out->gpu, world->state->gpus[dice_below(dice, world->state->node_gpus)].uuid, UUID_SIZE);
    out->event = (struct event){.kind = EVENT_HEALTH, .gpu = out->gpu, .excluded = dice_chance(dice, 2)};
}

/* A queue whose guarantee, if it is not lent, the node can give. */
static bool queue_is_possible(const struct world *world, const struct queue *queue)
{
    const struct state *state = world->state;

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        uint64_t sum = queue->guarantee.amount.of[r];

        for (uint32_t i = 0; i < state->queue_count; i++) {
            if (!state->queues[i].lend && strcmp(state->queues[i].name, queue->name) != 0)
                sum += state->queues[i].guarantee.amount.of[r];
        }
        if (!queue->lend && !state->node.off[r] && sum > state->node.capacity.of[r])
            return false;
    }
    return true;
}

void world_roll(struct world *world, struct dice *dice, struct random_event *out)
{
    const struct state *state = world->state;
    uint32_t face = dice_below(dice, 100);

    if (face < 2) {
        roll_node(dice, out);
    } else if (face < 6) {
        do
            roll_queue(dice, out);
        while (!queue_is_possible(world, &out->queue));
    } else if (face < 11) {
        roll_health(world, dice, out);
    } else if (face < 18 && state->waiter_count > 0) {
        roll_leave(world, dice, out);
    } else if (face < 48 && state->grant_count > 0) {
        roll_release(world, dice, out);
    } else {
        world_roll_request(world, dice, &out->request);
        out->event = (struct event){.kind = EVENT_REQUEST, .request = &out->request};
    }
}

void world_begin(struct world *world, struct dice *dice)
{
    struct random_event event;

    state_init(world->state);
    world->next_id = 1;
    roll_node(dice, &event);
    world_decide(world, &event.event);
    for (uint32_t i = dice_below(dice, 5); i > 0; i--) {
        do
            roll_queue(dice, &event);
        while (!queue_is_possible(world, &event.queue));
        world_decide(world, &event.event);
    }
}

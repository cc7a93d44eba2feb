/*
 * world.h - a node to try decide() on: the memory, short ways to make events, and random ones.
 */
#ifndef ALLOT_TESTS_SUPPORT_WORLD_H
#define ALLOT_TESTS_SUPPORT_WORLD_H

#include "alloc/decide.h"
#include "tests/support/dice.h"

struct world {
    struct state *state;
    struct workspace *workspace;
    struct decisions *decisions;
    uint32_t next_id;
};

struct world *world_new(void);
void world_free(struct world *world);

/* `to` becomes as `from`; only the parts in use are copied. */
void world_copy_state(struct state *to, const struct state *from);

/* Are grants, waiters, queues, GPUs and cursor the same, to the byte? The arrival counter may differ. */
bool world_same_state(const struct state *a, const struct state *b);

/* An event that must be possible: the test fails if decide() says it is not. */
void world_decide(struct world *world, const struct event *event);

/* `gpus` GPUs named GPU-0… with `replicas` each; cpu in whole cpus, mem in gigabytes. */
void world_set_node(struct world *world, uint32_t gpus, uint32_t replicas, uint32_t cpu, uint32_t mem_g,
                    uint32_t max_bypass, uint32_t max_containers);

/* From "cpu=1,gpu=2"; NULL: names nothing. */
struct resreq world_resreq(const char *text);

void world_declare(struct world *world, const char *name, uint32_t weight, const char *guarantee,
                   const char *limit, bool lend);

/* A request of `resreq`, of the queue, that may wait. Returns what was decided about it. */
enum verdict world_request(struct world *world, const char *id, const char *queue, const char *resreq);
struct request world_make_request(const char *id, const char *queue, const char *resreq);
enum verdict world_ask(struct world *world, const struct request *request);

void world_release(struct world *world, const char *id);

/* The decision about `id` in the last event, or NULL. */
const struct decision *world_decision(const struct world *world, const char *id);

/* --- random worlds --- */

/* A random event with the memory that it points to. */
struct random_event {
    struct event event;
    struct node_description node;
    struct gpu gpus[8];
    struct queue queue;
    struct request request;
    char ids_text[4][ID_SIZE];
    const char *ids[4];
    char gpu[UUID_SIZE];
};

/* A random node and queues to begin with. */
void world_begin(struct world *world, struct dice *dice);

/* A random event that is possible now: of all kinds, mostly requests and releases. */
void world_roll(struct world *world, struct dice *dice, struct random_event *out);

/* A random request for a world that world_begin() made. */
void world_roll_request(struct world *world, struct dice *dice, struct request *out);

#endif

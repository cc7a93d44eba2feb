/*
 * decide.h - start here: the whole of allot's judgement is one function.
 *
 *     request -> admission (admission.h, books.h) -> placement (placement.h) -> grant
 *                     \ settle (settle.h): the same for everybody who waits, after every change
 *
 * decide() takes a state and one event, and leaves the state that follows and the decisions that led there, each with
 * its reason. It has no I/O, no clock, no environment, no floating point, and allocates nothing: it works in memory
 * that the caller lends. The shim, the hook, the command line and `allot simulate` call this same function, so what is
 * simulated is what happens.
 */
#ifndef ALLOT_ALLOC_DECIDE_H
#define ALLOT_ALLOC_DECIDE_H

#include "alloc/admission.h"
#include "alloc/decision.h"
#include "alloc/request.h"
#include "alloc/settle.h"
#include "alloc/state.h"

enum event_kind {
    EVENT_NODE,    /* the node is another one: `node` */
    EVENT_QUEUE,   /* a queue is declared: `queue` */
    EVENT_REQUEST, /* somebody asks: `request` */
    EVENT_RELEASE, /* grants ended, together: `ids` */
    EVENT_TIMEOUT, /* a waiter has waited long enough: `ids[0]` */
    EVENT_CANCEL,  /* waiters went away, together: `ids` */
    EVENT_HEALTH,  /* a GPU is excluded, or no longer: `gpu`, `excluded` */
    EVENT_SETTLE,  /* the caller changed the state itself */
};

struct event {
    enum event_kind kind;
    const struct node_description *node;
    const struct queue *queue;
    const struct request *request;
    const char *const *ids;
    uint32_t id_count;
    const char *gpu; /* UUID or index */
    bool excluded;
};

/* Memory to work in: large, and without meaning between calls. Pages that are not needed are not touched. */
struct workspace {
    struct admission admission;
    struct settle settle;
    bool gone[GRANTS_MAX]; /* grants, or waiters */
    struct gpu gpus[GPUS_MAX];
};
_Static_assert(WAITERS_MAX <= GRANTS_MAX, "struct workspace");

/* -1 with ERROR_INPUT if the event cannot be (an id that is not held, a live id that asks again, an unknown GPU, an
 * impossible node or queue); then the state is as before. */
int decide(struct state *state, const struct event *event, struct workspace *workspace,
           struct decisions *decisions, struct error *err);

/* Would decide() grant the request at once? The state stays as it is, but for its undeclared queues. */
bool decide_would_grant(struct state *state, const struct request *request, struct workspace *workspace);

/* Could the request never be granted, as the node and the queues are? Likewise. */
bool decide_never_fits(struct state *state, const struct request *request, struct workspace *workspace,
                       struct explanation *why);

/* The GPU of the node that a person means by its UUID or its index, also a UUID that vanished; or INDEX_NONE. */
uint32_t decide_find_gpu(const struct state *state, const char *name, size_t length);

#endif

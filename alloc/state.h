/*
 * state.h - the whole truth about a node, as one plain value.
 *
 *     node     what there is to share, and the rules
 *     gpus     those of the node, in its order; behind them those that vanished but are still referred to
 *     queues   declared ones and those in use, sorted by name, so that an index compares like a name
 *     grants   in the order in which they were given; their replicas lie in one pool
 *     waiters  in the order of arrival
 *
 * Tables refer to each other by index. The functions here keep those references right and do nothing else: they
 * decide nothing. They live on memory that the caller owns; state_init() comes first.
 */
#ifndef ALLOT_ALLOC_STATE_H
#define ALLOT_ALLOC_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/error.h"
#include "alloc/limits.h"
#include "alloc/policy.h"
#include "alloc/queue.h"
#include "alloc/resource.h"

#define INDEX_NONE UINT32_MAX

struct node {
    struct resources capacity; /* gpu: the replicas of all GPUs of the node, excluded ones included */
    bool off[RES_COUNT];       /* neither checked nor shared */
    uint32_t max_bypass;
    uint32_t max_containers_per_gpu; /* 0: no cap */
    int32_t undeclared_max_priority; /* of queues that nobody declared */
};

struct gpu {
    char uuid[UUID_SIZE];
    uint32_t replicas; /* 0 once it vanished */
    bool excluded;
};

struct replica {
    uint16_t gpu; /* index in `gpus` */
    uint16_t number;
};

/*
 * Whom a record belongs to. The core carries it from the request to the grant and never looks inside; alloc/ledger/life.h
 * judges it. All zero in a simulation. Start times are clock ticks after boot.
 */
struct holder {
    int32_t owner;   /* pid of the process that made the record; 0: nobody's */
    int32_t process; /* pid of the container's process, once the record is bound to it; else 0 */
    uint64_t owner_start;
    uint64_t process_start;
    uint64_t since_s;  /* wall clock when it was granted or began to wait; for people only */
    uint64_t doubt_ms; /* boot time since when there is no evidence of life; 0: there is */
};

struct grant {
    char id[ID_SIZE];
    struct holder holder;
    struct resources ask;
    uint64_t arrival;
    uint32_t first_replica; /* in the pool; ask's gpu of them */
    uint32_t queue;
    int32_t priority;
};

struct waiter {
    char id[ID_SIZE];
    struct holder holder;
    struct resources ask;
    uint64_t arrival;
    uint32_t bypassed;
    uint32_t queue;
    int32_t priority;
    enum policy policy;
    bool distinct;
    uint16_t device_count; /* 0: any GPU */
    uint16_t devices[DEVICES_MAX];
};

struct state {
    struct node node;

    uint32_t gpu_count; /* with the vanished */
    uint32_t node_gpus; /* without */
    uint32_t queue_count;
    uint32_t grant_count;
    uint32_t waiter_count;
    uint32_t replica_count;

    uint32_t cursor; /* the GPU that a round-robin grant picked last, or INDEX_NONE */
    uint64_t next_arrival;

    struct gpu gpus[GPUS_MAX];
    struct queue queues[QUEUES_MAX];
    struct grant grants[GRANTS_MAX];
    struct waiter waiters[WAITERS_MAX];
    struct replica replicas[REPLICAS_MAX];
};

_Static_assert(GPUS_MAX <= UINT16_MAX && REPLICAS_PER_GPU_MAX <= UINT16_MAX, "struct replica");

/* An empty node. */
void state_init(struct state *state);

/* --- the node and its queues --- */

/* What the node is made of, as an inventory or a configuration says. */
struct node_description {
    struct node node;       /* capacity.of[RES_GPU] is computed from the GPUs */
    const struct gpu *gpus; /* only uuid and replicas are read */
    uint32_t gpu_count;
};

/* Replaces the node wholly. Grants and waiters stay, and so does the exclusion of a GPU; a GPU that is gone is
 * remembered while something refers to it. `spare` is room for a copy of the GPU table. Duplicate or empty
 * UUIDs and counts out of bounds are ERROR_INPUT, and the state is as before. */
int state_set_node(struct state *state, const struct node_description *description,
                   struct gpu spare[static GPUS_MAX], struct error *err);

/* Declares a queue or replaces its declaration wholly. Non-lent guarantees above the capacity are ERROR_INPUT. */
int state_declare_queue(struct state *state, const struct queue *queue, struct error *err);

/* The index of the queue of that name; an unknown one is added as undeclared. INDEX_NONE: the table is full. */
uint32_t state_use_queue(struct state *state, const char *name);

/* --- look-ups; INDEX_NONE if there is none --- */

uint32_t state_find_gpu(const struct state *state, const char *uuid); /* also a vanished one */
uint32_t state_find_queue(const struct state *state, const char *name);
uint32_t state_find_grant(const struct state *state, const char *id);
uint32_t state_find_waiter(const struct state *state, const char *id);

/* --- grants and waiters; the caller has checked that there is room --- */

/* Appends a grant of `waiter`'s request with these replicas (as many as it asks for). */
void state_add_grant(struct state *state, const struct waiter *waiter, const struct replica *replicas);

/* Removes the grants whose flag is set, in one pass. */
void state_remove_grants(struct state *state, const bool *gone);

/* Puts it where it belongs by its arrival, which no other waiter has: at the end, unless a state is being restored. */
void state_add_waiter(struct state *state, const struct waiter *waiter);

/* Is this one of the devices that it is restricted to? */
bool waiter_names_device(const struct waiter *waiter, uint32_t gpu);

/* Removes the waiters whose flag is set, in one pass. */
void state_remove_waiters(struct state *state, const bool *gone);

/* Forgets undeclared queues and vanished GPUs that nothing refers to any more. Indices change. */
void state_tidy(struct state *state);

/* NULL if every promise of this header holds, else which one is broken: replicas held twice, references that
 * lead nowhere, order. For tests, and for whoever read a state from outside. */
const char *state_broken(const struct state *state);

#endif

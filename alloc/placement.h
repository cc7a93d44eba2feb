/*
 * placement.h - which replicas a request gets (DESIGN.md section 6).
 *
 * Every GPU is a bucket in an indexed min-heap, one heap a policy; the root is the GPU that the policy wants
 * next. A pick takes one replica of the root and sifts that one bucket down: nothing is popped. Buckets that take
 * no replica of this request (full, excluded, at their cap of containers, already picked where `distinct`) sort
 * last, so a root that takes none means that there is no room. A heap is built once, when its policy is first
 * used, in O(m); from then on n replicas over m GPUs cost O(n log m). Requests that name their devices get a heap
 * of just those. round-robin has no key that stands still: it walks a bit set of the GPUs with room.
 *
 * A pick is provisional: placement_pick(), a look at what it did to others (the AFTER view), and then exactly one
 * of placement_keep() and placement_drop(). The same state and request always give the same replicas.
 */
#ifndef ALLOT_ALLOC_PLACEMENT_H
#define ALLOT_ALLOC_PLACEMENT_H

#include "alloc/gpu_set.h"
#include "alloc/heap.h"
#include "alloc/state.h"

/* Before or after the provisional pick; the same if there is none. */
enum view {
    BEFORE,
    AFTER,
};

#define HELD_WORDS (REPLICAS_PER_GPU_MAX / 64)

struct bucket {
    bool healthy; /* in the node, and not excluded */
    uint32_t index;
    uint32_t replicas;
    uint32_t used;       /* replicas held by all grants and by the provisional pick */
    uint32_t free;       /* replicas that nobody holds */
    uint32_t containers; /* without the provisional pick */
    uint32_t picked;     /* provisionally */
    uint32_t last_grant; /* while counting containers */
    uint64_t held[HELD_WORDS];
};

/* How much a request finds that does not care on which GPU it is. */
struct openings {
    uint64_t replicas; /* free ones on GPUs that take a further container */
    uint64_t gpus;     /* GPUs that take a further container */
};

struct bucket_heap {
    struct heap heap;
    bool built;
    uint32_t slot[GPUS_MAX];
};

struct placement {
    const struct state *state;
    struct openings openings[2];  /* by view */
    struct openings idle;         /* of the idle node, all healthy */
    struct openings idle_healthy; /* of the idle node without its excluded GPUs */
    uint64_t excluded_free;       /* free replicas of excluded GPUs */
    uint32_t cursor[2];           /* by view: the GPU that round-robin picked last, or INDEX_NONE */

    bool distinct; /* the request being placed */
    uint32_t pick_count;
    struct replica picks[GRANT_REPLICAS_MAX];

    struct gpu_set open; /* takes a replica of this request */
    struct bucket_heap whole[POLICY_COUNT];
    struct bucket_heap listed;
    uint32_t where[POLICY_COUNT + 1][GPUS_MAX];
    struct bucket bucket[GPUS_MAX];
};

/* Reads the buckets off the grants. */
void placement_init(struct placement *placement, const struct state *state);

/* Picks provisionally what `waiter` asks for; the result is in picks[0..pick_count). The caller has seen to it that
 * placement_finds() enough. */
void placement_pick(struct placement *placement, const struct waiter *waiter);

void placement_keep(struct placement *placement);
void placement_drop(struct placement *placement);

/* How many replicas the constraints of `waiter` (devices, distinct, healthy GPUs, container cap) find. */
uint64_t placement_finds(const struct placement *placement, const struct waiter *waiter, enum view view);

/* The same now, if no GPU were excluded. */
uint64_t placement_finds_if_all_healthy(const struct placement *placement, const struct waiter *waiter);

/* The same on the idle node, with or without its excluded GPUs. */
uint64_t placement_finds_idle(const struct placement *placement, const struct waiter *waiter,
                              bool with_excluded);

/* The fewest replicas that the provisional pick leaves to further containers on a GPU that it touched. */
uint64_t placement_least_left(const struct placement *placement);

/* Comparisons that all heaps made so far. */
uint64_t placement_comparisons(const struct placement *placement);

#endif

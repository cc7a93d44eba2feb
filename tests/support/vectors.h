/*
 * vectors.h - known cases with their results: the project's own copy as tables, and the same from ../shared/vectors (or
 * $ALLOT_SHARED/vectors) where that is there.
 */
#ifndef ALLOT_TESTS_SUPPORT_VECTORS_H
#define ALLOT_TESTS_SUPPORT_VECTORS_H

#include "alloc/policy.h"
#include "alloc/state.h"

/* Cases of placement: which GPUs get how many of `size` replicas. */
#define PLACEMENT_VECTOR_GPUS     4
#define PLACEMENT_VECTOR_REPLICAS 16

struct placement_vector {
    const char *name;
    enum policy policy;
    uint32_t gpu_count;
    struct gpu gpus[PLACEMENT_VECTOR_GPUS];
    bool taken[PLACEMENT_VECTOR_GPUS][PLACEMENT_VECTOR_REPLICAS];
    uint32_t size;
    /* What is expected; 0 or false where the case does not say. */
    bool error;
    bool has_per_gpu;
    uint32_t per_gpu[PLACEMENT_VECTOR_GPUS];
    uint32_t distinct_gpus;
    uint32_t max_per_gpu;
    uint32_t min_per_gpu_nonzero;
};

extern const struct placement_vector placement_vectors[];
extern const size_t placement_vector_count;

void vector_check_counts(const struct placement_vector *vector, const uint32_t *per_gpu);

/* Cases of fairness: a request holds the whole node; every queue's waiters arrive, all of the first queue's before the
 * second's; the node is released. */
struct drf_vector {
    const char *name;
    uint64_t capacity[RES_COUNT]; /* cpu, mem in units of their own, gpu */
    const char *queue[2];
    uint64_t demand[2][RES_COUNT];
    uint32_t weight[2];
    uint32_t granted[2];
    const char *share[2]; /* unweighted, at the end; NULL: not said */
    const char *sequence; /* of the grants, "A B A"; NULL: not said */
};

extern const struct drf_vector drf_vectors[];
extern const size_t drf_vector_count;

/* Calls `check` for every case of the shared file. False: the file is not there. */
bool vectors_each_placement(void (*check)(const struct placement_vector *vector));
bool vectors_each_drf(void (*check)(const struct drf_vector *vector));

#endif

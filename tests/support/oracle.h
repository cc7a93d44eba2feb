/*
 * oracle.h - DESIGN.md section 5 once more, for the property tests: each figure summed up from the grants whenever it is
 * asked for, no running totals, no trees. Slow, short, and sharing nothing with what it judges.
 */
#ifndef ALLOT_TESTS_SUPPORT_ORACLE_H
#define ALLOT_TESTS_SUPPORT_ORACLE_H

#include "alloc/state.h"

uint64_t oracle_held(const struct state *state, uint32_t queue, enum resource r); /* INDEX_NONE: by all */
uint64_t oracle_free(const struct state *state, uint32_t queue, enum resource r);
void oracle_lacks(const struct state *state, const struct waiter *waiter, uint64_t lacks[static RES_COUNT]);
bool oracle_in_limit(const struct state *state, const struct waiter *waiter); /* with the request */
bool oracle_fits(const struct state *state, const struct waiter *waiter);
bool oracle_exempt(const struct state *state, const struct waiter *waiter);
bool oracle_protected(const struct state *state, const struct waiter *waiter);
bool oracle_before(const struct state *state, const struct waiter *a, const struct waiter *b);
bool oracle_harmed(const uint64_t before[static RES_COUNT], const uint64_t after[static RES_COUNT]);

/* Of a GPU: replicas below its number that nobody holds, replicas held, and containers on it. */
uint32_t oracle_gpu_free(const struct state *state, uint32_t gpu);
uint32_t oracle_gpu_used(const struct state *state, uint32_t gpu);
uint32_t oracle_gpu_containers(const struct state *state, uint32_t gpu);

#endif

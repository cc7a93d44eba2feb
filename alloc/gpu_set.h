/*
 * gpu_set.h - a set of GPU indices that finds the next member in constant time: 64 words of 64 bits, and one
 * word that says which of them are not empty.
 */
#ifndef ALLOT_ALLOC_GPU_SET_H
#define ALLOT_ALLOC_GPU_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "alloc/limits.h"

struct gpu_set {
    uint64_t summary;
    uint64_t word[64];
};

void gpu_set_clear(struct gpu_set *set);

/* Puts `gpu` in or takes it out. */
void gpu_set_put(struct gpu_set *set, uint32_t gpu, bool member);

/* The smallest member that is `from` or above, in `set` and, unless it is NULL, in `also`; GPUS_MAX if there is
 * none. */
uint32_t gpu_set_next(const struct gpu_set *set, const struct gpu_set *also, uint32_t from);

#endif

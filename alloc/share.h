/*
 * share.h - dominant shares as exact fractions.
 *
 * A queue's share of a resource is what it holds over the capacity; its dominant share is the largest. Two
 * shares, each divided by its queue's weight, are compared by cross-multiplying in 128 bits: with the bounds of
 * limits.h nothing rounds and nothing overflows.
 */
#ifndef ALLOT_ALLOC_SHARE_H
#define ALLOT_ALLOC_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "alloc/resource.h"

struct share {
    uint64_t held;
    uint64_t of; /* at least 1 */
};

/* Resources that are off, or of which there is nothing, have no share. Nothing held is 0/1. */
struct share share_dominant(const struct resources *held, const struct resources *capacity,
                            const bool off[static RES_COUNT]);

/* Below, at or above 0, as a/weight_a is below, at or above b/weight_b. */
int share_compare(struct share a, uint32_t weight_a, struct share b, uint32_t weight_b);

/* The same fraction in lowest terms. */
struct share share_reduce(struct share share);

#endif

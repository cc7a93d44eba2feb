/*
 * random.h - random choices that can be repeated: a test takes its seed from SEED, or a new one, and prints it.
 */
#ifndef ALLOT_TESTS_RANDOM_H
#define ALLOT_TESTS_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

/* Prints the seed; SEED=N in the environment repeats a run. */
struct random random_start(void);

uint64_t random_next(struct random *random);

/* 0 to below - 1; `below` is at least 1. */
uint64_t random_below(struct random *random, uint64_t below);

#endif

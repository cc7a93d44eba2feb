/*
 * dice.h - random numbers that can be repeated: a test prints its seed, and SEED=… in the environment repeats it.
 */
#ifndef ALLOT_TESTS_SUPPORT_DICE_H
#define ALLOT_TESTS_SUPPORT_DICE_H

#include <stdbool.h>
#include <stdint.h>

struct dice {
    uint64_t state;
};

/* $SEED, or one from the clock; printed with the test's name. */
uint64_t dice_seed(const char *test);

/* How many rounds to play: $ROUNDS, or `usual`. */
uint32_t dice_rounds(uint32_t usual);

struct dice dice_new(uint64_t seed);
uint64_t dice_roll(struct dice *dice);
uint32_t dice_below(struct dice *dice, uint32_t bound);                  /* 0..bound-1; 0 if the bound is 0 */
uint32_t dice_between(struct dice *dice, uint32_t least, uint32_t most); /* both included */
bool dice_chance(struct dice *dice, uint32_t one_in);

#endif

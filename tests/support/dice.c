#include "tests/support/dice.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

uint64_t dice_seed(const char *test)
{
    const char *given = getenv("SEED");
    struct timespec now;
    uint64_t seed;

    clock_gettime(CLOCK_REALTIME, &now);
    seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec;
    printf("# %s: SEED=%llu\n", test, (unsigned long long)seed);
    fflush(stdout); /* before whatever may crash */
    return seed;
}

uint32_t dice_rounds(uint32_t usual)
{
    const char *given = getenv("ROUNDS");

    return given != NULL ? (uint32_t)strtoul(given, NULL, 10) : usual;
}

struct dice dice_new(uint64_t seed)
{
    return (struct dice){seed};
}

/* splitmix64 */
uint64_t dice_roll(struct dice *dice)
{
    uint64_t z = dice->state += 0x9e3779b97f4a7c15U;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

uint32_t dice_below(struct dice *dice, uint32_t bound)
{
    return bound == 0 ? 0 : (uint32_t)(dice_roll(dice) % bound);
}

uint32_t dice_between(struct dice *dice, uint32_t least, uint32_t most)
{
    return least + dice_below(dice, most - least + 1);
}

bool dice_chance(struct dice *dice, uint32_t one_in)
{
    return dice_below(dice, one_in) == 0;
}

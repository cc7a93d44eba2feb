#include "tests/support/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct random random_start(void)
{
    const char *given = getenv("SEED");
    struct timespec now;
    uint64_t seed;

    clock_gettime(CLOCK_REALTIME, &now);
    seed = ((uint64_t)now.tv_sec * 1000000007 + (uint64_t)now.tv_nsec + (uint64_t)getpid()) % 1000000000;
    if (given != NULL && given[0] != '\0')
        seed = strtoull(given, NULL, 10);
    printf("# SEED=%" PRIu64 " repeats this run\n", seed);
    fflush(stdout);
    return (struct random){seed};
}

/* splitmix64: every seed gives another, well-mixed sequence. */
uint64_t random_next(struct random *random)
{
    uint64_t mixed = random->state += 0x9e3779b97f4a7c15;

    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

uint64_t random_below(struct random *random, uint64_t below)
{
    return random_next(random) % below;
}

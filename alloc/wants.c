#include "alloc/wants.h"

#include <assert.h>
#include <string.h>

struct lanes wants_of(const struct waiter *waiter, const bool off[static RES_COUNT])
{
    struct lanes wish = {{0}};
    uint64_t gpu = waiter->ask.of[RES_GPU];

    wish.of[LANE_CPU] = off[RES_CPU] ? 0 : waiter->ask.of[RES_CPU];
    wish.of[LANE_MEM] = off[RES_MEM] ? 0 : waiter->ask.of[RES_MEM];
    if (gpu > 0 && waiter->device_count > 0)
        wish.of[LANE_DEVICES] = waiter->distinct ? LANE_UNCHANGED - 1 : gpu;
    else if (waiter->distinct)
        wish.of[LANE_DISTINCT] = gpu;
    else
        wish.of[LANE_GPU] = gpu;
    return wish;
}

bool lanes_above(const struct lanes *wish, const struct lanes *threshold)
{
    for (enum lane lane = LANE_CPU; lane < LANE_COUNT; lane++) {
        if (wish->of[lane] > threshold->of[lane])
            return true;
    }
    return false;
}

/* Node 1 is the root; node n has the children 2n and 2n + 1; the leaves start at `width`. */

void wants_init(struct wants *wants, uint32_t count)
{
    wants->steps = 0;
    wants->width = 1;
    while (wants->width < count)
        wants->width *= 2;
    assert(wants->width <= WAITERS_MAX);
    memset(wants->largest, 0, 2UL * wants->width * sizeof(wants->largest[0]));
}

static void join_children(struct wants *wants, uint32_t node)
{
    const struct lanes *left = &wants->largest[2UL * node];
    const struct lanes *right = &wants->largest[2UL * node + 1];

    for (enum lane lane = LANE_CPU; lane < LANE_COUNT; lane++)
        wants->largest[node].of[lane] = left->of[lane] > right->of[lane] ? left->of[lane] : right->of[lane];
}

void wants_set(struct wants *wants, uint32_t at, const struct lanes *wish)
{
    uint32_t node = wants->width + at;

    assert(at < wants->width);
    wants->largest[node] = wish != NULL ? *wish : (struct lanes){{0}};
    for (node /= 2; node >= 1; node /= 2) {
        wants->steps++;
        join_children(wants, node);
    }
}

static bool worth_entering(struct wants *wants, uint32_t node, const struct lanes *threshold)
{
    wants->steps++;
    return lanes_above(&wants->largest[node], threshold);
}

/* Down to the first leaf; one below `node` is known to be there. */
static uint32_t first_leaf(struct wants *wants, uint32_t node, const struct lanes *threshold)
{
    while (node < wants->width)
        node = worth_entering(wants, 2 * node, threshold) ? 2 * node : 2 * node + 1;
    return node - wants->width;
}

uint32_t wants_next(struct wants *wants, uint32_t from, const struct lanes *threshold)
{
    uint32_t node = wants->width + from;

    if (from >= wants->width)
        return INDEX_NONE;
    /* Climb from the leaf; wherever we come from the left, what lies to the right is still to be seen. */
    if (worth_entering(wants, node, threshold))
        return from;
    for (; node > 1; node /= 2) {
        if (node % 2 == 0 && worth_entering(wants, node + 1, threshold))
            return first_leaf(wants, node + 1, threshold);
    }
    return INDEX_NONE;
}

#include "alloc/share.h"

__extension__ typedef unsigned __int128 wide;

int share_compare(struct share a, uint32_t weight_a, struct share b, uint32_t weight_b)
{
    wide left = (wide)a.held * b.of * weight_b;
    wide right = (wide)b.held * a.of * weight_a;

    return (left > right) - (left < right);
}

struct share share_dominant(const struct resources *held, const struct resources *capacity,
                            const bool off[static RES_COUNT])
{
    struct share largest = {0, 1};

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        struct share share = {held->of[r], capacity->of[r]};

        if (!off[r] && share.of > 0 && share_compare(share, 1, largest, 1) > 0)
            largest = share;
    }
    return largest;
}

struct share share_reduce(struct share share)
{
    uint64_t a = share.held;
    uint64_t b = share.of;

    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return (struct share){share.held / a, share.of / a};
}

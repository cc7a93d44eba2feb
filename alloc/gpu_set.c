#include "alloc/gpu_set.h"

#include <string.h>

void gpu_set_clear(struct gpu_set *set)
{
    memset(set, 0, sizeof(*set));
}

void gpu_set_put(struct gpu_set *set, uint32_t gpu, bool member)
{
    uint64_t bit = 1ULL << (gpu % 64);
    uint32_t at = gpu / 64;

    if (member)
        set->word[at] |= bit;
    else
        set->word[at] &= ~bit;
    bit = 1ULL << at;
    if (set->word[at] != 0)
        set->summary |= bit;
    else
        set->summary &= ~bit;
}

/* The bits of `word` from bit `from` on. */
static uint64_t bits_from(uint64_t word, uint32_t from)
{
    return from < 64 ? word & (~0ULL << from) : 0;
}

static uint64_t common_word(const struct gpu_set *set, const struct gpu_set *also, uint32_t at)
{
    return set->word[at] & (also != NULL ? also->word[at] : ~0ULL);
}

uint32_t gpu_set_next(const struct gpu_set *set, const struct gpu_set *also, uint32_t from)
{
    uint32_t at = from / 64;
    uint64_t summary = set->summary & (also != NULL ? also->summary : ~0ULL);
    uint64_t bits;

    if (from >= GPUS_MAX)
        return GPUS_MAX;
    bits = bits_from(common_word(set, also, at), from % 64);
    summary = bits_from(summary, at + 1);
    while (bits == 0 && summary != 0) {
        at = (uint32_t)__builtin_ctzll(summary);
        summary &= summary - 1;
        bits = common_word(set, also, at);
    }
    return bits != 0 ? at * 64 + (uint32_t)__builtin_ctzll(bits) : GPUS_MAX;
}

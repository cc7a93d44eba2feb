#include "alloc/books.h"

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What a queue that keeps `kept` and holds `held` withholds from the others. */
static uint64_t withheld(const struct account *account, enum resource r, uint64_t extra)
{
    return above(account->kept.of[r], quantity_add(account->held.of[r], extra));
}

static void update_share(struct books *books, uint32_t queue)
{
    struct account *account = &books->account[queue];

    account->share = share_dominant(&account->held, &books->state->node.capacity, books->state->node.off);
}

/* In the order of names, which is that of the indices. */
static void honour_guarantees(struct books *books, enum resource r)
{
    const struct state *state = books->state;
    uint64_t left = state->node.off[r] ? 0 : state->node.capacity.of[r];

    for (uint32_t q = 0; q < state->queue_count; q++) {
        struct account *account = &books->account[q];
        uint64_t wanted = state->queues[q].lend ? 0 : state->queues[q].guarantee.amount.of[r];

        account->kept.of[r] = least(wanted, left);
        left -= account->kept.of[r];
        books->kept.of[r] += account->kept.of[r];
        books->held_back.of[r] += withheld(account, r, 0);
    }
}

static uint32_t count_on_excluded(const struct state *state, const struct grant *grant)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < grant->ask.of[RES_GPU]; i++)
        count += state->gpus[state->replicas[grant->first_replica + i].gpu].excluded;
    return count;
}

/* What a queue keeps of gpu beyond what it holds on excluded GPUs. */
static uint64_t keeps_healthy(const struct account *account)
{
    return above(account->kept.of[RES_GPU], account->on_excluded);
}

void books_init(struct books *books, const struct state *state, uint64_t excluded_free)
{
    books->state = state;
    books->held = books->held_back = books->kept = (struct resources){{0}};
    books->excluded_free = excluded_free;
    for (uint32_t q = 0; q < state->queue_count; q++)
        books->account[q] = (struct account){.share = {0, 1}};
    for (uint32_t i = 0; i < state->grant_count; i++) {
        const struct grant *grant = &state->grants[i];
        struct account *account = &books->account[grant->queue];

        for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
            account->held.of[r] = quantity_add(account->held.of[r], grant->ask.of[r]);
            books->held.of[r] = quantity_add(books->held.of[r], grant->ask.of[r]);
        }
        account->on_excluded += count_on_excluded(state, grant);
    }
    for (enum resource r = RES_CPU; r < RES_COUNT; r++)
        honour_guarantees(books, r);
    books->kept_healthy = 0;
    for (uint32_t q = 0; q < state->queue_count; q++) {
        update_share(books, q);
        books->kept_healthy += keeps_healthy(&books->account[q]);
    }
}

void books_charge(struct books *books, const struct charge *charge)
{
    struct account *account = &books->account[charge->queue];

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        books->held_back.of[r] -= withheld(account, r, 0) - withheld(account, r, charge->amount.of[r]);
        account->held.of[r] = quantity_add(account->held.of[r], charge->amount.of[r]);
        books->held.of[r] = quantity_add(books->held.of[r], charge->amount.of[r]);
    }
    update_share(books, charge->queue);
}

/* Free of `r` if the withholding of `exempt` (INDEX_NONE: nobody) did not count and `lost` of it were unusable. */
static uint64_t free_beside(const struct books *books, uint32_t exempt, enum resource r, uint64_t lost,
                            const struct charge *charge)
{
    uint64_t taken = quantity_add(books->held.of[r], lost);
    uint64_t back = books->held_back.of[r];
    uint64_t extra = 0;

    if (charge != NULL) {
        const struct account *account = &books->account[charge->queue];

        taken = quantity_add(taken, charge->amount.of[r]);
        back -= withheld(account, r, 0) - withheld(account, r, charge->amount.of[r]);
        extra = exempt == charge->queue ? charge->amount.of[r] : 0;
    }
    if (exempt != INDEX_NONE)
        back -= withheld(&books->account[exempt], r, extra);
    return above(books->state->node.capacity.of[r], quantity_add(taken, back));
}

static uint64_t unusable(const struct books *books, enum resource r)
{
    return r == RES_GPU ? books->excluded_free : 0;
}

uint64_t books_free(const struct books *books, uint32_t queue, enum resource r, const struct charge *charge)
{
    return free_beside(books, queue, r, unusable(books, r), charge);
}

uint64_t books_free_for_all(const struct books *books, enum resource r, const struct charge *charge)
{
    return free_beside(books, INDEX_NONE, r, unusable(books, r), charge);
}

uint64_t books_free_if_all_healthy(const struct books *books, uint32_t queue, enum resource r)
{
    return free_beside(books, queue, r, 0, NULL);
}

bool books_takes_from_others(const struct books *books, enum resource r, const struct charge *charge)
{
    return charge->amount.of[r] > withheld(&books->account[charge->queue], r, 0);
}

uint64_t books_idle(const struct books *books, uint32_t queue, enum resource r, uint64_t capacity)
{
    return above(capacity, books->kept.of[r] - books->account[queue].kept.of[r]);
}

uint64_t books_idle_healthy(const struct books *books, uint32_t queue, uint64_t healthy)
{
    return above(healthy, books->kept_healthy - keeps_healthy(&books->account[queue]));
}

bool books_over_limit(const struct books *books, uint32_t queue, const struct resources *ask,
                      enum resource *which)
{
    const struct resreq *limit = &books->state->queues[queue].limit;

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (!limit->named[r] || books->state->node.off[r])
            continue;
        if (quantity_add(books->account[queue].held.of[r], ask->of[r]) > limit->amount.of[r]) {
            if (which != NULL)
                *which = r;
            return true;
        }
    }
    return false;
}

bool books_within_guarantee(const struct books *books, uint32_t queue, const struct resources *ask)
{
    const struct resreq *guarantee = &books->state->queues[queue].guarantee;
    bool concerned = false;

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (!guarantee->named[r] || books->state->node.off[r])
            continue;
        if (quantity_add(books->account[queue].held.of[r], ask->of[r]) > guarantee->amount.of[r])
            return false;
        concerned = concerned || ask->of[r] > 0;
    }
    return concerned;
}

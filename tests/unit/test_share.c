/*
 * Dominant shares: exact up to the bounds that the parsers enforce, and an order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "alloc/limits.h"
#include "alloc/share.h"
#include "tests/support/dice.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

#define Q QUANTITY_MAX
#define W WEIGHT_MAX

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

struct weighted {
    struct share share;
    uint32_t weight;
};

static int compare(struct weighted a, struct weighted b)
{
    return sign(share_compare(a.share, a.weight, b.share, b.weight));
}

static void show(struct weighted a, struct weighted b)
{
    print_error("%llu/%llu by %u and %llu/%llu by %u: ", (unsigned long long)a.share.held,
                (unsigned long long)a.share.of, a.weight, (unsigned long long)b.share.held,
                (unsigned long long)b.share.of, b.weight);
}

/* --- comparing --- */

/* Every pair of small fractions and weights, by cross products that fit in a word. */
static void small_shares_compare_like_their_cross_products(void **state)
{
    struct weighted small[7 * 5 * 4];
    size_t count = 0;

    (void)state;
    for (uint64_t held = 0; held <= 6; held++) {
        for (uint64_t of = 1; of <= 5; of++) {
            for (uint32_t weight = 1; weight <= 4; weight++)
                small[count++] = (struct weighted){{held, of}, weight};
        }
    }
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) {
            int left = (int)(small[a].share.held * small[b].share.of * small[b].weight);
            int right = (int)(small[b].share.held * small[a].share.of * small[a].weight);

            if (compare(small[a], small[b]) == sign(left - right))
                continue;
            show(small[a], small[b]);
            fail_msg("%d", compare(small[a], small[b]));
        }
    }
}

static void at_the_bounds_the_smallest_difference_still_counts(void **state)
{
    static const struct {
        struct weighted a;
        struct weighted b;
        int order;
    } rows[] = {
        /* n-1 of n is above n-2 of n-1: the cross products differ by 1. */
        {{{Q - 1, Q}, 1}, {{Q - 2, Q - 1}, 1}, 1},
        {{{Q - 1, Q}, W}, {{Q - 2, Q - 1}, W}, 1},
        {{{Q, Q}, W}, {{Q - 1, Q}, W}, 1},
        {{{Q, Q}, W}, {{Q, Q}, W}, 0},
        {{{Q, Q}, W}, {{Q, Q}, W - 1}, -1},
        {{{Q, 1}, 1}, {{Q - 1, 1}, 1}, 1},
        {{{Q, 1}, 1}, {{1, Q}, W}, 1},
        {{{1, Q}, W}, {{0, 1}, 1}, 1},
        {{{1, Q}, W}, {{1, Q}, W - 1}, -1},
        /* 2^53/2^20 is 2^33: powers of two, so that the equal one is known. */
        {{{Q, Q}, W}, {{Q / W, Q}, 1}, 0},
        {{{Q, Q}, W}, {{Q / W + 1, Q}, 1}, -1},
        {{{Q, Q}, W}, {{Q / W - 1, Q}, 1}, 1},
        {{{Q, 1}, W}, {{Q / W, 1}, 1}, 0},
        {{{Q, 1}, W}, {{Q / W + 1, 1}, 1}, -1},
        {{{Q, 1}, W}, {{Q / W - 1, 1}, 1}, 1},
        /* Products that are 0 or 1 in 64 bits. */
        {{{1ULL << 32, 1ULL << 32}, 1}, {{0, 1}, 1}, 1},
        {{{1ULL << 52, 1}, 1}, {{1, 1ULL << 52}, 1}, 1},
        {{{Q, 1}, 1}, {{0, Q}, W}, 1},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        if (compare(rows[i].a, rows[i].b) == rows[i].order && compare(rows[i].b, rows[i].a) == -rows[i].order)
            continue;
        show(rows[i].a, rows[i].b);
        fail_msg("%d and %d", compare(rows[i].a, rows[i].b), compare(rows[i].b, rows[i].a));
    }
}

static struct weighted random_weighted(struct dice *dice)
{
    uint64_t of = (dice_roll(dice) >> (11 + dice_below(dice, 53))) + 1;
    uint64_t held = dice_roll(dice) % (of + of / 4 + 1);

    if (dice_below(dice, 8) == 0)
        of = Q;
    return (struct weighted){
        {held > Q ? Q : held, of > Q ? Q : of},
        1 + dice_below(dice, W) / (1U << dice_below(dice, 20)),
    };
}

static void comparing_is_an_order(void **state)
{
    struct dice dice = dice_new(dice_seed(__func__));

    (void)state;
    for (int i = 0; i < 100000; i++) {
        struct weighted a = random_weighted(&dice);
        struct weighted b = random_weighted(&dice);
        struct weighted c = random_weighted(&dice);

        assert_int_equal(compare(a, a), 0);
        if (compare(a, b) != -compare(b, a)) {
            show(a, b);
            fail_msg("not the opposite the other way round");
        }
        if (compare(a, b) <= 0 && compare(b, c) <= 0 && compare(a, c) > 0) {
            show(a, b);
            show(b, c);
            fail_msg("not in a row");
        }
    }
}

static void more_held_is_more_and_more_weight_is_less(void **state)
{
    struct dice dice = dice_new(dice_seed(__func__));

    (void)state;
    for (int i = 0; i < 100000; i++) {
        struct weighted a = random_weighted(&dice);
        struct weighted more = a;
        struct weighted heavier = a;

        if (a.share.held == 0 || a.share.held == Q || a.weight == W)
            continue;
        more.share.held++;
        heavier.weight++;
        assert_int_equal(compare(a, more), -1);
        assert_int_equal(compare(a, heavier), 1);
    }
}

/* --- the dominant one --- */

static void the_dominant_share_is_the_largest_of_what_is_shared(void **state)
{
    static const struct {
        const char *name;
        struct resources held;
        struct resources capacity;
        bool off[RES_COUNT];
        struct share largest;
    } rows[] = {
        {"nothing held", {{0, 0, 0}}, {{9000, 18, 4}}, {false}, {0, 1}},
        {"cpu", {{3000, 1, 0}}, {{9000, 18, 0}}, {false}, {1, 3}},
        {"mem", {{1000, 4, 0}}, {{9000, 18, 0}}, {false}, {2, 9}},
        {"gpu", {{1000, 1, 2}}, {{9000, 18, 4}}, {false}, {1, 2}},
        {"all of it", {{9000, 18, 4}}, {{9000, 18, 4}}, {false}, {1, 1}},
        {"the same share of two", {{3000, 6, 0}}, {{9000, 18, 4}}, {false}, {1, 3}},
        {"a larger one that is off", {{9000, 1, 0}}, {{9000, 18, 4}}, {true, false, false}, {1, 18}},
        {"all are off", {{9000, 18, 4}}, {{9000, 18, 4}}, {true, true, true}, {0, 1}},
        {"held, but of none", {{0, 0, 1}}, {{9000, 18, 0}}, {false}, {0, 1}},
        {"held of none and of some", {{1000, 0, 1}}, {{9000, 18, 0}}, {false}, {1, 9}},
        {"an empty node", {{1, 1, 1}}, {{0, 0, 0}}, {false}, {0, 1}},
        {"more than there is left", {{0, 0, 3}}, {{9000, 18, 2}}, {false}, {3, 2}},
        {"more than there is left, of two", {{18000, 0, 3}}, {{9000, 18, 2}}, {false}, {2, 1}},
        {"a hair more mem", {{Q / 2, Q / 2 + 1, 0}}, {{Q, Q, 1}}, {false}, {Q / 2 + 1, Q}},
        {"a hair more cpu", {{Q / 2 + 1, Q / 2, 0}}, {{Q, Q, 1}}, {false}, {Q / 2 + 1, Q}},
        {"n-1 of n over n-2 of n-1", {{Q - 2, Q - 1, 0}}, {{Q - 1, Q, 1}}, {false}, {Q - 1, Q}},
        {"the smallest over nothing", {{1, 0, 0}}, {{Q, Q, 1}}, {false}, {1, Q}},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct share got = share_dominant(&rows[i].held, &rows[i].capacity, rows[i].off);

        if (got.of < 1 || share_compare(got, 1, rows[i].largest, 1) != 0)
            fail_msg("%s: %llu/%llu", rows[i].name, (unsigned long long)got.held, (unsigned long long)got.of);
    }
}

static void nothing_held_is_nothing_of_one(void **state)
{
    static const bool off[RES_COUNT] = {false};
    struct share got = share_dominant(&(struct resources){{0}}, &(struct resources){{9, 9, 9}}, off);

    (void)state;
    assert_int_equal(got.held, 0);
    assert_int_equal(got.of, 1);
}

/* --- lowest terms --- */

static void a_share_is_brought_to_lowest_terms(void **state)
{
    static const struct {
        struct share share;
        struct share lowest;
    } rows[] = {
        {{0, 1}, {0, 1}},       {{0, Q}, {0, 1}},         {{1, 1}, {1, 1}},     {{Q, Q}, {1, 1}},
        {{2, 4}, {1, 2}},       {{6, 9}, {2, 3}},         {{6, 4}, {3, 2}},     {{7, 1}, {7, 1}},
        {{1000, 9000}, {1, 9}}, {{Q - 1, Q}, {Q - 1, Q}}, {{Q / 2, Q}, {1, 2}}, {{1, Q}, {1, Q}},
        {{Q, 1}, {Q, 1}},       {{Q, 2}, {Q / 2, 1}},     {{3, 7}, {3, 7}},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct share got = share_reduce(rows[i].share);

        assert_int_equal(got.held, rows[i].lowest.held);
        assert_int_equal(got.of, rows[i].lowest.of);
    }
}

static void lowest_terms_are_the_same_fraction_and_share_no_divisor(void **state)
{
    (void)state;
    for (uint64_t held = 0; held <= 60; held++) {
        for (uint64_t of = 1; of <= 60; of++) {
            struct share got = share_reduce((struct share){held, of});

            assert_int_equal(got.held * of, held * got.of);
            for (uint64_t divisor = 2; divisor <= 60; divisor++)
                assert_false(got.held % divisor == 0 && got.of % divisor == 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_shares_compare_like_their_cross_products),
        cmocka_unit_test(at_the_bounds_the_smallest_difference_still_counts),
        cmocka_unit_test(comparing_is_an_order),
        cmocka_unit_test(more_held_is_more_and_more_weight_is_less),
        cmocka_unit_test(the_dominant_share_is_the_largest_of_what_is_shared),
        cmocka_unit_test(nothing_held_is_nothing_of_one),
        cmocka_unit_test(a_share_is_brought_to_lowest_terms),
        cmocka_unit_test(lowest_terms_are_the_same_fraction_and_share_no_divisor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The indexed heap against a plain sort, with its references and its cost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "alloc/heap.h"
#include "tests/support/dice.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

#define ITEMS_MAX 3000

/* Items with keys; of equal keys the smaller item comes first, so that the order is total. */
struct bench {
    struct heap heap;
    uint32_t items;
    uint64_t key[ITEMS_MAX];
    uint32_t slot[ITEMS_MAX];
    uint32_t where[ITEMS_MAX];
    bool in[ITEMS_MAX]; /* what should be in the heap */
    uint32_t count;     /* and how many */
};

static bool by_key(const void *context, uint32_t a, uint32_t b)
{
    const uint64_t *key = context;

    return key[a] != key[b] ? key[a] < key[b] : a < b;
}

static void bench_start(struct bench *bench, uint32_t items)
{
    *bench = (struct bench){.items = items};
    for (uint32_t i = 0; i < items; i++)
        bench->where[i] = HEAP_NOWHERE;
    heap_init(&bench->heap, bench->slot, bench->where, by_key, bench->key);
}

static void push(struct bench *bench, uint32_t item, uint64_t key)
{
    bench->key[item] = key;
    heap_push(&bench->heap, item);
    bench->in[item] = true;
    bench->count++;
}

static void take_out(struct bench *bench, uint32_t item)
{
    heap_remove(&bench->heap, item);
    bench->in[item] = false;
    bench->count--;
}

/* Members are found through `where`, and nothing else is. */
static void must_know_where_everything_is(const struct bench *bench)
{
    assert_int_equal(bench->heap.count, bench->count);
    for (uint32_t i = 0; i < bench->items; i++) {
        if (!bench->in[i]) {
            assert_int_equal(bench->where[i], HEAP_NOWHERE);
            continue;
        }
        assert_true(bench->where[i] < bench->count);
        assert_int_equal(bench->slot[bench->where[i]], i);
    }
}

static void must_have_the_first_at_its_root(const struct bench *bench)
{
    uint32_t first = HEAP_NOWHERE;

    for (uint32_t i = 0; i < bench->items; i++) {
        if (bench->in[i] && (first == HEAP_NOWHERE || by_key(bench->key, i, first)))
            first = i;
    }
    if (first != HEAP_NOWHERE)
        assert_int_equal(heap_first(&bench->heap), first);
}

struct pair {
    uint64_t key;
    uint32_t item;
};

static int pair_order(const void *left, const void *right)
{
    const struct pair *a = left;
    const struct pair *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

/* Emptied from the root, the items come as a plain sort has them. */
static void must_empty_in_order(struct bench *bench)
{
    static struct pair sorted[ITEMS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < bench->items; i++) {
        if (bench->in[i])
            sorted[count++] = (struct pair){bench->key[i], i};
    }
    qsort(sorted, count, sizeof(sorted[0]), pair_order);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(heap_first(&bench->heap), sorted[i].item);
        take_out(bench, sorted[i].item);
    }
    assert_int_equal(bench->heap.count, 0);
}

/* --- by hand --- */

static void a_heap_of_one_has_it_first_and_is_empty_without_it(void **state)
{
    struct bench *bench = *state;

    bench_start(bench, 1);
    push(bench, 0, 5);
    assert_int_equal(heap_first(&bench->heap), 0);
    heap_update(&bench->heap, 0);
    must_know_where_everything_is(bench);
    take_out(bench, 0);
    must_know_where_everything_is(bench);
    push(bench, 0, 6);
    assert_int_equal(heap_first(&bench->heap), 0);
}

static void what_fills_a_gap_may_have_to_go_up(void **state)
{
    static const uint64_t keys[] = {0, 10, 1, 11, 12, 2, 3};
    struct bench *bench = *state;

    bench_start(bench, ROWS(keys));
    for (uint32_t i = 0; i < ROWS(keys); i++)
        push(bench, i, keys[i]);
    /* 11 is below 10; the last one, 3, comes into its place, and is before 10. */
    take_out(bench, 3);
    must_know_where_everything_is(bench);
    must_empty_in_order(bench);
}

static void an_item_whose_key_changed_finds_its_place_both_ways(void **state)
{
    struct bench *bench = *state;

    bench_start(bench, 100);
    for (uint32_t i = 0; i < 100; i++)
        push(bench, i, 10 * i);
    bench->key[99] = 0;
    heap_update(&bench->heap, 99);
    must_have_the_first_at_its_root(bench); /* item 0, by its number */
    bench->key[0] = 1000;
    heap_update(&bench->heap, 0);
    assert_int_equal(heap_first(&bench->heap), 99);
    bench->key[50] = 501;
    heap_update(&bench->heap, 50);
    must_know_where_everything_is(bench);
    must_empty_in_order(bench);
}

static void two_heaps_may_share_where_if_they_share_no_item(void **state)
{
    struct bench *bench = *state;
    uint32_t odd_slot[ITEMS_MAX];
    struct heap odd;

    bench_start(bench, 200);
    heap_init(&odd, odd_slot, bench->where, by_key, bench->key);
    for (uint32_t i = 0; i < 200; i++) {
        bench->key[i] = (i * 37) % 101;
        heap_push(i % 2 == 0 ? &bench->heap : &odd, i);
    }
    for (uint32_t i = 0; i < 200; i++) {
        const struct heap *own = i % 2 == 0 ? &bench->heap : &odd;

        assert_true(bench->where[i] < own->count);
        assert_int_equal(own->slot[bench->where[i]], i);
    }
    while (odd.count > 0)
        heap_remove(&odd, heap_first(&odd));
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(bench->where[i] == HEAP_NOWHERE, i % 2 == 1);
}

static void a_heap_that_is_filled_at_once_is_in_order_at_a_cost_below_two_comparisons_an_item(void **state)
{
    static const uint32_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 63, 64, 65, 1000, ITEMS_MAX};
    struct dice dice = dice_new(dice_seed(__func__));
    struct bench *bench = *state;

    for (size_t size = 0; size < ROWS(sizes); size++) {
        bench_start(bench, sizes[size]);
        for (uint32_t i = 0; i < sizes[size]; i++) {
            bench->key[i] = dice_below(&dice, sizes[size]);
            bench->in[i] = true;
        }
        bench->count = sizes[size];
        heap_fill(&bench->heap, sizes[size]);
        assert_true(bench->heap.comparisons <= 2 * (uint64_t)sizes[size]);
        must_know_where_everything_is(bench);
        must_empty_in_order(bench);
        must_know_where_everything_is(bench);
    }
}

/* --- at random --- */

static uint32_t log2_floor(uint32_t value)
{
    uint32_t result = 0;

    while (value > 1) {
        value /= 2;
        result++;
    }
    return result;
}

/* One random operation; it may cost two comparisons a level of the tree and one more. */
static void do_something(struct bench *bench, struct dice *dice)
{
    uint32_t item = dice_below(dice, bench->items);
    uint64_t key = dice_below(dice, bench->items);
    uint64_t before = bench->heap.comparisons;
    uint64_t allowed;

    if (!bench->in[item]) {
        push(bench, item, key);
        allowed = log2_floor(bench->count);
    } else if (dice_below(dice, 2) == 0) {
        allowed = 2 * log2_floor(bench->count) + 1;
        take_out(bench, item);
    } else {
        allowed = 2 * log2_floor(bench->count) + 1;
        bench->key[item] = key;
        heap_update(&bench->heap, item);
    }
    if (bench->heap.comparisons - before > allowed)
        fail_msg("%llu comparisons in a heap of %u", (unsigned long long)(bench->heap.comparisons - before),
                 bench->count);
}

static void after_any_operations_the_heap_agrees_with_a_plain_sort(void **state)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 7, 8, 9, 31, 64, 200};
    struct dice dice = dice_new(dice_seed(__func__));
    struct bench *bench = *state;

    for (size_t size = 0; size < ROWS(sizes); size++) {
        for (int round = 0; round < 20; round++) {
            bench_start(bench, sizes[size]);
            for (int i = 0; i < 300; i++) {
                do_something(bench, &dice);
                must_know_where_everything_is(bench);
                must_have_the_first_at_its_root(bench);
            }
            must_empty_in_order(bench);
        }
    }
}

static void every_operation_costs_the_logarithm_of_the_size(void **state)
{
    struct dice dice = dice_new(dice_seed(__func__));
    struct bench *bench = *state;

    bench_start(bench, ITEMS_MAX);
    for (int i = 0; i < 200000; i++)
        do_something(bench, &dice);
    must_know_where_everything_is(bench);
    must_empty_in_order(bench);
}

static void comparisons_are_counted(void **state)
{
    struct bench *bench = *state;
    uint64_t before;

    bench_start(bench, 1000);
    assert_int_equal(bench->heap.comparisons, 0);
    push(bench, 0, 1000);
    before = bench->heap.comparisons;
    /* Each is before all others, and is compared on its whole way up. */
    for (uint32_t i = 1; i < 1000; i++) {
        push(bench, i, 1000 - i);
        assert_int_equal(bench->heap.comparisons - before, log2_floor(i + 1));
        before = bench->heap.comparisons;
    }
}

static int make_bench(void **state)
{
    *state = malloc(sizeof(struct bench));
    return *state != NULL ? 0 : -1;
}

static int free_bench(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heap_of_one_has_it_first_and_is_empty_without_it),
        cmocka_unit_test(what_fills_a_gap_may_have_to_go_up),
        cmocka_unit_test(an_item_whose_key_changed_finds_its_place_both_ways),
        cmocka_unit_test(two_heaps_may_share_where_if_they_share_no_item),
        cmocka_unit_test(a_heap_that_is_filled_at_once_is_in_order_at_a_cost_below_two_comparisons_an_item),
        cmocka_unit_test(after_any_operations_the_heap_agrees_with_a_plain_sort),
        cmocka_unit_test(every_operation_costs_the_logarithm_of_the_size),
        cmocka_unit_test(comparisons_are_counted),
    };

    return cmocka_run_group_tests(tests, make_bench, free_bench);
}

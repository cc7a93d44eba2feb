/*
 * The set of GPU indices against a plain array of flags.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/gpu_set.h"
#include "tests/support/dice.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

/* Where words and the summary begin and end. */
static const uint32_t edges[] = {0, 1, 62, 63, 64, 65, 127, 128, 2047, 2048, 4031, 4032, 4094, 4095};

struct plain {
    struct gpu_set set;
    bool member[GPUS_MAX];
};

static void clear(struct plain *plain)
{
    memset(plain, 0xff, sizeof(*plain));
    gpu_set_clear(&plain->set);
    memset(plain->member, 0, sizeof(plain->member));
}

static void put(struct plain *plain, uint32_t gpu, bool member)
{
    gpu_set_put(&plain->set, gpu, member);
    plain->member[gpu] = member;
}

static uint32_t next_of(const struct plain *plain, const struct plain *also, uint32_t from)
{
    while (from < GPUS_MAX && !(plain->member[from] && (also == NULL || also->member[from])))
        from++;
    return from < GPUS_MAX ? from : GPUS_MAX;
}

static void must_agree_from(const struct plain *plain, const struct plain *also, uint32_t from)
{
    uint32_t wanted = next_of(plain, also, from);
    uint32_t got = gpu_set_next(&plain->set, also != NULL ? &also->set : NULL, from);

    if (got != wanted)
        fail_msg("from %u: %u instead of %u", from, got, wanted);
}

static void must_agree(const struct plain *plain, const struct plain *also)
{
    for (uint32_t from = 0; from <= GPUS_MAX; from++)
        must_agree_from(plain, also, from);
}

static void an_empty_set_has_no_next(void **state)
{
    static struct plain plain;

    (void)state;
    clear(&plain);
    must_agree(&plain, NULL);
    must_agree(&plain, &plain);
}

static void a_single_member_is_found_from_itself_and_before_and_not_behind(void **state)
{
    static struct plain plain;

    (void)state;
    for (size_t i = 0; i < ROWS(edges); i++) {
        clear(&plain);
        put(&plain, edges[i], true);
        assert_int_equal(gpu_set_next(&plain.set, NULL, 0), edges[i]);
        assert_int_equal(gpu_set_next(&plain.set, NULL, edges[i]), edges[i]);
        assert_int_equal(gpu_set_next(&plain.set, NULL, edges[i] + 1), GPUS_MAX);
        must_agree(&plain, NULL);
        put(&plain, edges[i], false);
        assert_int_equal(gpu_set_next(&plain.set, NULL, 0), GPUS_MAX);
    }
}

static void a_full_set_has_everyone_in_turn(void **state)
{
    static struct plain plain;

    (void)state;
    clear(&plain);
    for (uint32_t gpu = 0; gpu < GPUS_MAX; gpu++)
        put(&plain, gpu, true);
    must_agree(&plain, NULL);
    for (size_t i = 0; i < ROWS(edges); i++)
        put(&plain, edges[i], false);
    must_agree(&plain, NULL);
}

static void behind_the_last_gpu_there_is_none(void **state)
{
    static const uint32_t beyond[] = {GPUS_MAX, GPUS_MAX + 1, GPUS_MAX + 64, 1U << 31, UINT32_MAX};
    static struct plain plain;

    (void)state;
    clear(&plain);
    for (uint32_t gpu = 0; gpu < GPUS_MAX; gpu++)
        put(&plain, gpu, true);
    for (size_t i = 0; i < ROWS(beyond); i++)
        assert_int_equal(gpu_set_next(&plain.set, NULL, beyond[i]), GPUS_MAX);
}

static void putting_in_or_taking_out_twice_is_like_once(void **state)
{
    static struct plain plain;

    (void)state;
    clear(&plain);
    for (size_t i = 0; i < ROWS(edges); i++) {
        put(&plain, edges[i], false);
        put(&plain, edges[i], true);
        put(&plain, edges[i], true);
    }
    must_agree(&plain, NULL);
    put(&plain, 63, false);
    put(&plain, 63, false);
    must_agree(&plain, NULL);
}

static void of_two_sets_only_what_is_in_both_counts(void **state)
{
    static struct plain one;
    static struct plain other;

    (void)state;
    clear(&one);
    clear(&other);
    /* In the same words, but never the same: the summaries agree and the words do not. */
    for (uint32_t gpu = 0; gpu < GPUS_MAX; gpu++)
        put(gpu % 2 == 0 ? &one : &other, gpu, true);
    must_agree(&one, &other);
    assert_int_equal(gpu_set_next(&one.set, &other.set, 0), GPUS_MAX);
    for (size_t i = 0; i < ROWS(edges); i++) {
        put(&one, edges[i], true);
        put(&other, edges[i], true);
    }
    must_agree(&one, &other);
    must_agree(&other, &one);
}

static void after_any_operations_the_set_agrees_with_plain_flags(void **state)
{
    struct dice dice = dice_new(dice_seed(__func__));
    static struct plain one;
    static struct plain other;

    (void)state;
    clear(&one);
    clear(&other);
    for (int i = 0; i < 40000; i++) {
        /* Mostly out, so that words become empty; in a narrow range at times, so that they become full. */
        uint32_t range = dice_below(&dice, 2) == 0 ? GPUS_MAX : 200;
        uint32_t gpu = dice_below(&dice, range);

        put(dice_below(&dice, 2) == 0 ? &one : &other, gpu, dice_below(&dice, 3) == 0);
        must_agree_from(&one, NULL, dice_below(&dice, GPUS_MAX + 1));
        must_agree_from(&one, &other, dice_below(&dice, GPUS_MAX + 1));
        must_agree_from(&other, &one, gpu);
    }
    must_agree(&one, &other);
    gpu_set_clear(&one.set);
    assert_int_equal(gpu_set_next(&one.set, NULL, 0), GPUS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_set_has_no_next),
        cmocka_unit_test(a_single_member_is_found_from_itself_and_before_and_not_behind),
        cmocka_unit_test(a_full_set_has_everyone_in_turn),
        cmocka_unit_test(behind_the_last_gpu_there_is_none),
        cmocka_unit_test(putting_in_or_taking_out_twice_is_like_once),
        cmocka_unit_test(of_two_sets_only_what_is_in_both_counts),
        cmocka_unit_test(after_any_operations_the_set_agrees_with_plain_flags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Queues and policies: names, defaults, and what no single field can tell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/policy.h"
#include "alloc/queue.h"

#define ROWS(table)   (sizeof(table) / sizeof(table[0]))
#define TEXT(literal) (literal), sizeof(literal) - 1

#define LETTERS_62 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghij"

/* --- a queue's name --- */

static void a_name_is_letters_digits_and_some_marks_and_starts_with_no_mark(void **state)
{
    static const char *const names[] = {"a",   "Z",   "0",        "default",     "research", "a.b",
                                        "a_b", "a-b", "0-_.",     "kube-system", "A9",       "a..b",
                                        "a-",  "9.",  LETTERS_62, LETTERS_62 "k"};

    (void)state;
    for (size_t i = 0; i < ROWS(names); i++) {
        const char *wrong = queue_name_wrong(names[i], strlen(names[i]));

        if (wrong != NULL)
            fail_msg("%s %s", names[i], wrong);
    }
}

static void any_other_name_is_refused_with_what_is_wrong(void **state)
{
    static const char start[] = "does not start with a letter or digit";
    static const char inside[] = "has a character that is not a letter, digit, '.', '_' or '-'";
    static const struct {
        const char *name;
        size_t length;
        const char *wrong;
    } rows[] = {
        {TEXT(""), "is empty"},
        {TEXT(LETTERS_62 "kl"), "is longer than 63 characters"},
        {TEXT(LETTERS_62 LETTERS_62), "is longer than 63 characters"},
        {TEXT("-a"), start},
        {TEXT(".a"), start},
        {TEXT("_a"), start},
        {TEXT(" a"), start},
        {TEXT("/"), start},
        {TEXT("\xc3\xa4"), start},
        {TEXT("\0a"), start},
        {TEXT("a b"), inside},
        {TEXT("a "), inside},
        {TEXT("a/b"), inside},
        {TEXT("a\n"), inside},
        {TEXT("a\0"), inside},
        {TEXT("a\0b"), inside},
        {TEXT("a\xc3\xa4"), inside},
        {TEXT("a,b"), inside},
        {TEXT("a=b"), inside},
        {TEXT("a@"), inside},
        {TEXT("a["), inside},
        {TEXT("a`"), inside},
        {TEXT("a{"), inside},
        {TEXT("a:"), inside},
        {TEXT("a\x7f"), inside},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *wrong = queue_name_wrong(rows[i].name, rows[i].length);

        if (wrong == NULL || strcmp(wrong, rows[i].wrong) != 0)
            fail_msg("\"%s\" %s", rows[i].name, wrong != NULL ? wrong : "is a name");
    }
}

static void only_the_given_length_of_a_name_counts(void **state)
{
    (void)state;
    assert_null(queue_name_wrong("ab/c", 2));
    assert_non_null(queue_name_wrong("ab/c", 3));
}

/* --- a queue that nobody declared --- */

static void an_undeclared_queue_has_weight_one_and_neither_guarantee_nor_limit(void **state)
{
    struct queue queue = queue_default("some", 7);

    (void)state;
    assert_string_equal(queue.name, "some");
    assert_int_equal(queue.weight, 1);
    assert_int_equal(queue.max_priority, 7);
    assert_true(queue.lend);
    assert_false(queue.declared);
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        assert_false(queue.guarantee.named[r]);
        assert_int_equal(queue.guarantee.amount.of[r], 0);
        assert_false(queue.limit.named[r]);
        assert_int_equal(queue.limit.amount.of[r], 0);
    }
}

static void the_longest_name_fits_a_queue(void **state)
{
    struct queue queue = queue_default(LETTERS_62 "k", -5);

    (void)state;
    assert_string_equal(queue.name, LETTERS_62 "k");
    assert_int_equal(queue.max_priority, -5);
}

/* --- guarantee and limit --- */

static struct queue queue_with(const char *guarantee, const char *limit)
{
    struct queue queue = queue_default("q", 0);
    struct error err = {0};

    if (guarantee != NULL)
        assert_int_equal(resreq_parse(guarantee, strlen(guarantee), &queue.guarantee, &err), 0);
    if (limit != NULL)
        assert_int_equal(resreq_parse(limit, strlen(limit), &queue.limit, &err), 0);
    return queue;
}

static void a_guarantee_within_the_limit_is_fine(void **state)
{
    static const struct {
        const char *guarantee;
        const char *limit;
    } rows[] = {
        {NULL, NULL},
        {NULL, "gpu=1"},
        {"gpu=1", NULL},
        {"gpu=1", "gpu=1"},
        {"gpu=1", "gpu=2"},
        {"gpu=0", "gpu=0"},
        {"cpu=4", "gpu=1"},
        {"cpu=64,mem=1t,gpu=8", "cpu=64,mem=1t,gpu=8"},
        {"mem=8p", "cpu=0,gpu=0"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct queue queue = queue_with(rows[i].guarantee, rows[i].limit);
        struct error err = {0};

        if (queue_check(&queue, &err) != 0)
            fail_msg("row %zu: %s", i, err.text);
    }
}

static void a_guarantee_above_the_limit_is_refused_with_both_figures(void **state)
{
    static const struct {
        const char *guarantee;
        const char *limit;
        const char *text;
    } rows[] = {
        {"gpu=3", "gpu=2", "the guarantee gpu=3 is above the limit gpu=2"},
        {"gpu=1", "gpu=0", "the guarantee gpu=1 is above the limit gpu=0"},
        {"cpu=0.501", "cpu=0.5", "the guarantee cpu=0.501 is above the limit cpu=0.5"},
        {"mem=1025", "mem=1k", "the guarantee mem=1025 is above the limit mem=1k"},
        {"cpu=1,mem=2g,gpu=1", "cpu=1,mem=1g,gpu=1", "the guarantee mem=2g is above the limit mem=1g"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct queue queue = queue_with(rows[i].guarantee, rows[i].limit);
        struct error err = {0};

        assert_int_equal(queue_check(&queue, &err), -1);
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_string_equal(err.text, rows[i].text);
    }
}

/* --- policies --- */

static void every_policy_is_known_by_its_name(void **state)
{
    static const struct {
        const char *name;
        enum policy policy;
    } rows[] = {
        {"spread", POLICY_SPREAD},
        {"distributed", POLICY_SPREAD},
        {"scatter", POLICY_SCATTER},
        {"packed", POLICY_PACKED},
        {"least-request", POLICY_LEAST_REQUEST},
        {"round-robin", POLICY_ROUND_ROBIN},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        enum policy policy = POLICY_SPREAD;

        assert_true(policy_parse(rows[i].name, strlen(rows[i].name), &policy));
        assert_int_equal(policy, rows[i].policy);
        assert_non_null(strstr(POLICY_NAMES, rows[i].name));
    }
}

static void the_name_that_is_printed_is_read_as_the_same_policy(void **state)
{
    (void)state;
    for (enum policy policy = POLICY_SPREAD; policy < POLICY_COUNT; policy++) {
        const char *name = policy_name(policy);
        enum policy again = policy == POLICY_SPREAD ? POLICY_PACKED : POLICY_SPREAD;

        assert_true(policy_parse(name, strlen(name), &again));
        assert_int_equal(again, policy);
    }
    assert_string_equal(policy_name(POLICY_SPREAD), "spread");
}

static void nothing_else_is_a_policy(void **state)
{
    static const struct {
        const char *name;
        size_t length;
    } rows[] = {
        {TEXT("")},        {TEXT("Spread")},     {TEXT("SPREAD")},      {TEXT("sprea")},
        {TEXT("spreadx")}, {TEXT(" spread")},    {TEXT("spread ")},     {TEXT("spread\0")},
        {TEXT("random")},  {TEXT("roundrobin")}, {TEXT("round_robin")}, {TEXT("least")},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        enum policy policy = POLICY_PACKED;

        if (policy_parse(rows[i].name, rows[i].length, &policy))
            fail_msg("\"%s\" is read as %s", rows[i].name, policy_name(policy));
        assert_int_equal(policy, POLICY_PACKED);
    }
}

static void only_the_given_length_of_a_policy_counts(void **state)
{
    enum policy policy = POLICY_PACKED;

    (void)state;
    assert_true(policy_parse("spread,x", 6, &policy));
    assert_int_equal(policy, POLICY_SPREAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_letters_digits_and_some_marks_and_starts_with_no_mark),
        cmocka_unit_test(any_other_name_is_refused_with_what_is_wrong),
        cmocka_unit_test(only_the_given_length_of_a_name_counts),
        cmocka_unit_test(an_undeclared_queue_has_weight_one_and_neither_guarantee_nor_limit),
        cmocka_unit_test(the_longest_name_fits_a_queue),
        cmocka_unit_test(a_guarantee_within_the_limit_is_fine),
        cmocka_unit_test(a_guarantee_above_the_limit_is_refused_with_both_figures),
        cmocka_unit_test(every_policy_is_known_by_its_name),
        cmocka_unit_test(the_name_that_is_printed_is_read_as_the_same_policy),
        cmocka_unit_test(nothing_else_is_a_policy),
        cmocka_unit_test(only_the_given_length_of_a_policy_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

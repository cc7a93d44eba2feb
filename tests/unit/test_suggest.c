/*
 * Which word is near to a misspelt one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/suggest.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

static void the_nearest_word_is_found_if_it_is_near(void **state)
{
    static const struct {
        const char *typed;
        const char *meant;
    } rows[] = {
        {"weight", "weight"},
        {"WEIGHT", "weight"},
        {"wieght", "weight"},
        {"weigh", "weight"},
        {"weights", "weight"},
        {"heigh", "weight"},
        {"limt", "limit"},
        {"limits", "limit"},
        {"mem", "mem"},
        {"men", "mem"},
        {"me", "mem"},
        {"cup", NULL},
        {"", NULL},
        {"max_prority", "max_priority"},
        {"priority", "max_priority"},
        {"unrelated", NULL},
        {"m", NULL},
    };
    static const char *const words[] = {"weight", "limit", "mem", "max_priority"};

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct suggestion best = {0};

        for (size_t j = 0; j < ROWS(words); j++)
            suggest_consider(&best, rows[i].typed, strlen(rows[i].typed), words[j]);
        if (best.word != rows[i].meant &&
            (best.word == NULL || rows[i].meant == NULL || strcmp(best.word, rows[i].meant) != 0))
            fail_msg("%s: %s", rows[i].typed, best.word == NULL ? "nothing" : best.word);
    }
}

static void of_two_words_the_nearer_is_kept_and_of_equals_the_first(void **state)
{
    struct suggestion best = {0};

    (void)state;
    suggest_consider(&best, "abcdef", 6, "abcxyf");
    assert_string_equal(best.word, "abcxyf");
    suggest_consider(&best, "abcdef", 6, "abxxef");
    assert_string_equal(best.word, "abcxyf");
    suggest_consider(&best, "abcdef", 6, "abcdex");
    assert_string_equal(best.word, "abcdex");
    assert_int_equal(best.distance, 1);
}

static void words_that_are_too_long_are_left_alone(void **state)
{
    struct suggestion best = {0};
    char word[SUGGEST_WORD_MAX + 2];

    (void)state;
    memset(word, 'a', sizeof(word));
    word[SUGGEST_WORD_MAX + 1] = '\0';
    suggest_consider(&best, word, SUGGEST_WORD_MAX + 1, word + 1);
    assert_null(best.word);
    suggest_consider(&best, word, SUGGEST_WORD_MAX, word);
    assert_null(best.word);
    suggest_consider(&best, word, SUGGEST_WORD_MAX, word + 1);
    assert_ptr_equal(best.word, word + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_word_is_found_if_it_is_near),
        cmocka_unit_test(of_two_words_the_nearer_is_kept_and_of_equals_the_first),
        cmocka_unit_test(words_that_are_too_long_are_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

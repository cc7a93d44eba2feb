/*
 * The one error type: one line for a person, cut with a mark where it is too long, and nothing hostile in it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "alloc/error.h"

#define ROWS(table)   (sizeof(table) / sizeof(table[0]))
#define TEXT(literal) (literal), sizeof(literal) - 1

#define TEXT_MAX (ERROR_TEXT_SIZE - 1) /* characters of an error */

/* `length` letters. */
static const char *letters(size_t length)
{
    static char text[4 * ERROR_TEXT_SIZE];

    assert_true(length < sizeof(text));
    memset(text, 'x', length);
    text[length] = '\0';
    return text;
}

static bool ends_in(const char *text, const char *tail)
{
    return strlen(text) >= strlen(tail) && strcmp(text + strlen(text) - strlen(tail), tail) == 0;
}

/* As long as a text can be, and with the mark at its end. */
static void must_be_cut(const struct error *err)
{
    assert_int_equal(strnlen(err->text, ERROR_TEXT_SIZE), TEXT_MAX);
    if (!ends_in(err->text, "..."))
        fail_msg("what is too long ends in \"%s\"", err->text + TEXT_MAX - 10);
}

/* --- setting --- */

static void an_error_has_a_kind_and_a_text_and_is_returned_as_minus_one(void **state)
{
    struct error err = {.saved_errno = EIO};

    (void)state;
    assert_int_equal(error_set(&err, ERROR_REFUSED, "%s is %d", "this", 5), -1);
    assert_int_equal(err.kind, ERROR_REFUSED);
    assert_int_equal(err.saved_errno, 0);
    assert_string_equal(err.text, "this is 5");
}

static void a_text_that_just_fits_is_whole(void **state)
{
    struct error err;

    (void)state;
    error_set(&err, ERROR_INPUT, "%s", letters(TEXT_MAX));
    assert_string_equal(err.text, letters(TEXT_MAX));
}

static void a_text_that_is_too_long_ends_in_a_mark(void **state)
{
    static const size_t lengths[] = {TEXT_MAX + 1, TEXT_MAX + 2, TEXT_MAX + 3, 2 * ERROR_TEXT_SIZE};

    (void)state;
    for (size_t i = 0; i < ROWS(lengths); i++) {
        struct error err;

        error_set(&err, ERROR_INPUT, "%s", letters(lengths[i]));
        must_be_cut(&err);
    }
}

static void a_system_error_says_what_the_number_means(void **state)
{
    struct error err;

    (void)state;
    assert_int_equal(error_set_errno(&err, ENOENT, "%s cannot be opened", "/run/x"), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_int_equal(err.saved_errno, ENOENT);
    assert_string_equal(err.text, "/run/x cannot be opened: No such file or directory");
    error_set_errno(&err, ENOSPC, "the output cannot be written");
    assert_string_equal(err.text, "the output cannot be written: No space left on device");
}

static void a_system_error_of_an_unknown_number_is_still_a_sentence(void **state)
{
    static const int numbers[] = {-1, 99999};

    (void)state;
    for (size_t i = 0; i < ROWS(numbers); i++) {
        struct error err;

        error_set_errno(&err, numbers[i], "it failed");
        assert_int_equal(err.saved_errno, numbers[i]);
        assert_ptr_equal(strstr(err.text, "it failed"), err.text);
        if (strstr(err.text, "(null)") != NULL)
            fail_msg("%d: %s", numbers[i], err.text);
    }
}

static void a_system_error_that_is_too_long_ends_in_a_mark(void **state)
{
    static const char meaning[] = ": No such file or directory";
    const size_t fits = TEXT_MAX - strlen(meaning);
    const size_t too_long[] = {fits + 1, fits + 5, TEXT_MAX - 1, TEXT_MAX, TEXT_MAX + 1, 2 * ERROR_TEXT_SIZE};
    struct error err;

    (void)state;
    error_set_errno(&err, ENOENT, "%s", letters(fits));
    assert_int_equal(strlen(err.text), TEXT_MAX);
    assert_true(ends_in(err.text, meaning));
    for (size_t i = 0; i < ROWS(too_long); i++) {
        error_set_errno(&err, ENOENT, "%s", letters(too_long[i]));
        must_be_cut(&err);
    }
}

/* --- context --- */

static void context_goes_in_front_and_leaves_the_rest_as_it_is(void **state)
{
    struct error err;

    (void)state;
    error_set_errno(&err, EACCES, "cannot be read");
    assert_int_equal(error_add_context(&err, "line %d", 7), -1);
    assert_string_equal(err.text, "line 7: cannot be read: Permission denied");
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_int_equal(err.saved_errno, EACCES);
    error_add_context(&err, "%s", "a.toml");
    assert_string_equal(err.text, "a.toml: line 7: cannot be read: Permission denied");
    error_set(&err, ERROR_BUG, "odd");
    error_add_context(&err, "there");
    assert_string_equal(err.text, "there: odd");
    assert_int_equal(err.kind, ERROR_BUG);
}

static void percent_signs_in_a_text_stay_percent_signs(void **state)
{
    struct error err;

    (void)state;
    error_set(&err, ERROR_INPUT, "%s", "100%n%s%d");
    error_add_context(&err, "%s", "%x");
    assert_string_equal(err.text, "%x: 100%n%s%d");
}

static void context_that_makes_the_text_too_long_leaves_a_mark(void **state)
{
    static const struct {
        size_t text;
        size_t context;
        bool fits;
    } rows[] = {
        {TEXT_MAX - 10, 8, true},  {TEXT_MAX - 10, 9, false},        {TEXT_MAX, 1, false},
        {10, TEXT_MAX - 12, true}, {10, TEXT_MAX - 11, false},       {10, TEXT_MAX - 1, false},
        {10, TEXT_MAX, false},     {10, 2 * ERROR_TEXT_SIZE, false}, {TEXT_MAX, TEXT_MAX, false},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct error err;

        error_set(&err, ERROR_INPUT, "%s", letters(rows[i].text));
        error_add_context(&err, "%s", letters(rows[i].context));
        if (rows[i].fits)
            assert_int_equal(strlen(err.text), rows[i].text + 2 + rows[i].context);
        else
            must_be_cut(&err);
        assert_int_equal(err.kind, ERROR_INPUT);
    }
}

/* --- the exit status --- */

static void every_kind_has_its_exit_status(void **state)
{
    static const struct {
        enum error_kind kind;
        int status;
    } rows[] = {
        {ERROR_NONE, 0}, {ERROR_REFUSED, 1}, {ERROR_INPUT, 2}, {ERROR_SYSTEM, 3}, {ERROR_BUG, 4},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        assert_int_equal(error_exit_status(&(struct error){.kind = rows[i].kind}), rows[i].status);
}

static void a_kind_that_is_none_is_a_bug(void **state)
{
    struct error err = {.kind = ERROR_NONE};

    (void)state;
    memset(&err.kind, 0x7f, sizeof(err.kind));
    assert_int_equal(error_exit_status(&err), 4);
}

/* --- quoting --- */

static void a_quoted_value_shows_every_byte_that_could_do_harm(void **state)
{
    static const struct {
        const char *value;
        size_t length;
        const char *quoted;
    } rows[] = {
        {TEXT(""), "\"\""},
        {TEXT("plain text."), "\"plain text.\""},
        {TEXT("a\"b"), "\"a\\\"b\""},
        {TEXT("a\\b"), "\"a\\\\b\""},
        {TEXT("a\nallot: b"), "\"a\\x0aallot: b\""},
        {TEXT("\r\t\x1b[31m"), "\"\\x0d\\x09\\x1b[31m\""},
        {TEXT("a\0b"), "\"a\\x00b\""},
        {TEXT("\x7f"), "\"\\x7f\""},
        {TEXT("\xc3\xa4"), "\"\\xc3\\xa4\""},
        {TEXT("\xe2\x80\xae"), "\"\\xe2\\x80\\xae\""},
        {TEXT("\xff\x80"), "\"\\xff\\x80\""},
        {TEXT("%s%n"), "\"%s%n\""},
        {"abc", 2, "\"ab\""},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        char buffer[QUOTE_SIZE];

        assert_ptr_equal(text_quote(buffer, rows[i].value, rows[i].length), buffer);
        assert_string_equal(buffer, rows[i].quoted);
    }
}

/* How one byte must look between the quotes. */
static void spell(unsigned byte, char out[8])
{
    if (byte == '"' || byte == '\\')
        snprintf(out, 8, "\\%c", (int)byte);
    else if (byte >= ' ' && byte <= '~')
        snprintf(out, 8, "%c", (int)byte);
    else
        snprintf(out, 8, "\\x%02x", byte);
}

static void each_of_the_256_bytes_is_spelt_in_printable_ascii(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        char value = (char)byte;
        char buffer[QUOTE_SIZE];
        char spelt[8];
        char wanted[16];

        spell(byte, spelt);
        snprintf(wanted, sizeof(wanted), "\"%s\"", spelt);
        assert_string_equal(text_quote(buffer, &value, 1), wanted);
    }
}

/* Of `length` times `byte`, what is shown is all of it, or a beginning of whole spellings and the mark. */
static void must_be_whole_or_marked(unsigned byte, size_t length)
{
    CLEAN_FREE char *value = malloc(length + 1);
    struct {
        char buffer[QUOTE_SIZE];
        char behind[16];
    } room;
    char spelt[8];
    size_t shown = 0;
    const char *at;

    assert_non_null(value);
    memset(value, (int)byte, length);
    memset(&room, '#', sizeof(room));
    spell(byte, spelt);
    text_quote(room.buffer, value, length);
    for (size_t i = 0; i < sizeof(room.behind); i++)
        assert_int_equal(room.behind[i], '#');
    assert_true(strnlen(room.buffer, QUOTE_SIZE) < QUOTE_SIZE);
    assert_int_equal(room.buffer[0], '"');
    for (at = room.buffer + 1; strncmp(at, spelt, strlen(spelt)) == 0; at += strlen(spelt))
        shown++;
    if (shown < length)
        assert_string_equal(at, "...\"");
    else
        assert_string_equal(at, "\"");
    if (length <= 32 && shown < length)
        fail_msg("%zu bytes of 0x%02x are cut to %zu", length, byte, shown);
}

static void a_long_value_is_cut_with_a_mark_and_never_within_an_escape(void **state)
{
    static const unsigned bytes[] = {'x', '"', '\\', '\n', 0, 0xff};

    (void)state;
    for (size_t i = 0; i < ROWS(bytes); i++) {
        for (size_t length = 0; length <= 2 * QUOTE_SIZE; length++)
            must_be_whole_or_marked(bytes[i], length);
        must_be_whole_or_marked(bytes[i], 1 << 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_has_a_kind_and_a_text_and_is_returned_as_minus_one),
        cmocka_unit_test(a_text_that_just_fits_is_whole),
        cmocka_unit_test(a_text_that_is_too_long_ends_in_a_mark),
        cmocka_unit_test(a_system_error_says_what_the_number_means),
        cmocka_unit_test(a_system_error_of_an_unknown_number_is_still_a_sentence),
        cmocka_unit_test(a_system_error_that_is_too_long_ends_in_a_mark),
        cmocka_unit_test(context_goes_in_front_and_leaves_the_rest_as_it_is),
        cmocka_unit_test(percent_signs_in_a_text_stay_percent_signs),
        cmocka_unit_test(context_that_makes_the_text_too_long_leaves_a_mark),
        cmocka_unit_test(every_kind_has_its_exit_status),
        cmocka_unit_test(a_kind_that_is_none_is_a_bug),
        cmocka_unit_test(a_quoted_value_shows_every_byte_that_could_do_harm),
        cmocka_unit_test(each_of_the_256_bytes_is_spelt_in_printable_ascii),
        cmocka_unit_test(a_long_value_is_cut_with_a_mark_and_never_within_an_escape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

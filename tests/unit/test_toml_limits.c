/*
 * The TOML reader against input that means it harm: too deep, too long, cut off, or more than memory holds.
 * Run under AddressSanitizer this is half of the fuzzing; the other half is tests/fuzz/fuzz_toml.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc/cleanup.h"
#include "config/toml.h"

/*
 * The reader's own memory file, with an allocator that fails when it is told to. Defining its functions here
 * keeps the linker from taking the same file out of the archive.
 */
static unsigned allocations_left = UINT_MAX;

static void *limited_calloc(size_t count, size_t size)
{
    if (allocations_left == 0)
        return NULL;
    if (allocations_left != UINT_MAX)
        allocations_left--;
    return calloc(count, size);
}

#define calloc limited_calloc
#include "config/toml_memory.c" /* NOLINT(bugprone-suspicious-include) */
#undef calloc

#define CLEAN_DOCUMENT __attribute__((cleanup(clean_document)))
#define COUNT(rows)    (sizeof(rows) / sizeof((rows)[0]))
#define MIB            (1024UL * 1024UL)
/* Far above what any of these takes, even under valgrind; far below what a quadratic reader would. */
#define SECONDS_MAX 20.0

static const char sample[] = "# a document with a little of everything\r\n"
                             "title = \"TOML \\\"\\u00e9\\U0001F600\\\\\"\n"
                             "literal = 'C:\\x' # comment\n"
                             "many = \"\"\"\r\none \\\n   two \"\" three\"\"\"\"\"\n"
                             "raw = '''\n'a' ''b'' \\'''\n"
                             "numbers = [0, -1_000, +7, 0xfF, 0o17, 0b01, 1.5, -2e+10, 3_0.5E-1,\n"
                             "  inf, -nan, # more\n  ]\n"
                             "times = [1979-05-27T07:32:00.5Z, 1979-05-27 07:32:00+01:30,\n"
                             "  1979-05-27t07:32:00, 1979-05-27, 07:32:00.25]\n"
                             "\"quoted key\".'b'. c-d_9 = true\n"
                             "inline = { x = 1, y.z = [ { }, false ], 'w' = {v=\"\"} }\n"
                             "[table.sub]\nkey = '\xE2\x82\xAC'\n"
                             "[table]\n[[list]]\nn = 1\n[list.more]\n[[list]]\n[[list.more.deep]]\n";

static void clean_document(struct toml_document **document)
{
    toml_free(*document);
}

static int parse(const char *text, size_t length, struct error *err)
{
    CLEAN_DOCUMENT struct toml_document *document = NULL;

    return toml_parse(text, length, &document, err);
}

/* Parses a copy that ends where its memory ends, so that reading one byte too far is seen. */
static int parse_copy(const char *text, size_t length, struct error *err)
{
    CLEAN_FREE char *copy = malloc(length > 0 ? length : 1);

    assert_non_null(copy);
    memcpy(copy, text, length);
    return parse(copy, length, err);
}

static void assert_refused(int result, const struct error *err)
{
    assert_int_equal(result, -1);
    assert_int_equal(err->kind, ERROR_INPUT);
    assert_memory_equal(err->text, "line ", 5);
}

/* `unit` over and over, between `before` and `after`. */
static char *repeated(const char *before, const char *unit, size_t times, const char *after)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fputs(before, out);
    for (size_t i = 0; i < times; i++)
        fputs(unit, out);
    fputs(after, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void a_document_cut_off_anywhere_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof(sample); length++) {
        struct error err = {.kind = ERROR_NONE};
        int result = parse_copy(sample, length, &err);

        if (result != 0)
            assert_refused(result, &err);
    }
    /* And the whole of it is good. */
    assert_int_equal(parse_copy(sample, sizeof(sample) - 1, &(struct error){.kind = ERROR_NONE}), 0);
}

static void a_document_with_any_byte_changed_is_read_or_refused(void **state)
{
    static const char bytes[] = "\0\n\r\t \"'\\[]{}=.,#-+_:0eTZ\x7F\x80\xC3\xF0\xFF";
    char text[sizeof(sample)];

    (void)state;
    for (size_t place = 0; place < sizeof(sample) - 1; place++) {
        for (size_t i = 0; i < sizeof(bytes) - 1; i++) {
            struct error err = {.kind = ERROR_NONE};
            int result;

            memcpy(text, sample, sizeof(text));
            text[place] = bytes[i];
            result = parse_copy(text, sizeof(text) - 1, &err);
            if (result != 0)
                assert_refused(result, &err);
        }
    }
}

static void a_failed_allocation_is_an_error_and_leaks_nothing(void **state)
{
    struct error err = {.kind = ERROR_NONE};
    unsigned allowed = 0;
    int result;

    (void)state;
    do {
        allocations_left = allowed++;
        result = parse(sample, sizeof(sample) - 1, &err);
        if (result != 0) {
            assert_int_equal(err.kind, ERROR_SYSTEM);
            assert_int_equal(err.saved_errno, ENOMEM);
        }
    } while (result != 0);
    allocations_left = UINT_MAX;
    /* The sample has more values than this, and each takes one at least. */
    assert_true(allowed > 50);
}

struct nest_row {
    const char *name;
    const char *before, *unit, *after; /* the unit nests one level */
    const char *closing;               /* ends one level */
    size_t outer;                      /* levels that `before` and `after` take */
};

static const struct nest_row nests[] = {
    {"arrays", "a=", "[", "", "]", 0},
    {"inline tables", "a=", "{a=", "1", "}", 0},
    {"both in turn", "a=", "[{a=", "1", "}]", 0},
    {"dotted keys", "a", ".a", "=1", "", 0},
    {"a dotted key in an inline table", "a={a", ".a", "=1}", "", 1},
    {"arrays below a header", "[a.b]\nc=", "[", "", "]", 2},
    {"a header", "[a", ".a", "]", "", 1},
    {"elements below elements", "[[a", ".a", "]]", "", 2},
};

static int parse_nest(const struct nest_row *row, size_t times, struct error *err)
{
    CLEAN_FREE char *opened = repeated(row->before, row->unit, times, row->after);
    CLEAN_FREE char *text = repeated(opened, row->closing, times, "");

    return parse(text, strlen(text), err);
}

static void nesting_ends_exactly_at_the_limit(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(nests); i++) {
        struct error err = {.kind = ERROR_NONE};
        size_t step = strcmp(nests[i].unit, "[{a=") == 0 ? 2 : 1;
        size_t times = (TOML_DEPTH_MAX - nests[i].outer) / step;

        if (parse_nest(&nests[i], times, &err) != 0)
            fail_msg("%s: %s", nests[i].name, err.text);
        if (parse_nest(&nests[i], times + 1, &err) == 0)
            fail_msg("%s are accepted one level deeper", nests[i].name);
        assert_refused(-1, &err);
        assert_non_null(strstr(err.text, "nested 64 deep"));
    }
}

static void a_megabyte_of_nesting_is_refused_and_not_followed(void **state)
{
    static const struct {
        const char *before, *unit;
    } rows[] = {{"a=", "["},  {"a=", "{a="}, {"a=", "[{a="}, {"a", ".a"},
                {"[a", ".a"}, {"", "["},     {"", "[["},     {"a={a", ".a"}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        CLEAN_FREE char *text = repeated(rows[i].before, rows[i].unit, MIB / strlen(rows[i].unit), "");
        struct error err = {.kind = ERROR_NONE};

        assert_refused(parse(text, strlen(text), &err), &err);
    }
}

/* "k<i> = <i>" for every number below `count`, in an order that `step` scatters. */
static char *many_keys(unsigned long count, unsigned long step)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    for (unsigned long i = 0; i < count; i++)
        fprintf(out, "k%lu=%lu\n", i * step % count, i);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void a_megabyte_of_keys_takes_no_quadratic_time(void **state)
{
    static const unsigned long count = 80000;
    /* Rising, falling, scattered; each step and the count have no common divisor. */
    static const unsigned long steps[] = {1, 79999, 31337};

    (void)state;
    for (size_t i = 0; i < COUNT(steps); i++) {
        CLEAN_FREE char *text = many_keys(count, steps[i]);
        CLEAN_DOCUMENT struct toml_document *document = NULL;
        struct error err = {.kind = ERROR_NONE};
        clock_t begin = clock();

        assert_int_equal(toml_parse(text, strlen(text), &document, &err), 0);
        assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < SECONDS_MAX);
        assert_int_equal(toml_root(document)->count, count);
        for (unsigned long k = 0; k < count; k += 997) {
            char name[32];

            snprintf(name, sizeof(name), "k%lu", k * steps[i] % count);
            assert_int_equal(toml_get(toml_root(document), name)->integer, k);
        }
    }
}

static void members_keep_the_order_of_the_file(void **state)
{
    CLEAN_FREE char *text = many_keys(1000, 37);
    CLEAN_DOCUMENT struct toml_document *document = NULL;
    struct error err = {.kind = ERROR_NONE};
    int64_t expected = 0;

    (void)state;
    assert_int_equal(toml_parse(text, strlen(text), &document, &err), 0);
    for (const struct toml_value *value = toml_root(document)->first; value != NULL; value = value->next)
        assert_int_equal(value->integer, expected++);
    assert_int_equal(expected, 1000);
}

static void a_megabyte_in_one_token_is_read_or_refused(void **state)
{
    static const struct {
        const char *before, *unit, *after;
        int result;
    } rows[] = {
        {"a='", "x", "'", 0},
        {"a=\"", "\\\\", "\"", 0},
        {"a=\"\"\"", "\"\"\\\"", "", -1},
        {"", "k", "=1", 0},
        {"a=0.", "1", "", 0},
        {"a=1", "0", "", -1},
        {"a=1", "0", ".0", -1},
        {"a=1e", "0", "1", 0},
        {"a=07:32:00.", "1", "", 0},
        {"a=[", "0,", "]", 0},
        {"a=[", "{},", "]", 0},
        {"", "[[a]]\n", "", 0},
        {"#", "#", "", 0},
        {"", "\n", "", 0},
        {"a=", "word", "", -1},
        {"a=\"\"\"\\", "\n ", "\"\"\"", 0},
        {"a=1_", "1_", "", -1},
        {"", " ", "", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        CLEAN_FREE char *text =
            repeated(rows[i].before, rows[i].unit, MIB / strlen(rows[i].unit), rows[i].after);
        struct error err = {.kind = ERROR_NONE};
        int result = parse(text, strlen(text), &err);

        assert_int_equal(result, rows[i].result);
        if (result != 0)
            assert_refused(result, &err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_cut_off_anywhere_is_read_or_refused),
        cmocka_unit_test(a_document_with_any_byte_changed_is_read_or_refused),
        cmocka_unit_test(a_failed_allocation_is_an_error_and_leaks_nothing),
        cmocka_unit_test(nesting_ends_exactly_at_the_limit),
        cmocka_unit_test(a_megabyte_of_nesting_is_refused_and_not_followed),
        cmocka_unit_test(a_megabyte_of_keys_takes_no_quadratic_time),
        cmocka_unit_test(members_keep_the_order_of_the_file),
        cmocka_unit_test(a_megabyte_in_one_token_is_read_or_refused),
    };

    return cmocka_run_group_tests_name("toml_limits", tests, NULL, NULL);
}

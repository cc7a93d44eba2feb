/*
 * The one strict reader of numbers: what it takes, what it refuses, and that nothing wraps.
 */
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
#include "alloc/limits.h"
#include "alloc/number.h"
#include "tests/support/dice.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

/* 10^30, which no 64-bit word holds, and 2^128 + 1, which is 1 in one of 128. */
#define TEN_TO_30    "1000000000000000000000000000000"
#define BEYOND_2_128 "340282366920938463463374607431768211457"

#define UNTOUCHED 0x5a5a5a5a5a5a5a5aULL

typedef const char *read_text(const char *text, size_t length, uint64_t *out);

static const char *read_any_number(const char *text, size_t length, uint64_t *out)
{
    return number_parse(text, length, UINT64_MAX, out);
}

/* A text with its length, so that a row can have a NUL inside. */
#define TEXT(literal) (literal), sizeof(literal) - 1

/* Reads from memory that ends where the text ends: a look beyond it is one the sanitizer sees. */
static const char *read_exactly(read_text *read, const char *text, size_t length, uint64_t *out)
{
    CLEAN_FREE char *exact = malloc(length > 0 ? length : 1);

    assert_non_null(exact);
    memcpy(exact, text, length);
    return read(length > 0 ? exact : exact + 1, length, out);
}

static void must_read(read_text *read, const char *text, uint64_t wanted)
{
    uint64_t value = UNTOUCHED;
    const char *wrong = read_exactly(read, text, strlen(text), &value);

    if (wrong != NULL)
        fail_msg("\"%s\" %s", text, wrong);
    if (value != wanted)
        fail_msg("\"%s\" is read as %llu", text, (unsigned long long)value);
}

static void must_refuse(read_text *read, const char *text, size_t length, const char *phrase)
{
    uint64_t value = UNTOUCHED;
    const char *wrong = read_exactly(read, text, length, &value);

    if (wrong == NULL)
        fail_msg("\"%s\" is read as %llu", text, (unsigned long long)value);
    if (strstr(wrong, phrase) == NULL)
        fail_msg("\"%s\" %s", text, wrong);
    if (value != UNTOUCHED)
        fail_msg("\"%s\" is refused, but leaves %llu behind", text, (unsigned long long)value);
}

/* --- whole numbers --- */

static void digits_are_the_number_that_they_spell(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } rows[] = {
        {"0", 0},
        {"1", 1},
        {"9", 9},
        {"10", 10},
        {"42", 42},
        {"4294967296", 1ULL << 32},
        {"9007199254740992", 1ULL << 53},
        {"9007199254740993", (1ULL << 53) + 1},
        {"9223372036854775808", 1ULL << 63},
        {"18446744073709551615", UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        must_read(read_any_number, rows[i].text, rows[i].value);
}

static void a_number_up_to_the_bound_is_read_and_one_above_is_too_large(void **state)
{
    static const struct {
        const char *text;
        uint64_t max;
        bool fits;
    } rows[] = {
        {"0", 0, true},
        {"1", 0, false},
        {"9007199254740992", 1ULL << 53, true},
        {"9007199254740993", 1ULL << 53, false},
        {"9223372036854775807", INT64_MAX, true},
        {"9223372036854775808", INT64_MAX, false},
        {"18446744073709551615", UINT64_MAX, true},
        {"18446744073709551615", UINT64_MAX - 1, false},
        {"18446744073709551616", UINT64_MAX, false},
        {"18446744073709551616", 0, false},
        {"18446744073709551617", 1, false},
        {"99999999999999999999", UINT64_MAX, false},
        {TEN_TO_30, UINT64_MAX, false},
        {BEYOND_2_128, 1, false},
        {BEYOND_2_128, UINT64_MAX, false},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        uint64_t value = UNTOUCHED;
        const char *wrong = number_parse(rows[i].text, strlen(rows[i].text), rows[i].max, &value);

        if ((wrong == NULL) != rows[i].fits)
            fail_msg("%s against %llu: %s", rows[i].text, (unsigned long long)rows[i].max,
                     wrong != NULL ? wrong : "fits");
        if (wrong != NULL) {
            assert_string_equal(wrong, "is too large");
            assert_int_equal(value, UNTOUCHED);
        }
    }
}

static void only_decimal_digits_are_a_whole_number(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {TEXT("")},    {TEXT(" ")},    {TEXT(" 1")},    {TEXT("1 ")},    {TEXT("1 2")},
        {TEXT("\t1")}, {TEXT("1\n")},  {TEXT("1\r")},   {TEXT("+1")},    {TEXT("-1")},
        {TEXT("-0")},  {TEXT("1.0")},  {TEXT("1.")},    {TEXT(".1")},    {TEXT("1e3")},
        {TEXT("1E3")}, {TEXT("0x10")}, {TEXT("x10")},   {TEXT("0b1")},   {TEXT("1_000")},
        {TEXT("1,0")}, {TEXT("1'0")},  {TEXT("a")},     {TEXT("1a")},    {TEXT("nan")},
        {TEXT("inf")}, {TEXT("1k")},   {TEXT("1\0")},   {TEXT("\0001")}, {TEXT("1\0002")},
        {TEXT("/")},   {TEXT(":")},    {TEXT("1/1")},   {TEXT("1:1")},   {TEXT("\xd9\xa4")},
        {TEXT("²")},   {TEXT("１")},   {TEXT("1\xff")}, {TEXT("−1")},    {TEXT("18446744073709551616x")},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        must_refuse(read_any_number, rows[i].text, rows[i].length, "is not a whole number");
}

static void nothing_behind_the_given_length_is_looked_at(void **state)
{
    uint64_t value = 0;

    (void)state;
    assert_null(number_parse("1234", 2, UINT64_MAX, &value));
    assert_int_equal(value, 12);
    assert_null(cpu_parse("1.25x", 4, &value));
    assert_int_equal(value, 1250);
    assert_null(mem_parse("1kb?", 3, &value));
    assert_int_equal(value, 1024);
    assert_null(mem_parse("16g", 2, &value));
    assert_int_equal(value, 16);
    assert_null(duration_parse("5ms", 2, &value));
    assert_int_equal(value, 5 * 60 * 1000);
}

/* --- with a sign --- */

static void a_signed_number_within_its_range_is_read(void **state)
{
    static const struct {
        const char *text;
        int64_t min;
        int64_t max;
        int64_t value;
    } rows[] = {
        {"-5", -1000, 1000, -5},
        {"42", -1000, 1000, 42},
        {"0", -1000, 1000, 0},
        {"-0", -1000, 1000, 0},
        {"-1000", -1000, 1000, -1000},
        {"1000", -1000, 1000, 1000},
        {"5", 5, 5, 5},
        {"-2147483648", INT32_MIN, INT32_MAX, INT32_MIN},
        {"2147483647", INT32_MIN, INT32_MAX, INT32_MAX},
        {"9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX},
        {"-9223372036854775807", INT64_MIN, INT64_MAX, -INT64_MAX},
        {"-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        int64_t value = 77;
        const char *wrong =
            number_parse_signed(rows[i].text, strlen(rows[i].text), rows[i].min, rows[i].max, &value);

        if (wrong != NULL || value != rows[i].value)
            fail_msg("%s: %s, %lld", rows[i].text, wrong != NULL ? wrong : "read", (long long)value);
    }
}

static void a_signed_number_outside_of_its_range_is_too_small_or_too_large(void **state)
{
    static const struct {
        const char *text;
        int64_t min;
        int64_t max;
        const char *phrase;
    } rows[] = {
        {"-1001", -1000, 1000, "is too small"},
        {"1001", -1000, 1000, "is too large"},
        {"-1", 0, 10, "is too small"},
        {"4", 5, 10, "is too small"},
        {"2147483648", INT32_MIN, INT32_MAX, "is too large"},
        {"-2147483649", INT32_MIN, INT32_MAX, "is too small"},
        {"4294967295", INT32_MIN, INT32_MAX, "is too large"},
        {"9007199254740993", INT32_MIN, INT32_MAX, "is too large"},
        {"9223372036854775808", INT64_MIN, INT64_MAX, "is too large"},
        {"-9223372036854775809", INT64_MIN, INT64_MAX, "is too small"},
        {"18446744073709551615", INT64_MIN, INT64_MAX, "is too large"},
        {"18446744073709551616", INT64_MIN, INT64_MAX, "is too large"},
        {"-18446744073709551615", -1000, 1000, "is too small"},
        {"-18446744073709551617", -1000, 1000, "is too small"},
        {TEN_TO_30, INT64_MIN, INT64_MAX, "is too large"},
        {"-" TEN_TO_30, INT64_MIN, INT64_MAX, "is too small"},
        {BEYOND_2_128, -1000, 1000, "is too large"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        int64_t value = 77;
        const char *wrong =
            number_parse_signed(rows[i].text, strlen(rows[i].text), rows[i].min, rows[i].max, &value);

        if (wrong == NULL || strcmp(wrong, rows[i].phrase) != 0)
            fail_msg("%s: %s", rows[i].text, wrong != NULL ? wrong : "read");
        assert_int_equal(value, 77);
    }
}

static const char *read_signed(const char *text, size_t length, uint64_t *out)
{
    int64_t value = 0;
    const char *wrong = number_parse_signed(text, length, INT64_MIN, INT64_MAX, &value);

    if (wrong == NULL)
        *out = (uint64_t)value;
    return wrong;
}

static void one_minus_in_front_is_all_the_sign_there_is(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {TEXT("")},
        {TEXT("-")},
        {TEXT("--5")},
        {TEXT("+5")},
        {TEXT("-+5")},
        {TEXT("+-5")},
        {TEXT("- 5")},
        {TEXT(" -5")},
        {TEXT("-5 ")},
        {TEXT("5-")},
        {TEXT("-5-")},
        {TEXT("-0x5")},
        {TEXT("-1.0")},
        {TEXT("-1e")},
        {TEXT("-\0")},
        {TEXT("\x96"
              "5")},
        {TEXT("−5")},
        {TEXT("5\n")},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        must_refuse(read_signed, rows[i].text, rows[i].length, "is not a whole number");
}

/* --- cpu --- */

static void cpu_is_read_in_thousandths(void **state)
{
    static const struct {
        const char *text;
        uint64_t milli;
    } rows[] = {
        {"0", 0},        {"0.0", 0},       {"0.000", 0},      {"4", 4000},
        {"0.5", 500},    {"0.05", 50},     {"0.005", 5},      {"0.001", 1},
        {"1.125", 1125}, {"1.50", 1500},   {"1.500", 1500},   {"0.999", 999},
        {"64", 64000},   {"10.01", 10010}, {"1000", 1000000}, {"4503599627370.496", 1ULL << 52},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        must_read(cpu_parse, rows[i].text, rows[i].milli);
}

static void cpu_goes_up_to_the_largest_quantity_and_not_beyond(void **state)
{
    (void)state;
    must_read(cpu_parse, "9007199254739.999", QUANTITY_MAX - 993);
    must_refuse(cpu_parse, TEXT("9007199254740.993"), "is too large");
    must_refuse(cpu_parse, TEXT("9007199254741"), "is too large");
    must_refuse(cpu_parse, TEXT("9007199254740992"), "is too large");
    must_refuse(cpu_parse, TEXT("9007199254740993"), "is too large");
    must_refuse(cpu_parse, TEXT("9223372036854775808"), "is too large");
    must_refuse(cpu_parse, TEXT("18446744073709552"), "is too large"); /* x 1000 is 384 in 64 bits */
    must_refuse(cpu_parse, TEXT("18446744073709551615"), "is too large");
    must_refuse(cpu_parse, TEXT("18446744073709551616"), "is too large");
    must_refuse(cpu_parse, TEXT(TEN_TO_30), "is too large");
    must_refuse(cpu_parse, TEXT(TEN_TO_30 ".5"), "is too large");
    must_refuse(cpu_parse, TEXT(BEYOND_2_128), "is too large");
    must_read(cpu_parse, "9007199254740", QUANTITY_MAX - 992);
    must_read(cpu_parse, "9007199254740.992", QUANTITY_MAX);
}

static void cpu_has_digits_and_up_to_three_decimals_and_nothing_else(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {TEXT("")},       {TEXT(".")},        {TEXT(".5")},         {TEXT("5.")},   {TEXT("1.2345")},
        {TEXT("1.0000")}, {TEXT("1..2")},     {TEXT("1.2.3")},      {TEXT("-1")},   {TEXT("+1")},
        {TEXT("1.-5")},   {TEXT("1.+5")},     {TEXT(" 1")},         {TEXT("1 ")},   {TEXT("1. 5")},
        {TEXT("1 .5")},   {TEXT("1e3")},      {TEXT("1.e3")},       {TEXT("1.5e")}, {TEXT("0x10")},
        {TEXT("1_000")},  {TEXT("1,5")},      {TEXT("nan")},        {TEXT("inf")},  {TEXT("500m")},
        {TEXT("1k")},     {TEXT("\xd9\xa4")}, {TEXT("1.\xd9\xa4")}, {TEXT("1\0")},  {TEXT("1.5\n")},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        must_refuse(cpu_parse, rows[i].text, rows[i].length, "is not a number with up to three decimals");
}

/* --- memory --- */

/* `text` with the letters in upper case whose bit is set. */
static void with_case(const char *text, unsigned upper, char *out)
{
    for (size_t i = 0; i <= strlen(text); i++) {
        bool letter = text[i] >= 'a' && text[i] <= 'z';

        out[i] = letter && (upper >> i & 1) ? (char)(text[i] - 'a' + 'A') : text[i];
    }
}

static void every_memory_suffix_is_binary_in_any_case(void **state)
{
    static const char *const endings[] = {"", "i", "b", "ib"};
    static const char letters[] = "kmgtp";

    (void)state;
    for (unsigned letter = 0; letter < strlen(letters); letter++) {
        for (size_t ending = 0; ending < ROWS(endings); ending++) {
            char text[8];

            snprintf(text, sizeof(text), "3%c%s", letters[letter], endings[ending]);
            for (unsigned upper = 0; upper < 1U << strlen(text); upper++) {
                char cased[sizeof(text)];

                with_case(text, upper, cased);
                must_read(mem_parse, cased, 3ULL << (10 * (letter + 1)));
            }
        }
    }
}

static void memory_without_a_suffix_is_bytes(void **state)
{
    (void)state;
    must_read(mem_parse, "0", 0);
    must_read(mem_parse, "0p", 0);
    must_read(mem_parse, "256", 256);
    must_read(mem_parse, "512b", 512);
    must_read(mem_parse, "512B", 512);
    must_read(mem_parse, "1048576", 1 << 20);
}

static void memory_goes_up_to_the_largest_quantity_and_not_beyond(void **state)
{
    static const char *const largest[] = {
        "9007199254740992", "9007199254740992b", "8796093022208k", "8589934592m", "8388608g", "8192t", "8p"};
    static const char *const beyond[] = {
        "9007199254740993",
        "8796093022209k",
        "8589934593m",
        "8388609g",
        "8193t",
        "9p",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551617",
        "17179869184g",       /* 2^64 */
        "16384p",             /* 2^64 */
        "16385p",             /* 2^64 + 2^50 */
        "18014398509481985k", /* 2^64 + 2^10 */
        "99999999999p",
        TEN_TO_30,
        TEN_TO_30 "k",
        BEYOND_2_128,
    };

    (void)state;
    for (size_t i = 0; i < ROWS(largest); i++)
        must_read(mem_parse, largest[i], QUANTITY_MAX);
    for (size_t i = 0; i < ROWS(beyond); i++)
        must_refuse(mem_parse, beyond[i], strlen(beyond[i]), "is too large");
}

static void memory_is_digits_and_one_suffix_and_nothing_else(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {TEXT("")},         {TEXT("g")},     {TEXT("b")},
        {TEXT("ib")},       {TEXT("1.5g")},  {TEXT("1.0")},
        {TEXT("16 g")},     {TEXT(" 16g")},  {TEXT("16g ")},
        {TEXT("1e3")},      {TEXT("1e")},    {TEXT("1x")},
        {TEXT("1gg")},      {TEXT("1kk")},   {TEXT("1gbi")},
        {TEXT("1ibg")},     {TEXT("1bg")},   {TEXT("1i")},
        {TEXT("1bi")},      {TEXT("1bb")},   {TEXT("1ii")},
        {TEXT("1gii")},     {TEXT("1gbb")},  {TEXT("1gibs")},
        {TEXT("-1g")},      {TEXT("+1g")},   {TEXT("0x10")},
        {TEXT("1_0k")},     {TEXT("1,0k")},  {TEXT("k1")},
        {TEXT("1k1")},      {TEXT("1g1k")},  {TEXT("1z")},
        {TEXT("1eb")},      {TEXT("bogus")}, {TEXT("1g\0")},
        {TEXT("1\0g")},     {TEXT("1g\n")},  {TEXT("1\xe2\x84\xaa")},
        {TEXT("\xd9\xa4")}, {TEXT("1\xc7")}, {TEXT("off")},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        must_refuse(mem_parse, rows[i].text, rows[i].length, "is not a whole number of bytes");
}

/* --- durations --- */

static void a_duration_is_a_whole_number_of_a_unit(void **state)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } rows[] = {
        {"0ms", 0},
        {"0s", 0},
        {"0m", 0},
        {"0h", 0},
        {"1ms", 1},
        {"500ms", 500},
        {"1s", 1000},
        {"30s", 30 * 1000},
        {"5m", 5 * 60000},
        {"2h", 2 * 3600000},
        {"90s", 90000},
        {"1500ms", 1500},
        {"8784h", DURATION_MAX_MS},
        {"527040m", DURATION_MAX_MS},
        {"31622400s", DURATION_MAX_MS},
        {"31622400000ms", DURATION_MAX_MS},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        must_read(duration_parse, rows[i].text, rows[i].ms);
}

static void a_duration_above_a_year_is_too_large(void **state)
{
    static const char *const rows[] = {
        "8785h",
        "527041m",
        "31622401s",
        "31622400001ms",
        "5124095576031h",     /* 2^64 ms and a little */
        "307445734561826m",   /* likewise */
        "18446744073709552s", /* likewise */
        "9223372036854775808ms",
        "18446744073709551615ms",
        "18446744073709551616ms",
        "18446744073709551616h",
        TEN_TO_30 "s",
        BEYOND_2_128 "ms",
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        must_refuse(duration_parse, rows[i], strlen(rows[i]), "is too large");
}

static void what_has_no_unit_or_more_than_one_is_no_duration(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {TEXT("")},      {TEXT("s")},         {TEXT("ms")},      {TEXT("0")},    {TEXT("30")},
        {TEXT("30 s")},  {TEXT(" 30s")},      {TEXT("30s ")},    {TEXT("-30s")}, {TEXT("+30s")},
        {TEXT("1.5s")},  {TEXT(".5s")},       {TEXT("30S")},     {TEXT("5M")},   {TEXT("2H")},
        {TEXT("5MS")},   {TEXT("5Ms")},       {TEXT("1d")},      {TEXT("1w")},   {TEXT("1m30s")},
        {TEXT("30sec")}, {TEXT("1ss")},       {TEXT("1sm")},     {TEXT("1us")},  {TEXT("0x1s")},
        {TEXT("1e3s")},  {TEXT("1_0s")},      {TEXT("1s\0")},    {TEXT("1\0s")}, {TEXT("1s\n")},
        {TEXT("s1")},    {TEXT("\xd9\xa4s")}, {TEXT("forever")},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++)
        must_refuse(duration_parse, rows[i].text, rows[i].length, "is not a duration such as");
}

static void a_duration_is_printed_in_its_largest_whole_unit(void **state)
{
    static const struct {
        uint64_t ms;
        const char *text;
    } rows[] = {
        {0, "0s"},
        {1, "1ms"},
        {999, "999ms"},
        {1000, "1s"},
        {1500, "1500ms"},
        {59000, "59s"},
        {60000, "1m"},
        {90000, "90s"},
        {3600000, "1h"},
        {5400000, "90m"},
        {7200000, "2h"},
        {3601000, "3601s"},
        {3600001, "3600001ms"},
        {DURATION_MAX_MS, "8784h"},
        {UINT64_MAX, "18446744073709551615ms"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        char buffer[DURATION_TEXT_SIZE];

        assert_string_equal(duration_format(rows[i].ms, buffer), rows[i].text);
    }
}

/* No other unit that divides it gives a shorter text, and reading it again gives the same. */
static void must_be_shortest_and_exact(uint64_t ms)
{
    static const struct {
        uint64_t ms;
        const char *suffix;
    } units[] = {{1, "ms"}, {1000, "s"}, {60000, "m"}, {3600000, "h"}};
    char text[DURATION_TEXT_SIZE];
    uint64_t again = UNTOUCHED;

    duration_format(ms, text);
    assert_null(duration_parse(text, strlen(text), &again));
    if (again != ms)
        fail_msg("%llu ms is printed as %s", (unsigned long long)ms, text);
    for (size_t i = 0; i < ROWS(units); i++) {
        char other[DURATION_TEXT_SIZE];

        snprintf(other, sizeof(other), "%llu%s", (unsigned long long)(ms / units[i].ms), units[i].suffix);
        if (ms % units[i].ms == 0 && strlen(other) < strlen(text))
            fail_msg("%s is shorter than %s", other, text);
    }
}

static void a_printed_duration_is_the_shortest_and_reads_back_the_same(void **state)
{
    struct dice dice = dice_new(dice_seed(__func__));
    static const uint64_t units[] = {1, 1000, 60000, 3600000};

    (void)state;
    for (uint64_t ms = 0; ms <= 130000; ms += 250)
        must_be_shortest_and_exact(ms);
    for (int i = 0; i < 20000; i++) {
        uint64_t unit = units[dice_below(&dice, ROWS(units))];

        must_be_shortest_and_exact(dice_roll(&dice) % (DURATION_MAX_MS / unit + 1) * unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_the_number_that_they_spell),
        cmocka_unit_test(a_number_up_to_the_bound_is_read_and_one_above_is_too_large),
        cmocka_unit_test(only_decimal_digits_are_a_whole_number),
        cmocka_unit_test(nothing_behind_the_given_length_is_looked_at),
        cmocka_unit_test(a_signed_number_within_its_range_is_read),
        cmocka_unit_test(a_signed_number_outside_of_its_range_is_too_small_or_too_large),
        cmocka_unit_test(one_minus_in_front_is_all_the_sign_there_is),
        cmocka_unit_test(cpu_is_read_in_thousandths),
        cmocka_unit_test(cpu_goes_up_to_the_largest_quantity_and_not_beyond),
        cmocka_unit_test(cpu_has_digits_and_up_to_three_decimals_and_nothing_else),
        cmocka_unit_test(every_memory_suffix_is_binary_in_any_case),
        cmocka_unit_test(memory_without_a_suffix_is_bytes),
        cmocka_unit_test(memory_goes_up_to_the_largest_quantity_and_not_beyond),
        cmocka_unit_test(memory_is_digits_and_one_suffix_and_nothing_else),
        cmocka_unit_test(a_duration_is_a_whole_number_of_a_unit),
        cmocka_unit_test(a_duration_above_a_year_is_too_large),
        cmocka_unit_test(what_has_no_unit_or_more_than_one_is_no_duration),
        cmocka_unit_test(a_duration_is_printed_in_its_largest_whole_unit),
        cmocka_unit_test(a_printed_duration_is_the_shortest_and_reads_back_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

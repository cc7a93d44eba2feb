#include "alloc/number.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "alloc/limits.h"

static const char not_whole[] = "is not a whole number";
static const char too_large[] = "is too large";
static const char too_small[] = "is too small";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ASCII only; the locale has no say in a configuration. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

const char *number_parse(const char *text, size_t length, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;

    if (length == 0)
        return not_whole;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]))
            return not_whole;
    }
    for (size_t i = 0; i < length; i++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value) || value > max)
            return too_large;
    }
    *out = value;
    return NULL;
}

const char *number_parse_signed(const char *text, size_t length, int64_t min, int64_t max, int64_t *out)
{
    bool negative = length > 0 && text[0] == '-';
    uint64_t most = (uint64_t)INT64_MAX + negative; /* there is one more below 0 than above */
    uint64_t magnitude = 0;
    const char *wrong = number_parse(text + negative, length - negative, most, &magnitude);
    int64_t value;

    if (wrong == not_whole)
        return not_whole;
    /* Negated before the conversion: the lowest value has no positive counterpart. */
    value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    if (wrong != NULL)
        return negative ? too_small : too_large;
    if (value < min || value > max)
        return value < min ? too_small : too_large;
    *out = value;
    return NULL;
}

const char *cpu_parse(const char *text, size_t length, uint64_t *milli)
{
    static const char not_cpu[] = "is not a number with up to three decimals";
    size_t whole_length = 0;
    size_t decimals;
    uint64_t whole = 0;
    uint64_t part = 0;
    const char *wrong;

    while (whole_length < length && text[whole_length] != '.')
        whole_length++;
    wrong = number_parse(text, whole_length, QUANTITY_MAX / 1000, &whole);
    if (wrong != NULL)
        return wrong == not_whole ? not_cpu : wrong;
    if (whole_length < length) {
        decimals = length - whole_length - 1;
        if (decimals < 1 || decimals > 3 ||
            number_parse(text + whole_length + 1, decimals, 999, &part) != NULL)
            return not_cpu;
        for (; decimals < 3; decimals++)
            part *= 10;
    }
    if (whole * 1000 + part > QUANTITY_MAX)
        return too_large;
    *milli = whole * 1000 + part;
    return NULL;
}

/* The power of two that a memory suffix stands for, or -1. */
static int mem_shift(const char *suffix, size_t length)
{
    static const char letters[] = "kmgtp";
    int shift = 0;
    size_t at = 0;

    for (int i = 0; length > 0 && letters[i] != '\0'; i++) {
        if (lower(suffix[0]) == letters[i]) {
            shift = 10 * (i + 1);
            at = 1;
        }
    }
    if (shift > 0 && at < length && lower(suffix[at]) == 'i')
        at++;
    if (at < length && lower(suffix[at]) == 'b')
        at++;
    return at == length ? shift : -1;
}

const char *mem_parse(const char *text, size_t length, uint64_t *bytes)
{
    static const char not_mem[] =
        "is not a whole number of bytes with an optional k, m, g, t or p (then i, b or ib)";
    size_t digits = 0;
    uint64_t value = 0;
    const char *wrong;
    int shift;

    while (digits < length && is_digit(text[digits]))
        digits++;
    shift = mem_shift(text + digits, length - digits);
    if (digits == 0 || shift < 0)
        return not_mem;
    wrong = number_parse(text, digits, QUANTITY_MAX >> shift, &value);
    if (wrong != NULL)
        return wrong;
    *bytes = value << shift;
    return NULL;
}

struct unit {
    const char *suffix;
    size_t length;
    uint64_t ms;
};

/* Longest first where one ends in another. */
static const struct unit duration_units[] = {
    {"ms", 2, 1},
    {"h", 1, 3600UL * 1000},
    {"m", 1, 60UL * 1000},
    {"s", 1, 1000},
};
#define DURATION_UNITS (sizeof(duration_units) / sizeof(duration_units[0]))

const char *duration_parse(const char *text, size_t length, uint64_t *ms)
{
    static const char not_duration[] = "is not a duration such as 30s, 5m, 2h or 500ms";
    size_t digits = 0;

    while (digits < length && is_digit(text[digits]))
        digits++;
    for (size_t i = 0; digits > 0 && i < DURATION_UNITS; i++) {
        const struct unit *unit = &duration_units[i];
        uint64_t value = 0;
        const char *wrong;

        if (length - digits != unit->length ||
            __builtin_memcmp(text + digits, unit->suffix, unit->length) != 0)
            continue;
        wrong = number_parse(text, digits, DURATION_MAX_MS / unit->ms, &value);
        if (wrong != NULL)
            return wrong;
        *ms = value * unit->ms;
        return NULL;
    }
    return not_duration;
}

const char *duration_format(uint64_t ms, char buffer[static DURATION_TEXT_SIZE])
{
    const struct unit *best = &duration_units[0];

    for (size_t i = 1; i < DURATION_UNITS; i++) {
        const struct unit *unit = &duration_units[i];

        if (ms % unit->ms == 0 && (ms > 0 ? unit->ms > best->ms : unit->ms == 1000))
            best = unit;
    }
    snprintf(buffer, DURATION_TEXT_SIZE, "%" PRIu64 "%s", ms / best->ms, best->suffix);
    return buffer;
}

/*
 * toml_number.c - integers and floats.
 *
 * The grammar is checked here, byte by byte. Only then does strtod() see a float, for rounding to the nearest
 * double is its art and not ours; it accepts far more than TOML does and asks the locale for its point.
 */
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/toml_internal.h"

static void clean_locale(const locale_t *locale)
{
    if (*locale != (locale_t)0)
        freelocale(*locale);
}

static int fail_number(struct toml_reader *reader, struct toml_span word)
{
    const char *what = "number; write 42, -1_000, 0xff, 0o755, 0b1, 6.5 or 1e-3, and no zero in front";
    char quoted[QUOTE_SIZE];

    if (toml_is_letter(*word.text))
        what = "value; a string needs quotes, and true, false, inf and nan small letters";
    return toml_fail(reader, reader->line, "%s is not a %s", text_quote(quoted, word.text, word.length),
                     what);
}

static int fail_range(struct toml_reader *reader, struct toml_span word, const char *range)
{
    char quoted[QUOTE_SIZE];

    return toml_fail(reader, reader->line, "%s is out of range; %s",
                     text_quote(quoted, word.text, word.length), range);
}

/* Steps over digits, and over an underscore that has a digit on both sides. Whoever finds an underscore at the
 * place this returns has found a misplaced one. */
static const char *skip_digits(const char *at, const char *end, unsigned base)
{
    while (at < end && toml_digit_value(*at) < base) {
        at++;
        if (end - at > 1 && *at == '_' && toml_digit_value(at[1]) < base)
            at++;
    }
    return at;
}

/* `digits` is known to hold digits of `base` and underscores only; `word` is for the message. */
static int read_integer(struct toml_reader *reader, struct toml_span word, const char *digits, unsigned base,
                        struct toml_value *value)
{
    const char *end = word.text + word.length;
    bool negative = *word.text == '-';
    int64_t number = 0;

    for (const char *at = digits; at < end; at++) {
        unsigned digit = toml_digit_value(*at);

        if (*at == '_')
            continue;
        /* Counting downwards for a negative one reaches the least integer, which has no positive twin. */
        if (__builtin_mul_overflow(number, base, &number) ||
            (negative ? __builtin_sub_overflow(number, digit, &number)
                      : __builtin_add_overflow(number, digit, &number)))
            return fail_range(reader, word, "integers go from -9223372036854775808 to 9223372036854775807");
    }
    value->type = TOML_INTEGER;
    value->integer = number;
    return 0;
}

static int convert_float(struct toml_reader *reader, const char *digits, double *real)
{
    __attribute__((cleanup(clean_locale))) locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end;

    if (plain == (locale_t)0)
        return error_set_errno(reader->err, errno, "reading a float");
    *real = strtod_l(digits, &end, plain);
    assert(*end == '\0');
    return 0;
}

/* `word` is known to be a float. One too small becomes zero, the nearest double; one too large would become
 * infinity, which is not near at all. */
static int read_float(struct toml_reader *reader, struct toml_span word, struct toml_value *value)
{
    char *copy = toml_alloc(reader, word.length + 1);
    size_t length = 0;

    if (copy == NULL)
        return -1;
    for (size_t i = 0; i < word.length; i++) {
        if (word.text[i] != '_')
            copy[length++] = word.text[i];
    }
    if (convert_float(reader, copy, &value->real) != 0)
        return -1;
    if (isinf(value->real))
        return fail_range(reader, word, "floats go up to 1.7976931348623157e308; or write inf");
    value->type = TOML_FLOAT;
    return 0;
}

/* Whether [at, end) is what may follow the integer part of a float: ".5", "e-3", ".5e3". */
static bool is_float_tail(const char *at, const char *end)
{
    const char *digits;

    if (at < end && *at == '.') {
        digits = at + 1;
        at = skip_digits(digits, end, 10);
        if (at == digits)
            return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        digits = at + 1;
        if (digits < end && (*digits == '+' || *digits == '-'))
            digits++;
        at = skip_digits(digits, end, 10);
        if (at == digits)
            return false;
    }
    return at == end;
}

static int read_decimal(struct toml_reader *reader, struct toml_span word, const char *digits,
                        struct toml_value *value)
{
    const char *end = word.text + word.length;
    const char *whole_end = skip_digits(digits, end, 10);

    /* No leading zeros: 010 is eight to some readers and ten to others. */
    if (whole_end == digits || (*digits == '0' && whole_end - digits > 1))
        return fail_number(reader, word);
    if (whole_end == end)
        return read_integer(reader, word, digits, 10, value);
    if (!is_float_tail(whole_end, end))
        return fail_number(reader, word);
    return read_float(reader, word, value);
}

/* The base that "0x", "0o" or "0b" announces; 0 for none. A sign before them is not allowed. */
static unsigned base_of(struct toml_span word)
{
    if (word.length < 2 || word.text[0] != '0')
        return 0;
    switch (word.text[1]) {
    case 'x': return 16;
    case 'o': return 8;
    case 'b': return 2;
    default: return 0;
    }
}

static int read_based(struct toml_reader *reader, struct toml_span word, unsigned base,
                      struct toml_value *value)
{
    const char *digits = word.text + 2;
    const char *end = word.text + word.length;

    if (digits == end || skip_digits(digits, end, base) != end)
        return fail_number(reader, word);
    return read_integer(reader, word, digits, base, value);
}

/* inf and nan, with or without a sign: `name` is the word without it. */
static bool read_special(struct toml_span word, struct toml_span name, struct toml_value *value)
{
    bool is_inf = name.length == 3 && memcmp(name.text, "inf", 3) == 0;
    bool is_nan = name.length == 3 && memcmp(name.text, "nan", 3) == 0;

    if (!is_inf && !is_nan)
        return false;
    value->type = TOML_FLOAT;
    value->real = copysign(is_inf ? (double)INFINITY : (double)NAN, *word.text == '-' ? -1.0 : 1.0);
    return true;
}

int toml_number_read(struct toml_reader *reader, struct toml_span word, struct toml_value *value)
{
    size_t sign = *word.text == '+' || *word.text == '-' ? 1 : 0;
    struct toml_span plain = {.text = word.text + sign, .length = word.length - sign};
    unsigned base = base_of(word);

    if (read_special(word, plain, value))
        return 0;
    if (base != 0)
        return read_based(reader, word, base, value);
    return read_decimal(reader, word, plain.text, value);
}

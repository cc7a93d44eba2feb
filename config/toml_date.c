/*
 * toml_date.c - dates and times of RFC 3339, with or without an offset, and either half alone.
 *
 * They are checked and kept as text: the canonical form is as long as what was written, and differs from it
 * only in "T" and "Z".
 */
#include <string.h>

#include "config/toml_internal.h"

static const char bad_date[] = "a date is written 1979-05-27";
static const char bad_day[] = "there is no such day";
static const char bad_time[] = "a time is written 07:32:00 or 07:32:00.5";
static const char bad_hour[] = "hours end at 23, minutes at 59, seconds at 59 or, in a leap second, 60";
static const char bad_offset[] = "an offset is written Z or +07:00, up to 23:59";

static bool take_byte(struct toml_span *rest, char byte)
{
    if (rest->length == 0 || *rest->text != byte)
        return false;
    rest->text++;
    rest->length--;
    return true;
}

static bool take_digit(struct toml_span *rest, unsigned *number)
{
    if (rest->length == 0 || !toml_is_digit(*rest->text))
        return false;
    *number = *number * 10 + (unsigned)(*rest->text - '0');
    rest->text++;
    rest->length--;
    return true;
}

/* Exactly `count` digits. */
static bool take_number(struct toml_span *rest, size_t count, unsigned *number)
{
    *number = 0;
    for (size_t i = 0; i < count; i++) {
        if (!take_digit(rest, number))
            return false;
    }
    return true;
}

static unsigned days_in_month(unsigned year, unsigned month)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

/* The take functions return what is wrong, NULL if nothing is. */
static const char *take_date(struct toml_span *rest)
{
    unsigned year, month, day;

    if (!take_number(rest, 4, &year) || !take_byte(rest, '-') || !take_number(rest, 2, &month) ||
        !take_byte(rest, '-') || !take_number(rest, 2, &day))
        return bad_date;
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return bad_day;
    return NULL;
}

static bool take_fraction(struct toml_span *rest)
{
    unsigned digit = 0;

    if (!take_digit(rest, &digit))
        return false;
    do {
        digit = 0;
    } while (take_digit(rest, &digit));
    return true;
}

/* RFC 3339 leaves the 60th second to the leap seconds announced so far, a list that a reader cannot have. */
static const char *take_time(struct toml_span *rest)
{
    unsigned hour, minute, second;

    if (!take_number(rest, 2, &hour) || !take_byte(rest, ':') || !take_number(rest, 2, &minute) ||
        !take_byte(rest, ':') || !take_number(rest, 2, &second))
        return bad_time;
    if (hour > 23 || minute > 59 || second > 60)
        return bad_hour;
    if (take_byte(rest, '.') && !take_fraction(rest))
        return bad_time;
    return NULL;
}

static const char *take_offset(struct toml_span *rest)
{
    unsigned hour, minute;

    if (take_byte(rest, 'Z') || take_byte(rest, 'z'))
        return NULL;
    if ((!take_byte(rest, '+') && !take_byte(rest, '-')) || !take_number(rest, 2, &hour) ||
        !take_byte(rest, ':') || !take_number(rest, 2, &minute) || hour > 23 || minute > 59)
        return bad_offset;
    return NULL;
}

/* What follows the "T". */
static const char *take_clock(struct toml_span *rest, enum toml_type *type)
{
    const char *problem = take_time(rest);

    *type = TOML_DATETIME_LOCAL;
    if (problem != NULL || rest->length == 0)
        return problem;
    *type = TOML_DATETIME;
    return take_offset(rest);
}

static bool has_year(struct toml_span word)
{
    unsigned year;

    return take_number(&word, 4, &year) && take_byte(&word, '-');
}

static const char *take_any(struct toml_span *rest, enum toml_type *type)
{
    const char *problem;

    if (!has_year(*rest)) {
        *type = TOML_TIME_LOCAL;
        return take_time(rest);
    }
    *type = TOML_DATE_LOCAL;
    problem = take_date(rest);
    if (problem != NULL || rest->length == 0)
        return problem;
    if (!take_byte(rest, 'T') && !take_byte(rest, 't') && !take_byte(rest, ' '))
        return bad_date;
    return take_clock(rest, type);
}

static const char *canonical(struct toml_reader *reader, struct toml_span word, enum toml_type type)
{
    char *copy = toml_alloc(reader, word.length + 1);

    if (copy == NULL)
        return NULL;
    memcpy(copy, word.text, word.length);
    if (type == TOML_DATETIME || type == TOML_DATETIME_LOCAL)
        copy[strlen("1979-05-27")] = 'T';
    if (copy[word.length - 1] == 'z')
        copy[word.length - 1] = 'Z';
    return copy;
}

/* No number has a colon, or a minus behind four digits. */
bool toml_date_is_like(struct toml_span word)
{
    return toml_is_digit(*word.text) && (has_year(word) || memchr(word.text, ':', word.length) != NULL);
}

int toml_date_read(struct toml_reader *reader, struct toml_span word, struct toml_value *value)
{
    struct toml_span rest = word;
    const char *problem = take_any(&rest, &value->type);
    char quoted[QUOTE_SIZE];

    if (problem == NULL && rest.length > 0)
        problem = "nothing may follow it";
    if (problem != NULL)
        return toml_fail(reader, reader->line, "%s is not a date or time: %s",
                         text_quote(quoted, word.text, word.length), problem);
    value->text = canonical(reader, word, value->type);
    value->text_length = word.length;
    return value->text == NULL ? -1 : 0;
}

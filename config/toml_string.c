/*
 * toml_string.c - the four kinds of string: "basic" and 'literal', each in one line or, in three quotes, in
 * many. Only basic strings know escapes.
 *
 * A string is read twice: once for where it ends, once to copy it. No escape is shorter than what it stands
 * for, so the distance is all the room the copy can need.
 */
#include <assert.h>
#include <string.h>

#include "config/toml_internal.h"

#define QUOTES_MULTI 3 /* open and close a string of many lines */
#define QUOTES_INNER 2 /* may stand right before the closing ones and belong to the text */

struct style {
    char quote;
    bool is_multi;
};

static bool has_escapes(struct style style)
{
    return style.quote == '"';
}

static size_t delimiter_length(struct style style)
{
    return style.is_multi ? QUOTES_MULTI : 1;
}

static struct style style_at(const struct toml_reader *reader)
{
    bool is_multi = toml_starts_with(reader, "\"\"\"") || toml_starts_with(reader, "'''");

    return (struct style){.quote = *reader->at, .is_multi = is_multi};
}

/* Counts no further than the most quotes that can end a string. */
static size_t count_quotes(const struct toml_reader *reader, const char *at, char quote)
{
    size_t count = 0;

    while (count < QUOTES_MULTI + QUOTES_INNER && at + count < reader->end && at[count] == quote)
        count++;
    return count;
}

/* Where the closing quotes begin; NULL when there are none. */
static const char *find_end(const struct toml_reader *reader, struct style style)
{
    const char *at = reader->at;

    while (at < reader->end && (style.is_multi || *at != '\n')) {
        if (*at == style.quote) {
            size_t count = style.is_multi ? count_quotes(reader, at, style.quote) : 1;

            if (count >= delimiter_length(style))
                return at + count - delimiter_length(style);
            at += count;
        } else if (has_escapes(style) && *at == '\\' && reader->end - at > 1 &&
                   (at[1] == '\\' || at[1] == style.quote)) {
            at += 2;
        } else {
            at++;
        }
    }
    return NULL;
}

/* The `count` digits behind \u or \U. */
static int read_code(struct toml_reader *reader, const char *stop, size_t count, char **out)
{
    unsigned long code = 0;
    size_t length;

    for (size_t i = 0; i < count; i++) {
        unsigned digit = reader->at < stop ? toml_digit_value(*reader->at) : 16;

        if (digit >= 16)
            return toml_fail(reader, reader->line, "\\u takes exactly 4 hexadecimal digits, \\U exactly 8");
        code = code << 4 | digit;
        reader->at++;
    }
    length = toml_text_encode(code, *out);
    if (length == 0)
        return toml_fail(reader, reader->line,
                         "U+%04lX is not a character; allowed are 0 to D7FF and E000 to 10FFFF", code);
    *out += length;
    return 0;
}

/* A backslash at the end of a line swallows everything up to the next thing that is neither blank nor an end
 * of line. */
static int skip_line_break(struct toml_reader *reader)
{
    toml_skip_blanks(reader);
    if (!toml_accept_newline(reader))
        return toml_fail(reader, reader->line,
                         "a backslash before blanks must be the last thing in its line");
    do {
        toml_skip_blanks(reader);
    } while (toml_accept_newline(reader));
    return 0;
}

static int fail_escape(struct toml_reader *reader)
{
    char quoted[QUOTE_SIZE];

    return toml_fail(reader, reader->line,
                     "a backslash is followed by one of b t n f r \" \\ u U, not by %s; "
                     "a string in single quotes takes it as it is",
                     text_quote(quoted, reader->at, 1));
}

/* The cursor stands behind the backslash. */
static int read_escape(struct toml_reader *reader, struct style style, const char *stop, char **out)
{
    static const char names[] = "btnfr\"\\";
    static const char bytes[] = "\b\t\n\f\r\"\\";
    char name = *reader->at;
    const char *known;

    /* find_end() would have taken a closing quote here for an escaped one. */
    assert(reader->at < stop);
    if (style.is_multi && strchr(" \t\r\n", name) != NULL)
        return skip_line_break(reader);
    known = strchr(names, name);
    if (known == NULL && name != 'u' && name != 'U')
        return fail_escape(reader);
    reader->at++;
    if (known == NULL)
        return read_code(reader, stop, name == 'u' ? 4 : 8, out);
    *(*out)++ = bytes[known - names];
    return 0;
}

/* Copies everything up to `stop`; `out` moves on to the end of the copy. */
static int copy_text(struct toml_reader *reader, struct style style, const char *stop, char **out)
{
    while (reader->at < stop) {
        char byte = *reader->at++;

        if (byte == '\\' && has_escapes(style)) {
            if (read_escape(reader, style, stop, out) != 0)
                return -1;
            continue;
        }
        if (byte == '\n')
            reader->line++;
        *(*out)++ = byte;
    }
    return 0;
}

static int read_style(struct toml_reader *reader, struct style style, struct toml_span *string)
{
    const char *stop;
    char *copy, *out;

    reader->at += delimiter_length(style);
    stop = find_end(reader, style);
    if (stop == NULL)
        return toml_fail(reader, reader->line, "the string that begins here has no closing %.*s",
                         (int)delimiter_length(style), style.quote == '"' ? "\"\"\"" : "'''");
    /* The end of line right behind the opening quotes is not part of the text. */
    if (style.is_multi)
        toml_accept_newline(reader);
    copy = toml_alloc(reader, (size_t)(stop - reader->at) + 1);
    if (copy == NULL)
        return -1;
    out = copy;
    if (copy_text(reader, style, stop, &out) != 0)
        return -1;
    reader->at = stop + delimiter_length(style);
    string->text = copy;
    string->length = (size_t)(out - copy);
    return 0;
}

int toml_string_read(struct toml_reader *reader, struct toml_span *string)
{
    return read_style(reader, style_at(reader), string);
}

int toml_string_read_key(struct toml_reader *reader, struct toml_span *string)
{
    struct style style = style_at(reader);

    if (style.is_multi)
        return toml_fail(reader, reader->line, "a key stays in one line, in one pair of quotes: %ckey%c",
                         style.quote, style.quote);
    return read_style(reader, style, string);
}

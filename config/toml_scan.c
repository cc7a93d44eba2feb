/*
 * toml_scan.c - the cursor: what is skipped between the things that mean something, and how to say that
 * something else was found.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config/toml_internal.h"

int toml_fail(struct toml_reader *reader, unsigned line, const char *format, ...)
{
    char what[ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    return error_set(reader->err, ERROR_INPUT, "line %u: %s", line, what);
}

unsigned toml_digit_value(char byte)
{
    if (toml_is_digit(byte))
        return (unsigned)(byte - '0');
    if (byte >= 'a' && byte <= 'f')
        return (unsigned)(byte - 'a') + 10;
    if (byte >= 'A' && byte <= 'F')
        return (unsigned)(byte - 'A') + 10;
    return 16;
}

bool toml_accept(struct toml_reader *reader, char byte)
{
    if (reader->at == reader->end || *reader->at != byte)
        return false;
    reader->at++;
    return true;
}

bool toml_starts_with(const struct toml_reader *reader, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, text, length) == 0;
}

bool toml_accept_newline(struct toml_reader *reader)
{
    if (toml_starts_with(reader, "\r\n"))
        reader->at++;
    if (!toml_accept(reader, '\n'))
        return false;
    reader->line++;
    return true;
}

void toml_skip_blanks(struct toml_reader *reader)
{
    while (toml_peek(reader) == ' ' || toml_peek(reader) == '\t')
        reader->at++;
}

static void skip_comment(struct toml_reader *reader)
{
    if (toml_peek(reader) != '#')
        return;
    while (reader->at < reader->end && *reader->at != '\n')
        reader->at++;
}

void toml_skip_gaps(struct toml_reader *reader)
{
    do {
        toml_skip_blanks(reader);
        skip_comment(reader);
    } while (toml_accept_newline(reader));
}

int toml_expect_line_end(struct toml_reader *reader)
{
    char found[QUOTE_SIZE];

    toml_skip_blanks(reader);
    skip_comment(reader);
    if (reader->at == reader->end || toml_accept_newline(reader))
        return 0;
    return toml_fail(reader, reader->line, "the line should end here, but %s follows",
                     toml_found(reader, found));
}

const char *toml_found(const struct toml_reader *reader, char buffer[static QUOTE_SIZE])
{
    const char *stop = reader->at;

    if (reader->at == reader->end)
        return "the end of the file";
    if (*reader->at == '\n' || *reader->at == '\r')
        return "the end of the line";
    do {
        stop++;
    } while (stop < reader->end && strchr(" \t\r\n", *stop) == NULL);
    return text_quote(buffer, reader->at, (size_t)(stop - reader->at));
}

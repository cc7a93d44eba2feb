#include "alloc/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char cut_mark[] = "...";

/* Writes the formatted text into `out`; what does not fit is cut with a visible mark. */
__attribute__((format(printf, 3, 0))) static void format_text(char *out, size_t size, const char *format,
                                                              va_list args)
{
    int wanted = vsnprintf(out, size, format, args);

    if (wanted < 0)
        out[0] = '\0';
    else if ((size_t)wanted >= size)
        memcpy(out + size - sizeof(cut_mark), cut_mark, sizeof(cut_mark));
}

/* Appends ": more". */
static void append_text(struct error *err, const char *more)
{
    size_t used = strlen(err->text);
    size_t room = sizeof(err->text) - used;

    if ((size_t)snprintf(err->text + used, room, ": %s", more) >= room)
        memcpy(err->text + sizeof(err->text) - sizeof(cut_mark), cut_mark, sizeof(cut_mark));
}

int error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
    va_list args;

    err->kind = kind;
    err->saved_errno = 0;
    va_start(args, format);
    format_text(err->text, sizeof(err->text), format, args);
    va_end(args);
    return -1;
}

int error_set_errno(struct error *err, int saved_errno, const char *format, ...)
{
    const char *meaning = strerrordesc_np(saved_errno);
    va_list args;

    err->kind = ERROR_SYSTEM;
    err->saved_errno = saved_errno;
    va_start(args, format);
    format_text(err->text, sizeof(err->text), format, args);
    va_end(args);
    append_text(err, meaning != NULL ? meaning : "an unknown error");
    return -1;
}

int error_add_context(struct error *err, const char *format, ...)
{
    char old[ERROR_TEXT_SIZE];
    va_list args;

    memcpy(old, err->text, sizeof(old));
    va_start(args, format);
    format_text(err->text, sizeof(err->text), format, args);
    va_end(args);
    append_text(err, old);
    return -1;
}

int error_exit_status(const struct error *err)
{
    switch (err->kind) {
    case ERROR_NONE: return 0;
    case ERROR_REFUSED: return 1;
    case ERROR_INPUT: return 2;
    case ERROR_SYSTEM: return 3;
    case ERROR_BUG: return 4;
    }
    return 4;
}

/* Appends one byte, escaped if need be, when it and the closing still fit. */
static bool quote_byte(char *buffer, size_t *used, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    const size_t closing = sizeof("...\"");
    char piece[4];
    size_t length;

    if (byte == '"' || byte == '\\') {
        piece[0] = '\\';
        piece[1] = (char)byte;
        length = 2;
    } else if (byte >= 0x20 && byte < 0x7f) {
        piece[0] = (char)byte;
        length = 1;
    } else {
        piece[0] = '\\';
        piece[1] = 'x';
        piece[2] = hex[byte >> 4];
        piece[3] = hex[byte & 15];
        length = 4;
    }
    if (*used + length + closing > QUOTE_SIZE)
        return false;
    memcpy(buffer + *used, piece, length);
    *used += length;
    return true;
}

const char *text_quote(char buffer[static QUOTE_SIZE], const char *value, size_t length)
{
    size_t used = 0;
    bool whole = true;

    buffer[used++] = '"';
    for (size_t i = 0; i < length && whole; i++)
        whole = quote_byte(buffer, &used, (unsigned char)value[i]);
    if (!whole) {
        memcpy(buffer + used, cut_mark, sizeof(cut_mark) - 1);
        used += sizeof(cut_mark) - 1;
    }
    buffer[used++] = '"';
    buffer[used] = '\0';
    return buffer;
}

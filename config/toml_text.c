/*
 * toml_text.c - what may stand in a TOML file at all, whatever it means there.
 *
 * The text is UTF-8 as Unicode defines it: no overlong form, no surrogate, nothing above U+10FFFF. Of the
 * control characters only tab and the two ends of line may appear, in comments and strings too.
 */
#include <string.h>

#include "config/toml_internal.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

/* Table 3-7 of the Unicode standard, "Well-Formed UTF-8 Byte Sequences", without the row for ASCII. The bytes
 * after the second are 80..BF in every row. */
struct form {
    unsigned char first_low, first_high;
    unsigned char second_low, second_high;
    size_t length;
};

static const struct form forms[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

static const struct form *form_of(unsigned char first)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (first >= forms[i].first_low && first <= forms[i].first_high)
            return &forms[i];
    }
    return NULL;
}

/* The length of the sequence that begins with a byte above 7F; 0 when it is not one. */
static size_t sequence_length(const char *text, size_t left)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const struct form *form = form_of(bytes[0]);

    if (form == NULL || left < form->length || bytes[1] < form->second_low || bytes[1] > form->second_high)
        return 0;
    for (size_t i = 2; i < form->length; i++) {
        if (bytes[i] < 0x80 || bytes[i] > 0xBF)
            return 0;
    }
    return form->length;
}

static int check_control(struct toml_reader *reader, const char *at, unsigned line)
{
    unsigned byte = (unsigned char)*at;

    if (byte == '\t' || byte == '\n')
        return 0;
    if (byte == '\r') {
        if (reader->end - at > 1 && at[1] == '\n')
            return 0;
        return toml_fail(reader, line, "a carriage return is only allowed before a line feed");
    }
    return toml_fail(reader, line, "the control character 0x%02X is not allowed; in a string write \\u%04X",
                     byte, byte);
}

static int check_bytes(struct toml_reader *reader)
{
    unsigned line = reader->line;
    size_t step;

    for (const char *at = reader->at; at < reader->end; at += step) {
        unsigned byte = (unsigned char)*at;

        step = byte < 0x80 ? 1 : sequence_length(at, (size_t)(reader->end - at));
        if (step == 0)
            return toml_fail(reader, line, "the byte 0x%02X begins no UTF-8 character; TOML is UTF-8", byte);
        if ((byte < 0x20 || byte == 0x7F) && check_control(reader, at, line) != 0)
            return -1;
        if (byte == '\n')
            line++;
    }
    return 0;
}

int toml_text_check(struct toml_reader *reader)
{
    if (check_bytes(reader) != 0)
        return -1;
    if (toml_starts_with(reader, byte_order_mark))
        reader->at += strlen(byte_order_mark);
    return 0;
}

size_t toml_text_encode(unsigned long code, char out[static TOML_UTF8_MAX])
{
    static const unsigned lead[TOML_UTF8_MAX + 1] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return 0;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(lead[length] | code);
    return length;
}

/*
 * toml_value.c - the right side of "=".
 *
 * Strings, arrays and inline tables show themselves by their first byte. All else is one word, which is taken
 * whole and then judged by the file that knows its kind; so "1.2.3" is reported as a bad number, and not as a
 * good one with something behind it.
 *
 * read_value() calls itself through arrays and inline tables. toml_node_open() ends that at TOML_DEPTH_MAX,
 * before the next level is entered.
 */
#include <string.h>

#include "config/toml_internal.h"

static int read_value(struct toml_reader *reader, struct toml_node *node);

static bool is_word(char byte)
{
    return toml_is_digit(byte) || toml_is_letter(byte) || strchr("+-._:", byte) != NULL;
}

static void skip_word(struct toml_reader *reader)
{
    while (reader->at < reader->end && is_word(*reader->at))
        reader->at++;
}

/* A date and its time may be parted by one space. A digit there can be nothing else, for no value may follow
 * another in the same line without a comma. */
static bool is_time_behind_date(const struct toml_reader *reader, const char *begin)
{
    const char *at = reader->at;

    return at - begin == (ptrdiff_t)strlen("1979-05-27") && begin[4] == '-' && reader->end - at >= 2 &&
           at[0] == ' ' && toml_is_digit(at[1]);
}

static struct toml_span take_word(struct toml_reader *reader)
{
    const char *begin = reader->at;

    skip_word(reader);
    if (is_time_behind_date(reader, begin)) {
        reader->at++;
        skip_word(reader);
    }
    return (struct toml_span){.text = begin, .length = (size_t)(reader->at - begin)};
}

static bool word_is(struct toml_span word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

static int read_word(struct toml_reader *reader, struct toml_value *value)
{
    char found[QUOTE_SIZE];
    struct toml_span word = take_word(reader);

    if (word.length == 0)
        return toml_fail(reader, reader->line, "a value is missing before %s", toml_found(reader, found));
    if (word_is(word, "true") || word_is(word, "false")) {
        value->type = TOML_BOOL;
        value->boolean = word_is(word, "true");
        return 0;
    }
    if (toml_date_is_like(word))
        return toml_date_read(reader, word, value);
    return toml_number_read(reader, word, value);
}

static int read_string(struct toml_reader *reader, struct toml_value *value)
{
    struct toml_span string;

    if (toml_string_read(reader, &string) != 0)
        return -1;
    value->type = TOML_STRING;
    value->text = string.text;
    value->text_length = string.length;
    return 0;
}

static int read_element(struct toml_reader *reader, struct toml_node *array)
{
    struct toml_node *element = toml_node_add(reader, array, NULL);

    return element == NULL ? -1 : read_value(reader, element);
}

static int read_array(struct toml_reader *reader, struct toml_node *array)
{
    unsigned begin = reader->line;
    char found[QUOTE_SIZE];

    if (toml_node_open(reader, array, TOML_ARRAY, TOML_FROM_VALUE) != 0)
        return -1;
    reader->at++;
    do {
        toml_skip_gaps(reader);
        if (toml_accept(reader, ']'))
            return 0;
        if (read_element(reader, array) != 0)
            return -1;
        toml_skip_gaps(reader);
    } while (toml_accept(reader, ','));
    if (toml_accept(reader, ']'))
        return 0;
    return toml_fail(reader, reader->line,
                     "the array of line %u should go on with \",\" or end in \"]\", but %s follows", begin,
                     toml_found(reader, found));
}

static int fail_inline_table(struct toml_reader *reader)
{
    char found[QUOTE_SIZE];

    return toml_fail(reader, reader->line,
                     "the inline table should go on with \",\" or end in \"}\" in this line, "
                     "but %s follows",
                     toml_found(reader, found));
}

/* Unlike an array it stays in one line and takes no comma before its end (TOML 1.0, "Inline Table"). */
static int read_inline_table(struct toml_reader *reader, struct toml_node *table)
{
    if (toml_node_open(reader, table, TOML_TABLE, TOML_FROM_VALUE) != 0)
        return -1;
    reader->at++;
    toml_skip_blanks(reader);
    if (toml_accept(reader, '}'))
        return 0;
    do {
        toml_skip_blanks(reader);
        if (toml_peek(reader) == '}')
            return toml_fail(reader, reader->line, "no comma may stand before the closing \"}\"");
        if (toml_pair_read(reader, table) != 0)
            return -1;
        toml_skip_blanks(reader);
    } while (toml_accept(reader, ','));
    return toml_accept(reader, '}') ? 0 : fail_inline_table(reader);
}

static int read_value(struct toml_reader *reader, struct toml_node *node)
{
    switch (toml_peek(reader)) {
    case '"':
    case '\'': return read_string(reader, &node->value);
    case '[': return read_array(reader, node);
    case '{': return read_inline_table(reader, node);
    default: return read_word(reader, &node->value);
    }
}

int toml_pair_read(struct toml_reader *reader, struct toml_node *table)
{
    char found[QUOTE_SIZE];
    struct toml_node *node;
    struct toml_key key;
    bool more;

    if (toml_key_read(reader, &key, &more) != 0)
        return -1;
    while (more) {
        table = toml_define_dotted(reader, table, &key);
        if (table == NULL || toml_key_read(reader, &key, &more) != 0)
            return -1;
    }
    if (!toml_accept(reader, '='))
        return toml_fail(reader, reader->line, "after a key comes \"=\", but %s follows",
                         toml_found(reader, found));
    toml_skip_blanks(reader);
    node = toml_define_value(reader, table, &key);
    return node == NULL ? -1 : read_value(reader, node);
}

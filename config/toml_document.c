/*
 * toml_document.c - a document is a list of statements, one in a line: "key = value", "[table]" and
 * "[[array of tables]]". A header names the table that the keys below it belong to.
 */
#include "config/toml_internal.h"

/* "a.b.c" in a header, from the root down; the last part is `define`d as a table or as an element. */
static struct toml_node *read_header_key(struct toml_reader *reader, bool is_element)
{
    struct toml_node *table = reader->document->root;
    struct toml_key key;
    bool more = true;

    while (table != NULL && more) {
        if (toml_key_read(reader, &key, &more) != 0)
            return NULL;
        if (more)
            table = toml_define_super(reader, table, &key);
        else if (is_element)
            table = toml_define_element(reader, table, &key);
        else
            table = toml_define_table(reader, table, &key);
    }
    return table;
}

/* "[[" and "]]" are one token each: no blank may stand between the brackets. */
static struct toml_node *read_header(struct toml_reader *reader)
{
    bool is_element = toml_starts_with(reader, "[[");
    const char *closing = is_element ? "]]" : "]";
    size_t brackets = is_element ? 2 : 1;
    char found[QUOTE_SIZE];
    struct toml_node *table;

    reader->at += brackets;
    toml_skip_blanks(reader);
    table = read_header_key(reader, is_element);
    if (table == NULL)
        return NULL;
    if (!toml_starts_with(reader, closing)) {
        toml_fail(reader, reader->line, "the header should end in \"%s\" here, but %s follows", closing,
                  toml_found(reader, found));
        return NULL;
    }
    reader->at += brackets;
    return table;
}

int toml_document_read(struct toml_reader *reader)
{
    struct toml_node *table = reader->document->root;

    for (;;) {
        toml_skip_gaps(reader);
        if (toml_peek(reader) == TOML_END)
            return 0;
        if (toml_peek(reader) == '[') {
            table = read_header(reader);
            if (table == NULL)
                return -1;
        } else if (toml_pair_read(reader, table) != 0) {
            return -1;
        }
        if (toml_expect_line_end(reader) != 0)
            return -1;
    }
}

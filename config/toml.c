/*
 * toml.c - the public face of the TOML reader. toml_internal.h says which file does what.
 */
#include "config/toml.h"

#include <string.h>

#include "alloc/cleanup.h"
#include "config/toml_internal.h"

static void clean_document(struct toml_document **document)
{
    toml_free(*document);
}

static int read_all(struct toml_reader *reader)
{
    struct toml_document *document = reader->document;

    document->root = toml_alloc(reader, sizeof(*document->root));
    if (document->root == NULL || toml_node_open(reader, document->root, TOML_TABLE, TOML_FROM_HEADER) != 0)
        return -1;
    document->root->value.line = 1;
    if (toml_text_check(reader) != 0)
        return -1;
    return toml_document_read(reader);
}

int toml_parse(const char *text, size_t length, struct toml_document **document, struct error *err)
{
    __attribute__((cleanup(clean_document))) struct toml_document *reading = NULL;
    struct toml_reader reader = {.line = 1, .err = err};

    *document = NULL;
    if (toml_document_new(&reading, err) != 0)
        return -1;
    reader.document = reading;
    /* An empty text may come as a null pointer, which knows no arithmetic. */
    reader.at = length > 0 ? text : "";
    reader.end = reader.at + length;
    if (read_all(&reader) != 0)
        return -1;
    *document = take_pointer(&reading);
    return 0;
}

const struct toml_value *toml_root(const struct toml_document *document)
{
    return &document->root->value;
}

const struct toml_value *toml_get(const struct toml_value *table, const char *key)
{
    const struct toml_node *found = NULL;

    if (table->type == TOML_TABLE)
        found = toml_table_find((const struct toml_node *)table,
                                (struct toml_span){.text = key, .length = strlen(key)});
    return found == NULL ? NULL : &found->value;
}

const char *toml_type_name(enum toml_type type)
{
    switch (type) {
    case TOML_STRING: return "string";
    case TOML_INTEGER: return "integer";
    case TOML_FLOAT: return "float";
    case TOML_BOOL: return "boolean";
    case TOML_DATETIME: return "date-time";
    case TOML_DATETIME_LOCAL: return "local date-time";
    case TOML_DATE_LOCAL: return "local date";
    case TOML_TIME_LOCAL: return "local time";
    case TOML_ARRAY: return "array";
    case TOML_TABLE: return "table";
    }
    return "unknown";
}

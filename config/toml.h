/*
 * toml.h - a TOML 1.0 reader: a text in, a tree of values out.
 *
 * The whole language and nothing beside it: what the specification forbids is an error with the line it
 * stands in. The tree belongs to the document and ends with it; a value knows its line, so that whoever
 * reads a configuration can say where a mistake is. Members keep the order of the file.
 *
 * The text need not end in a NUL. Depth is bounded (TOML_DEPTH_MAX), size is the caller's business.
 */
#ifndef ALLOT_CONFIG_TOML_H
#define ALLOT_CONFIG_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/error.h"

/* No table or array lies more than this many levels below the root, whether brackets, braces, a header or a
 * dotted key put it there; deeper is refused. So whoever walks the tree may recurse. */
#define TOML_DEPTH_MAX 64

enum toml_type {
    TOML_STRING,
    TOML_INTEGER,
    TOML_FLOAT,
    TOML_BOOL,
    TOML_DATETIME,       /* with offset */
    TOML_DATETIME_LOCAL, /* without */
    TOML_DATE_LOCAL,
    TOML_TIME_LOCAL,
    TOML_ARRAY,
    TOML_TABLE,
};

struct toml_value {
    enum toml_type type;
    unsigned line;           /* of the key or header, or of the value in an array; from 1 */
    const char *key;         /* NUL-terminated; NULL in an array and at the root */
    size_t key_length;       /* a key may hold NUL bytes */
    struct toml_value *next; /* in the same table or array */

    /* The text of a string (NUL-terminated, may hold NUL bytes). For the date and time types the canonical
     * text of RFC 3339: "T" between date and time, "Z" or "+hh:mm", the fraction as written. */
    const char *text;
    size_t text_length;
    int64_t integer;
    double real;
    bool boolean;

    struct toml_value *first; /* of an array or table */
    size_t count;
};

struct toml_document;

/* Reads `text`. On an error nothing is left to free, and the message is "line N: …" (ERROR_INPUT; only a
 * failed allocation is ERROR_SYSTEM). */
int toml_parse(const char *text, size_t length, struct toml_document **document, struct error *err);

void toml_free(struct toml_document *document); /* NULL is fine */

/* The root table; borrowed. */
const struct toml_value *toml_root(const struct toml_document *document);

/* The member of a table; NULL if it has none of that name, or is not a table. Only for values that came out of a
 * document: they carry an index that a hand-made one lacks. */
const struct toml_value *toml_get(const struct toml_value *table, const char *key);

/* "string", "integer", … for messages. */
const char *toml_type_name(enum toml_type type);

#endif

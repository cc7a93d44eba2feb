/*
 * toml_internal.h - what the files of the TOML reader share; nobody else includes it.
 *
 *     toml.c           the public face
 *     toml_memory.c    the document owns every byte; one call frees them all
 *     toml_text.c      what may stand in a file at all: UTF-8, no control characters
 *     toml_scan.c      the cursor: blanks, comments, ends of lines, messages
 *     toml_document.c  statements: key = value, [table], [[array of tables]]
 *     toml_key.c       one part of a dotted key
 *     toml_value.c     values; arrays and inline tables, the only recursion over input
 *     toml_string.c    the four kinds of string
 *     toml_number.c    integers and floats
 *     toml_date.c      dates and times
 *     toml_define.c    who may add what to which table
 *     toml_table.c     the tree: members in the order of the file, found without a walk
 *
 * toml_text_check() runs first and over everything. Behind it no file meets an invalid sequence, a NUL, or a
 * carriage return without its line feed, and none of them checks for one again.
 *
 * The first error ends the reading, so a half-built tree is never seen and nothing is ever taken back.
 */
#ifndef ALLOT_CONFIG_TOML_INTERNAL_H
#define ALLOT_CONFIG_TOML_INTERNAL_H

#include <stddef.h>

#include "alloc/error.h"
#include "config/toml.h"

/* How a node came to be: this alone decides what may still be added to it. */
enum toml_origin {
    TOML_FROM_VALUE,  /* written in one piece behind "=" or in an array: closed */
    TOML_FROM_HEADER, /* [t], [[t]] and its elements, the root */
    TOML_FROM_DEEPER, /* a table only implied so far by a header such as [t.x] */
    TOML_FROM_DOTTED, /* a table made by a key such as t.x = 1 */
};

/* Members of a table hang in two structures: the list that users see, in the order of the file, and an AA
 * tree (a balanced binary tree) for lookups. A tree and not a hash: its worst case needs no secret. */
struct toml_node {
    struct toml_value value;
    enum toml_origin origin;
    unsigned depth;            /* containers above it */
    struct toml_node *last;    /* of an array or table */
    struct toml_node *members; /* of a table: the top of the tree */
    struct toml_node *left;    /* in the tree of the table it belongs to */
    struct toml_node *right;
    unsigned level;
};
/* A pointer to the public value is a pointer to its node. */
_Static_assert(offsetof(struct toml_node, value) == 0, "the public part comes first");

struct toml_block;

struct toml_document {
    struct toml_block *blocks;
    struct toml_node *root;
};

struct toml_reader {
    const char *at; /* the next byte */
    const char *end;
    unsigned line; /* the one `at` stands in, from 1 */
    struct toml_document *document;
    struct error *err;
};

struct toml_span {
    const char *text;
    size_t length;
};

struct toml_key {
    struct toml_span name; /* NUL-terminated */
    unsigned line;
};

/* --- toml_memory.c --- */

int toml_document_new(struct toml_document **document, struct error *err);

/* Zeroed bytes that live as long as the document; NULL with the error filled. */
void *toml_alloc(struct toml_reader *reader, size_t size);

/* --- toml_text.c --- */

/* Accepts or refuses the text as a whole and steps over a byte order mark. */
int toml_text_check(struct toml_reader *reader);

#define TOML_UTF8_MAX 4

/* Writes the UTF-8 form of a Unicode scalar value and returns its length; 0 when `code` is none. */
size_t toml_text_encode(unsigned long code, char out[static TOML_UTF8_MAX]);

/* --- toml_scan.c --- */

#define TOML_END (-1)

/* The next byte, or TOML_END. */
static inline int toml_peek(const struct toml_reader *reader)
{
    return reader->at < reader->end ? (unsigned char)*reader->at : TOML_END;
}

/* ASCII only and whatever the locale, unlike isdigit() and isalpha(). */
static inline bool toml_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static inline bool toml_is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* The value of a hexadecimal digit, 16 for any other byte. */
unsigned toml_digit_value(char byte);

/* Steps over `byte` if it comes next. */
bool toml_accept(struct toml_reader *reader, char byte);
bool toml_accept_newline(struct toml_reader *reader);
bool toml_starts_with(const struct toml_reader *reader, const char *text);

void toml_skip_blanks(struct toml_reader *reader); /* spaces and tabs */
void toml_skip_gaps(struct toml_reader *reader);   /* and comments and ends of lines */

/* After a statement: nothing but blanks and a comment until the line or the file ends. */
int toml_expect_line_end(struct toml_reader *reader);

/* Fills the error with "line N: …" and returns -1. */
int toml_fail(struct toml_reader *reader, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What stands at the cursor, in words or in quotes, for a message. */
const char *toml_found(const struct toml_reader *reader, char buffer[static QUOTE_SIZE]);

/* --- toml_key.c --- */

/* Reads one part of a key and, if there is one, the dot after it: then `more` is true. */
int toml_key_read(struct toml_reader *reader, struct toml_key *key, bool *more);

/* --- toml_value.c --- */

/* Reads "key = value" into `table`. */
int toml_pair_read(struct toml_reader *reader, struct toml_node *table);

/* --- toml_string.c --- */

/* The cursor stands at a quote. A key may only be of the kinds that stay in one line. */
int toml_string_read(struct toml_reader *reader, struct toml_span *string);
int toml_string_read_key(struct toml_reader *reader, struct toml_span *string);

/* --- toml_number.c and toml_date.c: `word` is the whole of the value --- */

int toml_number_read(struct toml_reader *reader, struct toml_span word, struct toml_value *value);
bool toml_date_is_like(struct toml_span word);
int toml_date_read(struct toml_reader *reader, struct toml_span word, struct toml_value *value);

/* --- toml_document.c --- */

int toml_document_read(struct toml_reader *reader);

/* --- toml_define.c: each returns the node to go on with, or NULL with the error filled --- */

/* The part before a dot in "part.x = …", below `table`. */
struct toml_node *toml_define_dotted(struct toml_reader *reader, struct toml_node *table,
                                     const struct toml_key *key);
/* The last part of a key: a node of no type yet. */
struct toml_node *toml_define_value(struct toml_reader *reader, struct toml_node *table,
                                    const struct toml_key *key);
/* The part before a dot in "[part.x]" or "[[part.x]]". */
struct toml_node *toml_define_super(struct toml_reader *reader, struct toml_node *table,
                                    const struct toml_key *key);
/* The last part of "[x]". */
struct toml_node *toml_define_table(struct toml_reader *reader, struct toml_node *table,
                                    const struct toml_key *key);
/* The last part of "[[x]]": a new element. */
struct toml_node *toml_define_element(struct toml_reader *reader, struct toml_node *table,
                                      const struct toml_key *key);

/* --- toml_table.c --- */

/* A new last child of `parent`, of no type yet; `key` is NULL when the parent is an array. The caller has made
 * sure that the key is new. */
struct toml_node *toml_node_add(struct toml_reader *reader, struct toml_node *parent,
                                const struct toml_key *key);

/* Makes a node an empty array or table. The only place that judges depth. */
int toml_node_open(struct toml_reader *reader, struct toml_node *node, enum toml_type type,
                   enum toml_origin origin);

struct toml_node *toml_table_find(const struct toml_node *table, struct toml_span name);

#endif

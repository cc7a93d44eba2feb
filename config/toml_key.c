/*
 * toml_key.c - one part of a key: bare (A-Z a-z 0-9 _ -), or quoted when it needs more than that.
 */
#include <string.h>

#include "config/toml_internal.h"

static bool is_bare(char byte)
{
    return toml_is_digit(byte) || toml_is_letter(byte) || byte == '_' || byte == '-';
}

static int read_bare(struct toml_reader *reader, struct toml_span *name)
{
    const char *begin = reader->at;
    char found[QUOTE_SIZE];
    char *copy;

    while (reader->at < reader->end && is_bare(*reader->at))
        reader->at++;
    name->length = (size_t)(reader->at - begin);
    if (name->length == 0)
        return toml_fail(reader, reader->line,
                         "a key is missing before %s; it is made of A-Z a-z 0-9 _ - or quoted",
                         toml_found(reader, found));
    copy = toml_alloc(reader, name->length + 1);
    if (copy == NULL)
        return -1;
    memcpy(copy, begin, name->length);
    name->text = copy;
    return 0;
}

int toml_key_read(struct toml_reader *reader, struct toml_key *key, bool *more)
{
    bool quoted = toml_peek(reader) == '"' || toml_peek(reader) == '\'';
    int result = quoted ? toml_string_read_key(reader, &key->name) : read_bare(reader, &key->name);

    if (result != 0)
        return -1;
    key->line = reader->line;
    toml_skip_blanks(reader);
    *more = toml_accept(reader, '.');
    if (*more)
        toml_skip_blanks(reader);
    return 0;
}

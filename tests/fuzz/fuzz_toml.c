/*
 * fuzz_toml.c - libFuzzer on the TOML reader (clang -fsanitize=fuzzer,address,undefined).
 *
 * A crash is found by the sanitizers. Beyond that: a refusal comes with a line that exists, and an accepted text
 * gives a tree whose links, counts, depths and keys agree with each other.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(statement)                                                                                   \
    do {                                                                                                     \
        if (!(statement))                                                                                    \
            abort();                                                                                         \
    } while (0)

static unsigned count_lines(const char *text, size_t size)
{
    unsigned lines = 1;

    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n')
            lines++;
    }
    return lines;
}

static void check_refusal(const struct error *err, unsigned lines)
{
    unsigned line = 0;

    REQUIRE(err->kind == ERROR_INPUT);
    REQUIRE(sscanf(err->text, "line %u: ", &line) == 1);
    REQUIRE(line >= 1 && line <= lines);
    for (const char *at = err->text; *at != '\0'; at++)
        REQUIRE(*at >= 0x20 && *at < 0x7F);
}

static void check_value(const struct toml_value *value, unsigned lines, int depth)
{
    bool is_table = value->type == TOML_TABLE;
    size_t count = 0;

    REQUIRE(value->line >= 1 && value->line <= lines);
    if (!is_table && value->type != TOML_ARRAY) {
        REQUIRE(value->first == NULL && value->count == 0);
        REQUIRE(value->text == NULL || value->text[value->text_length] == '\0');
        return;
    }
    REQUIRE(depth <= TOML_DEPTH_MAX);
    for (const struct toml_value *child = value->first; child != NULL; child = child->next) {
        REQUIRE((child->key != NULL) == is_table);
        if (is_table && strlen(child->key) == child->key_length)
            REQUIRE(toml_get(value, child->key) == child);
        check_value(child, lines, depth + 1);
        count++;
    }
    REQUIRE(count == value->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    unsigned lines = count_lines(text, size);
    struct toml_document *document;
    struct error err;

    if (toml_parse(text, size, &document, &err) != 0) {
        check_refusal(&err, lines);
        return 0;
    }
    check_value(toml_root(document), lines, 0);
    toml_free(document);
    return 0;
}

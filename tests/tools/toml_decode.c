/*
 * toml_decode - TOML on standard input to the tagged JSON of the toml-test suite on standard output. Exit
 * status 0, or 2 with a message on standard error when the input is not TOML.
 *
 * The JSON is written by hand: borrowing a library that repairs what it is given would hide our mistakes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "alloc/cleanup.h"
#include "alloc/error.h"
#include "config/toml.h"

static void clean_document(struct toml_document **document)
{
    toml_free(*document);
}

static void print_string(const char *text, size_t length)
{
    putchar('"');
    for (size_t i = 0; i < length; i++) {
        unsigned byte = (unsigned char)text[i];

        if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else if (byte < 0x20)
            printf("\\u%04x", byte);
        else
            putchar((int)byte);
    }
    putchar('"');
}

static const char *tag_of(enum toml_type type)
{
    switch (type) {
    case TOML_STRING: return "string";
    case TOML_INTEGER: return "integer";
    case TOML_FLOAT: return "float";
    case TOML_BOOL: return "bool";
    case TOML_DATETIME: return "datetime";
    case TOML_DATETIME_LOCAL: return "datetime-local";
    case TOML_DATE_LOCAL: return "date-local";
    case TOML_TIME_LOCAL: return "time-local";
    case TOML_ARRAY:
    case TOML_TABLE: break;
    }
    abort();
}

static void print_float(double real)
{
    if (isnan(real))
        printf("\"nan\"");
    else if (isinf(real))
        printf(real > 0 ? "\"inf\"" : "\"-inf\"");
    else
        printf("\"%.17g\"", real);
}

static void print_scalar(const struct toml_value *value)
{
    printf("{\"type\": \"%s\", \"value\": ", tag_of(value->type));
    if (value->type == TOML_INTEGER)
        printf("\"%lld\"", (long long)value->integer);
    else if (value->type == TOML_FLOAT)
        print_float(value->real);
    else if (value->type == TOML_BOOL)
        printf(value->boolean ? "\"true\"" : "\"false\"");
    else
        print_string(value->text, value->text_length);
    putchar('}');
}

/* As deep as the tree, so at most TOML_DEPTH_MAX. */
static void print_value(const struct toml_value *value)
{
    if (value->type != TOML_ARRAY && value->type != TOML_TABLE) {
        print_scalar(value);
        return;
    }
    putchar(value->type == TOML_ARRAY ? '[' : '{');
    for (const struct toml_value *child = value->first; child != NULL; child = child->next) {
        if (value->type == TOML_TABLE) {
            print_string(child->key, child->key_length);
            putchar(':');
        }
        print_value(child);
        if (child->next != NULL)
            putchar(',');
    }
    putchar(value->type == TOML_ARRAY ? ']' : '}');
}

static int read_all(FILE *in, char **text, size_t *length)
{
    CLEAN_FILE FILE *out = open_memstream(text, length);
    int byte;

    if (out == NULL)
        return -1;
    while ((byte = getc(in)) != EOF)
        (void)putc(byte, out);
    return ferror(in) != 0 || fflush(out) != 0 ? -1 : 0;
}

int main(void)
{
    __attribute__((cleanup(clean_document))) struct toml_document *document = NULL;
    CLEAN_FREE char *text = NULL;
    struct error err;
    size_t length;

    if (read_all(stdin, &text, &length) != 0) {
        perror("toml_decode");
        return 3;
    }
    if (toml_parse(text, length, &document, &err) != 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        return error_exit_status(&err);
    }
    print_value(toml_root(document));
    putchar('\n');
    return fflush(stdout) == 0 ? 0 : 3;
}

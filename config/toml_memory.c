/*
 * toml_memory.c - whatever the reader allocates is a block in the document's list, and ends with it.
 *
 * One block for each request and not slices of large ones: a configuration is small, and so AddressSanitizer
 * and valgrind see the end of every single string.
 */
#include <errno.h>
#include <stdlib.h>

#include "config/toml_internal.h"

struct toml_block {
    struct toml_block *next;
    max_align_t bytes[];
};

static const char no_memory[] = "reading TOML";

int toml_document_new(struct toml_document **document, struct error *err)
{
    *document = calloc(1, sizeof(**document));
    return *document == NULL ? error_set_errno(err, ENOMEM, no_memory) : 0;
}

void *toml_alloc(struct toml_reader *reader, size_t size)
{
    /* The sum cannot wrap: `size` is a node, or at most the length of a text that is in memory. */
    struct toml_block *block = calloc(1, sizeof(*block) + size);

    if (block == NULL) {
        error_set_errno(reader->err, ENOMEM, no_memory);
        return NULL;
    }
    block->next = reader->document->blocks;
    reader->document->blocks = block;
    return block->bytes;
}

void toml_free(struct toml_document *document)
{
    struct toml_block *block;

    if (document == NULL)
        return;
    while ((block = document->blocks) != NULL) {
        document->blocks = block->next;
        free(block);
    }
    free(document);
}

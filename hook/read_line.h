/*
 * read_line.h - a line at a time from somebody else's text, with a bound.
 */
#ifndef ALLOT_HOOK_READ_LINE_H
#define ALLOT_HOOK_READ_LINE_H

#include <stddef.h>
#include <stdio.h>

#include "alloc/error.h"

/* Longer than a state line with every table full. */
#define LINE_BYTES_MAX (64UL * 1024 * 1024)

struct line_reader {
    FILE *file; /* borrowed */
    char *text; /* the line, NUL-terminated, without its end */
    size_t size;
    size_t length;
    unsigned long number; /* of the line, from 1 */
};

/* 1: the next line is in `text`. 0: there is none. -1: it is too long, or cannot be read; the error says which. */
int line_reader_next(struct line_reader *reader, struct error *err);

#define CLEAN_LINE_READER __attribute__((cleanup(line_reader_clean)))
void line_reader_clean(struct line_reader *reader);

#endif

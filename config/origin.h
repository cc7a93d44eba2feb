/*
 * origin.h - where a value came from: a line of a file, or nowhere, which is the default.
 */
#ifndef ALLOT_CONFIG_ORIGIN_H
#define ALLOT_CONFIG_ORIGIN_H

#include <stddef.h>

/* A zeroed origin is the default's. */
struct origin {
    const char *file; /* a label, borrowed from the configuration's `files` */
    unsigned line;
};

#define LABEL_MAX        240U
#define ORIGIN_TEXT_SIZE (LABEL_MAX + 16U)

/* "default", or "FILE:LINE". Returns `buffer`. */
const char *origin_format(const struct origin *origin, char buffer[static ORIGIN_TEXT_SIZE]);

/* A path as it may stand in a message or in a TOML comment: one line of printable ASCII ('?' for the rest), and
 * no longer than LABEL_MAX (its end is kept). NULL if there is no memory; the caller's to free. */
char *label_make(const char *path);

#endif

/*
 * names.h - what may be a path, a GPU, a CDI device, a runtime, an annotation, a group.
 *
 * Each function returns NULL, or a constant phrase that says what is wrong, to be put behind the value in a
 * message. None looks at the machine: whether a path exists is for whoever opens it. Control characters are
 * wrong everywhere, since these texts go on into environments, logs and other files.
 */
#ifndef ALLOT_CONFIG_NAMES_H
#define ALLOT_CONFIG_NAMES_H

#include <stddef.h>

#define ANNOTATION_NAME_MAX 512U
#define GROUP_NAME_MAX      255U

/* "/run/allot": from the root, and without "." or ".." on the way: what is written is what is meant. */
const char *path_wrong(const char *text, size_t length);

/* The same, or "". */
const char *path_or_empty_wrong(const char *text, size_t length);

/* A path below /dev/. */
const char *node_wrong(const char *text, size_t length);

/* A name as given in PATH, or a path. */
const char *runtime_wrong(const char *text, size_t length);

/* The name of a GPU. Requests list GPUs by UUID or index, separated by commas, and a replica is "<uuid>::<n>":
 * so no comma, no colon, and not digits alone. */
const char *uuid_wrong(const char *text, size_t length);

/* "vendor.com/class=name", by the rules of the CDI specification. */
const char *cdi_wrong(const char *text, size_t length);

const char *annotation_wrong(const char *text, size_t length);

/* A group's name, or "". */
const char *group_wrong(const char *text, size_t length);

#endif

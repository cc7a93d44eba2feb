/*
 * hint.h - the second half of a message: what is allowed, or what was probably meant. Internal to config/.
 */
#ifndef ALLOT_CONFIG_HINT_H
#define ALLOT_CONFIG_HINT_H

#include "config/schema.h"

#define HINT_SIZE 320

/* What a key takes: "a whole number from 1 to 1024". Returns `buffer` or a constant. */
const char *hint_allowed(const struct key *key, char buffer[static HINT_SIZE]);

/* For a name that is not in `section`, or that is no section (NULL): "did you mean replicas?", or "allowed: "
 * and all there are. Returns `buffer`. */
const char *hint_unknown(const struct section *section, const char *name, size_t length,
                         char buffer[static HINT_SIZE]);

#endif

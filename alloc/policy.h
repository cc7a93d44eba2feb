/*
 * policy.h - the names of the placement policies. What they do is in placement.h.
 */
#ifndef ALLOT_ALLOC_POLICY_H
#define ALLOT_ALLOC_POLICY_H

#include <stdbool.h>
#include <stddef.h>

enum policy {
    POLICY_SPREAD,
    POLICY_SCATTER,
    POLICY_PACKED,
    POLICY_LEAST_REQUEST,
    POLICY_ROUND_ROBIN,
};
#define POLICY_COUNT 5

/* For messages: every name there is. */
#define POLICY_NAMES "spread (or distributed), scatter, packed, least-request, round-robin"

const char *policy_name(enum policy policy);

/* False if there is no policy of that name. */
bool policy_parse(const char *name, size_t length, enum policy *out);

#endif

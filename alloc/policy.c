#include "alloc/policy.h"

#include <string.h>

/* The first name of a policy is the one that is printed. */
static const struct {
    const char *name;
    enum policy policy;
} names[] = {
    {"spread", POLICY_SPREAD}, {"distributed", POLICY_SPREAD},          {"scatter", POLICY_SCATTER},
    {"packed", POLICY_PACKED}, {"least-request", POLICY_LEAST_REQUEST}, {"round-robin", POLICY_ROUND_ROBIN},
};
#define NAMES (sizeof(names) / sizeof(names[0]))

const char *policy_name(enum policy policy)
{
    for (size_t i = 0; i < NAMES; i++) {
        if (names[i].policy == policy)
            return names[i].name;
    }
    return "?";
}

bool policy_parse(const char *name, size_t length, enum policy *out)
{
    for (size_t i = 0; i < NAMES; i++) {
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0) {
            *out = names[i].policy;
            return true;
        }
    }
    return false;
}

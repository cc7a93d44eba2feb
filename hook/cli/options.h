/*
 * options.h - reading a command's options: `--name VALUE` or `--name=VALUE`, in any order, up to `--` or the first word
 * that is no option. What is unknown is refused.
 */
#ifndef ALLOT_HOOK_CLI_OPTIONS_H
#define ALLOT_HOOK_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "alloc/error.h"

struct option_spec {
    const char *name;   /* with its dashes */
    const char **value; /* where the value goes; NULL for a flag */
    bool *flag;
};

/* The index of the first word that is not an option goes to `rest`. */
int options_read(int argc, char **argv, const struct option_spec *specs, size_t count, int *rest,
                 struct error *err);

#endif

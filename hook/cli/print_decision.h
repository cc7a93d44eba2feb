/*
 * print_decision.h - a decision as one line of JSON, keys in the order of DESIGN.md section 12.
 */
#ifndef ALLOT_HOOK_CLI_PRINT_DECISION_H
#define ALLOT_HOOK_CLI_PRINT_DECISION_H

#include <stdio.h>

#include "alloc/decision.h"

/* `state` is the one that decide() left with these decisions. */
void print_decision(FILE *out, const struct state *state, const struct decisions *decisions,
                    const struct decision *decision);

#endif

/*
 * status.h - what there is to say about a state, and two ways to say it.
 */
#ifndef ALLOT_HOOK_CLI_STATUS_H
#define ALLOT_HOOK_CLI_STATUS_H

#include <stdio.h>

#include "alloc/decide.h"

struct status {
    struct state *state;
    struct workspace *workspace;
    struct decisions *decisions;
    struct explanation *why; /* of each waiter */
    struct account *account; /* of each queue */
    struct resources held;
    uint32_t more_units;
};

#define CLEAN_STATUS __attribute__((cleanup(status_clean)))
void status_clean(struct status *status);

int status_init(struct status *status, struct error *err);

/* Works out what is not in the state: reasons, shares, and how often `unit` would be granted at once. */
void status_examine(struct status *status, const struct resreq *unit);

void status_print(const struct status *status, FILE *out);
void status_print_json(const struct status *status, FILE *out);

#endif

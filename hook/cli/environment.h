/*
 * environment.h - the variables that tell a process what it was granted (DESIGN.md section 8).
 */
#ifndef ALLOT_HOOK_CLI_ENVIRONMENT_H
#define ALLOT_HOOK_CLI_ENVIRONMENT_H

#include "alloc/error.h"
#include "alloc/state.h"

/* Sets NVIDIA_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES (each GPU once, in the order of the grant), ALLOT_REPLICAS and
 * ALLOT_QUEUE of this process for the grant of that id, replacing whatever they were. */
int environment_set(const struct state *state, const char *id, struct error *err);

#endif

/*
 * build.h - how a configuration comes to be: defaults, then one text after the other, then the checks that
 * need the whole. Internal to config/; load.c does it with files, the tests and the fuzzer with memory.
 */
#ifndef ALLOT_CONFIG_BUILD_H
#define ALLOT_CONFIG_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "alloc/error.h"
#include "config/config.h"

/* All defaults. */
int config_new(struct config **out, struct error *err);

/* Lays the settings of a TOML text over what is there. `name` stands for the text in messages and origins.
 * After an error the configuration is good for config_free() only. */
int config_apply_text(struct config *config, const char *name, const char *text, size_t length,
                      struct error *err);

/* What no single value can tell, checked once all texts are in: a later one may have mended an earlier. */
int config_finish(struct config *config, struct error *err);

/* The place of the queue of that name in the sorted array; false: where it would have to be. */
bool config_find_queue(const struct config *config, const char *name, size_t *index);

/* --- memory; the one failure is that there is none --- */

/* Empty, without defaults. */
int config_allocate(struct config **out, struct error *err);

/* Puts a queue with all defaults at `index`. */
int config_insert_queue(struct config *config, size_t index, const char *name, struct error *err);

/* Frees all devices and makes room for `count` new ones. */
int config_reserve_devices(struct config *config, size_t count, struct error *err);

/* What is said then; returns -1. */
int config_no_memory(struct error *err);

#endif

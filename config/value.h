/*
 * value.h - one TOML value into one field, by the row of its key. Internal to config/.
 */
#ifndef ALLOT_CONFIG_VALUE_H
#define ALLOT_CONFIG_VALUE_H

#include "alloc/error.h"
#include "config/schema.h"
#include "config/toml.h"

/* The field of `key` in the struct at `base`. */
void *value_field(const struct key *key, void *base);
const void *value_field_const(const struct key *key, const void *base);

/* Checks `value` and stores it, in place of what the field owned. The error says what is wrong and what is
 * allowed; the caller puts file, line and key in front. KIND_DEVICES is not for here. */
int value_read(const struct key *key, const struct toml_value *value, void *base, struct error *err);

/* Frees what the field owns and empties it. */
void value_clear(const struct key *key, void *base);

#endif

/*
 * json.h - reading JSON that somebody else wrote, on top of json-c.
 *
 * Every access names the place it reads and checks the type; what is missing, of the wrong type or out of range is an
 * error with a sentence. Nothing is guessed: json-c alone would read the string "x" as the number 0.
 */
#ifndef ALLOT_HOOK_JSON_H
#define ALLOT_HOOK_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/error.h"

#define JSON_DEPTH_MAX 64

#define CLEAN_JSON __attribute__((cleanup(json_clean)))
void json_clean(struct json_object **object);

/* One whole document, nothing before or behind it but blanks. The caller owns it. */
int json_parse(const char *text, size_t length, struct json_object **out, struct error *err);

/* An error unless this is an object and each of its keys is one of `known` (NULL-terminated). */
int json_check_keys(struct json_object *object, const char *const *known, struct error *err);

/* The member of an object: 1 and the value, or 0 if it is not there (or null). Borrowed. */
int json_find(struct json_object *object, const char *key, struct json_object **out);

/* Each returns 1 if the member is there and right, 0 if it is not there (`*out` is left alone), -1 with an error. A
 * string has no NUL inside and is borrowed from the object. */
int json_get_string(struct json_object *object, const char *key, const char **out, struct error *err);
int json_get_bool(struct json_object *object, const char *key, bool *out, struct error *err);
/* min and max lie inside the 64-bit range, not at its ends: json-c clamps what is beyond. */
int json_get_integer(struct json_object *object, const char *key, int64_t min, int64_t max, int64_t *out,
                     struct error *err);
int json_get_array(struct json_object *object, const char *key, struct json_object **out, struct error *err);

/* The text of a string, or NULL if the value is none or has a NUL inside. */
const char *json_text(struct json_object *value);

#endif

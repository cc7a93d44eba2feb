/*
 * schema.h - every key there is: its section, kind, range, default and field. Internal to config/.
 *
 * One row of schema.c says all about a key. Reading (value.c), printing (print.c), freeing (store.c) and
 * messages walk these rows and know no key by name, so a key that has a row is complete. A row's kind and the
 * type of its field are checked against each other at compile time.
 */
#ifndef ALLOT_CONFIG_SCHEMA_H
#define ALLOT_CONFIG_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/origin.h"

/* What a key holds, and the C type of its field. */
enum kind {
    KIND_BOOL,     /* bool */
    KIND_COUNT,    /* uint32_t, from min to max */
    KIND_SIGNED,   /* int32_t, from min to max */
    KIND_CHOICE,   /* an enum whose values number `choices` */
    KIND_POLICY,   /* enum policy */
    KIND_DURATION, /* uint64_t in ms, from min to DURATION_MAX_MS */
    KIND_CPU,      /* struct config_capacity */
    KIND_MEM,      /* struct config_capacity */
    KIND_SIZE,     /* uint64_t in bytes, at least 1 */
    KIND_RESREQ,   /* struct resreq */
    KIND_TEXT,     /* char *, as `wrong` allows */
    KIND_LIST,     /* struct config_list of min to CONFIG_LIST_MAX texts, none twice */
    KIND_DEVICES,  /* [[gpu.device]] */
};

struct key {
    const char *name;
    enum kind kind;
    size_t offset; /* of the field, in the struct that the section describes */
    int64_t min;
    int64_t max;
    const char *const *choices;                            /* KIND_CHOICE: ends in NULL */
    bool may_be_empty;                                     /* KIND_RESREQ: "" is allowed, and means none */
    const char *(*wrong)(const char *text, size_t length); /* KIND_TEXT, KIND_LIST: NULL, or what is wrong */
    const char *allowed;                                   /* KIND_TEXT, KIND_LIST: what `wrong` allows */
    const char *initial; /* the default as TOML; NULL where the struct starts with it */
};

struct section {
    const char *name;
    const struct key *keys;
    size_t count;
};

#define SECTION_COUNT    9U
#define SECTION_KEYS_MAX 8U

extern const struct section config_sections[SECTION_COUNT]; /* their fields are struct config's */
extern const struct section queue_section;                  /* [queues.NAME]: struct queue */
extern const struct section device_section;                 /* [[gpu.device]]: struct config_device */
#define QUEUES_NAME "queues"

/* Origins by section and key, in the order of the schema. Those of queues and devices go with the arrays of
 * the same name in struct config. */
struct config_origins {
    struct origin keys[SECTION_COUNT][SECTION_KEYS_MAX];
    struct origin (*queues)[SECTION_KEYS_MAX];
    struct origin (*devices)[SECTION_KEYS_MAX];
};

/* By name; NULL if there is none. */
const struct section *schema_section(const char *name, size_t length);
const struct key *schema_key(const struct section *section, const char *name, size_t length);

#endif

/*
 * queue.h - a queue: the tenant that requests are charged to.
 *
 * A plain value. One that was never declared has weight 1, no guarantee and no limit (queue_default).
 */
#ifndef ALLOT_ALLOC_QUEUE_H
#define ALLOT_ALLOC_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/error.h"
#include "alloc/limits.h"
#include "alloc/resource.h"

struct queue {
    char name[QUEUE_NAME_SIZE];
    uint32_t weight; /* 1..WEIGHT_MAX */
    struct resreq guarantee;
    struct resreq limit;
    bool lend;            /* others may use what the guarantee leaves unused */
    int32_t max_priority; /* what its requests may ask for */
    bool declared;        /* by the configuration; else it lives only while it is in use */
};

/* NULL if `name` may name a queue, else what is wrong with it. */
const char *queue_name_wrong(const char *name, size_t length);

/* An undeclared queue. `name` must be a valid one. */
struct queue queue_default(const char *name, int32_t max_priority);

/* What no single field can tell: each guarantee is within the limit. */
int queue_check(const struct queue *queue, struct error *err);

#endif

/*
 * request.h - what one container asks for, read off its annotations (DESIGN.md section 4).
 *
 * Pure: the annotations come as pairs, the container's own cpu and memory limits as numbers. Everything here is
 * hostile input; what is unknown or malformed is refused with an error that names the annotation, the value, the
 * reason and a valid example.
 */
#ifndef ALLOT_ALLOC_REQUEST_H
#define ALLOT_ALLOC_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/error.h"
#include "alloc/limits.h"
#include "alloc/policy.h"
#include "alloc/resource.h"
#include "alloc/state.h"

struct request {
    char id[ID_SIZE];
    struct holder holder; /* the edges know; not read off annotations */
    char queue[QUEUE_NAME_SIZE];
    struct resources ask;
    int64_t priority; /* any; decide() knows what the queue allows */
    enum policy policy;
    bool distinct;
    bool wait;
    uint64_t wait_ms;                      /* for the edges, which have a clock; decide() looks at `wait` */
    char devices[ANNOTATION_SIZE_MAX + 1]; /* UUIDs or indices, with commas; "": any GPU */
};

struct annotation {
    const char *key;
    const char *value;
};

/* What the container's spec says of its own: linux.resources. */
struct container_limits {
    int64_t cpu_quota;    /* 0 or below: none */
    uint64_t cpu_period;  /* 0: the kernel's default */
    int64_t memory_limit; /* 0 or below: none */
};

/* What the configuration has to say. */
struct request_rules {
    struct resreq unit; /* of slots */
    enum policy policy;
    bool allow_override; /* of the policy, by an annotation */
    uint64_t default_wait_ms;
    uint64_t max_wait_ms;
    const char *const *queue_from; /* annotations that may name the queue, the first that is there wins */
    size_t queue_from_count;
};

/* Fills `out` (all but the id) and sets `*asked`. No annotation of ours, or a pod's sandbox: `*asked` is false, and
 * nothing is to happen. */
int request_from_annotations(const struct annotation *annotations, size_t count,
                             const struct container_limits *limits, const struct request_rules *rules,
                             struct request *out, bool *asked, struct error *err);

/* NULL if `id` may name a container, else what is wrong with it. */
const char *request_id_wrong(const char *id, size_t length);

#endif

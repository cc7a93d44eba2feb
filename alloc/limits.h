/*
 * limits.h - how much of everything there may be.
 *
 * Beyond a limit is an input error with a sentence, never a crash or a wrap. The arithmetic of the core leans
 * on the first block; the rest bounds memory, the ledger, and what a hostile caller can make us do.
 */
#ifndef ALLOT_ALLOC_LIMITS_H
#define ALLOT_ALLOC_LIMITS_H

#include <stdint.h>

/* Shares are compared by cross-multiplication: quantity x quantity x weight must fit in 128 bits. */
#define QUANTITY_BITS 53
#define QUANTITY_MAX  (1ULL << QUANTITY_BITS)
#define WEIGHT_BITS   20
#define WEIGHT_MAX    (1U << WEIGHT_BITS)
_Static_assert(2 * QUANTITY_BITS + WEIGHT_BITS <= 127, "share comparison must not overflow");

#define GPU_QUANTITY_MAX UINT32_MAX /* that may be written: more than any node has, so that it never fits */

#define GPUS_MAX             4096U
#define REPLICAS_PER_GPU_MAX 1024U
#define REPLICAS_MAX         65536U /* of a node */
#define QUEUES_MAX           4096U
#define GRANTS_MAX           16384U
#define WAITERS_MAX          8192U
#define WAITERS_PER_QUEUE    2048U
#define DEVICES_MAX          128U /* named by one request */

/* ALLOT_REPLICAS lists every replica of a grant, and the kernel takes no string above 128 KiB. */
#define GRANT_REPLICAS_MAX 2048U

/* Sizes with the closing NUL. */
#define ID_SIZE         128U
#define UUID_SIZE       96U
#define QUEUE_NAME_SIZE 64U

#define PRIORITY_MIN        (-1000)
#define PRIORITY_MAX        1000
#define BYPASS_MAX          1000000U /* of max_bypass */
#define ANNOTATION_SIZE_MAX 4096U    /* of one value */

_Static_assert(GRANT_REPLICAS_MAX <= REPLICAS_MAX, "a grant is part of the node");
_Static_assert(GPUS_MAX <= REPLICAS_MAX, "every GPU has a replica");
_Static_assert(GPUS_MAX <= 64 * 64, "gpu_set has two levels of 64");

#endif

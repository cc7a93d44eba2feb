/*
 * resource.h - amounts of cpu, memory and GPU replicas, and how a person writes them.
 *
 * The grammar of `cpu=4,mem=16g,gpu=2` is DESIGN.md section 4's. An error never becomes 0, and what was not
 * named is remembered as such: a limit that names no cpu does not limit cpu to nothing.
 */
#ifndef ALLOT_ALLOC_RESOURCE_H
#define ALLOT_ALLOC_RESOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/error.h"

enum resource {
    RES_CPU, /* thousandths of a cpu */
    RES_MEM, /* bytes */
    RES_GPU, /* replicas */
};
#define RES_COUNT 3

struct resources {
    uint64_t of[RES_COUNT]; /* each at most QUANTITY_MAX */
};

/* Amounts of which some may be unnamed: a resreq, a guarantee, a limit. */
struct resreq {
    struct resources amount; /* 0 where not named */
    bool named[RES_COUNT];
};

const char *resource_name(enum resource resource); /* "cpu", "mem", "gpu" */

/* Reads `cpu=4,mem=16g,gpu=2`. The error (ERROR_INPUT) names the entry and ends in an example. */
int resreq_parse(const char *text, size_t length, struct resreq *out, struct error *err);

#define RESREQ_TEXT_SIZE 96

/* The named amounts in the same grammar, exactly: reading it again gives the same. "" if none is named. */
const char *resreq_format(const struct resreq *req, char buffer[static RESREQ_TEXT_SIZE]);

/* All amounts that are not 0 in the same grammar; "gpu=0" if all are 0. */
const char *resources_format(const struct resources *amount, char buffer[static RESREQ_TEXT_SIZE]);

#define AMOUNT_TEXT_SIZE 32

/* One amount without its key: "0.5", "16g", "2". */
const char *amount_format(enum resource resource, uint64_t amount, char buffer[static AMOUNT_TEXT_SIZE]);

/* a + b, or QUANTITY_MAX where that is more: sums of what is switched off have no other bound. */
uint64_t quantity_add(uint64_t a, uint64_t b);

#endif

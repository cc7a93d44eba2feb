/*
 * side.h - what is known of a container besides its record: paths, which are too long for it.
 *
 * One small file for each record that needs one, named by its arrival number, in a root-only folder below the ledger's.
 * It is written before the commit that makes the record, so a record that counts has its file; a file without a record is
 * left over from somebody who was killed in between, and is swept away.
 */
#ifndef ALLOT_ALLOC_LEDGER_SIDE_H
#define ALLOT_ALLOC_LEDGER_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "alloc/error.h"

#define SIDE_NAME      "side"
#define SIDE_PATH_SIZE 4096U

struct side {
    char pid_file[SIDE_PATH_SIZE]; /* "": not known */
};

int side_write(int folder, uint64_t arrival, const struct side *side, struct error *err);

/* 1: it is in `out`. 0: there is none. -1: there may be one, but it cannot be read. */
int side_read(int folder, uint64_t arrival, struct side *out);

void side_remove(int folder, uint64_t arrival);

/* Removes every file whose record is not there any more. */
void side_sweep(int folder, bool (*is_live)(const void *context, uint64_t arrival), const void *context);

#endif

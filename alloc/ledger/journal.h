/*
 * journal.h - the event log: what happened, for people and for `allot ledger rebuild`.
 *
 * One JSON object a line, appended with one write. Lines are numbered ("n"); the last number in the file tells which ones
 * are still to be written, so a writer that was killed between commit and log leaves its lines to the next one, and a line
 * that was written twice counts once. A file that is new (or was rotated away) starts with the state. A log that cannot be
 * written stops nobody.
 */
#ifndef ALLOT_ALLOC_LEDGER_JOURNAL_H
#define ALLOT_ALLOC_LEDGER_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alloc/error.h"

struct journal {
    int fd;        /* -1: there is none */
    uint64_t last; /* number of the last line in the file; 0: it has none */
    bool cut;      /* the file does not end in a line end: somebody was killed in the middle */
    int64_t whole; /* where its last whole line ends; -1: not known */
};

/* Opens or makes the file and finds its last number. `path` "" means that there is no log. */
int journal_open(const char *path, struct journal *journal, struct error *err);
void journal_close(struct journal *journal);

/* Appends whole lines, the last of which has number `last`. */
int journal_append(struct journal *journal, const char *lines, size_t length, uint64_t last,
                   struct error *err);

/* The number of a line, 0 if it has none. */
uint64_t journal_number(const char *line, size_t length);

#endif

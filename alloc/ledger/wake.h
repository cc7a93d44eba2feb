/*
 * wake.h - how those who wait learn that something changed.
 *
 * A futex word in a file of its own, which readers of the ledger cannot open: thousands of strangers waiting on it would
 * make every wake slow. The sequence of a waiter: value, look at the ledger, wait for another value. Of a waker: commit,
 * drop the lock, wake. Waits are bounded, so a waker that died before it woke anybody costs one bound.
 */
#ifndef ALLOT_ALLOC_LEDGER_WAKE_H
#define ALLOT_ALLOC_LEDGER_WAKE_H

#include <stdint.h>
#include <sys/types.h>

#include "alloc/error.h"

#define WAKE_NAME "wake"

struct wake {
    uint32_t *word; /* NULL: not open */
};

int wake_open(int folder, mode_t mode, struct wake *wake, struct error *err);
void wake_close(struct wake *wake);

uint32_t wake_value(const struct wake *wake);

/* Until the value is another one, or `ms` have passed, or a signal came. */
void wake_wait(const struct wake *wake, uint32_t value, uint32_t ms);

void wake_all(const struct wake *wake);

#endif

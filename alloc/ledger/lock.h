/*
 * lock.h - one writer at a time.
 *
 * An open-file-description lock on a file that is never renamed or removed. It ends with its holder, however that ends:
 * the descriptor is close-on-exec, and nobody forks while holding it. Taking it has a deadline; who holds it stands in the
 * file, for the error message only. The file's mode keeps everybody out who may not write the ledger: a lock that anyone
 * can take is a way to stop all containers.
 */
#ifndef ALLOT_ALLOC_LEDGER_LOCK_H
#define ALLOT_ALLOC_LEDGER_LOCK_H

#include <stdint.h>
#include <sys/types.h>

#include "alloc/error.h"

#define LOCK_NAME "lock"

/* Opens the file, and makes it if need be. The descriptor is the caller's. */
int lock_open(int folder, mode_t mode, int *fd, struct error *err);

/* Waits for the lock, at most `timeout_ms`. */
int lock_take(int fd, uint64_t timeout_ms, struct error *err);
void lock_drop(int fd);

#endif

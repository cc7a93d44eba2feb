/*
 * file.h - opening and reading what the administrator wrote. Internal to config/.
 *
 * Decided on the descriptor, never on the path: a regular file (a FIFO would hang, a device would answer), of a
 * bounded size, and, for root, one that only root can write. Links are followed: what counts is whose the file
 * behind them is.
 */
#ifndef ALLOT_CONFIG_FILE_H
#define ALLOT_CONFIG_FILE_H

#include <stddef.h>

#include "alloc/error.h"

/* Reads the file `name` below the folder `at` (or AT_FDCWD). `label` stands for it in messages. The text is the
 * caller's to free. A file that is not there is ERROR_SYSTEM with ENOENT. */
int file_read(int at, const char *name, const char *label, char **text, size_t *length, struct error *err);

/* Opens a folder by the same rules; a descriptor, or -1. */
int folder_open(int at, const char *name, const char *label, struct error *err);

#endif

/*
 * cleanup.h - scope-bound ownership.
 *
 *     CLEAN_FD int fd = open(…);
 *     CLEAN_FREE char *text = malloc(…);
 *     return take_pointer(&text);          the one visible move
 *
 * A cleaner accepts the empty value (-1, NULL) and keeps errno. Never put one on something borrowed.
 * The pure core owns nothing and does not include this header.
 */
#ifndef ALLOT_ALLOC_CLEANUP_H
#define ALLOT_ALLOC_CLEANUP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEAN_FD   __attribute__((cleanup(clean_fd)))
#define CLEAN_FREE __attribute__((cleanup(clean_free)))
#define CLEAN_FILE __attribute__((cleanup(clean_file)))

static inline void clean_fd(const int *fd)
{
    int saved = errno;

    if (*fd >= 0)
        close(*fd);
    errno = saved;
}

static inline void clean_free(void *slot)
{
    void **pointer = slot;
    int saved = errno;

    free(*pointer);
    errno = saved;
}

static inline void clean_file(FILE **file)
{
    int saved = errno;

    if (*file != NULL)
        fclose(*file);
    errno = saved;
}

/* Moves ownership out of a cleaned variable. */
static inline int take_fd(int *fd)
{
    int taken = *fd;

    *fd = -1;
    return taken;
}

static inline void *take_pointer(void *slot)
{
    void **pointer = slot;
    void *taken = *pointer;

    *pointer = NULL;
    return taken;
}

#endif

/*
 * namespaces.h - runs a part of a test as the first process of its own pid and mount namespace. With that process end
 * all others in there, and with them the mounts, whatever happens.
 *
 * cmocka's asserts jump, and cannot jump between processes; in there a test says what must hold with inside_must().
 */
#ifndef ALLOT_TESTS_SUPPORT_NAMESPACES_H
#define ALLOT_TESTS_SUPPORT_NAMESPACES_H

#include <stdbool.h>
#include <sys/types.h>

struct inside {
    int report;
    const void *argument;
};

/* Runs `body`; fails or skips the test as it says. /proc is still the one from outside. Skips where namespaces cannot
 * be made. */
void namespaces_run(void (*body)(const struct inside *), const void *argument);

/* These two end the calling process if they have something to say. */
void inside_must(const struct inside *inside, bool holds, const char *what);
void inside_skip_unless(const struct inside *inside, bool possible, const char *why);

/* Mounts a /proc of the inner pid namespace over the one from outside. */
void inside_mount_proc(const struct inside *inside, const char *options);

/* A process that does nothing, and its end. */
pid_t inside_start(const struct inside *inside);
void inside_end(const struct inside *inside, pid_t pid);

/* Runs `body` in a process of nobody's. */
void inside_as_nobody(const struct inside *inside, void (*body)(const struct inside *));

#endif

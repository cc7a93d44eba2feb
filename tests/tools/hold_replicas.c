/*
 * hold_replicas FOLDER COUNT MS - the job of the storm: proves that it alone holds what it was granted.
 *
 * Takes an exclusive lock on the file FOLDER/NAME for each of the COUNT replicas in ALLOT_REPLICAS, keeps them for MS
 * milliseconds, and adds one line to FOLDER/jobs: "PID held NAMES". Where a lock is taken already, or the number of
 * replicas is another, it says so in FOLDER/violations and ends with status 99.
 *
 * One process, no threads and no children: the locks end when it does, before anybody can see that it is dead.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "alloc/cleanup.h"

#define LINE_SIZE 8192

/* One write a line: many jobs share the file. */
__attribute__((format(printf, 3, 4))) static int note(int folder, const char *name, const char *format, ...)
{
    CLEAN_FD int fd = openat(folder, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    char line[LINE_SIZE];
    va_list values;
    int length;

    va_start(values, format);
    length = vsnprintf(line, sizeof(line), format, values);
    va_end(values);
    if (fd < 0 || length < 0 || (size_t)length >= sizeof(line))
        return -1;
    return write(fd, line, (size_t)length) == length ? 0 : -1;
}

/* The descriptor stays open, and the lock with it, as long as the process lives. */
static int hold(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

    if (fd < 0)
        return note(folder, "violations", "%d %s cannot be opened: %s\n", (int)getpid(), name,
                    strerror(errno)),
               -1;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return note(folder, "violations", "%d %s is held by somebody else\n", (int)getpid(), name), -1;
    return 0;
}

static int hold_all(int folder, const char *names, unsigned long count)
{
    CLEAN_FREE char *copy = strdup(names);
    unsigned long held = 0;
    char *rest = copy;
    char *name;

    while (copy != NULL && (name = strsep(&rest, ",")) != NULL) {
        if (name[0] == '\0')
            continue;
        if (hold(folder, name) < 0)
            return -1;
        held++;
    }
    if (held != count)
        return note(folder, "violations", "%d was given %lu replicas instead of %lu\n", (int)getpid(), held,
                    count),
               -1;
    return 0;
}

int main(int argc, char **argv)
{
    const char *names = getenv("ALLOT_REPLICAS");
    struct timespec pause;
    unsigned long ms;
    int folder;

    if (argc != 4 || names == NULL || (folder = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        return 98;
    ms = strtoul(argv[3], NULL, 10);
    pause = (struct timespec){.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    if (hold_all(folder, names, strtoul(argv[2], NULL, 10)) < 0)
        return 99;
    if (note(folder, "jobs", "%d held %s\n", (int)getpid(), names) < 0)
        return 97;
    nanosleep(&pause, NULL);
    return 0;
}

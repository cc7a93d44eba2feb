#include "alloc/ledger/side.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc/cleanup.h"
#include "alloc/number.h"

#define NAME_SIZE 32

static const char *name_of(uint64_t arrival, char buffer[static NAME_SIZE])
{
    snprintf(buffer, NAME_SIZE, SIDE_NAME "/%" PRIu64, arrival);
    return buffer;
}

static int write_path(int fd, const char *path, size_t length)
{
    while (length > 0) {
        ssize_t wrote = write(fd, path, length);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return wrote < 0 ? errno : ENOSPC;
        path += wrote;
        length -= (size_t)wrote;
    }
    return 0;
}

int side_write(int folder, uint64_t arrival, const struct side *side, struct error *err)
{
    char name[NAME_SIZE];
    CLEAN_FD int fd = -1;
    int wrong;

    if (mkdirat(folder, SIDE_NAME, 0700) < 0 && errno != EEXIST)
        return error_set_errno(err, errno, "the ledger's side folder cannot be made");
    fd = openat(folder, name_of(arrival, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return error_set_errno(err, errno, "a side file of the ledger cannot be made");
    wrong = write_path(fd, side->pid_file, strlen(side->pid_file));
    if (wrong != 0) {
        unlinkat(folder, name, 0);
        return error_set_errno(err, wrong, "a side file of the ledger cannot be written");
    }
    return 0;
}

int side_read(int folder, uint64_t arrival, struct side *out)
{
    char name[NAME_SIZE];
    CLEAN_FD int fd = openat(folder, name_of(arrival, name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    size_t used = 0;
    ssize_t got;

    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    do {
        got = read(fd, out->pid_file + used, sizeof(out->pid_file) - 1 - used);
        if (got < 0 && errno != EINTR)
            return -1;
        used += got > 0 ? (size_t)got : 0;
    } while (got != 0 && used < sizeof(out->pid_file) - 1);
    out->pid_file[used] = '\0';
    return 1;
}

void side_remove(int folder, uint64_t arrival)
{
    char name[NAME_SIZE];

    unlinkat(folder, name_of(arrival, name), 0);
}

void side_sweep(int folder, bool (*is_live)(const void *context, uint64_t arrival), const void *context)
{
    int fd = openat(folder, SIDE_NAME, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    uint64_t arrival;

    if (list == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(list)) != NULL) {
        if (number_parse(entry->d_name, strlen(entry->d_name), UINT64_MAX, &arrival) == NULL &&
            !is_live(context, arrival))
            unlinkat(fd, entry->d_name, 0);
    }
    closedir(list);
}

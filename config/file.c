#include "config/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc/cleanup.h"
#include "config/config.h"

/* Whoever can write the configuration decides what root does with containers and devices. */
static int check_trust(const struct stat *status, const char *label, struct error *err)
{
    if (geteuid() != 0)
        return 0;
    if (status->st_uid != 0)
        return error_set(err, ERROR_INPUT, "%s: is owned by user %u; allowed: root; remedy: chown root %s",
                         label, (unsigned)status->st_uid, label);
    if ((status->st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return error_set(err, ERROR_INPUT,
                         "%s: may be written by others than its owner (mode %04o); remedy: chmod go-w %s",
                         label, (unsigned)(status->st_mode & 07777), label);
    return 0;
}

static const char *type_name(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a FIFO";
    return "a device"; /* a socket does not let itself be opened */
}

static int check_file(int fd, const char *label, struct error *err)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return error_set_errno(err, errno, "%s: cannot be examined", label);
    if (!S_ISREG(status.st_mode))
        return error_set(err, ERROR_INPUT, "%s: is %s; allowed: a regular file", label,
                         type_name(status.st_mode));
    return check_trust(&status, label, err);
}

/* Reads to the end of the file, or one byte more than allowed: the size that fstat tells may change. */
static int read_all(int fd, const char *label, char *text, size_t *length, struct error *err)
{
    size_t used = 0;
    ssize_t got;

    do {
        got = read(fd, text + used, CONFIG_FILE_BYTES_MAX + 1 - used);
        if (got < 0 && errno != EINTR)
            return error_set_errno(err, errno, "%s: cannot be read", label);
        if (got > 0)
            used += (size_t)got;
    } while (got != 0 && used <= CONFIG_FILE_BYTES_MAX);
    if (used > CONFIG_FILE_BYTES_MAX)
        return error_set(err, ERROR_INPUT, "%s: is too large; allowed: at most %u bytes", label,
                         CONFIG_FILE_BYTES_MAX);
    *length = used;
    return 0;
}

int file_read(int at, const char *name, const char *label, char **text, size_t *length, struct error *err)
{
    /* O_NONBLOCK: opening a FIFO that nobody writes to would wait for ever. */
    CLEAN_FD int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    CLEAN_FREE char *buffer = NULL;

    if (fd < 0)
        return error_set_errno(err, errno, "%s: cannot be opened", label);
    if (check_file(fd, label, err) < 0)
        return -1;
    buffer = malloc(CONFIG_FILE_BYTES_MAX + 1);
    if (buffer == NULL)
        return error_set_errno(err, ENOMEM, "%s: cannot be read", label);
    if (read_all(fd, label, buffer, length, err) < 0)
        return -1;
    *text = take_pointer(&buffer);
    return 0;
}

int folder_open(int at, const char *name, const char *label, struct error *err)
{
    CLEAN_FD int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    struct stat status;

    if (fd < 0)
        return error_set_errno(err, errno, "%s: cannot be opened", label);
    if (fstat(fd, &status) < 0)
        return error_set_errno(err, errno, "%s: cannot be examined", label);
    if (check_trust(&status, label, err) < 0)
        return -1;
    return take_fd(&fd);
}

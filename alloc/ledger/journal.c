#include "alloc/ledger/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc/cleanup.h"
#include "alloc/number.h"

/* A line is searched for its number from behind, and the file for its last line; a state line may be long, but its number
 * stands at its end. */
#define TAIL_BYTES 4096

uint64_t journal_number(const char *line, size_t length)
{
    static const char key[] = ",\"n\":";
    const char *found = NULL;
    const char *at = line;
    uint64_t number = 0;
    size_t digits = 0;

    /* The last one: an id may look like anything, but its quotes are escaped. */
    while ((at = memmem(at, length - (size_t)(at - line), key, strlen(key))) != NULL)
        found = at += strlen(key);
    if (found == NULL)
        return 0;
    while (digits < length - (size_t)(found - line) && found[digits] >= '0' && found[digits] <= '9')
        digits++;
    return number_parse(found, digits, UINT64_MAX, &number) == NULL ? number : 0;
}

/* Up to `size` bytes from `start`; less only at the end of the file. */
static ssize_t read_tail(int fd, char *tail, size_t size, off_t start)
{
    size_t used = 0;

    while (used < size) {
        ssize_t got = pread(fd, tail + used, size - used, start + (off_t)used);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -1 : (ssize_t)used;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

/* Where the last whole line ends, 0 if none does. A piece of a line has no bracket before its end, if it has an end. */
static size_t end_of_whole_lines(const char *tail, size_t length)
{
    while (length > 0 && (length < 2 || tail[length - 1] != '\n' || tail[length - 2] != '}'))
        length--;
    return length;
}

static int find_last(struct journal *journal, off_t size, struct error *err)
{
    char tail[TAIL_BYTES];
    off_t start = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
    ssize_t length = read_tail(journal->fd, tail, sizeof(tail), start);
    size_t end;

    if (length < 0)
        return error_set_errno(err, errno, "the event log cannot be read");
    end = end_of_whole_lines(tail, (size_t)length);
    journal->cut = end != (size_t)length;
    journal->whole = end > 0 || start == 0 ? start + (off_t)end : -1;
    journal->last = journal_number(tail, end);
    return 0;
}

int journal_open(const char *path, struct journal *journal, struct error *err)
{
    struct stat status;

    *journal = (struct journal){.fd = -1};
    if (path[0] == '\0')
        return 0;
    journal->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
    if (journal->fd < 0)
        return error_set_errno(err, errno, "the event log %s cannot be opened", path);
    if (fstat(journal->fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        journal_close(journal);
        return error_set(err, ERROR_SYSTEM, "the event log %s is not a regular file", path);
    }
    return find_last(journal, status.st_size, err);
}

void journal_close(struct journal *journal)
{
    if (journal->fd >= 0)
        close(journal->fd);
    journal->fd = -1;
}

/* Takes off the piece of a line that somebody left: its line is still to be written, whole. Where that cannot be done (a
 * file that may only grow), it gets an end of its own. */
static int mend_end(struct journal *journal)
{
    if (journal->whole >= 0 && ftruncate(journal->fd, journal->whole) == 0)
        return 0;
    return write(journal->fd, "\n", 1) == 1 ? 0 : -1;
}

int journal_append(struct journal *journal, const char *lines, size_t length, uint64_t last,
                   struct error *err)
{
    ssize_t wrote;

    if (length == 0)
        return 0;
    if (journal->cut && mend_end(journal) < 0)
        return error_set_errno(err, errno, "the event log cannot be written");
    journal->cut = false;
    do
        wrote = write(journal->fd, lines, length);
    while (wrote < 0 && errno == EINTR);
    if (wrote < 0)
        return error_set_errno(err, errno, "the event log cannot be written");
    if ((size_t)wrote != length) {
        journal->cut = true;
        journal->whole = -1;
        return error_set(err, ERROR_SYSTEM, "the event log took only a part of a line; the disk may be full");
    }
    journal->last = last;
    return 0;
}

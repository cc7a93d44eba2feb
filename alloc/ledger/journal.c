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

static int find_last(struct journal *journal, off_t size, struct error *err)
{
    char tail[TAIL_BYTES];
    off_t start = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
    ssize_t length = pread(journal->fd, tail, sizeof(tail), start);
    const char *end;

    if (length < 0)
        return error_set_errno(err, errno, "the event log cannot be read");
    journal->cut = length > 0 && tail[length - 1] != '\n';
    end = length > 0 ? memrchr(tail, '\n', (size_t)length) : NULL;
    journal->last = end != NULL ? journal_number(tail, (size_t)(end - tail)) : 0;
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

int journal_append(struct journal *journal, const char *lines, size_t length, uint64_t last,
                   struct error *err)
{
    ssize_t wrote;

    if (length == 0)
        return 0;
    /* The piece of a line that somebody left gets an end of its own; it has no number, and nobody counts it. */
    if (journal->cut && write(journal->fd, "\n", 1) != 1)
        return error_set_errno(err, errno, "the event log cannot be written");
    journal->cut = false;
    do
        wrote = write(journal->fd, lines, length);
    while (wrote < 0 && errno == EINTR);
    if (wrote < 0)
        return error_set_errno(err, errno, "the event log cannot be written");
    if ((size_t)wrote != length) {
        journal->cut = true;
        return error_set(err, ERROR_SYSTEM, "the event log took only a part of a line; the disk may be full");
    }
    journal->last = last;
    return 0;
}

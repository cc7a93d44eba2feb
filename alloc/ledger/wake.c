#include "alloc/ledger/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "alloc/cleanup.h"

#define WAKE_BYTES 4096

int wake_open(int folder, mode_t mode, struct wake *wake, struct error *err)
{
    CLEAN_FD int fd = openat(folder, WAKE_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    struct stat status;
    void *page;

    wake->word = NULL;
    if (fd < 0)
        return error_set_errno(err, errno, "the ledger's wake file cannot be opened");
    if (fstat(fd, &status) < 0)
        return error_set_errno(err, errno, "the ledger's wake file cannot be examined");
    if (status.st_uid == geteuid() && (status.st_mode & 07777) != mode && fchmod(fd, mode) < 0)
        return error_set_errno(err, errno, "the mode of the ledger's wake file cannot be set");
    /* Made longer, never shorter: somebody may have it mapped. */
    if (status.st_size < WAKE_BYTES && (errno = posix_fallocate(fd, 0, WAKE_BYTES)) != 0)
        return error_set_errno(err, errno, "there is no room for the ledger's wake file");
    page = mmap(NULL, WAKE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED)
        return error_set_errno(err, errno, "the ledger's wake file cannot be mapped");
    wake->word = page;
    return 0;
}

void wake_close(struct wake *wake)
{
    if (wake->word != NULL)
        munmap(wake->word, WAKE_BYTES);
    wake->word = NULL;
}

uint32_t wake_value(const struct wake *wake)
{
    return __atomic_load_n(wake->word, __ATOMIC_SEQ_CST);
}

void wake_wait(const struct wake *wake, uint32_t value, uint32_t ms)
{
    struct timespec bound = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

    /* Whatever ends it, the caller looks again. */
    syscall(SYS_futex, wake->word, FUTEX_WAIT, value, &bound, NULL, 0);
}

void wake_all(const struct wake *wake)
{
    __atomic_add_fetch(wake->word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, wake->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

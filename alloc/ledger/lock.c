#include "alloc/ledger/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "alloc/cleanup.h"

int lock_open(int folder, mode_t mode, int *fd, struct error *err)
{
    CLEAN_FD int made = openat(folder, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    struct stat status;

    if (made < 0)
        return error_set_errno(err, errno, "the ledger's lock cannot be opened");
    if (fstat(made, &status) < 0)
        return error_set_errno(err, errno, "the ledger's lock cannot be examined");
    if (status.st_uid == geteuid() && (status.st_mode & 07777) != mode && fchmod(made, mode) < 0)
        return error_set_errno(err, errno, "the mode of the ledger's lock cannot be set");
    *fd = take_fd(&made);
    return 0;
}

static int set_lock(int fd, int command, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};

    return fcntl(fd, command, &lock);
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- waiting with a deadline --------------------------------------------------------------------------------- */

/* F_OFD_SETLKW knows no deadline, but a signal ends it. The timer repeats, so that a signal that comes between the look
 * at the clock and the call does no harm. */
#define TICK_US 100000

static void ignore_tick(int number)
{
    (void)number;
}

struct alarm {
    struct sigaction action;
    struct itimerval timer;
    sigset_t mask;
};

static void alarm_begin(struct alarm *old)
{
    struct sigaction action = {.sa_handler = ignore_tick}; /* without SA_RESTART */
    struct itimerval timer = {.it_interval = {.tv_usec = TICK_US}, .it_value = {.tv_usec = TICK_US}};
    sigset_t ticks;

    sigemptyset(&ticks);
    sigaddset(&ticks, SIGALRM);
    sigaction(SIGALRM, &action, &old->action);
    sigprocmask(SIG_UNBLOCK, &ticks, &old->mask);
    setitimer(ITIMER_REAL, &timer, &old->timer);
}

/* Everything as it was: what is executed next must not find a timer running. */
static void alarm_end(const struct alarm *old)
{
    setitimer(ITIMER_REAL, &old->timer, NULL);
    sigprocmask(SIG_SETMASK, &old->mask, NULL);
    sigaction(SIGALRM, &old->action, NULL);
}

static bool wait_for_lock(int fd, uint64_t deadline_ms)
{
    struct alarm old;
    bool taken;

    alarm_begin(&old);
    do
        taken = set_lock(fd, F_OFD_SETLKW, F_WRLCK) == 0;
    while (!taken && errno == EINTR && now_ms() < deadline_ms);
    alarm_end(&old);
    return taken;
}

/* --- the lock ------------------------------------------------------------------------------------------------ */

/* Whoever wrote its pid there last; it may be gone already. */
static int report_holder(int fd, uint64_t timeout_ms, struct error *err)
{
    char holder[16] = "";
    ssize_t length = pread(fd, holder, sizeof(holder) - 1, 0);

    holder[length > 0 ? strspn(holder, "0123456789") : 0] = '\0';
    return error_set(
        err, ERROR_SYSTEM,
        "the ledger's lock was not free for %llu ms; process %s holds it: see what it does, or end it",
        (unsigned long long)timeout_ms, holder[0] != '\0' ? holder : "(unknown)");
}

static void write_holder(int fd)
{
    char text[16];
    int length = snprintf(text, sizeof(text), "%-11d\n", (int)getpid());

    /* Only for a message: if it cannot be written, the message is poorer. */
    if (pwrite(fd, text, (size_t)length, 0) < 0)
        return;
}

int lock_take(int fd, uint64_t timeout_ms, struct error *err)
{
    if (set_lock(fd, F_OFD_SETLK, F_WRLCK) < 0) {
        if (errno != EAGAIN && errno != EACCES && errno != EINTR)
            return error_set_errno(err, errno, "the ledger's lock cannot be taken");
        if (!wait_for_lock(fd, now_ms() + timeout_ms)) {
            if (errno == EINTR)
                return report_holder(fd, timeout_ms, err);
            return error_set_errno(err, errno, "the ledger's lock cannot be taken");
        }
    }
    write_holder(fd);
    return 0;
}

void lock_drop(int fd)
{
    set_lock(fd, F_OFD_SETLK, F_UNLCK);
}

/*
 * life.c - what the kernel says of a process, and what follows for a record.
 *
 * Two witnesses. /proc/PID/stat has the state, the number of threads and the start time; one read through one descriptor
 * gives all three of the same process, so a pid that is recycled meanwhile cannot mix two. kill(pid, 0) knows neither,
 * but cannot be hidden from: where stat says nothing, its ESRCH is the proof.
 *
 * What stat says of an ended process, measured on Linux 6.18:
 *
 *     state  threads
 *     Z      2, 3, …   the first thread has ended, others live: alive
 *     Z      1         ended, and waits to be reaped: dead
 *     Z, X   0         the kernel released this thread while it was being described. Not a proof: when another thread
 *                      than the first calls execve, it takes over pid and start time, the first one is released, and the
 *                      process lives on (seen 32 times in 2.8 million reads). kill is asked.
 *
 * Counting /proc/PID/task instead would be a second look, at perhaps another moment.
 */
#include "alloc/ledger/life.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc/cleanup.h"
#include "alloc/number.h"

/* Fields of /proc/PID/stat, as proc(5) numbers them. */
enum stat_field {
    STAT_NAME = 2,
    STAT_STATE = 3,
    STAT_THREADS = 20,
    STAT_START = 22,
};

/* 52 fields of at most 20 digits, and a name of at most 64 bytes. */
#define STAT_SIZE 2048

/* What /proc says of a process at one moment. */
struct sight {
    char state;
    uint64_t threads; /* never 0 */
    uint64_t start_ticks;
};

/* --- reading --- */

/* Up to `size` bytes: a result of `size` may mean that there are more. -1 with errno. */
static ssize_t read_all(int fd, char *text, size_t size)
{
    size_t used = 0;

    while (used < size) {
        ssize_t got = read(fd, text + used, size - used);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

/* --- /proc --- */

/* Field `wanted` of the text behind a process's name. */
static const char *find_field(const char *text, const char *end, enum stat_field wanted, size_t *length)
{
    for (int field = STAT_NAME + 1; text < end && *text == ' '; field++) {
        const char *start = text + 1;

        text = memchr(start, ' ', (size_t)(end - start));
        if (text == NULL)
            text = end;
        if (field == (int)wanted) {
            *length = (size_t)(text - start);
            return start;
        }
    }
    return NULL;
}

static bool parse_field(const char *text, const char *end, enum stat_field wanted, uint64_t *out)
{
    size_t length = 0;
    const char *field = find_field(text, end, wanted, &length);

    return field != NULL && number_parse(field, length, UINT64_MAX, out) == NULL;
}

/*
 * "4711 (name) S 1 4711 …". A process chooses its name and may put brackets, blanks and line ends into it; behind it
 * there are only numbers and a letter, so it ends at the last bracket.
 */
static bool parse_stat(const char *text, size_t length, struct sight *sight)
{
    const char *end = text + length;
    const char *bracket = memrchr(text, ')', length);
    const char *state;
    size_t state_length = 0;

    if (bracket == NULL)
        return false;
    state = find_field(bracket + 1, end, STAT_STATE, &state_length);
    if (state == NULL || state_length != 1)
        return false;
    sight->state = *state;
    return parse_field(bracket + 1, end, STAT_THREADS, &sight->threads) &&
           parse_field(bracket + 1, end, STAT_START, &sight->start_ticks);
}

static int open_proc(void)
{
    return open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* -1 with errno if this /proc does not say what becomes of the process. */
static int see(int proc, int32_t pid, struct sight *sight)
{
    CLEAN_FD int fd = -1;
    char name[32];
    char text[STAT_SIZE];
    ssize_t length;

    snprintf(name, sizeof(name), "%d/stat", pid);
    fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    length = read_all(fd, text, sizeof(text));
    if (length < 0)
        return -1;
    if ((size_t)length == sizeof(text) || !parse_stat(text, (size_t)length, sight)) {
        errno = EPROTO;
        return -1;
    }
    if (sight->threads == 0) { /* released meanwhile, see above */
        errno = ESRCH;
        return -1;
    }
    return 0;
}

/*
 * Does this /proc show the pid namespace that we are in? One of an outer namespace shows strangers under our numbers. It
 * gives our own pid at every level from its own namespace down to ours ("NSpid:\t4711\t2"), so ours gives one number; in
 * one of an inner or unrelated namespace we are not there at all.
 */
static bool is_our_proc(int proc)
{
    static const char key[] = "NSpid:\t";
    CLEAN_FD int fd = openat(proc, "self/status", O_RDONLY | O_CLOEXEC);
    CLEAN_FILE FILE *status = fd < 0 ? NULL : fdopen(fd, "r");
    char line[256];

    if (status == NULL)
        return false;
    take_fd(&fd); /* the stream closes it */
    /* Groups may be longer than the buffer; its pieces are digits and blanks, and no key. */
    while (fgets(line, sizeof(line), status) != NULL) {
        if (strncmp(line, key, sizeof(key) - 1) == 0)
            return strchr(line + sizeof(key) - 1, '\t') == NULL;
    }
    return false;
}

/* As see(), for those who build on what they see. */
static int see_for_sure(int32_t pid, struct sight *sight)
{
    CLEAN_FD int proc = open_proc();

    if (proc < 0 || see(proc, pid, sight) < 0)
        return -1;
    if (!is_our_proc(proc)) {
        errno = EXDEV;
        return -1;
    }
    return 0;
}

/* --- one process --- */

static bool has_ended(const struct sight *sight)
{
    return (sight->state == 'Z' || sight->state == 'X') && sight->threads == 1;
}

/* EPERM is a process of somebody else, and any other error no answer: alive. */
static bool is_gone(int32_t pid)
{
    return kill(pid, 0) < 0 && errno == ESRCH;
}

bool life_is_dead(int32_t pid, uint64_t start_ticks)
{
    CLEAN_FD int proc = -1;
    struct sight sight;

    if (pid <= 0) /* to kill, these are process groups */
        return false;
    proc = open_proc();
    if (proc < 0 || see(proc, pid, &sight) < 0)
        return is_gone(pid);
    if (sight.start_ticks == start_ticks && !has_ended(&sight))
        return false;
    /* Whose /proc it is costs twice as much as all the rest, and only matters now: the living never get here. */
    return is_our_proc(proc) || is_gone(pid);
}

int life_start_ticks(int32_t pid, uint64_t *start_ticks, struct error *err)
{
    struct sight sight;

    if (see_for_sure(pid, &sight) < 0) {
        if (errno == EXDEV)
            return error_set(err, ERROR_SYSTEM,
                             "process %d: its start time is unknown, /proc shows another pid namespace", pid);
        return error_set_errno(err, errno, "process %d: its start time cannot be read from /proc", pid);
    }
    if (has_ended(&sight))
        return error_set(err, ERROR_SYSTEM, "process %d: has ended", pid);
    *start_ticks = sight.start_ticks;
    return 0;
}

/* --- the pid file --- */

/* Not the file's fault, but ours. */
static bool is_shortage(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/* Whom a pid file names; 0: nobody. -1 if it could not be looked at. */
static int read_pid_file(const char *path, int32_t *pid)
{
    /* What is not a regular file must not make us wait (a FIFO), nor become our terminal. */
    CLEAN_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char text[LIFE_PID_FILE_MAX + 1];
    struct stat status;
    uint64_t number = 0;
    ssize_t length;

    *pid = 0;
    if (fd < 0)
        return is_shortage(errno) ? -1 : 0;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
        return 0;
    length = read_all(fd, text, sizeof(text));
    if (length < 0)
        return is_shortage(errno) ? -1 : 0;
    if (length > LIFE_PID_FILE_MAX)
        return 0;
    if (length > 0 && text[length - 1] == '\n')
        length--;
    if (number_parse(text, (size_t)length, INT32_MAX, &number) == NULL)
        *pid = (int32_t)number;
    return 0;
}

enum evidence {
    EVIDENCE_NONE,
    EVIDENCE_NOT_LOOKED,
    EVIDENCE_HIDDEN,  /* something lives that may be the container */
    EVIDENCE_PROCESS, /* the container's process */
};

struct finding {
    int32_t pid;
    uint64_t start_ticks;
};

static enum evidence ask_pid_file(const char *path, uint64_t owner_start, struct finding *found)
{
    struct sight sight;

    if (read_pid_file(path, &found->pid) < 0)
        return EVIDENCE_NOT_LOOKED;
    if (found->pid == 0)
        return EVIDENCE_NONE;
    if (see_for_sure(found->pid, &sight) < 0)
        return is_gone(found->pid) ? EVIDENCE_NONE : EVIDENCE_HIDDEN;
    /* A tick is 10 ms: the container's first process may have started in the owner's. */
    if (has_ended(&sight) || sight.start_ticks < owner_start)
        return EVIDENCE_NONE;
    found->start_ticks = sight.start_ticks;
    return EVIDENCE_PROCESS;
}

/* --- a record --- */

static enum life_verdict forget_doubt(struct holder *holder, bool *changed)
{
    if (holder->doubt_ms != 0) {
        holder->doubt_ms = 0;
        *changed = true;
    }
    return LIFE_GOES_ON;
}

static enum life_verdict bind_to(struct holder *holder, const struct finding *found, bool *changed)
{
    holder->process = found->pid;
    holder->process_start = found->start_ticks;
    holder->doubt_ms = 0;
    *changed = true;
    return LIFE_GOES_ON;
}

static enum life_verdict doubt(struct holder *holder, const struct life_rules *rules, bool *changed)
{
    if (holder->doubt_ms == 0 || holder->doubt_ms > rules->now_ms) {
        holder->doubt_ms = rules->now_ms;
        *changed = true;
        return LIFE_GOES_ON;
    }
    return rules->now_ms - holder->doubt_ms >= rules->create_grace_ms ? LIFE_ENDED : LIFE_GOES_ON;
}

enum life_verdict life_judge(struct holder *holder, const struct life_paths *paths,
                             const struct life_rules *rules, bool *changed)
{
    struct finding found = {0};

    if (holder->process != 0)
        return life_is_dead(holder->process, holder->process_start) ? LIFE_ENDED : LIFE_GOES_ON;
    if (!life_is_dead(holder->owner, holder->owner_start))
        return forget_doubt(holder, changed);
    if (paths->pid_file == NULL || paths->pid_file[0] == '\0')
        return LIFE_ENDED;
    /* In this order: whatever an owner wrote before it died is in the file by now. */
    switch (ask_pid_file(paths->pid_file, holder->owner_start, &found)) {
    case EVIDENCE_NOT_LOOKED: return LIFE_GOES_ON;
    case EVIDENCE_HIDDEN: return forget_doubt(holder, changed);
    case EVIDENCE_PROCESS: return bind_to(holder, &found, changed);
    case EVIDENCE_NONE: break;
    }
    return doubt(holder, rules, changed);
}

/*
 * An unprivileged user against the ledger: may look, and can neither hold it up nor slow it down. READERS=5000 tries
 * thousands. Needs root, to become somebody else and to be the one who is attacked.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "alloc/ledger/lock.h"
#include "tests/support/ledger_folder.h"
#include "tests/support/tracee.h"

#define NOBODY 65534

static void skip_unless_root(void)
{
    if (geteuid() != 0) {
        printf("# needs root\n");
        fflush(stdout);
        skip();
    }
}

/* The shared page in which a process of nobody's says what went wrong. */
struct report {
    char wrong[256];
    uint32_t ready;
    uint64_t reads;
};

static struct report *new_report(void)
{
    struct report *report =
        mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(report != MAP_FAILED);
    return report;
}

static void must(struct report *report, bool holds, const char *what)
{
    if (holds)
        return;
    snprintf(report->wrong, sizeof(report->wrong), "%s (%s)", what, strerror(errno));
    _exit(1);
}

/* Starts a process of nobody's, which ends with this one. */
static pid_t start_nobody(const struct ledger_folder *folder, struct report *report,
                          void (*body)(const struct ledger_folder *folder, struct report *report))
{
    pid_t pid;

    fflush(stdout);
    pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    must(report,
         setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
             setresuid(NOBODY, NOBODY, NOBODY) == 0,
         "becoming nobody");
    tracee_be_child(); /* forgotten when the user changes */
    body(folder, report);
    _exit(0);
}

static void run_nobody(const struct ledger_folder *folder,
                       void (*body)(const struct ledger_folder *folder, struct report *report))
{
    struct report *report = new_report();
    pid_t pid = start_nobody(folder, report, body);
    int status = 0;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (report->wrong[0] != '\0')
        fail_msg("%s", report->wrong);
    assert_int_equal(status, 0);
    munmap(report, sizeof(*report));
}

static int open_in(const struct ledger_folder *folder, const char *name, int flags)
{
    char path[400];

    snprintf(path, sizeof(path), "%s/%s", folder->ledger, name);
    return open(path, flags | O_CLOEXEC, 0600);
}

/* --- rights --- */

static void be_curious(const struct ledger_folder *folder, struct report *report)
{
    static const char *const secret[] = {LOCK_NAME, WAKE_NAME, SIDE_NAME};
    struct state *state = calloc(1, sizeof(*state));
    struct error err = {0};
    bool there = false;
    char path[400];
    char other[400];

    for (size_t i = 0; i < sizeof(secret) / sizeof(secret[0]); i++)
        must(report, open_in(folder, secret[i], O_RDONLY) < 0 && errno == EACCES, secret[i]);
    must(report, open_in(folder, LOCK_NAME, O_RDWR) < 0 && errno == EACCES, "the lock for writing");
    must(report, open_in(folder, WAKE_NAME, O_RDWR) < 0 && errno == EACCES, "the wake file for writing");
    must(report, open_in(folder, STORE_NAME, O_RDWR) < 0 && errno == EACCES, "the ledger for writing");
    must(report, open_in(folder, "new", O_WRONLY | O_CREAT) < 0 && errno == EACCES, "a new file");
    snprintf(path, sizeof(path), "%s/%s", folder->ledger, STORE_NAME);
    snprintf(other, sizeof(other), "%s/%s", folder->ledger, "other");
    must(report, unlink(path) < 0 && errno == EACCES, "removing the ledger");
    must(report, rename(path, other) < 0 && errno == EACCES, "renaming the ledger");
    must(report, truncate(path, 0) < 0 && errno == EACCES, "emptying the ledger");
    must(report,
         state != NULL && ledger_snapshot(folder->ledger, state, &there, &err) == 0 && there &&
             state->grant_count == 3,
         "reading the ledger");
    must(report, ledger_folder_release(folder, "g-0", &err) < 0 && err.kind == ERROR_SYSTEM,
         "releasing a grant");
}

static void a_stranger_may_read_the_ledger_and_nothing_else(void **state)
{
    struct ledger_folder *folder = *state;
    struct request request = ledger_folder_request("container", "research");
    const struct side side = {.pid_file = "/nowhere"};
    struct ledger *ledger = NULL;
    struct error err = {0};

    skip_unless_root();
    ledger_folder_fill(folder, 2);
    assert_int_equal(ledger_open(&folder->options, &ledger, &err), 0);
    assert_int_equal(ledger_begin(ledger, &err), 0);
    assert_int_equal(ledger_request(ledger, &request, &side, &err), 0);
    assert_int_equal(ledger_end(ledger, &err), 0);
    ledger_close(ledger);
    run_nobody(folder, be_curious);
}

/* Readers need no rights, whoever made the ledger and however careful that one's umask was. */
static void a_careful_umask_does_not_hide_the_ledger(void **state)
{
    struct ledger_folder *folder = *state;
    struct request request = ledger_folder_request("container", "research");
    const struct side side = {.pid_file = "/nowhere"};
    struct ledger *ledger = NULL;
    struct error err = {0};
    mode_t mask = umask(077);

    if (geteuid() != 0) {
        umask(mask);
        skip_unless_root();
    }
    ledger_folder_fill(folder, 2);
    assert_int_equal(ledger_open(&folder->options, &ledger, &err), 0);
    assert_int_equal(ledger_begin(ledger, &err), 0);
    assert_int_equal(ledger_request(ledger, &request, &side, &err), 0);
    assert_int_equal(ledger_end(ledger, &err), 0);
    ledger_close(ledger);
    umask(mask);
    run_nobody(folder, be_curious);
}

static void call_status(const struct ledger_folder *folder, struct report *report)
{
    char program[400];
    int quiet = open("/dev/null", O_WRONLY);

    snprintf(program, sizeof(program), "%s/allot", folder->path);
    setenv("ALLOT_CONFIG", folder->config, 1);
    must(report, quiet >= 0 && dup2(quiet, STDOUT_FILENO) >= 0, "/dev/null");
    execl(program, "allot", "status", (char *)NULL);
    must(report, false, "allot cannot be called");
}

/* Where nobody can call it: the build folder may be in somebody's home. */
static void copy_program(const struct ledger_folder *folder)
{
    char path[400];
    CLEAN_FD int from = open(folder->program, O_RDONLY | O_CLOEXEC);
    CLEAN_FD int to = -1;
    char part[65536];
    ssize_t length;

    snprintf(path, sizeof(path), "%s/allot", folder->path);
    to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    assert_true(from >= 0 && to >= 0);
    while ((length = read(from, part, sizeof(part))) > 0)
        assert_int_equal(write(to, part, (size_t)length), length);
    assert_int_equal(fchmod(to, 0755), 0);
}

static void a_stranger_may_call_status(void **state)
{
    struct ledger_folder *folder = *state;

    skip_unless_root();
    ledger_folder_fill(folder, 3);
    copy_program(folder);
    run_nobody(folder, call_status);
}

/* --- locks --- */

/* Whatever can be locked on what may be opened for reading is locked, and kept. */
static void lock_everything(const struct ledger_folder *folder, struct report *report)
{
    int ledger = open_in(folder, STORE_NAME, O_RDONLY);
    int inside = open(folder->ledger, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct flock shared = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    struct flock own = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    must(report, ledger >= 0 && inside >= 0, "opening to read");
    must(report, fcntl(ledger, F_OFD_SETLK, &shared) == 0, "a shared lock");
    must(report, fcntl(ledger, F_OFD_SETLK, &own) < 0, "an exclusive lock that should be refused");
    must(report, flock(ledger, LOCK_EX) == 0 && flock(inside, LOCK_EX) == 0, "a whole lock");
    /* A lease would make a writer's open wait for its end. */
    must(report, fcntl(ledger, F_SETLEASE, F_RDLCK) < 0, "a lease that should be refused");
    __atomic_store_n(&report->ready, 1, __ATOMIC_SEQ_CST);
    for (;;)
        pause();
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void a_stranger_cannot_hold_the_lock(void **state)
{
    struct ledger_folder *folder = *state;
    struct report *report = new_report();
    struct request request = ledger_folder_request("x", "research");
    struct error err = {0};
    double began;
    pid_t pid;
    int status = 0;
    int result;

    skip_unless_root();
    ledger_folder_fill(folder, 3);
    pid = start_nobody(folder, report, lock_everything);
    while (__atomic_load_n(&report->ready, __ATOMIC_SEQ_CST) == 0 && report->wrong[0] == '\0')
        usleep(1000);
    began = seconds();
    result = ledger_folder_ask(folder, &request, &err);
    began = seconds() - began;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (report->wrong[0] != '\0')
        fail_msg("%s", report->wrong);
    if (result < 0)
        fail_msg("%s", err.text);
    assert_true(began < 2);
    munmap(report, sizeof(*report));
}

/* --- many --- */

#define TRANSACTIONS 200U

static unsigned many(void)
{
    const char *given = getenv("READERS");

    return given != NULL ? (unsigned)strtoul(given, NULL, 10) : 200;
}

/* With the lowest claim to the processor: that strangers may use it is not the ledger's business. */
static void be_idle(void)
{
    struct sched_param none = {0};

    sched_setscheduler(0, SCHED_IDLE, &none);
}

static void read_for_ever(const struct ledger_folder *folder, struct report *report)
{
    struct image image = {.state = calloc(1, sizeof(struct state)),
                          .pending = calloc(1, PENDING_BYTES_MAX + 1)};
    int fd = open(folder->ledger, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct error err = {0};
    struct store store;
    bool there;

    be_idle();
    must(report, image.state != NULL && image.pending != NULL && fd >= 0, "memory");
    must(report, store_open(fd, false, &store, &there, &err) == 0 && there, "opening the ledger");
    __atomic_add_fetch(&report->ready, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        must(report, store_read(&store, &image, &err) == 0, err.text);
        __atomic_add_fetch(&report->reads, 1, __ATOMIC_RELAXED);
    }
}

/* Waits on every word that can be mapped. */
static void wait_for_ever(const struct ledger_folder *folder, struct report *report)
{
    int fd = open_in(folder, STORE_NAME, O_RDONLY);
    uint32_t *words = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

    must(report, fd >= 0 && words != MAP_FAILED, "mapping the ledger to read");
    __atomic_add_fetch(&report->ready, 1, __ATOMIC_SEQ_CST);
    for (;;)
        syscall(SYS_futex, &words[512], FUTEX_WAIT, words[512], NULL, NULL, 0);
}

/* Seconds for some transactions, and the longest of them. */
static double transact(struct ledger_folder *folder, double *longest)
{
    struct request request = ledger_folder_request("x", "research");
    double began = seconds();
    struct error err = {0};

    *longest = 0;
    for (unsigned i = 0; i < TRANSACTIONS; i++) {
        double start = seconds();

        if (ledger_folder_ask(folder, &request, &err) < 0 || ledger_folder_release(folder, "x", &err) < 0)
            fail_msg("%s", err.text);
        if (seconds() - start > *longest)
            *longest = seconds() - start;
    }
    return seconds() - began;
}

static void attack(struct ledger_folder *folder, const char *what,
                   void (*body)(const struct ledger_folder *folder, struct report *report))
{
    struct report *report = new_report();
    unsigned count = many();
    pid_t *pids = calloc(count, sizeof(pids[0]));
    double longest;
    double alone;
    double attacked;

    ledger_folder_fill(folder, 50);
    transact(folder, &longest); /* warm */
    alone = transact(folder, &longest);
    assert_non_null(pids);
    for (unsigned i = 0; i < count; i++)
        pids[i] = start_nobody(folder, report, body);
    while (__atomic_load_n(&report->ready, __ATOMIC_SEQ_CST) < count && report->wrong[0] == '\0')
        usleep(1000);
    attacked = transact(folder, &longest);
    for (unsigned i = 0; i < count; i++)
        kill(pids[i], SIGKILL);
    for (unsigned i = 0; i < count; i++)
        waitpid(pids[i], NULL, 0);
    free(pids);
    printf("# %u %s: transactions go on at %.0f %% of their speed, the longest took %.1f ms; %llu reads "
           "meanwhile\n",
           count, what, 100 * alone / attacked, longest * 1000, (unsigned long long)report->reads);
    if (report->wrong[0] != '\0')
        fail_msg("%s", report->wrong);
    munmap(report, sizeof(*report));
    /* Far below what is seen, and far above what a lock held by strangers would leave. */
    assert_true(alone / attacked > 0.02);
    assert_true(longest < 5);
    ledger_folder_read(folder, folder->now);
    assert_null(ledger_folder_unbalanced(folder->now));
}

static void many_readers_do_not_stop_a_writer(void **state)
{
    skip_unless_root();
    attack(*state, "readers", read_for_ever);
}

static void many_who_wait_on_the_ledger_do_not_stop_a_writer(void **state)
{
    skip_unless_root();
    attack(*state, "futex waiters", wait_for_ever);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, ledger_folder_setup, ledger_folder_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_stranger_may_read_the_ledger_and_nothing_else),
        TEST(a_careful_umask_does_not_hide_the_ledger),
        TEST(a_stranger_may_call_status),
        TEST(a_stranger_cannot_hold_the_lock),
        TEST(many_readers_do_not_stop_a_writer),
        TEST(many_who_wait_on_the_ledger_do_not_stop_a_writer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

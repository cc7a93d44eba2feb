/*
 * Every system call of a transaction is made to fail in turn, with several errors, and to do only a part of what it was
 * asked to. Each time the transaction succeeds and its state is there, or it ends with one clear sentence and the state is
 * the one before. A call is made to fail by not making it: ptrace takes its place.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "tests/support/ledger_folder.h"
#include "tests/support/processes.h"
#include "tests/support/tracee.h"

#define GRANTS 10
#define VICTIM "victim"

static void skip_unless_calls_can_fail(void)
{
    if (!tracee_can_change()) {
        printf("# making a system call fail is written for x86_64 only\n");
        fflush(stdout);
        skip();
    }
}

/* Those that never fail, and the memory of a sanitizer, which does not bear it. */
static bool can_fail(const struct tracee *tracee)
{
    switch (tracee->call) {
    case SYS_getpid:
    case SYS_geteuid:
    case SYS_brk: /* it says no in another way, and then memory comes from elsewhere */
    case SYS_exit_group:
    case SYS_rt_sigreturn: return false;
    case SYS_write: return tracee->arguments[0] > STDERR_FILENO;
    case SYS_mmap:
    case SYS_munmap:
    case SYS_madvise:
    case SYS_sigaltstack: return !LEDGER_FOLDER_SANITIZED;
    default: return true;
    }
}

static bool has_count(const struct tracee *tracee)
{
    return (tracee->call == SYS_write && tracee->arguments[0] > STDERR_FILENO) ||
           tracee->call == SYS_pwrite64 || tracee->call == SYS_read || tracee->call == SYS_pread64;
}

/* --- one transaction, with one fault --- */

struct outcome {
    int result;
    bool log_trouble;
    struct error err;
};

struct transaction {
    struct ledger_folder *folder;
    struct request request;
    struct outcome *outcome; /* shared memory */
};

static int transact(const void *argument)
{
    const struct transaction *transaction = argument;
    struct outcome *outcome = transaction->outcome;
    struct ledger *ledger = NULL;
    struct error *err = &outcome->err;

    outcome->result = -1;
    if (ledger_open(&transaction->folder->options, &ledger, err) < 0 || ledger_begin(ledger, err) < 0 ||
        ledger_request(ledger, &transaction->request, NULL, err) < 0 || ledger_end(ledger, err) < 0)
        return 0;
    outcome->log_trouble = ledger->log_trouble.kind != ERROR_NONE;
    ledger_close(ledger);
    outcome->result = 0;
    return 0;
}

/* What is done to a call. */
struct fault {
    int error;      /* not 0: it fails */
    unsigned share; /* else: it does one part in `share` */
};

/* Runs `body` and harms its call number `at` among those that can be. False: there are not so many. */
static bool run_with_fault(int (*body)(const void *), const void *argument, struct fault fault, uint64_t at,
                           struct tracee *at_fault)
{
    struct tracee tracee = tracee_start(body, argument);
    uint64_t number = 0;
    bool harmed = false;

    while (!harmed && tracee_next_call(&tracee)) {
        if (!tracee.entry || !(fault.error != 0 ? can_fail(&tracee) : has_count(&tracee)) || number++ != at)
            continue;
        harmed = true;
        *at_fault = tracee;
        if (fault.error != 0)
            tracee_fake(&tracee, -fault.error);
        else
            tracee_set_count(&tracee, (tracee.arguments[2] + fault.share - 1) / fault.share);
    }
    tracee_finish(&tracee);
    if (!WIFEXITED(tracee.status) || WEXITSTATUS(tracee.status) != 0)
        fail_msg("%s (%llu) made to fail with %d: the process ended with status %x",
                 tracee_call_name(at_fault->call), (unsigned long long)at, fault.error,
                 (unsigned)tracee.status);
    return harmed;
}

static const char *outcome_wrong(struct ledger_folder *folder, const struct outcome *outcome)
{
    struct state *found = calloc(1, sizeof(*found));
    const char *wrong = NULL;

    assert_non_null(found);
    ledger_folder_read(folder, found);
    wrong = ledger_folder_unbalanced(found);
    if (wrong == NULL && outcome->result == 0 && !ledger_folder_same(found, folder->then))
        wrong = "it succeeded, but the state is not the one after";
    if (wrong == NULL && outcome->result < 0 && !ledger_folder_same(found, folder->now))
        wrong = "it failed, but the state is not the one before";
    if (wrong == NULL && outcome->result < 0 &&
        (outcome->err.kind != ERROR_SYSTEM || outcome->err.text[0] == '\0' ||
         strchr(outcome->err.text, '\n') != NULL))
        wrong = "the error is not a clear one";
    free(found);
    return wrong;
}

/* A process after the one that was harmed: it works, and the log is complete. */
static const char *next_wrong(struct ledger_folder *folder, bool granted)
{
    struct error err = {0};
    const struct request too_large = {.id = "nobody", .queue = "research", .ask = {{0, 0, 9999}}};
    const char *wrong;

    if ((granted ? ledger_folder_release(folder, VICTIM, &err)
                 : ledger_folder_ask(folder, &too_large, &err)) < 0)
        return "the next process fails";
    wrong = ledger_folder_log_wrong(folder, false);
    if (wrong == NULL && folder->log_last + 1 != ledger_folder_next_line(folder))
        wrong = "the log lacks lines at its end";
    return wrong;
}

/* Every call in turn. `retried` tells which calls must not be stopped by this fault. */
static void harm_each_call(struct ledger_folder *folder, struct fault fault,
                           bool (*retried)(const struct tracee *call))
{
    struct transaction transaction = {folder, ledger_folder_request(VICTIM, "research"), NULL};
    unsigned refused = 0;
    unsigned silent = 0;
    uint64_t at = 0;

    skip_unless_calls_can_fail();
    ledger_folder_fill(folder, GRANTS);
    assert_null(ledger_folder_log_wrong(folder, false));
    transaction.outcome =
        mmap(NULL, sizeof(struct outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(transaction.outcome != MAP_FAILED);
    for (bool harmed = true; harmed; at += LEDGER_FOLDER_STRIDE(3)) {
        struct tracee call = {0};
        const char *wrong;

        ledger_folder_read(folder, folder->now);
        ledger_folder_decide(folder, folder->now,
                             &(struct event){.kind = EVENT_REQUEST, .request = &transaction.request},
                             folder->then);
        *transaction.outcome = (struct outcome){.result = -2};
        harmed = run_with_fault(transact, &transaction, fault, at, &call);
        refused += transaction.outcome->result < 0;
        silent += transaction.outcome->log_trouble;
        wrong = outcome_wrong(folder, transaction.outcome);
        if (wrong == NULL && transaction.outcome->result < 0 && (!harmed || retried(&call)))
            wrong = "it is refused";
        if (wrong == NULL)
            wrong = next_wrong(folder, transaction.outcome->result == 0);
        if (wrong != NULL)
            fail_msg("%s (%llu), error %d, share %u: %s: %s", tracee_call_name(call.call),
                     (unsigned long long)at, fault.error, fault.share, wrong, transaction.outcome->err.text);
    }
    printf("# %llu calls, %u refusals, %u without a log\n", (unsigned long long)at, refused, silent);
    munmap(transaction.outcome, sizeof(struct outcome));
    assert_true(at > 5);
}

/* The event log is only ever written with write, waiters are only woken by futex, and who holds the lock is a few bytes. */
static bool never_refuses(const struct tracee *tracee)
{
    return tracee->call == SYS_write || tracee->call == SYS_futex || tracee->call == SYS_close ||
           tracee->call == SYS_munmap || (tracee->call == SYS_pwrite64 && tracee->arguments[2] <= 16);
}

static bool is_retried(const struct tracee *tracee)
{
    return never_refuses(tracee) || tracee->call == SYS_pwrite64 || tracee->call == SYS_pread64 ||
           tracee->call == SYS_fcntl;
}

/* A short boot id, which is the one thing that is read in one piece, is no boot id. */
static bool is_gone_on_with(const struct tracee *tracee)
{
    return tracee->call != SYS_read;
}

static void a_full_disk_refuses_and_loses_nothing(void **state)
{
    harm_each_call(*state, (struct fault){.error = ENOSPC}, never_refuses);
}

static void a_broken_disk_refuses_and_loses_nothing(void **state)
{
    harm_each_call(*state, (struct fault){.error = EIO}, never_refuses);
}

static void a_lack_of_memory_refuses_and_loses_nothing(void **state)
{
    harm_each_call(*state, (struct fault){.error = ENOMEM}, never_refuses);
}

static void a_lack_of_descriptors_refuses_and_loses_nothing(void **state)
{
    harm_each_call(*state, (struct fault){.error = EMFILE}, never_refuses);
}

static void a_read_only_folder_refuses_and_loses_nothing(void **state)
{
    harm_each_call(*state, (struct fault){.error = EROFS}, never_refuses);
}

static void an_interrupted_call_is_made_again(void **state)
{
    harm_each_call(*state, (struct fault){.error = EINTR}, is_retried);
}

static void a_short_read_or_write_is_gone_on_with(void **state)
{
    harm_each_call(*state, (struct fault){.share = 2}, is_gone_on_with);
}

static void a_read_or_write_of_very_little_is_gone_on_with(void **state)
{
    harm_each_call(*state, (struct fault){.share = 16}, is_gone_on_with);
}

/* --- reaping --- */

struct reaping {
    struct ledger_folder *folder;
    struct outcome *outcome;
};

static int reap(const void *argument)
{
    const struct reaping *reaping = argument;
    struct ledger *ledger = NULL;
    struct error *err = &reaping->outcome->err;

    reaping->outcome->result = ledger_open(&reaping->folder->options, &ledger, err) < 0 ||
                                       ledger_begin(ledger, err) < 0 || ledger_reap(ledger, NULL, err) < 0 ||
                                       ledger_end(ledger, err) < 0
                                   ? -1
                                   : 0;
    return 0;
}

/* A container whose owner has ended, as a runtime does, and that its pid file alone tells of. */
static void grant_container(struct ledger_folder *folder, const struct process *owner,
                            const struct process *container)
{
    struct request request = ledger_folder_request("container", "research");
    CLEAN_LEDGER struct ledger *ledger = NULL;
    struct error err = {0};
    struct side side;
    FILE *file;

    request.holder.owner = owner->pid;
    request.holder.owner_start = owner->start_ticks;
    snprintf(side.pid_file, sizeof(side.pid_file), "%s/pid", folder->path);
    file = fopen(side.pid_file, "we");
    assert_non_null(file);
    fprintf(file, "%d", container->pid);
    fclose(file);
    if (ledger_open(&folder->options, &ledger, &err) < 0 || ledger_begin(ledger, &err) < 0 ||
        ledger_request(ledger, &request, &side, &err) < 0 || ledger_end(ledger, &err) < 0)
        fail_msg("%s", err.text);
}

static void reap_with_fault(struct ledger_folder *folder, struct fault fault, const struct process *owner,
                            const struct process *container)
{
    struct reaping reaping = {folder, NULL};
    bool harmed = true;

    reaping.outcome =
        mmap(NULL, sizeof(struct outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(reaping.outcome != MAP_FAILED);
    for (uint64_t at = 0; harmed; at += LEDGER_FOLDER_STRIDE(5)) {
        struct error err = {0};
        struct tracee call = {0};

        /* Afresh each time: once it is bound to its process, the pid file is not asked any more. */
        grant_container(folder, owner, container);
        harmed = run_with_fault(reap, &reaping, fault, at, &call);
        ledger_folder_read(folder, folder->now);
        if (state_find_grant(folder->now, "container") == INDEX_NONE)
            fail_msg("%s (%llu) made to fail with error %d: the grant of a living container is freed",
                     tracee_call_name(call.call), (unsigned long long)at, fault.error);
        assert_int_equal(folder->now->grant_count, GRANTS + 1);
        assert_int_equal(ledger_folder_release(folder, "container", &err), 0);
    }
    munmap(reaping.outcome, sizeof(struct outcome));
}

static void no_failing_call_frees_a_living_grant(void **state)
{
    static const int errors[] = {EIO, EMFILE, ENOMEM, EACCES, EINTR};
    struct ledger_folder *folder = *state;
    struct processes processes = {0};
    struct process owner;
    struct process container;

    skip_unless_calls_can_fail();
    ledger_folder_fill(folder, GRANTS);
    owner = process_start_and_end(&processes);
    container = process_start(&processes, NULL, NULL);
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        reap_with_fault(folder, (struct fault){.error = errors[i]}, &owner, &container);
    reap_with_fault(folder, (struct fault){.share = 2}, &owner, &container);
    processes_end(&processes);
}

/* --- the program --- */

static int be_allot_run(const void *argument)
{
    const struct ledger_folder *folder = argument;
    static char allot[] = "allot";
    static char run[] = "run";
    static char replicas[] = "--replicas=1";
    static char end[] = "--";
    static char command[] = "/bin/true";
    char *const arguments[] = {allot, run, replicas, end, command, NULL};
    char said[400];
    int fd;

    snprintf(said, sizeof(said), "%s/stderr", folder->path);
    fd = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    setenv("ALLOT_CONFIG", folder->config, 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* leaks cannot be looked for in a traced process */
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
        return 98;
    execv(folder->program, arguments);
    return 99;
}

static void read_said(const struct ledger_folder *folder, char *text, size_t size)
{
    char path[400];
    FILE *file;

    snprintf(path, sizeof(path), "%s/stderr", folder->path);
    file = fopen(path, "re");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static bool is_mkdir(uint64_t call)
{
#ifdef SYS_mkdir
    if (call == SYS_mkdir)
        return true;
#endif
    return call == SYS_mkdirat;
}

/* From the ledger's folder on, which is the first that it makes, to the command that it becomes. */
static bool run_program_with_fault(const struct ledger_folder *folder, int error, uint64_t at, uint64_t *call,
                                   int *status)
{
    struct tracee tracee = tracee_start(be_allot_run, folder);
    uint64_t number = 0;
    bool at_ledger = false;
    bool harmed = false;

    while (!harmed && tracee_next_call(&tracee)) {
        at_ledger = at_ledger || (tracee.entry && is_mkdir(tracee.call));
        if (at_ledger && tracee.entry && tracee.call == SYS_execve)
            break;
        if (!at_ledger || !tracee.entry || !can_fail(&tracee) || number++ != at)
            continue;
        harmed = true;
        *call = tracee.call;
        tracee_fake(&tracee, -error);
    }
    tracee_finish(&tracee);
    *status = tracee.status;
    return harmed;
}

static const char *program_wrong(struct ledger_folder *folder, int status)
{
    size_t warned = 0;
    char said[4096];
    const char *end;

    read_said(folder, said, sizeof(said));
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 3))
        return "it ends with neither 0 nor 3";
    if (strncmp(said, "allot: warning: ", 16) == 0) /* of the log */
        warned = strcspn(said, "\n") + 1;
    end = strchr(said + warned, '\n');
    if (WEXITSTATUS(status) == 0 && said[warned] != '\0')
        return "it complains without need";
    if (WEXITSTATUS(status) == 3 &&
        (strncmp(said + warned, "allot: ", 7) != 0 || end == NULL || end[1] != '\0'))
        return "it does not say what is wrong in one line";
    ledger_folder_read(folder, folder->then);
    if (ledger_folder_unbalanced(folder->then) != NULL)
        return "the state is broken";
    for (uint32_t i = 0; i < folder->now->grant_count; i++) {
        if (state_find_grant(folder->then, folder->now->grants[i].id) == INDEX_NONE)
            return "a grant is lost";
    }
    return NULL;
}

static void reap_all(const struct ledger_folder *folder)
{
    CLEAN_LEDGER struct ledger *ledger = NULL;
    struct error err = {0};

    if (ledger_open(&folder->options, &ledger, &err) < 0 || ledger_begin(ledger, &err) < 0 ||
        ledger_reap(ledger, NULL, &err) < 0 || ledger_end(ledger, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(ledger_state(ledger)->grant_count, GRANTS);
}

static void allot_run_grants_or_exits_with_3_whatever_fails(void **state)
{
    static const int errors[] = {ENOSPC, EIO, EINTR};
    struct ledger_folder *folder = *state;
    unsigned refused = 0;
    unsigned runs = 0;

    skip_unless_calls_can_fail();
    assert_true(folder->program[0] != '\0');
    ledger_folder_fill(folder, GRANTS);
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        bool harmed = true;

        for (uint64_t at = 0; harmed; at += LEDGER_FOLDER_STRIDE(5)) {
            const char *wrong;
            uint64_t call = 0;
            int status = 0;
            char said[1024];

            harmed = run_program_with_fault(folder, errors[i], at, &call, &status);
            wrong = program_wrong(folder, status);
            read_said(folder, said, sizeof(said));
            if (wrong != NULL)
                fail_msg("%s (%llu) made to fail with %d: %s (status %x): %s", tracee_call_name(call),
                         (unsigned long long)at, errors[i], wrong, (unsigned)status, said);
            refused += WEXITSTATUS(status) == 3;
            runs++;
            reap_all(folder);
            ledger_folder_read(folder, folder->now);
        }
    }
    printf("# %u runs, %u of them refused\n", runs, refused);
    assert_true(refused > 5);
}

/* --- the log --- */

static off_t log_size(const struct ledger_folder *folder)
{
    struct stat status;

    assert_int_equal(stat(folder->events, &status), 0);
    return status.st_size;
}

static void append_text(const struct ledger_folder *folder, const char *text)
{
    FILE *file = fopen(folder->events, "ae");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A process was killed in the middle of its lines, at every byte of them in turn; `end` is what stands behind the piece. The
 * next one must write all that is missing, and nothing else. */
static void leave_pieces(struct ledger_folder *folder, const char *end)
{
    struct request request = ledger_folder_request(VICTIM, "research");
    struct error err = {0};

    ledger_folder_fill(folder, GRANTS);
    for (off_t piece = 0;; piece += LEDGER_FOLDER_STRIDE(7)) {
        off_t before = log_size(folder);
        const char *wrong;

        assert_null(ledger_folder_log_wrong(folder, false));
        assert_int_equal(ledger_folder_ask(folder, &request, &err), 0);
        if (before + piece > log_size(folder))
            break;
        assert_int_equal(truncate(folder->events, before + piece), 0);
        append_text(folder, end);
        assert_int_equal(ledger_folder_release(folder, VICTIM, &err), 0);
        wrong = ledger_folder_log_wrong(folder, false);
        if (wrong == NULL && folder->log_last + 1 != ledger_folder_next_line(folder))
            wrong = "lines are missing at its end";
        if (wrong != NULL)
            fail_msg("%lld bytes of the lines were written: %s", (long long)piece, wrong);
    }
}

static void a_piece_of_a_line_does_not_count(void **state)
{
    leave_pieces(*state, "");
}

/* In a log that may only grow, a piece gets an end; and then that process is killed, too. */
static void a_piece_of_a_line_with_an_end_does_not_count_either(void **state)
{
    leave_pieces(*state, "\n");
}

static void block_log(const struct ledger_folder *folder, bool block)
{
    char away[400];

    snprintf(away, sizeof(away), "%s.away", folder->events);
    if (block) {
        assert_int_equal(rename(folder->events, away), 0);
        assert_int_equal(mkdir(folder->events, 0700), 0);
    } else {
        assert_int_equal(rmdir(folder->events), 0);
        assert_int_equal(rename(away, folder->events), 0);
    }
}

static void the_state_closes_the_gap_that_an_unwritable_log_left(void **state)
{
    struct ledger_folder *folder = *state;
    struct request request = ledger_folder_request(VICTIM, "research");
    struct error err = {0};

    ledger_folder_fill(folder, GRANTS);
    for (unsigned missed = 1; missed < 4; missed++) {
        block_log(folder, true);
        for (unsigned i = 0; i < missed; i++) {
            assert_int_equal(ledger_folder_ask(folder, &request, &err), 0);
            assert_int_equal(ledger_folder_release(folder, VICTIM, &err), 0);
        }
        block_log(folder, false);
        assert_int_equal(ledger_folder_ask(folder, &request, &err), 0);
        assert_int_equal(ledger_folder_release(folder, VICTIM, &err), 0);
        assert_null(ledger_folder_log_wrong(folder, true));
        assert_int_equal(folder->log_last + 1, ledger_folder_next_line(folder));
    }
}

static void a_log_that_was_rotated_away_starts_with_the_state(void **state)
{
    struct ledger_folder *folder = *state;
    struct request request = ledger_folder_request(VICTIM, "research");
    struct error err = {0};
    char first[64] = "";
    FILE *file;

    ledger_folder_fill(folder, GRANTS);
    for (unsigned way = 0; way < 2; way++) { /* removed; emptied, as copytruncate does */
        assert_int_equal(way == 0 ? unlink(folder->events) : truncate(folder->events, 0), 0);
        ledger_folder_forget_log(folder);
        assert_int_equal(ledger_folder_ask(folder, &request, &err), 0);
        assert_int_equal(ledger_folder_release(folder, VICTIM, &err), 0);
        assert_null(ledger_folder_log_wrong(folder, false));
        assert_int_equal(folder->log_last + 1, ledger_folder_next_line(folder));
        file = fopen(folder->events, "re");
        assert_true(file != NULL && fread(first, 1, sizeof(first) - 1, file) > 0);
        fclose(file);
        assert_true(strncmp(first, "{\"op\":\"node\"", 12) == 0);
    }
}

/* After a boot, while the disk with the log is not there yet. */
static void a_ledger_made_while_the_log_is_away_goes_on_in_it(void **state)
{
    struct ledger_folder *folder = *state;
    struct request request = ledger_folder_request(VICTIM, "research");
    struct error err = {0};
    char path[400];

    ledger_folder_fill(folder, GRANTS);
    assert_null(ledger_folder_log_wrong(folder, false));
    snprintf(path, sizeof(path), "%s/%s", folder->ledger, STORE_NAME);
    assert_int_equal(unlink(path), 0);
    block_log(folder, true);
    assert_int_equal(ledger_folder_ask(folder, &request, &err), 0);
    block_log(folder, false);
    assert_int_equal(ledger_folder_release(folder, VICTIM, &err), 0);
    assert_null(ledger_folder_log_wrong(folder, true));
    assert_int_equal(folder->log_last + 1, ledger_folder_next_line(folder));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, ledger_folder_setup, ledger_folder_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_full_disk_refuses_and_loses_nothing),
        TEST(a_broken_disk_refuses_and_loses_nothing),
        TEST(a_lack_of_memory_refuses_and_loses_nothing),
        TEST(a_lack_of_descriptors_refuses_and_loses_nothing),
        TEST(a_read_only_folder_refuses_and_loses_nothing),
        TEST(an_interrupted_call_is_made_again),
        TEST(a_short_read_or_write_is_gone_on_with),
        TEST(a_read_or_write_of_very_little_is_gone_on_with),
        TEST(no_failing_call_frees_a_living_grant),
        TEST(allot_run_grants_or_exits_with_3_whatever_fails),
        TEST(a_piece_of_a_line_does_not_count),
        TEST(a_piece_of_a_line_with_an_end_does_not_count_either),
        TEST(the_state_closes_the_gap_that_an_unwritable_log_left),
        TEST(a_log_that_was_rotated_away_starts_with_the_state),
        TEST(a_ledger_made_while_the_log_is_away_goes_on_in_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

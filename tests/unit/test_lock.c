/*
 * test_lock.c - the lock ends with its holder, has a deadline, and lets nobody in who may not write; and the word that
 * waiters wait on.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "alloc/ledger/lock.h"
#include "alloc/ledger/wake.h"
#include "tests/support/temp_folder.h"

static int open_folder(const struct temp_folder *folder)
{
    int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}

static int open_lock(int folder)
{
    struct error err = {0};
    int fd = -1;

    if (lock_open(folder, 0600, &fd, &err) < 0)
        fail_msg("%s", err.text);
    return fd;
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A process that takes the lock, says so, and then sleeps until it is killed. */
static pid_t start_holder(int folder)
{
    int says[2];
    char byte;
    pid_t child;

    assert_int_equal(pipe(says), 0);
    child = fork();
    if (child == 0) {
        struct error err;
        int fd = -1;

        if (lock_open(folder, 0600, &fd, &err) < 0 || lock_take(fd, 1000, &err) < 0 ||
            write(says[1], "x", 1) != 1)
            _exit(1);
        pause();
        _exit(0);
    }
    close(says[1]);
    assert_int_equal(read(says[0], &byte, 1), 1);
    close(says[0]);
    return child;
}

static void end_holder(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* valgrind does not know that F_OFD_SETLKW waits, and delivers the signal that ends the wait when it is over. */
static void skip_under_valgrind(void)
{
    if (getenv("UNDER_VALGRIND") != NULL) {
        print_message("# valgrind delivers no signal while a process waits for such a lock\n");
        skip();
    }
}

static void the_lock_has_a_deadline_and_the_error_names_the_holder(void **state)
{
    skip_under_valgrind();

    CLEAN_FD int folder = open_folder(*state);
    CLEAN_FD int lock = open_lock(folder);
    pid_t holder = start_holder(folder);
    uint64_t began = now_ms();
    char wanted[64];
    struct error err;
    uint64_t took;
    int result;

    result = lock_take(lock, 300, &err);
    took = now_ms() - began;
    end_holder(holder);
    assert_int_equal(result, -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    snprintf(wanted, sizeof(wanted), "process %d holds it", (int)holder);
    assert_non_null(strstr(err.text, wanted));
    assert_true(took >= 300 && took < 1500);
}

static void the_lock_is_free_as_soon_as_its_holder_is_killed(void **state)
{
    CLEAN_FD int folder = open_folder(*state);
    CLEAN_FD int lock = open_lock(folder);
    pid_t holder = start_holder(folder);
    struct error err;
    pid_t killer = fork();

    if (killer == 0) {
        usleep(200000);
        kill(holder, SIGKILL);
        _exit(0);
    }
    assert_int_equal(lock_take(lock, 5000, &err), 0);
    lock_drop(lock);
    assert_int_equal(waitpid(killer, NULL, 0), killer);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
}

/* What is executed after a wait for the lock must find no timer, no handler, no other mask. */
static void waiting_leaves_timers_and_signals_as_they_were(void **state)
{
    skip_under_valgrind();

    CLEAN_FD int folder = open_folder(*state);
    CLEAN_FD int lock = open_lock(folder);
    pid_t holder = start_holder(folder);
    struct itimerval timer;
    struct sigaction action;
    sigset_t before;
    sigset_t after;
    struct error err;

    sigprocmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(lock_take(lock, 150, &err), -1);
    end_holder(holder);
    sigprocmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(getitimer(ITIMER_REAL, &timer), 0);
    assert_true(timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0);
    assert_int_equal(sigaction(SIGALRM, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_DFL);
    for (int number = 1; number < SIGRTMAX; number++)
        assert_int_equal(sigismember(&before, number), sigismember(&after, number));
}

static void the_files_are_for_their_owner_whatever_the_umask_and_whatever_was_there(void **state)
{
    CLEAN_FD int folder = open_folder(*state);
    mode_t old = umask(0);
    CLEAN_FD int lock = open_lock(folder);
    struct wake wake;
    struct error err;
    struct stat status;

    umask(old);
    assert_int_equal(fchmod(lock, 0666), 0);
    {
        CLEAN_FD int again = open_lock(folder);

        assert_int_equal(fstat(again, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0600);
    }
    assert_int_equal(wake_open(folder, 0600, &wake, &err), 0);
    assert_int_equal(fstatat(folder, WAKE_NAME, &status, 0), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    wake_close(&wake);
}

static void a_link_in_place_of_the_lock_is_not_followed(void **state)
{
    CLEAN_FD int folder = open_folder(*state);
    struct error err;
    struct wake wake;
    int fd;

    assert_int_equal(symlinkat("/dev/null", folder, LOCK_NAME), 0);
    assert_int_equal(symlinkat("/dev/null", folder, WAKE_NAME), 0);
    assert_int_equal(lock_open(folder, 0600, &fd, &err), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_int_equal(wake_open(folder, 0600, &wake, &err), -1);
}

static void a_wake_ends_a_wait_and_a_wait_for_an_old_value_does_not_begin(void **state)
{
    CLEAN_FD int folder = open_folder(*state);
    struct wake wake;
    struct error err;
    uint64_t began;
    uint32_t value;
    pid_t waker;

    assert_int_equal(wake_open(folder, 0600, &wake, &err), 0);
    value = wake_value(&wake);
    began = now_ms();
    waker = fork();
    if (waker == 0) {
        usleep(100000);
        wake_all(&wake);
        _exit(0);
    }
    wake_wait(&wake, value, 5000);
    assert_true(now_ms() - began < 3000);
    assert_int_not_equal(wake_value(&wake), value);
    assert_int_equal(waitpid(waker, NULL, 0), waker);
    began = now_ms();
    wake_wait(&wake, value, 5000);
    assert_true(now_ms() - began < 1000);
    began = now_ms();
    wake_wait(&wake, wake_value(&wake), 100);
    assert_true(now_ms() - began >= 90);
    wake_close(&wake);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_folder_setup, temp_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_lock_has_a_deadline_and_the_error_names_the_holder),
        TEST(the_lock_is_free_as_soon_as_its_holder_is_killed),
        TEST(waiting_leaves_timers_and_signals_as_they_were),
        TEST(the_files_are_for_their_owner_whatever_the_umask_and_whatever_was_there),
        TEST(a_link_in_place_of_the_lock_is_not_followed),
        TEST(a_wake_ends_a_wait_and_a_wait_for_an_old_value_does_not_begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

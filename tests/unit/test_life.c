/*
 * When is a process dead? With real processes, real zombies and a real hidepid.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/ledger/life.h"
#include "tests/support/namespaces.h"
#include "tests/support/processes.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

static bool is_dead(const struct process *process)
{
    return life_is_dead(process->pid, process->start_ticks);
}

/* --- alive, ended, zombie --- */

static void a_running_process_is_alive(void **state)
{
    struct process process = process_start(*state, NULL, NULL);

    assert_false(is_dead(&process));
    assert_false(life_is_dead(getpid(), process_start_ticks(getpid())));
    assert_false(life_is_dead(1, process_start_ticks(1)));
}

static void a_stopped_process_is_alive(void **state)
{
    struct process process = process_start(*state, NULL, NULL);
    siginfo_t info;

    assert_int_equal(kill(process.pid, SIGSTOP), 0);
    assert_int_equal(waitid(P_PID, (id_t)process.pid, &info, WSTOPPED), 0);
    assert_false(is_dead(&process));
}

static void a_process_that_ended_and_was_reaped_is_dead(void **state)
{
    struct process process = process_start_and_end(*state);

    assert_true(is_dead(&process));
}

static void a_zombie_without_threads_is_dead(void **state)
{
    struct process process = process_start(*state, NULL, NULL);

    process_make_zombie(&process);
    assert_int_equal(process_state(process.pid), 'Z');
    assert_true(is_dead(&process));
}

static void *live_on(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static void end_first_thread(int ready, const void *argument)
{
    pthread_t thread;

    (void)argument;
    if (pthread_create(&thread, NULL, live_on, NULL) != 0)
        _exit(1);
    process_is_ready(ready);
    pthread_exit(NULL);
}

/* Waits for the letter, for a second at most. */
static bool comes_to_state(const struct process *process, char letter)
{
    for (int i = 0; i < 100 && process_state(process->pid) != letter; i++)
        process_let_ticks_pass(1);
    return process_state(process->pid) == letter;
}

static void a_zombie_with_a_living_thread_is_alive_until_that_ends_too(void **state)
{
    struct process process = process_start(*state, end_first_thread, NULL);
    uint64_t start_ticks = 0;
    struct error err;

    if (!comes_to_state(&process, 'Z')) {
        printf("# the first thread did not become a zombie; under valgrind it waits for the others\n");
        skip();
    }
    assert_false(is_dead(&process));
    assert_int_equal(life_start_ticks(process.pid, &start_ticks, &err), 0);
    process_make_zombie(&process);
    assert_true(is_dead(&process));
}

/* --- a process whose first thread is replaced --- */

static char own_path[4096];

static void *execute_again(void *argument)
{
    char *arguments[] = {own_path, (char[]){"replace"}, NULL};

    execv(own_path, arguments);
    _exit(1);
    return argument;
}

/* What main() does when it is called with "replace": its second thread executes it again, and so on. */
static int replace_forever(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, execute_again, NULL) != 0)
        return 1;
    for (;;)
        pause();
}

static void start_replacing(int ready, const void *argument)
{
    (void)argument;
    process_is_ready(ready);
    execute_again(NULL);
}

static uint64_t boot_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* In between the kernel describes a zombie with no thread at all; an eye that takes that for death errs about twice a
 * second. */
static void a_process_that_a_thread_replaces_is_alive_all_the_while(void **state)
{
    struct process process = process_start(*state, start_replacing, NULL);
    uint64_t end_ms = boot_ms() + 2000;
    long looks = 0;
    long deaths = 0;

    for (; boot_ms() < end_ms; looks++)
        deaths += is_dead(&process);
    printf("# %ld looks\n", looks);
    assert_int_equal(deaths, 0);
    assert_int_equal(kill(process.pid, 0), 0);
    process_make_zombie(&process);
    assert_true(is_dead(&process));
}

/* --- who it is --- */

static void another_start_time_proves_death(void **state)
{
    struct process process = process_start(*state, NULL, NULL);

    assert_true(life_is_dead(process.pid, process.start_ticks - 1));
    assert_true(life_is_dead(process.pid, process.start_ticks + 1));
    assert_true(life_is_dead(process.pid, 0));
    assert_true(life_is_dead(process.pid, UINT64_MAX));
}

static void set_last_pid(const struct inside *inside, pid_t pid)
{
    char text[32];
    int length = snprintf(text, sizeof(text), "%d", pid);
    int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);

    inside_skip_unless(inside, fd >= 0, "the kernel does not let a pid be chosen (ns_last_pid)");
    inside_must(inside, write(fd, text, (size_t)length) == length, "ns_last_pid is set");
    close(fd);
}

static void recycle_a_pid(const struct inside *inside)
{
    uint64_t first_start;
    pid_t first;
    pid_t second;

    inside_mount_proc(inside, "");
    first = inside_start(inside);
    first_start = process_start_ticks(first);
    inside_end(inside, first);
    process_let_ticks_pass(3);
    set_last_pid(inside, first - 1);
    second = inside_start(inside);
    inside_must(inside, first == second, "the pid is recycled");
    inside_must(inside, life_is_dead(first, first_start), "the first process is dead");
    inside_must(inside, !life_is_dead(second, process_start_ticks(second)), "the second process is alive");
}

static void a_recycled_pid_does_not_keep_the_first_process_alive(void **state)
{
    (void)state;
    namespaces_run(recycle_a_pid, NULL);
}

static void take_name(int ready, const void *name)
{
    prctl(PR_SET_NAME, name);
    process_is_ready(ready);
}

static void a_name_cannot_forge_anything(void **state)
{
    static const char *const names[] = {
        ") ", ") Z 0 0 0 0", ")\n) X 1 1 1 1", "\n", "))))))))))))))", "((", "a) S (b", "12 (x) Z 1 1 1", "",
    };

    for (size_t i = 0; i < ROWS(names); i++) {
        struct process process = process_start(*state, take_name, names[i]);
        uint64_t start_ticks = 0;
        struct error err;

        assert_false(is_dead(&process));
        assert_int_equal(life_start_ticks(process.pid, &start_ticks, &err), 0);
        assert_int_equal(start_ticks, process.start_ticks);
        assert_true(life_is_dead(process.pid, process.start_ticks + 1));
        process_make_zombie(&process);
        assert_true(is_dead(&process));
    }
}

static void a_number_that_no_process_can_have_proves_nothing(void **state)
{
    static const int32_t numbers[] = {0, -1, INT32_MIN};
    (void)state;

    for (size_t i = 0; i < ROWS(numbers); i++) {
        uint64_t start_ticks = 7;
        struct error err;

        assert_false(life_is_dead(numbers[i], 0));
        assert_int_equal(life_start_ticks(numbers[i], &start_ticks, &err), -1);
        assert_int_equal(err.kind, ERROR_SYSTEM);
        assert_int_equal(start_ticks, 7);
    }
    /* Above any pid_max, but a number that could be one. */
    assert_true(life_is_dead(INT32_MAX, 0));
}

/* --- what cannot be read --- */

struct cast {
    pid_t living;
    pid_t ended;
    pid_t zombie;
    uint64_t start_ticks; /* of the living */
};

static struct cast start_cast(const struct inside *inside)
{
    struct cast cast = {inside_start(inside), inside_start(inside), inside_start(inside), 0};
    siginfo_t info;

    cast.start_ticks = process_start_ticks(cast.living);
    inside_end(inside, cast.ended);
    inside_must(inside,
                kill(cast.zombie, SIGKILL) == 0 &&
                    waitid(P_PID, (id_t)cast.zombie, &info, WEXITED | WNOWAIT) == 0,
                "there is a zombie");
    return cast;
}

/* Of a start time that was not read, any may be the right one. */
static void look_without_proc(const struct inside *inside)
{
    const struct cast *cast = inside->argument;
    uint64_t start_ticks = 7;
    struct error err = {0};

    inside_must(inside, !life_is_dead(cast->living, cast->start_ticks), "what lives is alive");
    inside_must(inside, !life_is_dead(cast->living, cast->start_ticks + 1), "an unread start proves nothing");
    inside_must(inside, !life_is_dead(cast->zombie, 1), "an unread zombie is not proved dead");
    inside_must(inside, life_is_dead(cast->ended, 1), "what the kernel does not know is dead");
    inside_must(inside, life_start_ticks(cast->living, &start_ticks, &err) == -1, "no start time");
    inside_must(inside, err.kind == ERROR_SYSTEM && start_ticks == 7, "no start time is an error");
}

static void look_past_hidepid(const struct inside *inside)
{
    const struct cast *cast = inside->argument;

    inside_must(inside, process_state(cast->living) == '\0', "hidepid hides");
    inside_must(inside, kill(cast->living, 0) < 0 && errno == EPERM, "it is somebody else's process");
    look_without_proc(inside);
}

static void hide_pids(const struct inside *inside)
{
    struct cast cast;

    inside_mount_proc(inside, "hidepid=2");
    cast = start_cast(inside);
    inside_as_nobody(&(struct inside){inside->report, &cast}, look_past_hidepid);
}

static void what_hidepid_hides_is_alive_unless_it_is_gone(void **state)
{
    (void)state;
    namespaces_run(hide_pids, NULL);
}

/* Pid 2 is a thread of the kernel there, and one of our processes here. */
static void look_at_outer_proc(const struct inside *inside)
{
    struct cast cast = start_cast(inside);

    cast.start_ticks = 7;
    look_without_proc(&(struct inside){inside->report, &cast});
}

static void a_proc_of_another_pid_namespace_proves_nothing(void **state)
{
    (void)state;
    namespaces_run(look_at_outer_proc, NULL);
}

static void look_at_no_proc(const struct inside *inside)
{
    struct cast cast = start_cast(inside);

    inside_skip_unless(inside, mount("none", "/proc", "tmpfs", 0, "") == 0, "a tmpfs cannot be mounted here");
    look_without_proc(&(struct inside){inside->report, &cast});
}

static void without_proc_what_the_kernel_knows_is_alive(void **state)
{
    (void)state;
    namespaces_run(look_at_no_proc, NULL);
}

static void without_descriptors_what_the_kernel_knows_is_alive(void **state)
{
    struct process living = process_start(*state, NULL, NULL);
    struct process ended = process_start_and_end(*state);
    uint64_t start_ticks = 0;
    struct rlimit limit;
    struct rlimit none;
    struct error err;
    bool living_is_dead;
    bool ended_is_dead;
    int read_start;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    living_is_dead = life_is_dead(living.pid, living.start_ticks + 1);
    ended_is_dead = is_dead(&ended);
    read_start = life_start_ticks(living.pid, &start_ticks, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_false(living_is_dead);
    assert_true(ended_is_dead);
    assert_int_equal(read_start, -1);
    assert_int_equal(err.saved_errno, EMFILE);
}

/* --- start times --- */

static void the_start_time_is_the_one_that_the_kernel_says(void **state)
{
    struct process process = process_start(*state, NULL, NULL);
    uint64_t start_ticks = 0;
    struct error err;

    assert_int_equal(life_start_ticks(process.pid, &start_ticks, &err), 0);
    assert_int_equal(start_ticks, process.start_ticks);
}

static void the_start_time_of_an_ended_process_is_an_error(void **state)
{
    struct process zombie = process_start(*state, NULL, NULL);
    struct process ended = process_start_and_end(*state);
    uint64_t start_ticks = 7;
    struct error err;

    process_make_zombie(&zombie);
    assert_int_equal(life_start_ticks(zombie.pid, &start_ticks, &err), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_non_null(strstr(err.text, "has ended"));
    assert_int_equal(life_start_ticks(ended.pid, &start_ticks, &err), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_int_equal(err.saved_errno, ENOENT);
    assert_int_equal(start_ticks, 7);
}

/* --- the clock --- */

/* Setting this machine's clock back would disturb whoever else is on it. That no function is called that could ask for
 * the time shows the same. */
static void no_clock_is_asked(void **state)
{
    static const char tests[] = "/tests/";
    char command[sizeof(own_path) + 64];
    char symbol[256];
    size_t symbols = 0;
    char *folder;
    FILE *output;
    (void)state;

    snprintf(command, sizeof(command), "nm -u '%s", own_path);
    folder = strstr(command, tests);
    for (char *next = folder; next != NULL; next = strstr(next + 1, tests))
        folder = next;
    assert_non_null(folder);
    snprintf(folder, sizeof(command) - (size_t)(folder - command), "/obj/alloc/ledger/life.o' 2>/dev/null");
    output = popen(command, "re");
    assert_non_null(output);
    while (fscanf(output, " U %255s", symbol) == 1) {
        symbols++;
        if (strstr(symbol, "time") != NULL || strstr(symbol, "clock") != NULL)
            fail_msg("life.c uses %s", symbol);
    }
    pclose(output);
    if (symbols == 0) {
        printf("# there is no nm, or no life.o where the Makefile puts it\n");
        skip();
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, processes_setup, processes_teardown)

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        TEST(a_running_process_is_alive),
        TEST(a_stopped_process_is_alive),
        TEST(a_process_that_ended_and_was_reaped_is_dead),
        TEST(a_zombie_without_threads_is_dead),
        TEST(a_zombie_with_a_living_thread_is_alive_until_that_ends_too),
        TEST(a_process_that_a_thread_replaces_is_alive_all_the_while),
        TEST(another_start_time_proves_death),
        TEST(a_recycled_pid_does_not_keep_the_first_process_alive),
        TEST(a_name_cannot_forge_anything),
        TEST(a_number_that_no_process_can_have_proves_nothing),
        TEST(what_hidepid_hides_is_alive_unless_it_is_gone),
        TEST(a_proc_of_another_pid_namespace_proves_nothing),
        TEST(without_proc_what_the_kernel_knows_is_alive),
        TEST(without_descriptors_what_the_kernel_knows_is_alive),
        TEST(the_start_time_is_the_one_that_the_kernel_says),
        TEST(the_start_time_of_an_ended_process_is_an_error),
        TEST(no_clock_is_asked),
    };
    ssize_t length = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);

    if (length < 0)
        return 1;
    if (argc == 2 && strcmp(argv[1], "replace") == 0)
        return replace_forever();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

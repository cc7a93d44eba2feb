#include "tests/support/processes.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

int processes_setup(void **state)
{
    *state = calloc(1, sizeof(struct processes));
    return *state == NULL ? -1 : 0;
}

int processes_teardown(void **state)
{
    processes_end(*state);
    free(*state);
    *state = NULL;
    return 0;
}

void processes_end(struct processes *processes)
{
    for (size_t i = 0; i < processes->count; i++) {
        kill(processes->pids[i], SIGKILL);
        waitpid(processes->pids[i], NULL, 0);
    }
    processes->count = 0;
}

void process_is_ready(int ready)
{
    if (write(ready, "", 1) != 1)
        _exit(1);
    close(ready);
}

static _Noreturn void be_process(process_body *body, const void *argument, int ready, pid_t starter)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != starter)
        _exit(1);
    if (body != NULL)
        body(ready, argument);
    else
        process_is_ready(ready);
    for (;;)
        pause();
}

struct process process_start(struct processes *processes, process_body *body, const void *argument)
{
    pid_t starter = getpid();
    struct process process;
    int ready[2];
    char byte;

    assert_true(processes->count < PROCESSES_MAX);
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    process.pid = fork();
    if (process.pid == 0) {
        close(ready[0]);
        be_process(body, argument, ready[1], starter);
    }
    close(ready[1]);
    assert_true(process.pid > 0);
    processes->pids[processes->count++] = process.pid;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    process.start_ticks = process_start_ticks(process.pid);
    assert_true(process.start_ticks > 0);
    return process;
}

void process_kill(const struct process *process)
{
    assert_int_equal(kill(process->pid, SIGKILL), 0);
}

void process_make_zombie(const struct process *process)
{
    siginfo_t info;

    process_kill(process);
    assert_int_equal(waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOWAIT), 0);
}

void process_reap(struct processes *processes, const struct process *process)
{
    assert_int_equal(waitpid(process->pid, NULL, 0), process->pid);
    for (size_t i = 0; i < processes->count; i++) {
        if (processes->pids[i] == process->pid) {
            processes->pids[i] = processes->pids[--processes->count];
            return;
        }
    }
    fail_msg("process %d was not started here", process->pid);
}

struct process process_start_and_end(struct processes *processes)
{
    struct process process = process_start(processes, NULL, NULL);

    process_kill(&process);
    process_reap(processes, &process);
    return process;
}

/* What stands behind the name, or "". */
static void read_stat(int32_t pid, char *text, size_t size)
{
    char path[64];
    char whole[2048];
    char *bracket;
    size_t length = 0;
    FILE *file;

    text[0] = '\0';
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    length = fread(whole, 1, sizeof(whole) - 1, file);
    fclose(file);
    whole[length] = '\0';
    bracket = strrchr(whole, ')');
    if (bracket != NULL)
        snprintf(text, size, "%s", bracket + 1);
}

uint64_t process_start_ticks(int32_t pid)
{
    char text[2048];
    unsigned long long ticks = 0;

    read_stat(pid, text, sizeof(text));
    /* 3 to 21, then 22 */
    if (sscanf(text,
               "%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s"
               "%*s%*s%*s%*s%*s%*s%*s%*s%*s%llu",
               &ticks) != 1)
        return 0;
    return ticks;
}

char process_state(int32_t pid)
{
    char text[2048];

    read_stat(pid, text, sizeof(text));
    return text[0] == ' ' ? text[1] : '\0';
}

void process_let_ticks_pass(unsigned ticks)
{
    long tick_ns = 1000000000L / sysconf(_SC_CLK_TCK);
    struct timespec time = {.tv_nsec = tick_ns};

    for (unsigned i = 0; i < ticks; i++)
        nanosleep(&time, NULL);
}

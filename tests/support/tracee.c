#include "tests/support/tracee.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Numbers as pointers are how this call is made. */
static long trace(enum __ptrace_request request, pid_t pid, uintptr_t address, uintptr_t data)
{
    return ptrace(request, pid, (void *)address, (void *)data);
}

void tracee_be_child(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS};

    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        signal(crashes[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static _Noreturn void be_tracee(int (*body)(const void *argument), const void *argument)
{
    tracee_be_child();
    if (trace(PTRACE_TRACEME, 0, 0, 0) < 0)
        _exit(99);
    raise(SIGSTOP);
    _exit(body(argument));
}

struct tracee tracee_start(int (*body)(const void *argument), const void *argument)
{
    struct tracee tracee = {0};
    int status = 0;

    fflush(stdout);
    fflush(stderr);
    tracee.pid = fork();
    if (tracee.pid == 0)
        be_tracee(body, argument);
    assert_true(tracee.pid > 0);
    assert_int_equal(waitpid(tracee.pid, &status, 0), tracee.pid);
    if (!WIFSTOPPED(status)) {
        printf("# a process cannot be traced here\n");
        fflush(stdout);
        skip();
    }
    assert_int_equal(trace(PTRACE_SETOPTIONS, tracee.pid, 0,
                           PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC),
                     0);
    return tracee;
}

static void read_call(struct tracee *tracee)
{
    struct __ptrace_syscall_info info;

    assert_true(trace(PTRACE_GET_SYSCALL_INFO, tracee->pid, sizeof(info), (uintptr_t)&info) > 0);
    tracee->entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
    if (tracee->entry) {
        tracee->call = info.entry.nr;
        memcpy(tracee->arguments, info.entry.args, sizeof(tracee->arguments));
    } else {
        tracee->result = info.exit.rval;
    }
}

/* One stop further. Signals of its own reach it. */
static bool go_on(struct tracee *tracee, enum __ptrace_request request, bool *at_call)
{
    uintptr_t deliver = 0;

    *at_call = false;
    for (;;) {
        int status = 0;

        if (trace(request, tracee->pid, 0, deliver) < 0 && errno != ESRCH)
            fail_msg("ptrace: %s", strerror(errno));
        assert_int_equal(waitpid(tracee->pid, &status, __WALL), tracee->pid);
        if (!WIFSTOPPED(status)) {
            tracee->ended = true;
            tracee->status = status;
            return false;
        }
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            *at_call = true;
            return true;
        }
        if (WSTOPSIG(status) == SIGTRAP) {
            if (request == PTRACE_SINGLESTEP)
                return true;
            deliver = 0;
        } else {
            deliver = (uintptr_t)WSTOPSIG(status);
        }
    }
}

bool tracee_next_call(struct tracee *tracee)
{
    bool at_call;

    if (!go_on(tracee, PTRACE_SYSCALL, &at_call))
        return false;
    read_call(tracee);
    return true;
}

bool tracee_step(struct tracee *tracee)
{
    bool at_call;

    return go_on(tracee, PTRACE_SINGLESTEP, &at_call);
}

void tracee_finish(struct tracee *tracee)
{
    bool at_call;

    while (!tracee->ended && go_on(tracee, PTRACE_CONT, &at_call))
        ;
}

void tracee_kill(struct tracee *tracee)
{
    if (tracee->ended)
        return;
    kill(tracee->pid, SIGKILL);
    while (waitpid(tracee->pid, &tracee->status, __WALL) == tracee->pid && WIFSTOPPED(tracee->status))
        ;
    tracee->ended = true;
}

#ifdef __x86_64__

bool tracee_can_change(void)
{
    return true;
}

bool tracee_fake(struct tracee *tracee, int64_t result)
{
    struct user_regs_struct registers;

    assert_int_equal(trace(PTRACE_GETREGS, tracee->pid, 0, (uintptr_t)&registers), 0);
    registers.orig_rax = (unsigned long long)-1;
    assert_int_equal(trace(PTRACE_SETREGS, tracee->pid, 0, (uintptr_t)&registers), 0);
    if (!tracee_next_call(tracee))
        return false;
    assert_int_equal(trace(PTRACE_GETREGS, tracee->pid, 0, (uintptr_t)&registers), 0);
    registers.rax = (unsigned long long)result;
    assert_int_equal(trace(PTRACE_SETREGS, tracee->pid, 0, (uintptr_t)&registers), 0);
    tracee->result = result;
    return true;
}

void tracee_set_count(struct tracee *tracee, uint64_t count)
{
    struct user_regs_struct registers;

    assert_int_equal(trace(PTRACE_GETREGS, tracee->pid, 0, (uintptr_t)&registers), 0);
    registers.rdx = count;
    assert_int_equal(trace(PTRACE_SETREGS, tracee->pid, 0, (uintptr_t)&registers), 0);
}

#else

bool tracee_can_change(void)
{
    return false;
}

bool tracee_fake(struct tracee *tracee, int64_t result)
{
    (void)tracee;
    (void)result;
    return false;
}

void tracee_set_count(struct tracee *tracee, uint64_t count)
{
    (void)tracee;
    (void)count;
}

#endif

const char *tracee_call_name(uint64_t call)
{
    static const struct {
        uint64_t number;
        const char *name;
    } names[] = {
        {SYS_openat, "openat"},
        {SYS_close, "close"},
        {SYS_read, "read"},
        {SYS_write, "write"},
        {SYS_pread64, "pread"},
        {SYS_pwrite64, "pwrite"},
        {SYS_mmap, "mmap"},
        {SYS_munmap, "munmap"},
        {SYS_fcntl, "fcntl"},
        {SYS_futex, "futex"},
        {SYS_brk, "brk"},
        {SYS_fallocate, "fallocate"},
        {SYS_fstat, "fstat"},
        {SYS_newfstatat, "fstatat"},
        {SYS_mkdirat, "mkdirat"},
        {SYS_kill, "kill"},
        {SYS_getpid, "getpid"},
        {SYS_renameat, "renameat"},
        {SYS_unlinkat, "unlinkat"},
        {SYS_fchmod, "fchmod"},
        {SYS_geteuid, "geteuid"},
        {SYS_execve, "execve"},
        {SYS_mprotect, "mprotect"},
        {SYS_mremap, "mremap"},
        {SYS_exit_group, "exit"},
        {SYS_prlimit64, "prlimit"},
        {SYS_getrandom, "getrandom"},
        {SYS_rt_sigaction, "sigaction"},
#ifdef SYS_mkdir
        {SYS_mkdir, "mkdir"},
#endif
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].number == call)
            return names[i].name;
    }
    return "another";
}

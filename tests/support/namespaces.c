#include "tests/support/namespaces.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const uid_t nobody = 65534;

/* The first letter of a report tells what it is. */
enum { SAYS_FAILED = 'F', SAYS_SKIP = 'S' };

static _Noreturn void say(const struct inside *inside, char kind, const char *text)
{
    char report[256];
    int length = snprintf(report, sizeof(report), "%c%s\n", kind, text);

    if (write(inside->report, report, strnlen(report, (size_t)length)) < 0)
        _exit(2);
    _exit(1);
}

void inside_must(const struct inside *inside, bool holds, const char *what)
{
    if (!holds)
        say(inside, SAYS_FAILED, what);
}

void inside_skip_unless(const struct inside *inside, bool possible, const char *why)
{
    if (!possible)
        say(inside, SAYS_SKIP, why);
}

void inside_mount_proc(const struct inside *inside, const char *options)
{
    inside_skip_unless(inside, mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) == 0,
                       "a proc file system cannot be mounted here");
}

pid_t inside_start(const struct inside *inside)
{
    pid_t pid = fork();

    inside_must(inside, pid >= 0, "fork");
    while (pid == 0)
        pause();
    return pid;
}

void inside_end(const struct inside *inside, pid_t pid)
{
    inside_must(inside, kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid, "a process is killed");
}

void inside_as_nobody(const struct inside *inside, void (*body)(const struct inside *))
{
    pid_t pid = fork();
    int status = 0;

    inside_must(inside, pid >= 0, "fork");
    if (pid == 0) {
        inside_must(inside,
                    setgroups(0, NULL) == 0 && setresgid(nobody, nobody, nobody) == 0 &&
                        setresuid(nobody, nobody, nobody) == 0,
                    "becoming nobody");
        body(inside);
        _exit(0);
    }
    inside_must(inside, waitpid(pid, &status, 0) == pid && status == 0, "what ran as nobody ended well");
}

/* The first process of the new namespaces, in which all others end with it. */
static _Noreturn void be_first(const struct inside *inside, void (*body)(const struct inside *))
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    body(inside);
    _exit(0);
}

/* Only the children of who asks for a new pid namespace are in it: hence a process between. */
static _Noreturn void be_between(const struct inside *inside, void (*body)(const struct inside *))
{
    int status = 0;
    pid_t pid;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    inside_skip_unless(inside, unshare(CLONE_NEWNS | CLONE_NEWPID) == 0, "namespaces cannot be made here");
    inside_skip_unless(inside, mount("", "/", "", MS_REC | MS_PRIVATE, "") == 0,
                       "mounts cannot be made private here: the root is no mount of its own");
    pid = fork();
    inside_must(inside, pid >= 0, "fork");
    if (pid == 0)
        be_first(inside, body);
    inside_must(inside, waitpid(pid, &status, 0) == pid && WIFEXITED(status), "a first process that exits");
    _exit(WEXITSTATUS(status));
}

static void read_report(int fd, char *text, size_t size)
{
    size_t used = 0;
    ssize_t got;

    while (used < size - 1 && (got = read(fd, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
}

void namespaces_run(void (*body)(const struct inside *), const void *argument)
{
    char report[1024];
    int ends[2];
    int status = 0;
    pid_t pid;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        close(ends[0]);
        be_between(&(struct inside){ends[1], argument}, body);
    }
    close(ends[1]);
    assert_true(pid > 0);
    read_report(ends[0], report, sizeof(report));
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (report[0] == SAYS_SKIP) {
        printf("# %s", report + 1);
        fflush(stdout);
        skip();
    }
    if (report[0] != '\0')
        fail_msg("inside: %s", report + 1);
    assert_int_equal(status, 0);
}

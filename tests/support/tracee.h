/*
 * tracee.h - a child that is stopped wherever a test wants: at each of its system calls, at each instruction. It ends with
 * its tracer, whatever happens.
 *
 * Where the kernel does not let a process be traced, tracee_start() skips the test.
 */
#ifndef ALLOT_TESTS_SUPPORT_TRACEE_H
#define ALLOT_TESTS_SUPPORT_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee {
    pid_t pid;
    bool ended;
    int status; /* as waitpid() says, once it ended */
    /* At a system call: */
    bool entry; /* else it has just returned */
    uint64_t call;
    uint64_t arguments[6]; /* at its entry */
    int64_t result;        /* at its return */
};

/* In any child of a test: it ends with its parent, and a crash is its end. cmocka's handlers, which it has inherited, would go
 * on with the next test instead. */
void tracee_be_child(void);

/* The child does `body`, and ends with what that returns. It stops before the first instruction of it. */
struct tracee tracee_start(int (*body)(const void *argument), const void *argument);

/* On to the next entry or return of a system call, or past one instruction (a system call is one). False: it has ended. */
bool tracee_next_call(struct tracee *tracee);
bool tracee_step(struct tracee *tracee);

/* Lets it go on to its end. */
void tracee_finish(struct tracee *tracee);

/* Ends it here and now. */
void tracee_kill(struct tracee *tracee);

/* Can system calls be changed here? Else the next two may not be called. */
bool tracee_can_change(void);

/* At an entry: the call is not made, and returns `result` (the tracee is at its return then). False: it has ended. */
bool tracee_fake(struct tracee *tracee, int64_t result);

/* At an entry: another third argument, which is the count of read and write. */
void tracee_set_count(struct tracee *tracee, uint64_t count);

/* For messages. */
const char *tracee_call_name(uint64_t call);

#endif

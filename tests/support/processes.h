/*
 * processes.h - real processes for a test. All of them end with the test, also when it fails: the fixture's teardown
 * kills and reaps, and if the test program itself dies, the kernel kills.
 */
#ifndef ALLOT_TESTS_SUPPORT_PROCESSES_H
#define ALLOT_TESTS_SUPPORT_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

struct process {
    int32_t pid;
    uint64_t start_ticks;
};

#define PROCESSES_MAX 64

/* Those that are not reaped yet. */
struct processes {
    int32_t pids[PROCESSES_MAX];
    size_t count;
};

/* cmocka fixtures: *state is a struct processes. */
int processes_setup(void **state);
int processes_teardown(void **state);
void processes_end(struct processes *processes);

/* What a process does before its starter goes on: it calls process_is_ready(ready) at the end. Then it does nothing. */
typedef void process_body(int ready, const void *argument);
void process_is_ready(int ready);

/* Without a body: one that does nothing. A failure is fatal to the test. */
struct process process_start(struct processes *processes, process_body *body, const void *argument);

void process_kill(const struct process *process);        /* and does not wait */
void process_make_zombie(const struct process *process); /* kills, waits, does not reap */
void process_reap(struct processes *processes, const struct process *process); /* after either of them */
struct process process_start_and_end(struct processes *processes);             /* one that is gone */

/* As the kernel says: field 22 of its stat; 0 if there is no such process. */
uint64_t process_start_ticks(int32_t pid);

/* The state letter of its stat; 0 if there is no such process. */
char process_state(int32_t pid);

/* Lets `ticks` of the clock that start times count go by. */
void process_let_ticks_pass(unsigned ticks);

#endif

/*
 * A process that changes the ledger is killed everywhere in turn: after each system call, and between instructions. Each
 * time the ledger must hold the state before or the state after, whole; the next process must find nothing in its way; and
 * the event log must have every line, once.
 *
 * The state after is not taken from the ledger: it is what the core makes of the state before.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/dice.h"
#include "tests/support/ledger_folder.h"
#include "tests/support/tracee.h"

#define GRANTS 20
#define VICTIM "victim"

struct change {
    const struct ledger_folder *folder;
    struct request request;
    bool release; /* of the victim, else its request */
};

static int make_change(const void *argument)
{
    const struct change *change = argument;
    struct error err = {0};
    int result = change->release ? ledger_folder_release(change->folder, VICTIM, &err)
                                 : ledger_folder_ask(change->folder, &change->request, &err);

    if (result < 0)
        fprintf(stderr, "# %s\n", err.text);
    return result < 0 ? 1 : 0;
}

/* What is needed before every kill: the victim is there if it is to be released, and is not if it is to ask. */
static struct change prepare(struct ledger_folder *folder, bool release)
{
    struct change change = {folder, ledger_folder_request(VICTIM, "research"), release};
    struct error err = {0};
    bool there;
    int result = 0;

    ledger_folder_read(folder, folder->now);
    there = state_find_grant(folder->now, VICTIM) != INDEX_NONE;
    if (there && !release)
        result = ledger_folder_release(folder, VICTIM, &err);
    if (!there && release)
        result = ledger_folder_ask(folder, &change.request, &err);
    if (result < 0)
        fail_msg("the process after a killed one: %s", err.text);
    ledger_folder_read(folder, folder->now);
    return change;
}

static void expect_state_after(struct ledger_folder *folder, const struct change *change)
{
    const char *id = VICTIM;
    struct event event = {.kind = EVENT_REQUEST, .request = &change->request};

    if (change->release)
        event = (struct event){.kind = EVENT_RELEASE, .ids = &id, .id_count = 1};
    ledger_folder_decide(folder, folder->now, &event, folder->then);
}

/* The kill is done. `folder->now` is the state before, `folder->then` the state after. */
static bool judge(struct ledger_folder *folder, const char *where, uint64_t at)
{
    struct state *found = calloc(1, sizeof(*found));
    struct error err = {0};
    const char *wrong;
    bool after;

    assert_non_null(found);
    ledger_folder_read(folder, found);
    wrong = ledger_folder_unbalanced(found);
    after = ledger_folder_same(found, folder->then);
    if (wrong == NULL && !after && !ledger_folder_same(found, folder->now))
        wrong = "the state is neither the one before nor the one after";
    free(found);
    if (wrong != NULL)
        fail_msg("killed at %s %llu: %s", where, (unsigned long long)at, wrong);
    /* The next one writes what is missing in the log. */
    if (ledger_folder_ask(
            folder, &(struct request){.id = "nobody", .queue = "research", .ask = {{0, 0, 9999}}}, &err) < 0)
        fail_msg("killed at %s %llu: the next process: %s", where, (unsigned long long)at, err.text);
    wrong = ledger_folder_log_wrong(folder, false);
    if (wrong == NULL && folder->log_last + 1 != ledger_folder_next_line(folder))
        wrong = "lines are missing at its end";
    if (wrong != NULL)
        fail_msg("killed at %s %llu: the log: %s", where, (unsigned long long)at, wrong);
    return after;
}

static void begin(struct ledger_folder *folder)
{
    ledger_folder_fill(folder, GRANTS);
    assert_null(ledger_folder_unbalanced(folder->now));
    assert_null(ledger_folder_log_wrong(folder, false));
}

/* --- after each system call --- */

/* Killed at the stop with that number. False: it ran through before. */
static bool kill_at_call(struct ledger_folder *folder, bool release, uint64_t stop, bool *after)
{
    struct change change = prepare(folder, release);
    struct tracee tracee;
    bool there = true;

    expect_state_after(folder, &change);
    tracee = tracee_start(make_change, &change);
    for (uint64_t i = 0; there && i <= stop; i++)
        there = tracee_next_call(&tracee);
    tracee_kill(&tracee);
    if (!there)
        assert_true(WIFEXITED(tracee.status) && WEXITSTATUS(tracee.status) == 0);
    *after = judge(folder, "stop", stop);
    return there;
}

static void kill_at_each_call(struct ledger_folder *folder, bool release)
{
    uint64_t stops = 0;
    uint64_t afters = 0;
    bool there = true;
    bool after = false;
    bool before = false;

    begin(folder);
    while (there) {
        before = after;
        there = kill_at_call(folder, release, stops, &after);
        stops += LEDGER_FOLDER_STRIDE(5);
        /* What is committed stays so, however much later the kill comes. */
        assert_true(after || !before);
        afters += after;
    }
    stops /= LEDGER_FOLDER_STRIDE(5);
    printf("# killed at %llu stops; at %llu of them it was done\n", (unsigned long long)stops,
           (unsigned long long)afters);
    assert_true(after && afters > 4 && stops - afters > 10);
}

static void a_request_killed_at_any_system_call_has_happened_or_not(void **state)
{
    kill_at_each_call(*state, false);
}

static void a_release_killed_at_any_system_call_has_happened_or_not(void **state)
{
    kill_at_each_call(*state, true);
}

/* --- what lies beside the ledger --- */

static int ask_with_side(const void *argument)
{
    const struct change *change = argument;
    static const struct side side = {.pid_file = "/nowhere/of-the-killed-one"};
    struct ledger *ledger = NULL;
    struct error err = {0};

    return ledger_open(&change->folder->options, &ledger, &err) < 0 || ledger_begin(ledger, &err) < 0 ||
           ledger_request(ledger, &change->request, &side, &err) < 0 || ledger_end(ledger, &err) < 0;
}

/* A record has the side file that it was made with, or none if it was made with none. */
static const char *side_wrong(const struct ledger_folder *folder, const struct state *state)
{
    int fd = open(folder->ledger, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *wrong = NULL;

    assert_true(fd >= 0);
    for (uint32_t i = 0; i < state->grant_count; i++) {
        struct side side = {.pid_file = ""};
        bool found = side_read(fd, state->grants[i].arrival, &side);

        if (found != (strcmp(state->grants[i].id, VICTIM) == 0))
            wrong =
                found ? "a record has a side file that is not its own" : "a record has lost its side file";
    }
    close(fd);
    return wrong;
}

static void the_side_file_of_a_killed_process_is_not_given_to_another(void **state)
{
    struct ledger_folder *folder = *state;
    bool there = true;

    begin(folder);
    for (uint64_t stop = 0; there; stop += LEDGER_FOLDER_STRIDE(5)) {
        struct change change = prepare(folder, false);
        struct request other = ledger_folder_request("other", "research");
        struct tracee tracee = tracee_start(ask_with_side, &change);
        struct error err = {0};
        const char *wrong;

        for (uint64_t i = 0; there && i <= stop; i++)
            there = tracee_next_call(&tracee);
        tracee_kill(&tracee);
        if (ledger_folder_ask(folder, &other, &err) < 0)
            fail_msg("killed at stop %llu: the next process: %s", (unsigned long long)stop, err.text);
        ledger_folder_read(folder, folder->now);
        wrong = side_wrong(folder, folder->now);
        if (wrong != NULL)
            fail_msg("killed at stop %llu: %s", (unsigned long long)stop, wrong);
        assert_int_equal(ledger_folder_release(folder, "other", &err), 0);
    }
}

/* --- the first transaction makes the files --- */

static void remove_file(const struct ledger_folder *folder, const char *name)
{
    char path[400];

    snprintf(path, sizeof(path), "%s/%s", folder->ledger, name);
    unlink(path);
}

/* Killed while the ledger's files are made: there is no ledger, or a whole one. */
static void a_ledger_is_made_whole_or_not_at_all(void **state)
{
    static const char *const files[] = {"ledger", "ledger.new", "lock", "wake"};
    struct ledger_folder *folder = *state;
    struct change change = {folder, ledger_folder_request(VICTIM, "research"), false};
    uint64_t granted = 0;
    uint64_t stops = 0;
    bool running = true;

    for (; running; stops += LEDGER_FOLDER_STRIDE(5)) {
        struct error err = {0};
        struct tracee tracee;
        bool found = false;

        for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
            remove_file(folder, files[i]);
        rmdir(folder->ledger);
        unlink(folder->events);
        ledger_folder_forget_log(folder);
        tracee = tracee_start(make_change, &change);
        for (uint64_t i = 0; running && i <= stops; i++)
            running = tracee_next_call(&tracee);
        tracee_kill(&tracee);
        if (ledger_snapshot(folder->ledger, folder->now, &found, &err) < 0)
            fail_msg("killed at stop %llu: %s", (unsigned long long)stops, err.text);
        if (found) {
            assert_null(ledger_folder_unbalanced(folder->now));
            granted += folder->now->grant_count;
            assert_true(folder->now->grant_count <= 1);
        }
        if (ledger_folder_ask(folder,
                              &(struct request){.id = "nobody", .queue = "research", .ask = {{0, 0, 9999}}},
                              &err) < 0)
            fail_msg("killed at stop %llu: the next process: %s", (unsigned long long)stops, err.text);
        if (ledger_folder_log_wrong(folder, true) != NULL ||
            folder->log_last + 1 != ledger_folder_next_line(folder))
            fail_msg("killed at stop %llu: the log", (unsigned long long)stops);
    }
    stops /= LEDGER_FOLDER_STRIDE(5);
    printf("# killed at %llu stops; %llu times it was granted\n", (unsigned long long)stops,
           (unsigned long long)granted);
    assert_true(granted > 4 && stops - granted > 20);
}

/* --- between instructions --- */

#define CALLS_MAX     512
#define STEPS_NEAR    2500U  /* behind a system call; most kills are there */
#define STEPS_FAR     20000U /* a step takes 25 us on a virtual machine */
#define COMMIT_STRIDE 25U    /* to find the commit; all instructions around it are then tried */
#define USUAL_RANDOMS 200U

/* How many instructions there are behind each return of a system call. */
struct lengths {
    uint32_t count;
    uint32_t commit; /* behind which the commit comes */
    uint32_t steps[CALLS_MAX];
};

static bool is_return(const struct tracee *tracee)
{
    return !tracee->entry;
}

/* Runs to the return of the system call with that number. */
static bool run_to_return(struct tracee *tracee, uint32_t wanted)
{
    uint32_t returns = 0;

    while (tracee_next_call(tracee)) {
        if (is_return(tracee) && returns++ == wanted)
            return true;
    }
    return false;
}

/* The return behind which the state becomes the one after: the last one at which a kill leaves the one before. */
static void measure(struct ledger_folder *folder, bool release, struct lengths *lengths)
{
    struct change change = prepare(folder, release);
    struct tracee tracee = tracee_start(make_change, &change);

    *lengths = (struct lengths){0};
    while (tracee_next_call(&tracee)) {
        if (!is_return(&tracee))
            continue;
        assert_true(lengths->count < CALLS_MAX);
        if (tracee.call == SYS_pwrite64 && tracee.result > 64) /* not the holder's pid */
            lengths->commit = lengths->count;
        lengths->count++;
    }
    assert_true(lengths->commit > 0 && lengths->commit + 2 < lengths->count);
}

/* Killed `steps` instructions behind a return. */
static bool kill_at_instruction(struct ledger_folder *folder, bool release, uint32_t call, uint32_t steps)
{
    struct change change = prepare(folder, release);
    struct tracee tracee;
    bool there;
    char where[64];

    expect_state_after(folder, &change);
    tracee = tracee_start(make_change, &change);
    there = run_to_return(&tracee, call);
    for (uint32_t i = 0; there && i < steps; i++)
        there = tracee_step(&tracee);
    tracee_kill(&tracee);
    snprintf(where, sizeof(where), "return %u, instruction", call);
    return judge(folder, where, steps);
}

/* About where behind the image a kill first leaves the state after. */
static uint32_t find_commit(struct ledger_folder *folder, bool release, uint32_t call)
{
    uint32_t steps = 0;

    while (!kill_at_instruction(folder, release, call, steps)) {
        steps += COMMIT_STRIDE;
        if (steps > STEPS_FAR)
            fail_msg("there is no commit behind the image");
    }
    return steps;
}

static void kill_at_each_instruction_of_the_commit(struct ledger_folder *folder, bool release)
{
    struct lengths lengths;
    uint32_t about;
    uint32_t changes = 0;
    bool before = false;

    if (LEDGER_FOLDER_SANITIZED) {
        printf("# the commit is far behind the image among a sanitizer's instructions\n");
        fflush(stdout);
        skip();
    }
    begin(folder);
    measure(folder, release, &lengths);
    about = find_commit(folder, release, lengths.commit);
    for (uint32_t i = about > COMMIT_STRIDE ? about - COMMIT_STRIDE : 0; i <= about + COMMIT_STRIDE; i++) {
        bool after = kill_at_instruction(folder, release, lengths.commit, i);

        if (after != before && ++changes == 1)
            printf("# the commit is instruction %u behind the image\n", i);
        before = after;
    }
    assert_int_equal(changes, 1);
    assert_true(before);
}

static void one_instruction_is_the_commit_of_a_request(void **state)
{
    kill_at_each_instruction_of_the_commit(*state, false);
}

static void one_instruction_is_the_commit_of_a_release(void **state)
{
    kill_at_each_instruction_of_the_commit(*state, true);
}

static void a_process_killed_at_a_random_instruction_has_made_its_change_or_not(void **state)
{
    struct ledger_folder *folder = *state;
    struct dice dice = dice_new(dice_seed(__func__));
    uint32_t rounds = dice_rounds(USUAL_RANDOMS / LEDGER_FOLDER_STRIDE(10));
    uint32_t afters = 0;
    struct lengths lengths[2];

    begin(folder);
    measure(folder, false, &lengths[0]);
    measure(folder, true, &lengths[1]);
    for (uint32_t i = 0; i < rounds; i++) {
        bool release = dice_chance(&dice, 2);
        uint32_t call = dice_below(&dice, lengths[release].count);
        uint32_t most = dice_chance(&dice, 20) ? STEPS_FAR : STEPS_NEAR;
        /* Near the call more often than far from it. */
        uint32_t steps = dice_below(&dice, dice_below(&dice, most));

        afters += kill_at_instruction(folder, release, call, steps);
    }
    printf("# %u kills; after %u of them the change was made\n", rounds, afters);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, ledger_folder_setup, ledger_folder_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_request_killed_at_any_system_call_has_happened_or_not),
        TEST(a_release_killed_at_any_system_call_has_happened_or_not),
        TEST(the_side_file_of_a_killed_process_is_not_given_to_another),
        TEST(a_ledger_is_made_whole_or_not_at_all),
        TEST(one_instruction_is_the_commit_of_a_request),
        TEST(one_instruction_is_the_commit_of_a_release),
        TEST(a_process_killed_at_a_random_instruction_has_made_its_change_or_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

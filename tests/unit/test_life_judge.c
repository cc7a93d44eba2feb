/*
 * When does a record end? The rules of life_judge(), one by one, and then at random: no live holder is ever judged ended.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "alloc/ledger/life.h"
#include "tests/support/dice.h"
#include "tests/support/namespaces.h"
#include "tests/support/processes.h"
#include "tests/support/temp_folder.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

enum { NOW_MS = 1000000, GRACE_MS = 10000 };

struct scene {
    struct processes processes;
    struct temp_folder *folder;
    char *pid_file; /* its path */
    struct holder holder;
    bool changed; /* at the last look */
};

static int scene_setup(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    void *folder = NULL;

    if (scene == NULL || temp_folder_setup(&folder) != 0) {
        free(scene);
        return -1;
    }
    scene->folder = folder;
    scene->pid_file = temp_path(scene->folder, "pid");
    *state = scene;
    return 0;
}

static int scene_teardown(void **state)
{
    struct scene *scene = *state;
    void *folder = scene->folder;
    int failed;

    processes_end(&scene->processes);
    failed = temp_folder_teardown(&folder);
    free(scene->pid_file);
    free(scene);
    *state = NULL;
    return failed;
}

static struct holder holder_of(const struct process *owner)
{
    return (struct holder){.owner = owner->pid, .owner_start = owner->start_ticks, .since_s = 1};
}

/* A record whose owner has ended. What the test starts from here on started not before it. */
static void begin_without_owner(struct scene *scene)
{
    struct process owner = process_start_and_end(&scene->processes);

    scene->holder = holder_of(&owner);
}

static enum life_verdict judge_at(struct scene *scene, const char *pid_file, uint64_t now_ms)
{
    struct life_paths paths = {pid_file};
    struct life_rules rules = {now_ms, GRACE_MS};

    scene->changed = false;
    return life_judge(&scene->holder, &paths, &rules, &scene->changed);
}

static enum life_verdict judge(struct scene *scene)
{
    return judge_at(scene, scene->pid_file, NOW_MS);
}

static void write_pid(const struct scene *scene, const char *format, int32_t pid)
{
    char text[64];
    int length = 0;

/* The formats are the tables' below. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    length = snprintf(text, sizeof(text), format, pid);
#pragma GCC diagnostic pop
    assert_in_range(length, 0, sizeof(text) - 1);
    temp_write(scene->folder, "pid", text, (size_t)length);
}

/* Looks at a record that no evidence speaks for, from its first look on. */
static void expect_no_evidence(struct scene *scene, const char *what)
{
    struct holder before;

    scene->holder.doubt_ms = 0;
    before = scene->holder;
    before.doubt_ms = NOW_MS;
    if (judge(scene) != LIFE_GOES_ON || !scene->changed)
        fail_msg("%s: doubt must begin", what);
    if (memcmp(&scene->holder, &before, sizeof(before)) != 0)
        fail_msg("%s: nothing but doubt must change", what);
    if (judge_at(scene, scene->pid_file, NOW_MS + GRACE_MS) != LIFE_ENDED)
        fail_msg("%s: doubt must end the record", what);
}

static void expect_bound(struct scene *scene, const struct process *process)
{
    scene->holder.doubt_ms = NOW_MS - GRACE_MS;
    assert_int_equal(judge(scene), LIFE_GOES_ON);
    assert_true(scene->changed);
    assert_int_equal(scene->holder.process, process->pid);
    assert_int_equal(scene->holder.process_start, process->start_ticks);
    assert_int_equal(scene->holder.doubt_ms, 0);
}

/* --- bound, and owned --- */

static void a_bound_record_ends_with_its_process(void **state)
{
    struct scene *scene = *state;
    struct process process;
    struct holder before;

    begin_without_owner(scene);
    process = process_start(&scene->processes, NULL, NULL);
    scene->holder.process = process.pid;
    scene->holder.process_start = process.start_ticks;
    before = scene->holder;
    assert_int_equal(judge_at(scene, NULL, NOW_MS), LIFE_GOES_ON);
    assert_int_equal(judge_at(scene, scene->pid_file, UINT64_MAX), LIFE_GOES_ON);
    process_make_zombie(&process);
    write_pid(scene, "%d", getpid()); /* is not asked any more */
    assert_int_equal(judge(scene), LIFE_ENDED);
    process_reap(&scene->processes, &process);
    assert_int_equal(judge(scene), LIFE_ENDED);
    assert_false(scene->changed);
    assert_memory_equal(&scene->holder, &before, sizeof(before));
}

static void a_living_owner_does_not_keep_a_bound_record(void **state)
{
    struct scene *scene = *state;
    struct process owner = process_start(&scene->processes, NULL, NULL);
    struct process process = process_start(&scene->processes, NULL, NULL);

    scene->holder = holder_of(&owner);
    scene->holder.process = process.pid;
    scene->holder.process_start = process.start_ticks;
    process_make_zombie(&process);
    assert_int_equal(judge(scene), LIFE_ENDED);
}

static void a_living_owner_keeps_its_record_and_breaks_doubt(void **state)
{
    struct scene *scene = *state;
    struct process owner = process_start(&scene->processes, NULL, NULL);

    scene->holder = holder_of(&owner);
    assert_int_equal(judge(scene), LIFE_GOES_ON);
    assert_false(scene->changed);
    scene->holder.doubt_ms = 1;
    assert_int_equal(judge(scene), LIFE_GOES_ON);
    assert_true(scene->changed);
    assert_int_equal(scene->holder.doubt_ms, 0);
    assert_int_equal(scene->holder.process, 0);
}

static void without_a_pid_file_a_record_ends_with_its_owner(void **state)
{
    struct scene *scene = *state;
    struct process owner = process_start(&scene->processes, NULL, NULL);

    scene->holder = holder_of(&owner);
    assert_int_equal(judge_at(scene, NULL, NOW_MS), LIFE_GOES_ON);
    assert_int_equal(judge_at(scene, "", NOW_MS), LIFE_GOES_ON);
    process_make_zombie(&owner);
    assert_int_equal(judge_at(scene, NULL, NOW_MS), LIFE_ENDED);
    assert_int_equal(judge_at(scene, "", NOW_MS), LIFE_ENDED);
    assert_false(scene->changed);
}

static void a_record_that_is_nobodys_goes_on(void **state)
{
    struct scene *scene = *state;

    assert_int_equal(judge_at(scene, NULL, UINT64_MAX), LIFE_GOES_ON);
    assert_int_equal(judge_at(scene, scene->pid_file, UINT64_MAX), LIFE_GOES_ON);
    assert_false(scene->changed);
}

/* --- the pid file --- */

static void a_pid_file_may_come_late_and_be_empty_at_first(void **state)
{
    struct scene *scene = *state;
    struct process process;

    begin_without_owner(scene);
    assert_int_equal(judge(scene), LIFE_GOES_ON);
    assert_true(scene->changed);
    write_pid(scene, "", 0);
    assert_int_equal(judge_at(scene, scene->pid_file, NOW_MS + GRACE_MS - 1), LIFE_GOES_ON);
    assert_false(scene->changed);
    assert_int_equal(scene->holder.doubt_ms, NOW_MS);
    process = process_start(&scene->processes, NULL, NULL);
    write_pid(scene, "%d", process.pid);
    expect_bound(scene, &process);
    process_make_zombie(&process);
    assert_int_equal(judge(scene), LIFE_ENDED);
}

static void a_pid_file_that_names_a_living_process_binds(void **state)
{
    static const char *const formats[] = {"%d", "%d\n", "%032d", "%031d\n"};
    struct scene *scene = *state;
    struct process process;

    begin_without_owner(scene);
    process = process_start(&scene->processes, NULL, NULL);
    for (size_t i = 0; i < ROWS(formats); i++) {
        write_pid(scene, formats[i], process.pid);
        scene->holder.process = 0;
        expect_bound(scene, &process);
    }
}

/* Each has the pid of a living process in it that a careless reader would find. */
static void what_is_not_just_a_number_names_nobody(void **state)
{
    static const char *const formats[] = {
        "",           "\n",         "-%d",
        "+%d",        " %d",        "%d ",
        "%d\n\n",     "\n%d",       "%d\r\n",
        "%1$d\n%1$d", "%d x",       "x%d",
        "%d.0",       "0x%d",       "%de0",
        "%033d",      "%032d\n",    "0",
        "-1",         "garbage",    "1000000000000000000000000000000",
        "2147483648", "4294967296", "18446744073709551616",
    };
    struct scene *scene = *state;
    struct process process;

    begin_without_owner(scene);
    process = process_start(&scene->processes, NULL, NULL);
    for (size_t i = 0; i < ROWS(formats); i++) {
        write_pid(scene, formats[i], process.pid);
        expect_no_evidence(scene, formats[i]);
    }
}

static void bytes_behind_the_number_count_also_when_they_are_zero(void **state)
{
    struct scene *scene = *state;
    struct process process;
    char text[16] = {0};
    int length;

    begin_without_owner(scene);
    process = process_start(&scene->processes, NULL, NULL);
    length = snprintf(text, sizeof(text), "%d", process.pid);
    temp_write(scene->folder, "pid", text, (size_t)length + 1);
    expect_no_evidence(scene, "a zero byte");
}

/* A number that wraps at 2^32 to the pid of a living process. */
static void a_number_beyond_all_pids_does_not_wrap(void **state)
{
    struct scene *scene = *state;
    struct process process;
    char text[32];

    begin_without_owner(scene);
    process = process_start(&scene->processes, NULL, NULL);
    snprintf(text, sizeof(text), "%llu", (1ULL << 32) + (unsigned long long)process.pid);
    temp_write_text(scene->folder, "pid", text);
    expect_no_evidence(scene, text);
}

static void a_left_over_pid_file_is_no_evidence(void **state)
{
    struct scene *scene = *state;
    struct process earlier = process_start(&scene->processes, NULL, NULL);

    process_let_ticks_pass(3);
    begin_without_owner(scene);
    assert_true(earlier.start_ticks < scene->holder.owner_start);
    write_pid(scene, "%d\n", earlier.pid);
    expect_no_evidence(scene, "a process from before the owner");
    write_pid(scene, "%d\n", 1);
    expect_no_evidence(scene, "the first process");
}

static void a_process_that_started_in_the_owners_tick_counts(void **state)
{
    struct scene *scene = *state;
    struct process process;

    begin_without_owner(scene);
    process = process_start(&scene->processes, NULL, NULL);
    write_pid(scene, "%d\n", process.pid);
    scene->holder.owner_start = process.start_ticks + 1;
    expect_no_evidence(scene, "one tick before the owner");
    scene->holder.owner_start = process.start_ticks;
    expect_bound(scene, &process);
}

static void a_pid_file_that_names_a_dead_process_is_no_evidence(void **state)
{
    struct scene *scene = *state;
    struct process process;

    begin_without_owner(scene);
    process = process_start(&scene->processes, NULL, NULL);
    write_pid(scene, "%d\n", process.pid);
    process_make_zombie(&process);
    expect_no_evidence(scene, "a zombie");
    process_reap(&scene->processes, &process);
    expect_no_evidence(scene, "nobody");
}

static void what_is_no_regular_file_is_no_evidence(void **state)
{
    struct scene *scene = *state;
    struct process process;
    CLEAN_FREE char *elsewhere = temp_path(scene->folder, "elsewhere");
    CLEAN_FD int fifo = -1;

    begin_without_owner(scene);
    process = process_start(&scene->processes, NULL, NULL);
    assert_int_equal(mkdir(scene->pid_file, 0700), 0);
    expect_no_evidence(scene, "a folder");
    assert_int_equal(rmdir(scene->pid_file), 0);

    assert_int_equal(mkfifo(scene->pid_file, 0600), 0);
    expect_no_evidence(scene, "a FIFO");
    /* A reader keeps in it what a writer leaves. */
    fifo = open(scene->pid_file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fifo >= 0);
    write_pid(scene, "%d\n", process.pid);
    expect_no_evidence(scene, "a FIFO with a pid in it");
    assert_int_equal(unlink(scene->pid_file), 0);

    assert_int_equal(symlink(elsewhere, scene->pid_file), 0);
    expect_no_evidence(scene, "a link to nothing");
    assert_int_equal(symlink(scene->pid_file, elsewhere), 0);
    expect_no_evidence(scene, "a loop of links");
    assert_int_equal(unlink(elsewhere), 0);
    /* The path is the engine's: where it leads is the engine's business. */
    write_pid(scene, "%d\n", process.pid);
    expect_bound(scene, &process);
}

/* Nothing is at the beginning of a process's memory: a regular file that opens, and cannot be read. */
static void a_file_that_cannot_be_read_is_no_evidence(void **state)
{
    struct scene *scene = *state;

    begin_without_owner(scene);
    assert_int_equal(symlink("/proc/self/mem", scene->pid_file), 0);
    expect_no_evidence(scene, "an unreadable file");
}

static void the_times_of_a_pid_file_say_nothing(void **state)
{
    static const time_t times[] = {0, 1, 4000000000};
    struct scene *scene = *state;
    struct process process;

    begin_without_owner(scene);
    process = process_start(&scene->processes, NULL, NULL);
    for (size_t i = 0; i < ROWS(times); i++) {
        struct timespec both[] = {{.tv_sec = times[i]}, {.tv_sec = times[i]}};

        write_pid(scene, "%d\n", process.pid);
        assert_int_equal(utimensat(AT_FDCWD, scene->pid_file, both, 0), 0);
        scene->holder.process = 0;
        expect_bound(scene, &process);
        scene->holder.process = 0;
        write_pid(scene, "", 0);
        assert_int_equal(utimensat(AT_FDCWD, scene->pid_file, both, 0), 0);
        expect_no_evidence(scene, "an empty file");
    }
}

static void a_file_that_cannot_be_looked_at_for_lack_of_descriptors_was_not_looked_at(void **state)
{
    struct scene *scene = *state;
    enum life_verdict verdict;
    struct rlimit limit;
    struct rlimit none;

    begin_without_owner(scene);
    write_pid(scene, "", 0);
    scene->holder.doubt_ms = NOW_MS - GRACE_MS;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    verdict = judge(scene);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(verdict, LIFE_GOES_ON);
    assert_false(scene->changed);
    assert_int_equal(scene->holder.doubt_ms, NOW_MS - GRACE_MS);
    assert_int_equal(judge(scene), LIFE_ENDED);
}

/* --- hidden --- */

static void look_at_hidden(const struct inside *inside)
{
    const struct life_rules rules = {NOW_MS, GRACE_MS};
    const struct life_paths paths = {inside->argument};
    struct holder holder = {.owner = INT32_MAX, .owner_start = 1, .doubt_ms = 1};
    bool changed = false;

    inside_must(inside, life_judge(&holder, &paths, &rules, &changed) == LIFE_GOES_ON,
                "it may be the container");
    inside_must(inside, changed && holder.doubt_ms == 0, "doubt is broken");
    inside_must(inside, holder.process == 0, "what has no known start is not bound");
}

static void look_at_gone(const struct inside *inside)
{
    const struct life_rules rules = {NOW_MS, GRACE_MS};
    const struct life_paths paths = {inside->argument};
    struct holder holder = {.owner = INT32_MAX, .owner_start = 1, .doubt_ms = NOW_MS - GRACE_MS};
    bool changed = false;

    inside_must(inside, life_judge(&holder, &paths, &rules, &changed) == LIFE_ENDED, "there is no process");
}

static void hide_a_container(const struct inside *inside)
{
    pid_t container;

    inside_mount_proc(inside, "hidepid=2");
    container = inside_start(inside);
    inside_must(inside, container == 2, "the pid that the file names");
    inside_as_nobody(inside, look_at_hidden);
    inside_end(inside, container);
    inside_as_nobody(inside, look_at_gone);
}

/* Where /proc shows the outer namespace, a thread of the kernel has the container's pid. */
static void start_a_container_elsewhere(const struct inside *inside)
{
    pid_t container = inside_start(inside);

    inside_must(inside, container == 2, "the pid that the file names");
    look_at_hidden(inside);
    inside_end(inside, container);
    look_at_gone(inside);
}

static void a_pid_file_that_names_a_process_that_cannot_be_read_breaks_doubt_and_binds_nothing(void **state)
{
    struct scene *scene = *state;

    write_pid(scene, "%d\n", 2);
    assert_int_equal(chmod(scene->folder->path, 0755), 0);
    namespaces_run(hide_a_container, scene->pid_file);
    namespaces_run(start_a_container_elsewhere, scene->pid_file);
}

/* --- doubt --- */

static void doubt_ends_a_record_after_the_grace_and_not_before(void **state)
{
    struct scene *scene = *state;

    begin_without_owner(scene);
    assert_int_equal(judge(scene), LIFE_GOES_ON);
    assert_true(scene->changed);
    assert_int_equal(judge(scene), LIFE_GOES_ON);
    assert_false(scene->changed);
    assert_int_equal(judge_at(scene, scene->pid_file, NOW_MS + GRACE_MS - 1), LIFE_GOES_ON);
    assert_false(scene->changed);
    assert_int_equal(judge_at(scene, scene->pid_file, NOW_MS + GRACE_MS), LIFE_ENDED);
    assert_false(scene->changed);
    assert_int_equal(judge_at(scene, scene->pid_file, UINT64_MAX), LIFE_ENDED);
}

static void doubt_that_was_broken_begins_anew(void **state)
{
    struct scene *scene = *state;
    struct process owner = process_start(&scene->processes, NULL, NULL);

    scene->holder = holder_of(&owner);
    scene->holder.doubt_ms = NOW_MS - GRACE_MS + 1;
    assert_int_equal(judge(scene), LIFE_GOES_ON);
    process_make_zombie(&owner);
    assert_int_equal(judge_at(scene, scene->pid_file, NOW_MS + GRACE_MS), LIFE_GOES_ON);
    assert_int_equal(scene->holder.doubt_ms, NOW_MS + GRACE_MS);
    assert_int_equal(judge_at(scene, scene->pid_file, NOW_MS + 2 * GRACE_MS), LIFE_ENDED);
}

static void doubt_from_the_future_begins_again(void **state)
{
    struct scene *scene = *state;

    begin_without_owner(scene);
    scene->holder.doubt_ms = UINT64_MAX;
    assert_int_equal(judge(scene), LIFE_GOES_ON);
    assert_true(scene->changed);
    assert_int_equal(scene->holder.doubt_ms, NOW_MS);
}

static void without_grace_a_second_look_ends_the_record(void **state)
{
    struct scene *scene = *state;
    const struct life_paths paths = {scene->pid_file};
    const struct life_rules rules = {.now_ms = NOW_MS, .create_grace_ms = 0};
    bool changed = false;

    begin_without_owner(scene);
    assert_int_equal(life_judge(&scene->holder, &paths, &rules, &changed), LIFE_GOES_ON);
    assert_int_equal(life_judge(&scene->holder, &paths, &rules, &changed), LIFE_ENDED);
    assert_true(changed); /* by the first look: the second left it alone */
}

/* --- at random --- */

enum fate {
    FATE_LIVES,
    FATE_KILLED, /* and not waited for: alive or dead */
    FATE_ENDED,  /* a zombie, or gone */
};

struct actor {
    struct process process;
    enum fate fate;
    bool is_reaped;
};

enum { ACTORS = 8, RECORDS = 8 };

struct record {
    struct holder holder;
    char *pid_file;
    struct process owner;
    struct process named; /* by the pid file, if it names anybody */
    bool has_file;
    bool names;
};

struct play {
    struct scene *scene;
    struct dice dice;
    struct actor actors[ACTORS];
    struct record records[RECORDS];
    uint64_t now_ms;
    uint32_t ended;
    uint32_t bound;
};

/* What became of somebody. Who is not on the stage any more is reaped. */
static enum fate fate_of(const struct play *play, const struct process *process)
{
    for (size_t i = 0; i < ACTORS; i++) {
        const struct actor *actor = &play->actors[i];

        if (actor->process.pid == process->pid && actor->process.start_ticks == process->start_ticks)
            return actor->fate;
    }
    return FATE_ENDED;
}

static void act(struct play *play)
{
    struct actor *actor = &play->actors[dice_below(&play->dice, ACTORS)];

    if (actor->is_reaped || actor->process.pid == 0) {
        *actor = (struct actor){.process = process_start(&play->scene->processes, NULL, NULL)};
    } else if (actor->fate == FATE_ENDED) {
        process_reap(&play->scene->processes, &actor->process);
        actor->is_reaped = true;
    } else if (actor->fate == FATE_KILLED || dice_chance(&play->dice, 2)) {
        process_make_zombie(&actor->process);
        actor->fate = FATE_ENDED;
    } else {
        process_kill(&actor->process);
        actor->fate = FATE_KILLED;
    }
}

/* A new record of somebody who may have ended already, with or without a pid file to come. */
static void begin_record(struct play *play, size_t index)
{
    struct record *record = &play->records[index];

    record->owner = play->actors[dice_below(&play->dice, ACTORS)].process;
    record->holder = holder_of(&record->owner);
    record->has_file = dice_chance(&play->dice, 2);
    record->names = false;
    unlink(record->pid_file);
}

/* Now and then the pid file is written, emptied or removed. */
static void touch_pid_file(struct play *play, size_t index)
{
    struct record *record = &play->records[index];
    char name[32];
    char text[32] = "";

    snprintf(name, sizeof(name), "pid-%zu", index);
    record->names = dice_chance(&play->dice, 2);
    if (record->names) {
        record->named = play->actors[dice_below(&play->dice, ACTORS)].process;
        snprintf(text, sizeof(text), "%d%s", record->named.pid, dice_chance(&play->dice, 2) ? "\n" : "");
    }
    temp_write_text(play->scene->folder, name, text);
    if (!record->names && dice_chance(&play->dice, 2))
        unlink(record->pid_file);
}

static bool is_alive_for_sure(const struct play *play, const struct record *record)
{
    struct process bound = {record->holder.process, record->holder.process_start};

    if (bound.pid != 0)
        return fate_of(play, &bound) == FATE_LIVES;
    if (fate_of(play, &record->owner) == FATE_LIVES)
        return true;
    return record->has_file && record->names && fate_of(play, &record->named) == FATE_LIVES &&
           record->named.start_ticks >= record->owner.start_ticks;
}

/* Without the doubt that a pid file leaves. */
static bool is_dead_for_sure(const struct play *play, const struct record *record)
{
    struct process bound = {record->holder.process, record->holder.process_start};

    if (bound.pid != 0)
        return fate_of(play, &bound) == FATE_ENDED;
    return !record->has_file && fate_of(play, &record->owner) == FATE_ENDED;
}

static void judge_record(struct play *play, size_t index)
{
    struct record *record = &play->records[index];
    struct life_paths paths = {record->has_file ? record->pid_file : NULL};
    struct life_rules rules = {play->now_ms, GRACE_MS};
    struct holder before = record->holder;
    bool alive = is_alive_for_sure(play, record);
    bool dead = is_dead_for_sure(play, record);
    bool changed = false;
    enum life_verdict verdict = life_judge(&record->holder, &paths, &rules, &changed);

    if (alive && verdict == LIFE_ENDED)
        fail_msg("record %zu: a live holder was judged ended", index);
    if (dead && verdict != LIFE_ENDED)
        fail_msg("record %zu: a dead holder was kept", index);
    if (changed != (memcmp(&before, &record->holder, sizeof(before)) != 0))
        fail_msg("record %zu: the flag and the change differ", index);
    if (before.process == 0 && record->holder.process != 0)
        play->bound++;
    if (verdict == LIFE_ENDED) {
        play->ended++;
        begin_record(play, index);
    }
}

static void no_live_holder_is_ever_judged_ended(void **state)
{
    struct play *play = test_calloc(1, sizeof(*play));
    uint32_t rounds = dice_rounds(600);

    play->scene = *state;
    play->dice = dice_new(dice_seed(__func__));
    play->now_ms = NOW_MS;
    for (size_t i = 0; i < ACTORS; i++)
        play->actors[i].process = process_start(&play->scene->processes, NULL, NULL);
    for (size_t i = 0; i < RECORDS; i++) {
        char name[32];

        snprintf(name, sizeof(name), "pid-%zu", i);
        play->records[i].pid_file = temp_path(play->scene->folder, name);
        begin_record(play, i);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        act(play);
        touch_pid_file(play, dice_below(&play->dice, RECORDS));
        play->now_ms += dice_below(&play->dice, GRACE_MS / 4);
        for (size_t i = 0; i < RECORDS; i++)
            judge_record(play, i);
    }
    printf("# %u rounds: %u records ended, %u were bound\n", rounds, play->ended, play->bound);
    for (size_t i = 0; i < RECORDS; i++)
        free(play->records[i].pid_file);
    test_free(play);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(a_bound_record_ends_with_its_process),
        TEST(a_living_owner_does_not_keep_a_bound_record),
        TEST(a_living_owner_keeps_its_record_and_breaks_doubt),
        TEST(without_a_pid_file_a_record_ends_with_its_owner),
        TEST(a_record_that_is_nobodys_goes_on),
        TEST(a_pid_file_may_come_late_and_be_empty_at_first),
        TEST(a_pid_file_that_names_a_living_process_binds),
        TEST(what_is_not_just_a_number_names_nobody),
        TEST(bytes_behind_the_number_count_also_when_they_are_zero),
        TEST(a_number_beyond_all_pids_does_not_wrap),
        TEST(a_left_over_pid_file_is_no_evidence),
        TEST(a_process_that_started_in_the_owners_tick_counts),
        TEST(a_pid_file_that_names_a_dead_process_is_no_evidence),
        TEST(what_is_no_regular_file_is_no_evidence),
        TEST(a_file_that_cannot_be_read_is_no_evidence),
        TEST(the_times_of_a_pid_file_say_nothing),
        TEST(a_file_that_cannot_be_looked_at_for_lack_of_descriptors_was_not_looked_at),
        TEST(a_pid_file_that_names_a_process_that_cannot_be_read_breaks_doubt_and_binds_nothing),
        TEST(doubt_ends_a_record_after_the_grace_and_not_before),
        TEST(doubt_that_was_broken_begins_anew),
        TEST(doubt_from_the_future_begins_again),
        TEST(without_grace_a_second_look_ends_the_record),
        TEST(no_live_holder_is_ever_judged_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

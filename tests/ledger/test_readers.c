/*
 * Readers against a writer that commits without a pause. Each state that is read must be one that was: every record of a
 * commit carries its number, so two commits cannot be mixed unnoticed. READS=1000000 makes it a million.
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "tests/support/ledger_folder.h"
#include "tests/support/tracee.h"

#define GRANTS 100U

/*
 * In place of the C library's. The kernel hands out an image of some ten thousand bytes in a few microseconds, and a writer
 * seldom overtakes that; a reader that gets it in pieces is overtaken all the time.
 */
#define PIECE 700U

static bool in_pieces;

ssize_t pread(int fd, void *bytes, size_t length, off_t offset)
{
    return syscall(SYS_pread64, fd, bytes, in_pieces && length > PIECE ? PIECE : length, offset);
}

static uint64_t reads_wanted(void)
{
    const char *given = getenv("READS");

    return given != NULL ? strtoull(given, NULL, 10) : 100000;
}

/* --- the writer --- */

/* How many grants the commit has: between a few and all, so that images shrink and grow. */
static uint32_t grants_of(uint64_t number)
{
    return 1 + (uint32_t)((number * 7919) % GRANTS);
}

static void mark_state(struct state *state, const struct state *full, uint64_t number)
{
    state->grant_count = grants_of(number);
    state->replica_count = 0;
    for (uint32_t i = 0; i < state->grant_count; i++) {
        state->grants[i] = full->grants[i];
        state->grants[i].holder.since_s = number;
        state->grants[i].holder.doubt_ms = ~number;
        state->grants[i].holder.process_start = number * (i + 1);
        state->replica_count += (uint32_t)full->grants[i].ask.of[RES_GPU];
    }
    memcpy(state->replicas, full->replicas, state->replica_count * sizeof(state->replicas[0]));
    state->next_arrival = full->next_arrival + number;
}

/* Commits until it is killed. `*commits` is shared memory. */
static _Noreturn void write_on(const struct ledger_folder *folder, uint64_t *commits)
{
    struct ledger *ledger = NULL;
    struct error err = {0};
    struct image *image;

    tracee_be_child();
    if (ledger_open(&folder->options, &ledger, &err) < 0 || ledger_begin(ledger, &err) < 0)
        _exit(1);
    image = &ledger->image;
    for (;;) {
        uint64_t number = image->number + 1;

        mark_state(image->state, folder->now, number);
        snprintf(image->pending, 64, "%llu\n", (unsigned long long)number);
        image->next_line = number * 3;
        if (store_commit(&ledger->store, image, &err) < 0 || image->number != number)
            _exit(1);
        __atomic_store_n(commits, number, __ATOMIC_SEQ_CST);
    }
}

/* --- the readers --- */

static const char *image_wrong(const struct image *image, const struct state *full)
{
    const struct state *state = image->state;
    uint64_t number = image->number;

    if (state->next_arrival != full->next_arrival + number || state->grant_count != grants_of(number) ||
        image->next_line != number * 3 || strtoull(image->pending, NULL, 10) != number)
        return "head and commit do not go together";
    for (uint32_t i = 0; i < state->grant_count; i++) {
        const struct holder *holder = &state->grants[i].holder;

        if (holder->since_s != number || holder->doubt_ms != ~number ||
            holder->process_start != number * (i + 1) ||
            strcmp(state->grants[i].id, full->grants[i].id) != 0 ||
            memcmp(&state->replicas[i], &full->replicas[i], sizeof(state->replicas[i])) != 0)
            return "a record is of another commit";
    }
    return NULL;
}

struct readings {
    uint64_t reads;
    uint64_t different; /* commits that were seen */
    char wrong[256];
};

/* In another process: what is wrong goes to shared memory. */
static void read_on(const struct ledger_folder *folder, uint64_t reads, struct readings *readings)
{
    struct image image = {.state = calloc(1, sizeof(struct state)),
                          .pending = calloc(1, PENDING_BYTES_MAX + 1)};
    CLEAN_FD int fd = open(folder->ledger, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct error err = {0};
    struct store store;
    uint64_t last = 0;
    bool there = false;

    if (image.state == NULL || image.pending == NULL || store_open(fd, false, &store, &there, &err) < 0) {
        snprintf(readings->wrong, sizeof(readings->wrong), "it cannot be opened: %.200s", err.text);
        return;
    }
    while (readings->reads < reads && readings->wrong[0] == '\0') {
        const char *wrong = NULL;

        if (store_read(&store, &image, &err) < 0)
            wrong = err.text;
        else if (image.number < last)
            wrong = "time went back";
        else
            wrong = image_wrong(&image, folder->now);
        if (wrong != NULL)
            snprintf(readings->wrong, sizeof(readings->wrong), "after commit %llu, at %llu: %.200s",
                     (unsigned long long)last, (unsigned long long)image.number, wrong);
        readings->different += image.number != last;
        readings->reads++;
        last = image.number;
    }
    store_close(&store);
    free(image.state);
    free(image.pending);
}

static pid_t start_writer(const struct ledger_folder *folder, uint64_t *commits)
{
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0)
        write_on(folder, commits);
    assert_true(pid > 0);
    while (__atomic_load_n(commits, __ATOMIC_SEQ_CST) < 100) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            fail_msg("the writer has ended");
        usleep(1000);
    }
    return pid;
}

/* The writer must have been there all the time. */
static void stop_writer(pid_t pid)
{
    int status = 0;

    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(memory != MAP_FAILED);
    return memory;
}

#define READERS 2

static void read_against_a_writer(struct ledger_folder *folder, uint64_t reads)
{
    struct readings *readings = shared_memory(READERS * sizeof(*readings));
    uint64_t *commits = shared_memory(sizeof(*commits));
    uint64_t began;
    pid_t readers[READERS];
    pid_t writer;

    ledger_folder_fill(folder, GRANTS);
    writer = start_writer(folder, commits);
    began = *commits;
    for (size_t i = 0; i < READERS; i++) {
        readers[i] = fork();
        if (readers[i] == 0) {
            tracee_be_child();
            read_on(folder, reads / READERS, &readings[i]);
            _exit(0);
        }
    }
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(waitpid(readers[i], NULL, 0), readers[i]);
    stop_writer(writer);
    for (size_t i = 0; i < READERS; i++) {
        printf("# %llu reads saw %llu commits of %llu\n", (unsigned long long)readings[i].reads,
               (unsigned long long)readings[i].different, (unsigned long long)(*commits - began));
        if (readings[i].wrong[0] != '\0')
            fail_msg("%s", readings[i].wrong);
        assert_int_equal(readings[i].reads, reads / READERS);
    }
    assert_true(*commits - began > 10); /* the writer was there */
    munmap(readings, READERS * sizeof(*readings));
    munmap(commits, sizeof(*commits));
}

static void a_reader_never_sees_a_state_that_never_was(void **state)
{
    read_against_a_writer(*state, reads_wanted());
}

static void nor_does_a_reader_that_is_overtaken(void **state)
{
    in_pieces = true;
    read_against_a_writer(*state, reads_wanted() / 5);
    in_pieces = false;
}

/* The way that `allot status` takes, from opening the folder on. */
static void a_snapshot_is_one_that_was(void **state)
{
    struct ledger_folder *folder = *state;
    uint64_t *commits = shared_memory(sizeof(*commits));
    uint64_t first;
    pid_t writer;
    const char *wrong = NULL;
    struct error err = {0};

    ledger_folder_fill(folder, GRANTS);
    first = folder->now->next_arrival;
    writer = start_writer(folder, commits);
    for (uint64_t i = 0; i < reads_wanted() / 50 && wrong == NULL; i++) {
        bool there = false;
        uint64_t number;

        if (ledger_snapshot(folder->ledger, folder->then, &there, &err) < 0)
            wrong = err.text;
        number = folder->then->next_arrival - first;
        if (wrong == NULL && (!there || folder->then->grant_count != grants_of(number)))
            wrong = "head and commit do not go together";
        for (uint32_t k = 0; wrong == NULL && k < folder->then->grant_count; k++) {
            if (folder->then->grants[k].holder.since_s != number)
                wrong = "a record is of another commit";
        }
    }
    stop_writer(writer);
    munmap(commits, sizeof(*commits));
    if (wrong != NULL)
        fail_msg("%s", wrong);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, ledger_folder_setup, ledger_folder_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_reader_never_sees_a_state_that_never_was),
        TEST(nor_does_a_reader_that_is_overtaken),
        TEST(a_snapshot_is_one_that_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * bench_ledger.c - what the ledger costs, as ratios within one run (`make bench`).
 *
 *     commits a second with 1, 8 and 64 processes, beside a loop that only takes and drops the same lock
 *     decide and commit with 10, 100, 1,000 and 10,000 records
 *     reaping, for each record
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alloc/ledger/ledger.h"
#include "alloc/ledger/life.h"
#include "alloc/ledger/lock.h"

#define SECONDS 1

static char folder[256];
static struct gpu gpus[16];
static struct node_description node = {.gpus = gpus, .gpu_count = 16};
static struct ledger_options options = {.folder = folder,
                                        .events = "",
                                        .engine = "bench",
                                        .group = LEDGER_GROUP_NONE,
                                        .lock_timeout_ms = 60000,
                                        .create_grace_ms = 10000,
                                        .node = &node};

static void die(const struct error *err)
{
    fprintf(stderr, "bench: %s\n", err->text);
    exit(1);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct ledger *open_ledger(void)
{
    struct ledger *ledger;
    struct error err;

    if (ledger_open(&options, &ledger, &err) < 0)
        die(&err);
    return ledger;
}

static void remove_ledger(void)
{
    static const char *const names[] = {STORE_NAME, LOCK_NAME, WAKE_NAME, SIDE_NAME};
    char path[512];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        remove(path);
    }
}

/* A cpu-only request of this process: the grants of a bench never end by themselves. */
static struct request make_request(uint32_t number)
{
    struct request request = {.queue = "bench", .ask = {{1, 0, 0}}};
    struct error err;

    snprintf(request.id, sizeof(request.id), "b-%d-%u", (int)getpid(), number);
    request.holder.owner = (int32_t)getpid();
    if (life_start_ticks(request.holder.owner, &request.holder.owner_start, &err) < 0)
        die(&err);
    return request;
}

/* --- many processes ------------------------------------------------------------------------------------------ */

/* One request and its release: two commits. */
static uint64_t commit_for_a_while(struct ledger *ledger)
{
    double end = now() + SECONDS;
    uint64_t commits = 0;
    struct error err;

    for (uint32_t i = 0; now() < end; i++) {
        struct request request = make_request(i);
        const char *id = request.id;

        if (ledger_begin(ledger, &err) < 0 || ledger_request(ledger, &request, NULL, &err) < 0 ||
            ledger_end(ledger, &err) < 0 || ledger_begin(ledger, &err) < 0 ||
            ledger_decide(ledger, &(struct event){.kind = EVENT_RELEASE, .ids = &id, .id_count = 1}, &err) <
                0 ||
            ledger_end(ledger, &err) < 0)
            die(&err);
        commits += 2;
    }
    return commits;
}

static uint64_t lock_for_a_while(struct ledger *ledger)
{
    double end = now() + SECONDS;
    uint64_t turns = 0;
    struct error err;

    for (; now() < end; turns++) {
        if (lock_take(ledger->lock, 60000, &err) < 0)
            die(&err);
        lock_drop(ledger->lock);
    }
    return turns;
}

static double rate_of(uint32_t processes, uint64_t (*work)(struct ledger *ledger))
{
    uint64_t *sums = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < processes; i++) {
        if (fork() == 0) {
            sums[i] = work(open_ledger());
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        continue;
    for (uint32_t i = 0; i < processes; i++)
        sum += sums[i];
    munmap(sums, 4096);
    return (double)sum / SECONDS;
}

static void bench_processes(void)
{
    static const uint32_t counts[] = {1, 8, 64};

    printf("%-12s %14s %14s %8s\n", "processes", "commits/s", "locks/s", "ratio");
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        double locks = rate_of(counts[i], lock_for_a_while);
        double commits = rate_of(counts[i], commit_for_a_while);

        printf("%-12u %14.0f %14.0f %8.2f\n", counts[i], commits, locks, commits / locks);
    }
}

/* --- many records -------------------------------------------------------------------------------------------- */

static void fill(struct ledger *ledger, uint32_t records)
{
    struct error err;

    if (ledger_begin(ledger, &err) < 0)
        die(&err);
    for (uint32_t i = ledger_state(ledger)->grant_count; i < records; i++) {
        struct waiter waiter = {.ask = {{1, 0, 0}}, .arrival = ledger_state(ledger)->next_arrival++};
        struct request request = make_request(1000000 + i);

        memcpy(waiter.id, request.id, sizeof(waiter.id));
        waiter.holder = request.holder;
        waiter.queue = state_use_queue(ledger_state(ledger), "bench");
        state_add_grant(ledger_state(ledger), &waiter, NULL);
    }
    ledger->changed = true;
    if (ledger_end(ledger, &err) < 0)
        die(&err);
}

static void bench_records(void)
{
    static const uint32_t counts[] = {10, 100, 1000, 10000};
    struct ledger *ledger = open_ledger();
    double base = 0;

    printf("\n%-12s %14s %8s %18s\n", "records", "us/commit", "ratio", "us/record to reap");
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct error err;
        double began;
        double each;
        double reap;

        fill(ledger, counts[i]);
        each = 1e6 * SECONDS / (double)commit_for_a_while(ledger);
        base = i == 0 ? each : base;
        began = now();
        if (ledger_begin(ledger, &err) < 0 || ledger_reap(ledger, NULL, &err) < 0)
            die(&err);
        reap = 1e6 * (now() - began) / counts[i];
        ledger_abandon(ledger);
        printf("%-12u %14.1f %8.2f %18.2f\n", counts[i], each, each / base, reap);
    }
    ledger_close(ledger);
}

int main(void)
{
    const char *temporary = getenv("BENCH_FOLDER");

    snprintf(folder, sizeof(folder), "%s/allot-bench.XXXXXX", temporary != NULL ? temporary : "/dev/shm");
    if (mkdtemp(folder) == NULL) {
        perror("bench");
        return 1;
    }
    for (uint32_t i = 0; i < 16; i++) {
        snprintf(gpus[i].uuid, sizeof(gpus[i].uuid), "GPU-%u", i);
        gpus[i].replicas = 8;
    }
    node.node.capacity.of[RES_CPU] = 1000000;
    node.node.off[RES_MEM] = true;
    node.node.max_bypass = 8;
    bench_processes();
    remove_ledger();
    bench_records();
    remove_ledger();
    rmdir(folder);
    return 0;
}

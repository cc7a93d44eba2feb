/*
 * test_ledger.c - a transaction in the ordinary course: a pid file that binds, a log that is rotated, lost or full, an
 * inventory or configuration that changes, another boot, another pid namespace, folders that others can write.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "alloc/ledger/ledger.h"
#include "tests/support/ledger_folder.h"

/* --- helpers ------------------------------------------------------------------------------------------------- */

static struct ledger *must_open(const struct ledger_folder *folder)
{
    struct ledger *ledger = NULL;
    struct error err = {0};

    if (ledger_open(&folder->options, &ledger, &err) < 0)
        fail_msg("%s", err.text);
    return ledger;
}

static void must(int result, const struct error *err)
{
    if (result < 0)
        fail_msg("%s", err->text);
}

static size_t count_in_file(const char *path, const char *word)
{
    CLEAN_FILE FILE *file = fopen(path, "re");
    CLEAN_FREE char *line = NULL;
    size_t size = 0;
    size_t count = 0;

    while (file != NULL && getline(&line, &size, file) >= 0)
        count += strstr(line, word) != NULL;
    return count;
}

/* --- tests --------------------------------------------------------------------------------------------------- */

static void a_record_is_bound_to_the_process_that_its_pid_file_names(void **state)
{
    struct ledger_folder *folder = *state;
    CLEAN_LEDGER struct ledger *ledger = must_open(folder);
    struct request request = ledger_folder_request("container", "a");
    struct side side = {.pid_file = ""};
    struct error err = {0};
    char path[512];
    FILE *file;

    snprintf(side.pid_file, sizeof(side.pid_file), "%s/container.pid", folder->path);
    request.holder.owner = 999999999; /* nobody: the shim has ended */
    request.holder.owner_start = 1;
    must(ledger_begin(ledger, &err), &err);
    must(ledger_request(ledger, &request, &side, &err), &err);
    must(ledger_end(ledger, &err), &err);
    snprintf(path, sizeof(path), "%s/" SIDE_NAME "/%u", folder->ledger, 1U);
    assert_int_equal(access(path, F_OK), 0);

    file = fopen(side.pid_file, "we");
    assert_non_null(file);
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    must(ledger_begin(ledger, &err), &err);
    must(ledger_reap(ledger, NULL, &err), &err);
    must(ledger_end(ledger, &err), &err);
    ledger_folder_read(folder, folder->now);
    assert_int_equal(folder->now->grant_count, 1);
    assert_int_equal(folder->now->grants[0].holder.process, getpid());
    unlink(side.pid_file);

    must(ledger_folder_release(folder, "container", &err), &err);
    assert_int_equal(access(path, F_OK), -1);
}

static void a_record_without_any_evidence_is_kept_for_the_grace_and_then_freed(void **state)
{
    struct ledger_folder *folder = *state;
    struct request request = ledger_folder_request("container", "a");
    struct side side = {.pid_file = "/nonexistent/pid"};
    struct error err = {0};
    uint32_t reaped = 0;
    struct ledger *ledger;

    folder->options.create_grace_ms = 300;
    ledger = must_open(folder);
    request.holder.owner = 999999999;
    request.holder.owner_start = 1;
    must(ledger_begin(ledger, &err), &err);
    must(ledger_request(ledger, &request, &side, &err), &err);
    must(ledger_end(ledger, &err), &err);
    for (int i = 0; i < 2; i++) {
        must(ledger_begin(ledger, &err), &err);
        must(ledger_reap(ledger, &reaped, &err), &err);
        must(ledger_end(ledger, &err), &err);
        assert_int_equal(reaped, i);
        usleep(400000);
    }
    ledger_close(ledger);
}

static void a_log_that_was_rotated_away_starts_with_the_state(void **state)
{
    struct ledger_folder *folder = *state;
    struct error err = {0};

    ledger_folder_fill(folder, 3);
    assert_int_equal(unlink(folder->events), 0);
    must(ledger_folder_release(folder, "g-1", &err), &err);
    assert_int_equal(count_in_file(folder->events, "\"op\":\"state\""), 1);
    assert_int_equal(count_in_file(folder->events, "\"decision\":\"released\""), 1);
    ledger_folder_forget_log(folder);
    assert_null(ledger_folder_log_wrong(folder, false));
}

static void a_log_that_cannot_be_written_stops_nobody_and_its_gap_is_closed(void **state)
{
    struct ledger_folder *folder = *state;
    struct ledger *ledger;
    struct error err = {0};
    char saved[600];

    ledger_folder_fill(folder, 2);
    snprintf(saved, sizeof(saved), "%s.saved", folder->events);
    assert_int_equal(rename(folder->events, saved), 0);
    assert_int_equal(mkdir(folder->events, 0700), 0); /* a folder is no log */
    ledger = must_open(folder);
    for (int i = 0; i < 2; i++) {
        const char *id = i == 0 ? "g-0" : "g-1";

        must(ledger_begin(ledger, &err), &err);
        must(ledger_decide(ledger, &(struct event){.kind = EVENT_RELEASE, .ids = &id, .id_count = 1}, &err),
             &err);
        must(ledger_end(ledger, &err), &err);
        assert_int_equal(ledger->log_trouble.kind, ERROR_SYSTEM);
    }
    ledger_close(ledger);
    assert_int_equal(rmdir(folder->events), 0);
    assert_int_equal(rename(saved, folder->events), 0);
    ledger_folder_fill(folder, 1);
    assert_int_equal(count_in_file(folder->events, "\"op\":\"state\""), 2);
}

static void gpus_that_vanish_or_come_are_counted_and_their_grants_stay(void **state)
{
    struct ledger_folder *folder = *state;
    struct ledger *ledger;
    struct error err = {0};

    ledger_folder_fill(folder, LEDGER_FOLDER_GPUS); /* spread: one on each */
    folder->node.gpu_count = LEDGER_FOLDER_GPUS - 2;
    ledger = must_open(folder);
    must(ledger_begin(ledger, &err), &err);
    assert_int_equal(ledger->gpus_vanished, 2);
    assert_int_equal(ledger->gpus_came, 0);
    must(ledger_end(ledger, &err), &err);
    ledger_close(ledger);
    ledger_folder_read(folder, folder->now);
    assert_int_equal(folder->now->grant_count, LEDGER_FOLDER_GPUS);
    assert_int_equal(folder->now->node_gpus, LEDGER_FOLDER_GPUS - 2);
    assert_int_equal(folder->now->gpu_count, LEDGER_FOLDER_GPUS);

    folder->node.gpu_count = LEDGER_FOLDER_GPUS;
    ledger = must_open(folder);
    must(ledger_begin(ledger, &err), &err);
    assert_int_equal(ledger->gpus_vanished, 0);
    assert_int_equal(ledger->gpus_came, 2);
    ledger_close(ledger);
}

static void another_boot_ends_all_grants(void **state)
{
    struct ledger_folder *folder = *state;
    struct ledger *ledger;
    struct error err = {0};
    bool there = true;

    ledger_folder_fill(folder, 3);
    ledger = must_open(folder);
    memset(ledger->origin.boot_id, 'b', 8);
    must(ledger_begin(ledger, &err), &err);
    assert_int_equal(ledger_state(ledger)->grant_count, 0);
    must(ledger_end(ledger, &err), &err);
    ledger_close(ledger);
    /* And whoever reads now, in our boot, sees a ledger of another one: none. */
    must(ledger_snapshot(folder->ledger, folder->now, &there, &err), &err);
    assert_false(there);
}

static void another_pid_or_time_namespace_is_refused(void **state)
{
    struct ledger_folder *folder = *state;
    CLEAN_LEDGER struct ledger *ledger = NULL;
    struct error err = {0};

    ledger_folder_fill(folder, 1);
    ledger = must_open(folder);
    ledger->origin.pid_namespace++;
    assert_int_equal(ledger_begin(ledger, &err), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_non_null(strstr(err.text, "another pid or time namespace"));
    ledger->origin.pid_namespace--;
    ledger->origin.time_namespace++;
    assert_int_equal(ledger_begin(ledger, &err), -1);
    assert_non_null(strstr(err.text, "another pid or time namespace"));
}

static void a_folder_that_others_may_write_is_refused(void **state)
{
    struct ledger_folder *folder = *state;
    struct ledger *ledger = NULL;
    struct error err = {0};

    ledger_folder_fill(folder, 1);
    assert_int_equal(chmod(folder->ledger, 0777), 0);
    assert_int_equal(ledger_open(&folder->options, &ledger, &err), -1);
    assert_non_null(strstr(err.text, "may be written by others (mode 0777); remedy: chmod go-w"));
    if (geteuid() == 0) {
        assert_int_equal(chmod(folder->ledger, 0755), 0);
        assert_int_equal(chown(folder->ledger, 65534, 65534), 0);
        assert_int_equal(ledger_open(&folder->options, &ledger, &err), -1);
        assert_non_null(strstr(err.text, "is owned by user 65534"));
        assert_int_equal(chown(folder->ledger, 0, 0), 0);
    }
}

static void a_file_of_another_format_or_of_something_else_is_refused_and_left_alone(void **state)
{
    struct ledger_folder *folder = *state;
    CLEAN_LEDGER struct ledger *ledger = NULL;
    struct error err = {0};
    char path[512];
    CLEAN_FD int fd = -1;
    uint32_t version = STORE_VERSION + 1;

    ledger_folder_fill(folder, 1);
    snprintf(path, sizeof(path), "%s/" STORE_NAME, folder->ledger);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pwrite(fd, &version, sizeof(version), offsetof(struct store_header, version)),
                     sizeof(version));
    ledger = must_open(folder);
    assert_int_equal(ledger_begin(ledger, &err), -1);
    assert_non_null(strstr(err.text, "the ledger has format 2."));
    assert_int_equal(pwrite(fd, "#!/bin/sh", 9, 0), 9);
    assert_int_equal(ledger_begin(ledger, &err), -1);
    assert_non_null(strstr(err.text, "is not a ledger"));
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(ledger_begin(ledger, &err), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
}

static void queues_follow_the_configuration(void **state)
{
    struct ledger_folder *folder = *state;
    struct request request = ledger_folder_request("late", "later");
    struct queue later = queue_default("later", 0);
    struct ledger *ledger;
    struct error err = {0};
    uint32_t at;

    ledger_folder_fill(folder, 1);
    later.weight = 7;
    later.limit.named[RES_GPU] = true;
    folder->options.queues = &later;
    folder->options.queue_count = 1;
    ledger = must_open(folder);
    must(ledger_begin(ledger, &err), &err);
    must(ledger_request(ledger, &request, NULL, &err), &err);
    assert_int_equal(ledger->decisions->item[0].verdict, VERDICT_DENIED);
    must(ledger_end(ledger, &err), &err);
    ledger_close(ledger);
    ledger_folder_read(folder, folder->now);
    at = state_find_queue(folder->now, "later");
    assert_int_not_equal(at, INDEX_NONE);
    assert_int_equal(folder->now->queues[at].weight, 7);
    /* Those that were declared before and are no more have nothing special any more. */
    for (uint32_t i = 0; i < folder->now->queue_count; i++)
        assert_true(i == at || folder->now->queues[i].weight == 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ledger_folder_setup, ledger_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_record_is_bound_to_the_process_that_its_pid_file_names),
        TEST(a_record_without_any_evidence_is_kept_for_the_grace_and_then_freed),
        TEST(a_log_that_was_rotated_away_starts_with_the_state),
        TEST(a_log_that_cannot_be_written_stops_nobody_and_its_gap_is_closed),
        TEST(gpus_that_vanish_or_come_are_counted_and_their_grants_stay),
        TEST(another_boot_ends_all_grants),
        TEST(another_pid_or_time_namespace_is_refused),
        TEST(a_folder_that_others_may_write_is_refused),
        TEST(a_file_of_another_format_or_of_something_else_is_refused_and_left_alone),
        TEST(queues_follow_the_configuration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

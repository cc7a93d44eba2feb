/*
 * test_journal.c - the event log as a file: its last number, pieces of lines, and a disk that is full.
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
#include "alloc/ledger/journal.h"
#include "tests/support/temp_folder.h"

static void a_number_is_read_from_the_end_of_a_line(void **state)
{
    static const struct {
        const char *line;
        uint64_t number;
    } rows[] = {
        {"{\"op\":\"state\",\"n\":17,\"time\":\"x\"}", 17},
        {"{\"id\":\"a,\\\"n\\\":99\",\"n\":3}", 3},
        {"{\"n\":1,\"n\":18446744073709551615}", UINT64_MAX},
        {"{\"op\":\"state\",\"n\":18446744073709551616}", 0},
        {"{\"op\":\"state\",\"n\":}", 0},
        {"{\"op\":\"state\",\"n\":-5}", 0},
        {"{\"op\":\"state\"}", 0},
        {"", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(journal_number(rows[i].line, strlen(rows[i].line)), rows[i].number);
}

static void open_journal(const struct temp_folder *folder, struct journal *journal)
{
    CLEAN_FREE char *path = temp_path(folder, "events.jsonl");
    struct error err = {0};

    if (journal_open(path, journal, &err) < 0)
        fail_msg("%s", err.text);
}

static void what_was_appended_is_found_again(void **state)
{
    struct journal journal;
    struct error err;

    open_journal(*state, &journal);
    assert_int_equal(journal.last, 0);
    assert_int_equal(journal_append(&journal, "{\"a\":1,\"n\":4}\n{\"a\":2,\"n\":5}\n", 28, 5, &err), 0);
    assert_int_equal(journal.last, 5);
    journal_close(&journal);
    open_journal(*state, &journal);
    assert_int_equal(journal.last, 5);
    assert_false(journal.cut);
    journal_close(&journal);
}

static void a_piece_of_a_line_is_taken_off_before_more_is_written(void **state)
{
    CLEAN_FREE char *path = temp_path(*state, "events.jsonl");
    char text[256] = "";
    struct journal journal;
    struct error err;
    CLEAN_FILE FILE *file = NULL;

    temp_write_text(*state, "events.jsonl", "{\"a\":1,\"n\":4}\n{\"a\":2,\"n\":5");
    open_journal(*state, &journal);
    assert_int_equal(journal.last, 4);
    assert_true(journal.cut);
    assert_int_equal(journal_append(&journal, "{\"a\":2,\"n\":5}\n", 14, 5, &err), 0);
    journal_close(&journal);
    file = fopen(path, "re");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    assert_string_equal(text, "{\"a\":1,\"n\":4}\n{\"a\":2,\"n\":5}\n");
    open_journal(*state, &journal);
    assert_int_equal(journal.last, 5);
    journal_close(&journal);
}

static void the_number_of_a_very_long_last_line_is_found(void **state)
{
    CLEAN_FREE char *line = malloc(100001);
    struct journal journal;

    assert_non_null(line);
    memset(line, 'x', 100000);
    memcpy(line, "{\"text\":\"", 9);
    memcpy(line + 100000 - 10, "\",\"n\":77}\n", 10);
    line[100000] = '\0';
    temp_write_text(*state, "events.jsonl", line);
    open_journal(*state, &journal);
    assert_int_equal(journal.last, 77);
    journal_close(&journal);
}

static void no_path_is_no_log_and_no_error(void **state)
{
    struct journal journal;
    struct error err;

    (void)state;
    assert_int_equal(journal_open("", &journal, &err), 0);
    assert_int_equal(journal.fd, -1);
}

static void what_is_no_regular_file_is_refused(void **state)
{
    CLEAN_FREE char *fifo = temp_path(*state, "fifo");
    CLEAN_FREE char *folder = temp_path(*state, "folder");
    CLEAN_FREE char *link = temp_path(*state, "link");
    struct journal journal;
    struct error err;

    assert_int_equal(mkfifo(fifo, 0600), 0);
    temp_mkdir(*state, "folder");
    assert_int_equal(symlink("/dev/null", link), 0);
    assert_int_equal(journal_open(fifo, &journal, &err), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_non_null(strstr(err.text, "is not a regular file"));
    assert_int_equal(journal_open(folder, &journal, &err), -1);
    assert_int_equal(journal_open(link, &journal, &err), -1);
    assert_int_equal(journal.fd, -1);
}

static void a_full_disk_is_an_error_with_a_sentence(void **state)
{
    struct journal journal = {.fd = open("/dev/full", O_WRONLY | O_CLOEXEC)};
    struct error err;

    (void)state;
    assert_true(journal.fd >= 0);
    assert_int_equal(journal_append(&journal, "{\"n\":1}\n", 8, 1, &err), -1);
    assert_string_equal(err.text, "the event log cannot be written: No space left on device");
    assert_int_equal(journal.last, 0);
    journal_close(&journal);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, temp_folder_setup, temp_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_read_from_the_end_of_a_line),
        TEST(what_was_appended_is_found_again),
        TEST(a_piece_of_a_line_is_taken_off_before_more_is_written),
        TEST(the_number_of_a_very_long_last_line_is_found),
        cmocka_unit_test(no_path_is_no_log_and_no_error),
        TEST(what_is_no_regular_file_is_refused),
        cmocka_unit_test(a_full_disk_is_an_error_with_a_sentence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

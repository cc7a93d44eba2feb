/*
 * Which files are read, in which order, and what is no file. Whose they are is test_config_trust.c's matter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "config/config.h"
#include "tests/support/config_folder.h"
#include "tests/support/config_text.h"
#include "tests/support/temp_folder.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

/* --- which files --- */

static void without_the_folder_everything_is_default(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_FREE char *missing = temp_path(folder, "missing");
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    assert_int_equal(config_load_folder(missing, &config, &err), 0);
    assert_int_equal(config->gpu.replicas, 4);
    assert_int_equal(config->files.count, 0);
}

static void an_empty_folder_and_an_empty_file_are_fine(void **state)
{
    const struct temp_folder *folder = *state;
    struct config *config = config_from_folder(folder);

    assert_int_equal(config->files.count, 0);
    config_free(config);
    temp_write_text(folder, "config.toml", "");
    config = config_from_folder(folder);
    assert_int_equal(config->gpu.replicas, 4);
    assert_int_equal(config->files.count, 1);
    config_free(config);
}

static void drop_ins_are_read_in_byte_order_after_the_main_file(void **state)
{
    static const char *const names[] = {"conf.d/20-b.toml", "conf.d/B.toml", "conf.d/a.toml",
                                        "conf.d/\xc3\xa9.toml"};
    static const char *const labels[] = {"/config.toml", "/conf.d/20-b.toml", "/conf.d/B.toml",
                                         "/conf.d/a.toml", "/conf.d/??.toml"};
    const struct temp_folder *folder = *state;
    CLEAN_CONFIG struct config *config = NULL;

    temp_mkdir(folder, "conf.d");
    for (size_t i = ROWS(names); i > 0; i--)
        temp_write_text(folder, names[i - 1], "");
    temp_write_text(folder, "config.toml", "");
    temp_write_text(folder, "conf.d/README", "not TOML");
    temp_write_text(folder, "conf.d/.hidden.toml", "not TOML");
    temp_write_text(folder, "conf.d/a.toml~", "not TOML");
    temp_write_text(folder, "conf.d/.toml", "not TOML");
    config = config_from_folder(folder);
    assert_int_equal(config->files.count, ROWS(labels));
    for (size_t i = 0; i < ROWS(labels); i++)
        assert_string_equal(config->files.items[i] + strlen(folder->path), labels[i]);
}

static void a_later_file_wins_key_by_key_and_origins_tell_it(void **state)
{
    static const char *const expected[] = {
        "replicas = 9  # @/conf.d/2.toml:1\n",
        "dev_root = \"/x\"  # @/config.toml:3\n",
        "source = \"auto\"  # default\n",
        "low_level = [\"crun\"]  # @/conf.d/1.toml:2\n",
        "[queues.\"a\"]\nweight = 2  # @/config.toml:6\n",
        "\nguarantee = \"gpu=1\"  # @/conf.d/1.toml:4\nlimit = \"\"  # @/conf.d/2.toml:3\n",
        "[queues.\"b\"]\nweight = 1  # default\n",
    };
    const struct temp_folder *folder = *state;
    CLEAN_CONFIG struct config *config = NULL;
    CLEAN_FREE char *printed = NULL;

    temp_mkdir(folder, "conf.d");
    temp_write_text(
        folder, "config.toml",
        "[gpu]\nreplicas = 7\ndev_root = \"/x\"\n\n[queues.a]\nweight = 2\nlimit = \"gpu=1\"\n[queues.b]\n");
    temp_write_text(
        folder, "conf.d/1.toml",
        "[runtime]\nlow_level = [\"crun\"]\n[queues.a]\nguarantee = \"gpu=1\"\n[gpu]\nreplicas = 8\n");
    temp_write_text(folder, "conf.d/2.toml", "gpu.replicas = 9\n[queues.a]\nlimit = \"\"\n");
    config = config_from_folder(folder);
    printed = config_to_text(config);
    for (size_t i = 0; i < ROWS(expected); i++) {
        CLEAN_FREE char *wanted = folder_text(folder, expected[i]);

        if (strstr(printed, wanted) == NULL)
            fail_msg("no\n%s\nin\n%s", wanted, printed);
    }
}

static void a_later_file_with_devices_replaces_all_devices(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_CONFIG struct config *config = NULL;

    temp_mkdir(folder, "conf.d");
    temp_write_text(folder, "config.toml",
                    "[[gpu.device]]\nuuid = \"A\"\nnodes = [\"/dev/x\"]\n[[gpu.device]]\nuuid = \"B\"\ncdi = "
                    "\"a/b=1\"\n");
    temp_write_text(folder, "conf.d/1.toml", "[gpu]\nreplicas = 2\n");
    temp_write_text(folder, "conf.d/2.toml", "[[gpu.device]]\nuuid = \"B\"\n");
    config = config_from_folder(folder);
    assert_int_equal(config->gpu.device_count, 1);
    assert_string_equal(config->gpu.devices[0].uuid, "B");
    assert_null(config->gpu.devices[0].cdi);
    assert_int_equal(config->gpu.devices[0].minor, CONFIG_MINOR_NONE);
    assert_int_equal(config->gpu.devices[0].replicas, 2);
}

static void a_later_file_may_mend_what_would_be_a_contradiction(void **state)
{
    const struct temp_folder *folder = *state;

    temp_mkdir(folder, "conf.d");
    temp_write_text(folder, "config.toml", "[admission]\ndefault_wait = \"5m\"\n");
    temp_write_text(folder, "conf.d/1.toml", "[admission]\nmax_wait = \"10m\"\n");
    config_free(config_from_folder(folder));
    temp_write_text(folder, "conf.d/1.toml", "[admission]\nmax_wait = \"0s\"\n");
    expect_folder_refused(
        folder, ERROR_INPUT,
        "@/config.toml:2: admission.default_wait: 5m is above max_wait; allowed: at most 0s "
        "(@/conf.d/1.toml:2)");
}

static void a_file_that_is_named_is_read_alone(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_FREE char *path = temp_path(folder, "config.toml");
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    temp_mkdir(folder, "conf.d");
    temp_write_text(folder, "config.toml", "[gpu]\nreplicas = 7\n");
    temp_write_text(folder, "conf.d/1.toml", "[gpu]\nreplicas = 8\n");
    assert_int_equal(config_load(path, &config, &err), 0);
    assert_int_equal(config->gpu.replicas, 7);
    assert_int_equal(config->files.count, 1);
    assert_string_equal(config->files.items[0], path);
}

static void a_file_that_is_named_must_be_there(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_FREE char *path = temp_path(folder, "missing.toml");
    CLEAN_FREE char *wanted = text_append(NULL, "%s: cannot be opened: No such file or directory", path);
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    assert_int_equal(config_load(path, &config, &err), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_string_equal(err.text, wanted);
}

static void a_link_is_followed_and_one_that_leads_nowhere_is_not_the_default(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_FREE char *link = temp_path(folder, "config.toml");
    CLEAN_CONFIG struct config *config = NULL;

    temp_write_text(folder, "target.toml", "[gpu]\nreplicas = 7\n");
    assert_int_equal(symlink("target.toml", link), 0);
    config = config_from_folder(folder);
    assert_int_equal(config->gpu.replicas, 7);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("nowhere.toml", link), 0);
    expect_folder_refused(folder, ERROR_SYSTEM, "@/config.toml: cannot be opened: No such file or directory");
}

static void at_most_256_drop_ins_are_read(void **state)
{
    const struct temp_folder *folder = *state;

    temp_mkdir(folder, "conf.d");
    for (unsigned i = 0; i < CONFIG_FILES_MAX; i++) {
        CLEAN_FREE char *name = text_append(NULL, "conf.d/%u.toml", i);

        temp_write_text(folder, name, "");
    }
    config_free(config_from_folder(folder));
    temp_write_text(folder, "conf.d/one-more.toml", "");
    expect_folder_refused(folder, ERROR_INPUT, "@/conf.d: has 257 files; allowed: at most 256");
}

/* --- what is not a file --- */

static void what_is_not_a_regular_file_is_refused_at_once(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_FREE char *path = temp_path(folder, "config.toml");
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    temp_mkdir(folder, "config.toml");
    expect_folder_refused(folder, ERROR_INPUT, "@/config.toml: is a directory; allowed: a regular file");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0644), 0);
    expect_folder_refused(folder, ERROR_INPUT, "@/config.toml: is a FIFO; allowed: a regular file");
    assert_int_equal(config_load("/dev/null", &config, &err), -1);
    assert_string_equal(err.text, "/dev/null: is a device; allowed: a regular file");
}

static void a_file_in_place_of_a_folder_is_refused(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_FREE char *path = temp_path(folder, "conf.d");
    CLEAN_FREE char *wanted = text_append(NULL, "%s: cannot be opened: Not a directory", path);
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    temp_write_text(folder, "conf.d", "");
    expect_folder_refused(folder, ERROR_SYSTEM, "@/conf.d: cannot be opened: Not a directory");
    assert_int_equal(config_load_folder(path, &config, &err), -1);
    assert_string_equal(err.text, wanted);
}

static void a_file_that_cannot_be_read_is_a_failure_of_the_system(void **state)
{
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    (void)state;
    /* A regular file whose first page is never there. */
    assert_int_equal(config_load("/proc/self/mem", &config, &err), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_string_equal(err.text, "/proc/self/mem: cannot be read: Input/output error");
}

static void a_file_has_at_most_one_mebibyte(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_FREE char *text = text_repeat("#", CONFIG_FILE_BYTES_MAX + 1);

    temp_write(folder, "config.toml", text, CONFIG_FILE_BYTES_MAX);
    config_free(config_from_folder(folder));
    temp_write(folder, "config.toml", text, CONFIG_FILE_BYTES_MAX + 1);
    expect_folder_refused(folder, ERROR_INPUT, "@/config.toml: is too large; allowed: at most 1048576 bytes");
}

static void a_long_or_strange_path_neither_hides_the_error_nor_adds_lines(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_FREE char *name = text_repeat("x", 240);
    CLEAN_FREE char *path = NULL;
    CLEAN_FREE char *wanted =
        text_append(NULL, "...%s/?a.toml:1: gpus: unknown section; did you mean gpu?", name + 11);
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    temp_mkdir(folder, name);
    path = text_append(temp_path(folder, name), "/\na.toml");
    temp_write(folder, path + strlen(folder->path) + 1, "[gpus]", 6);
    assert_int_equal(config_load(path, &config, &err), -1);
    assert_string_equal(err.text, wanted);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, temp_folder_setup, temp_folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(without_the_folder_everything_is_default),
        WITH_FOLDER(an_empty_folder_and_an_empty_file_are_fine),
        WITH_FOLDER(drop_ins_are_read_in_byte_order_after_the_main_file),
        WITH_FOLDER(a_later_file_wins_key_by_key_and_origins_tell_it),
        WITH_FOLDER(a_later_file_with_devices_replaces_all_devices),
        WITH_FOLDER(a_later_file_may_mend_what_would_be_a_contradiction),
        WITH_FOLDER(a_file_that_is_named_is_read_alone),
        WITH_FOLDER(a_file_that_is_named_must_be_there),
        WITH_FOLDER(a_link_is_followed_and_one_that_leads_nowhere_is_not_the_default),
        WITH_FOLDER(at_most_256_drop_ins_are_read),
        WITH_FOLDER(what_is_not_a_regular_file_is_refused_at_once),
        WITH_FOLDER(a_file_in_place_of_a_folder_is_refused),
        cmocka_unit_test(a_file_that_cannot_be_read_is_a_failure_of_the_system),
        WITH_FOLDER(a_file_has_at_most_one_mebibyte),
        WITH_FOLDER(a_long_or_strange_path_neither_hides_the_error_nor_adds_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

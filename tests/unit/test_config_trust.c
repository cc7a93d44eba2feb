/*
 * Which files are not trusted, and which of two names counts.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "config/config.h"
#include "tests/support/config_folder.h"
#include "tests/support/config_text.h"
#include "tests/support/temp_folder.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

static const uid_t somebody = 65534;

static void need_root(void)
{
    if (geteuid() != 0) {
        print_message("skipped: only root has files that it must not trust\n");
        skip();
    }
}

/* --- whose they are --- */

static void root_reads_only_what_root_owns(void **state)
{
    static const char *const names[] = {"config.toml", "conf.d", "conf.d/1.toml", ""};
    const struct temp_folder *folder = *state;

    need_root();
    temp_mkdir(folder, "conf.d");
    temp_write_text(folder, "config.toml", "");
    temp_write_text(folder, "conf.d/1.toml", "");
    for (size_t i = 0; i < ROWS(names); i++) {
        CLEAN_FREE char *path = names[i][0] != '\0' ? temp_path(folder, names[i]) : strdup(folder->path);
        CLEAN_FREE char *said =
            text_append(NULL, "%s: is owned by user 65534; allowed: root; remedy: chown root %s", path, path);

        assert_int_equal(chown(path, somebody, 0), 0);
        expect_folder_refused(folder, ERROR_INPUT, said);
        assert_int_equal(chown(path, 0, 0), 0);
        config_free(config_from_folder(folder));
    }
}

static void root_reads_nothing_that_others_may_write(void **state)
{
    static const struct {
        const char *name;
        mode_t good;
        mode_t bad;
        const char *shown;
    } rows[] = {
        {"config.toml", 0644, 0664, "0664"},   {"config.toml", 0644, 0646, "0646"},
        {"conf.d", 0755, 0775, "0775"},        {"conf.d", 0755, 01777, "1777"},
        {"conf.d/1.toml", 0600, 0620, "0620"}, {"conf.d/1.toml", 0600, 0602, "0602"},
    };
    const struct temp_folder *folder = *state;

    need_root();
    temp_mkdir(folder, "conf.d");
    temp_write_text(folder, "config.toml", "");
    temp_write_text(folder, "conf.d/1.toml", "");
    for (size_t i = 0; i < ROWS(rows); i++) {
        CLEAN_FREE char *path = temp_path(folder, rows[i].name);
        CLEAN_FREE char *said =
            text_append(NULL, "%s: may be written by others than its owner (mode %s); remedy: chmod go-w %s",
                        path, rows[i].shown, path);

        assert_int_equal(chmod(path, rows[i].bad), 0);
        expect_folder_refused(folder, ERROR_INPUT, said);
        assert_int_equal(chmod(path, rows[i].good), 0);
        config_free(config_from_folder(folder));
    }
}

/* Runs `act` in a child as somebody; its answer is the child's exit status. */
static int as_somebody(int (*act)(const struct temp_folder *), const struct temp_folder *folder)
{
    int status = -1;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(setresuid(somebody, somebody, somebody) < 0 ? 99 : act(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int load_replicas(const struct temp_folder *folder)
{
    struct config *config = NULL;
    struct error err = {0};
    int replicas = 98;

    if (config_load_folder(folder->path, &config, &err) == 0)
        replicas = (int)config->gpu.replicas;
    config_free(config);
    return replicas;
}

static void without_rights_anybodys_file_may_be_read(void **state)
{
    const struct temp_folder *folder = *state;
    CLEAN_FREE char *path = temp_path(folder, "config.toml");

    need_root();
    temp_write_text(folder, "config.toml", "[gpu]\nreplicas = 7\n");
    assert_int_equal(chown(path, somebody, 0), 0);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(chmod(folder->path, 0755), 0);
    assert_int_equal(as_somebody(load_replicas, folder), 7);
}

/* --- which file --- */

#define ASK_PATH "--ask-path"

static void the_option_wins_over_the_environment(void **state)
{
    (void)state;
    assert_int_equal(setenv(CONFIG_ENVIRONMENT, "/e.toml", 1), 0);
    assert_string_equal(config_path("/o.toml"), "/o.toml");
    assert_string_equal(config_path(NULL), "/e.toml");
    assert_int_equal(setenv(CONFIG_ENVIRONMENT, "", 1), 0);
    assert_null(config_path(NULL));
    assert_int_equal(unsetenv(CONFIG_ENVIRONMENT), 0);
    assert_null(config_path(NULL));
}

/* Runs this program again and returns 1 if it would follow the environment, 0 if not. */
static int ask_path(uid_t real)
{
    static char name[] = "test_config_trust";
    static char option[] = ASK_PATH;
    static char variable[] = CONFIG_ENVIRONMENT "=/e.toml";
    char *const argv[] = {name, option, NULL};
    char *const environment[] = {variable, NULL};
    char self[PATH_MAX] = "";
    int status = -1;
    pid_t child;

    /* Resolved first: under valgrind the link itself would start valgrind. */
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (setresuid(real, geteuid(), geteuid()) == 0)
            execve(self, argv, environment);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void the_environment_is_ignored_with_more_rights_than_the_callers(void **state)
{
    (void)state;
    need_root();
    assert_int_equal(ask_path(0), 1);
    assert_int_equal(ask_path(somebody), 0);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, temp_folder_setup, temp_folder_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(root_reads_only_what_root_owns),
        WITH_FOLDER(root_reads_nothing_that_others_may_write),
        WITH_FOLDER(without_rights_anybodys_file_may_be_read),
        cmocka_unit_test(the_option_wins_over_the_environment),
        cmocka_unit_test(the_environment_is_ignored_with_more_rights_than_the_callers),
    };

    if (argc == 2 && strcmp(argv[1], ASK_PATH) == 0)
        return config_path(NULL) != NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

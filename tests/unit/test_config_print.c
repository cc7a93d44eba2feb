/*
 * Printing, and the file that is printed for people: config/config.toml. Run from the top of the tree.
 *
 * In that file "# key = value" is a setting at its default, "#: " stands before examples, and every other
 * comment is prose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "config/build.h"
#include "config/config.h"
#include "config/schema.h"
#include "tests/support/config_text.h"

#define DEFAULT_FILE "config/config.toml"

static struct config *load(const char *text)
{
    struct config *config = NULL;
    struct error err = {0};

    if (config_from_text(text, strlen(text), &config, &err) < 0)
        fail_msg("%s\nin:\n%s", err.text, text);
    return config;
}

/* --- print, and load again --- */

static const char full[] =
    "[gpu]\nsource = \"config\"\nreplicas = 3\ndev_root = \"/a b/\\\"\\\\é\"\n"
    "[[gpu.device]]\nuuid = \"G0\"\nminor = 0\nreplicas = 8\nmemory = \"80g\"\n"
    "[[gpu.device]]\nuuid = \"G1\"\nnodes = [\"/dev/kfd\", \"/dev/dri/renderD128\"]\n"
    "[[gpu.device]]\nuuid = \"G2\"\ncdi = \"amd.com/gpu=1\"\n"
    "[capacity]\ncpu = 63.5\nmem = 1025\n"
    "[unit]\nresreq = \"mem=3k\"\n"
    "[admission]\ndefault_wait = \"1500ms\"\nmax_wait = \"2h\"\ncreate_grace = \"60s\"\n"
    "start_timeout = \"61s\"\nmax_bypass = 0\nqueue_from = []\n"
    "[queues.\"b.c\"]\nweight = 2\nguarantee = \"gpu=2\"\nlimit = \"gpu=6,cpu=0.25\"\n"
    "lend = false\nmax_priority = -5\n[queues.a]\n"
    "[placement]\npolicy = \"round-robin\"\nallow_override = false\n"
    "max_containers_per_gpu = 7\n"
    "[inject]\ndriver = \"chain\"\ndeny_unrequested = true\n"
    "[runtime]\nlow_level = [\"/usr/bin/nvidia-container-runtime\"]\n"
    "[ledger]\ndir = \"/l\"\ngroup = \"gpu\"\n"
    "[log]\nlevel = \"debug\"\nevents = \"\"\n";

static void expect_round_trip(const char *text)
{
    CLEAN_CONFIG struct config *config = load(text);
    CLEAN_FREE char *printed = config_to_text(config);
    CLEAN_CONFIG struct config *again = load(printed);
    CLEAN_FREE char *values = config_to_values(config);
    CLEAN_FREE char *values_again = config_to_values(again);

    assert_string_equal(values, values_again);
}

static void what_is_printed_loads_as_the_same_configuration(void **state)
{
    (void)state;
    expect_round_trip("");
    expect_round_trip(full);
    expect_round_trip("[capacity]\ncpu = \"off\"\nmem = \"off\"\n[gpu]\ndevice = []\n");
}

static void the_whole_is_printed_with_its_origins(void **state)
{
    static const char expected[] =
        "[gpu]\nsource = \"config\"  # t.toml:2\nreplicas = 3  # t.toml:3\n"
        "dev_root = \"/a b/\\\"\\\\é\"  # t.toml:4\n"
        "\n[capacity]\ncpu = \"63.5\"  # t.toml:17\nmem = \"1025\"  # t.toml:18\n"
        "\n[unit]\nresreq = \"mem=3k\"  # t.toml:20\n"
        "\n[admission]\ndefault_wait = \"1500ms\"  # t.toml:22\nmax_wait = \"2h\"  # t.toml:23\n"
        "create_grace = \"1m\"  # t.toml:24\nstart_timeout = \"61s\"  # t.toml:25\n"
        "max_bypass = 0  # t.toml:26\nqueue_from = []  # t.toml:27\n"
        "\n[placement]\npolicy = \"round-robin\"  # t.toml:36\nallow_override = false  # t.toml:37\n"
        "max_containers_per_gpu = 7  # t.toml:38\n"
        "\n[inject]\ndriver = \"chain\"  # t.toml:40\ndeny_unrequested = true  # t.toml:41\n"
        "\n[runtime]\nlow_level = [\"/usr/bin/nvidia-container-runtime\"]  # t.toml:43\n"
        "\n[ledger]\ndir = \"/l\"  # t.toml:45\ngroup = \"gpu\"  # t.toml:46\n"
        "\n[log]\nlevel = \"debug\"  # t.toml:48\nevents = \"\"  # t.toml:49\n"
        "\n[[gpu.device]]\nuuid = \"G0\"  # t.toml:6\nminor = 0  # t.toml:7\nreplicas = 8  # t.toml:8\n"
        "memory = \"80g\"  # t.toml:9\n"
        "\n[[gpu.device]]\nuuid = \"G1\"  # t.toml:11\nreplicas = 3  # t.toml:3\n"
        "nodes = [\"/dev/kfd\", \"/dev/dri/renderD128\"]  # t.toml:12\n"
        "\n[[gpu.device]]\nuuid = \"G2\"  # t.toml:14\nreplicas = 3  # t.toml:3\n"
        "cdi = \"amd.com/gpu=1\"  # t.toml:15\n"
        "\n[queues.\"a\"]\nweight = 1  # default\nguarantee = \"\"  # default\nlimit = \"\"  # default\n"
        "lend = true  # default\nmax_priority = 0  # default\n"
        "\n[queues.\"b.c\"]\nweight = 2  # t.toml:29\nguarantee = \"gpu=2\"  # t.toml:30\n"
        "limit = \"cpu=0.25,gpu=6\"  # t.toml:31\nlend = false  # t.toml:32\nmax_priority = -5  # "
        "t.toml:33\n";
    CLEAN_CONFIG struct config *config = load(full);
    CLEAN_FREE char *printed = config_to_text(config);

    (void)state;
    assert_string_equal(printed, expected);
}

static void a_full_disk_is_reported(void **state)
{
    CLEAN_CONFIG struct config *config = load("");
    CLEAN_FILE FILE *buffered = fopen("/dev/full", "w");
    CLEAN_FILE FILE *unbuffered = fopen("/dev/full", "w");
    struct error err = {0};

    (void)state;
    assert_non_null(buffered);
    assert_non_null(unbuffered);
    assert_int_equal(config_print(config, buffered, &err), -1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_string_equal(err.text, "cannot write the configuration: No space left on device");
    setvbuf(unbuffered, NULL, _IONBF, 0);
    assert_int_equal(config_print(config, unbuffered, &err), -1);
    assert_string_equal(err.text, "cannot write the configuration: Input/output error");
}

/* --- the default file --- */

#define LOWER "abcdefghijklmnopqrstuvwxyz_"

enum line {
    LINE_PLAIN,
    LINE_SETTING,
    LINE_EXAMPLE,
};

static enum line line_kind(const char *line)
{
    size_t name;

    if (strncmp(line, "#: ", 3) == 0)
        return LINE_EXAMPLE;
    if (strncmp(line, "# ", 2) != 0)
        return LINE_PLAIN;
    name = strspn(line + 2, LOWER);
    return name > 0 && strncmp(line + 2 + name, " = ", 3) == 0 ? LINE_SETTING : LINE_PLAIN;
}

/* The default file; `settings` and `examples`: with those uncommented. */
static char *read_default_file(bool settings, bool examples)
{
    CLEAN_FILE FILE *file = fopen(DEFAULT_FILE, "r");
    char *text = text_append(NULL, "%s", "");
    CLEAN_FREE char *line = NULL;
    size_t size = 0;

    if (file == NULL)
        fail_msg("no " DEFAULT_FILE ": run this from the top of the tree");
    while (getline(&line, &size, file) >= 0) {
        enum line kind = line_kind(line);
        size_t skip = kind == LINE_SETTING && settings ? 2 : kind == LINE_EXAMPLE && examples ? 3 : 0;

        text = text_append(text, "%s", line + skip);
    }
    return text;
}

static void expect_defaults(const char *text)
{
    CLEAN_CONFIG struct config *defaults = load("");
    CLEAN_CONFIG struct config *config = load(text);
    CLEAN_FREE char *wanted = config_to_values(defaults);
    CLEAN_FREE char *found = config_to_values(config);

    assert_string_equal(found, wanted);
}

static void the_default_file_as_it_is_changes_nothing(void **state)
{
    CLEAN_FREE char *text = read_default_file(false, false);

    (void)state;
    expect_defaults(text);
}

static void the_default_file_uncommented_is_exactly_the_defaults(void **state)
{
    CLEAN_FREE char *text = read_default_file(true, false);

    (void)state;
    expect_defaults(text);
}

static void the_examples_of_the_default_file_are_valid(void **state)
{
    CLEAN_FREE char *text = read_default_file(true, true);
    CLEAN_CONFIG struct config *config = load(text);

    (void)state;
    assert_int_equal(config->gpu.device_count, 3);
    assert_int_equal(config->queue_count, 1);
}

/* Every key of the section has an origin: it stood in the text. */
static void expect_said(const struct section *section, const struct origin *origins)
{
    for (size_t i = 0; i < section->count; i++) {
        if (origins[i].file == NULL)
            fail_msg("%s.%s is not in " DEFAULT_FILE, section->name, section->keys[i].name);
    }
}

/* The other way round needs no test of its own: a key that the schema does not have would not load. */
static void every_key_of_the_schema_is_in_the_default_file(void **state)
{
    CLEAN_FREE char *text = read_default_file(true, true);
    CLEAN_CONFIG struct config *config = load(text);
    struct origin merged[SECTION_KEYS_MAX] = {0};

    (void)state;
    for (size_t i = 0; i < SECTION_COUNT; i++)
        expect_said(&config_sections[i], config->origins->keys[i]);
    for (size_t i = 0; i < config->gpu.device_count; i++) {
        for (size_t k = 0; k < device_section.count; k++) {
            if (config->origins->devices[i][k].file != NULL)
                merged[k] = config->origins->devices[i][k];
        }
    }
    expect_said(&device_section, merged);
    expect_said(&queue_section, config->origins->queues[0]);
}

/* A line of prose above each setting, and it is not itself taken for one. */
static void every_setting_of_the_default_file_is_explained(void **state)
{
    CLEAN_FILE FILE *file = fopen(DEFAULT_FILE, "r");
    CLEAN_FREE char *line = NULL;
    bool explained = false;
    size_t size = 0;

    (void)state;
    assert_non_null(file);
    while (getline(&line, &size, file) >= 0) {
        if (line_kind(line) == LINE_SETTING && !explained)
            fail_msg("no explanation above: %s", line);
        explained = line_kind(line) == LINE_PLAIN && strncmp(line, "# ", 2) == 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_loads_as_the_same_configuration),
        cmocka_unit_test(the_whole_is_printed_with_its_origins),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(the_default_file_as_it_is_changes_nothing),
        cmocka_unit_test(the_default_file_uncommented_is_exactly_the_defaults),
        cmocka_unit_test(the_examples_of_the_default_file_are_valid),
        cmocka_unit_test(every_key_of_the_schema_is_in_the_default_file),
        cmocka_unit_test(every_setting_of_the_default_file_is_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What each key of the configuration takes, and what is said about the rest. Files are test_config_files.c's
 * matter, printing is test_config_print.c's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "alloc/limits.h"
#include "alloc/number.h"
#include "config/config.h"
#include "config/schema.h"
#include "tests/support/config_text.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

/* --- the defaults --- */

static void without_files_everything_is_as_the_design_says(void **state)
{
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    (void)state;
    assert_int_equal(config_from_text("", 0, &config, &err), 0);
    assert_int_equal(config->gpu.source, GPU_SOURCE_AUTO);
    assert_int_equal(config->gpu.replicas, 4);
    assert_string_equal(config->gpu.dev_root, "/");
    assert_int_equal(config->gpu.device_count, 0);
    assert_int_equal(config->capacity.cpu.kind, CAPACITY_AUTO);
    assert_int_equal(config->capacity.mem.kind, CAPACITY_AUTO);
    assert_int_equal(config->unit.resreq.amount.of[RES_CPU], 1000);
    assert_int_equal(config->unit.resreq.amount.of[RES_MEM], 1 << 30);
    assert_int_equal(config->unit.resreq.amount.of[RES_GPU], 1);
    assert_int_equal(config->admission.default_wait_ms, 0);
    assert_int_equal(config->admission.max_wait_ms, 90 * 1000);
    assert_int_equal(config->admission.create_grace_ms, 10 * 1000);
    assert_int_equal(config->admission.start_timeout_ms, 5 * 60 * 1000);
    assert_int_equal(config->admission.max_bypass, 8);
    assert_int_equal(config->admission.queue_from.count, 3);
    assert_string_equal(config->admission.queue_from.items[0], "io.kubernetes.pod.namespace");
    assert_string_equal(config->admission.queue_from.items[1], "io.kubernetes.cri.sandbox-namespace");
    assert_string_equal(config->admission.queue_from.items[2], "allot.gpu/queue");
    assert_int_equal(config->placement.policy, POLICY_SPREAD);
    assert_true(config->placement.allow_override);
    assert_int_equal(config->placement.max_containers_per_gpu, 0);
    assert_int_equal(config->inject.driver, INJECT_DRIVER_AUTO);
    assert_false(config->inject.deny_unrequested);
    assert_int_equal(config->runtime.low_level.count, 2);
    assert_string_equal(config->runtime.low_level.items[0], "runc");
    assert_string_equal(config->runtime.low_level.items[1], "crun");
    assert_string_equal(config->ledger.dir, "/run/allot");
    assert_string_equal(config->ledger.group, "");
    assert_int_equal(config->log.level, LOG_LEVEL_INFO);
    assert_string_equal(config->log.events, "/var/log/allot/events.jsonl");
    assert_int_equal(config->queue_count, 0);
}

static void a_queue_that_says_nothing_has_the_defaults_of_a_queue(void **state)
{
    CLEAN_CONFIG struct config *config = NULL;
    static const char text[] = "[queues.b]\n[queues.a]\nweight = 3\n";
    const struct queue *queue;
    struct error err = {0};

    (void)state;
    assert_int_equal(config_from_text(text, strlen(text), &config, &err), 0);
    assert_int_equal(config->queue_count, 2);
    assert_string_equal(config->queues[0].name, "a");
    assert_string_equal(config->queues[1].name, "b");
    queue = config_queue(config, "b");
    assert_non_null(queue);
    assert_int_equal(queue->weight, 1);
    assert_true(queue->lend);
    assert_int_equal(queue->max_priority, 0);
    assert_false(queue->guarantee.named[RES_GPU]);
    assert_false(queue->limit.named[RES_GPU]);
    assert_int_equal(config_queue(config, "a")->weight, 3);
    assert_null(config_queue(config, "c"));
    assert_null(config_queue(config, ""));
}

/* --- what is accepted: the text, and a line that is printed of it --- */

#define DEVICE "[[gpu.device]]\nuuid = \"G\"\n"
#define QUEUE  "[queues.q]\n"

static const struct {
    const char *text;
    const char *printed;
} accepted[] = {
    {"[gpu]\nsource = \"auto\"", "source = \"auto\"  # t.toml:2\n"},
    {"[gpu]\nsource = \"nvml\"", "source = \"nvml\"  # t.toml:2\n"},
    {"[gpu]\nsource = \"config\"", "source = \"config\"  # t.toml:2\n"},
    {"[gpu]\nreplicas = 1", "replicas = 1  # t.toml:2\n"},
    {"[gpu]\nreplicas = 1024", "replicas = 1024  # t.toml:2\n"},
    {"gpu.replicas = 0x10", "replicas = 16  # t.toml:1\n"},
    {"gpu = {replicas = 2}", "replicas = 2  # t.toml:1\n"},
    {"[gpu]\ndev_root = \"/run/nvidia/driver\"", "dev_root = \"/run/nvidia/driver\"  # t.toml:2\n"},
    {"[gpu]\ndev_root = \"/a \\\"b\\\" \\\\ é/..c\"", "dev_root = \"/a \\\"b\\\" \\\\ é/..c\"  # t.toml:2\n"},
    {"[gpu]\ndevice = []", "[gpu]\n"},
    {"[[gpu.device]]\nuuid = \"MIG-GPU-1/2/0\"", "uuid = \"MIG-GPU-1/2/0\"  # t.toml:2\n"},
    {DEVICE, "uuid = \"G\"  # t.toml:2\nreplicas = 4  # default\n"},
    {"[gpu]\nreplicas = 9\n" DEVICE, "uuid = \"G\"  # t.toml:4\nreplicas = 9  # t.toml:2\n"},
    {DEVICE "minor = 0", "minor = 0  # t.toml:3\n"},
    {DEVICE "minor = 1048575", "minor = 1048575  # t.toml:3\n"},
    {DEVICE "replicas = 1", "replicas = 1  # t.toml:3\n"},
    {DEVICE "replicas = 1024", "replicas = 1024  # t.toml:3\n"},
    {DEVICE "memory = 1", "memory = \"1\"  # t.toml:3\n"},
    {DEVICE "memory = \"80g\"", "memory = \"80g\"  # t.toml:3\n"},
    {DEVICE "memory = \"8p\"", "memory = \"8p\"  # t.toml:3\n"},
    {DEVICE "nodes = [\"/dev/kfd\", \"/dev/dri/renderD128\"]",
     "nodes = [\"/dev/kfd\", \"/dev/dri/renderD128\"]  # t.toml:3\n"},
    {DEVICE "cdi = \"a/b=0\"", "cdi = \"a/b=0\"  # t.toml:3\n"},
    {DEVICE "cdi = \"nvidia.com/g.p_u-1=GPU-0:1.2_3\"",
     "cdi = \"nvidia.com/g.p_u-1=GPU-0:1.2_3\"  # t.toml:3\n"},
    {"[capacity]\ncpu = \"off\"", "cpu = \"off\"  # t.toml:2\n"},
    {"[capacity]\ncpu = 0", "cpu = \"0\"  # t.toml:2\n"},
    {"[capacity]\ncpu = 9007199254739", "cpu = \"9007199254739\"  # t.toml:2\n"},
    {"[capacity]\ncpu = \"9007199254739.999\"", "cpu = \"9007199254739.999\"  # t.toml:2\n"},
    {"[capacity]\ncpu = \"0.5\"", "cpu = \"0.5\"  # t.toml:2\n"},
    {"[capacity]\ncpu = 0.001", "cpu = \"0.001\"  # t.toml:2\n"},
    {"[capacity]\ncpu = 63.999", "cpu = \"63.999\"  # t.toml:2\n"},
    {"[capacity]\ncpu = 6.4e1", "cpu = \"64\"  # t.toml:2\n"},
    {"[capacity]\nmem = \"auto\"", "mem = \"auto\"  # t.toml:2\n"},
    {"[capacity]\nmem = \"off\"", "mem = \"off\"  # t.toml:2\n"},
    {"[capacity]\nmem = 0", "mem = \"0\"  # t.toml:2\n"},
    {"[capacity]\nmem = 9007199254740992", "mem = \"8p\"  # t.toml:2\n"},
    {"[capacity]\nmem = \"256GiB\"", "mem = \"256g\"  # t.toml:2\n"},
    {"[unit]\nresreq = \" gpu = 65536 \"", "resreq = \"gpu=65536\"  # t.toml:2\n"},
    {"[unit]\nresreq = \"cpu=0.001,gpu=0\"", "resreq = \"cpu=0.001,gpu=0\"  # t.toml:2\n"},
    {"[admission]\ndefault_wait = \"90s\"", "default_wait = \"90s\"  # t.toml:2\n"},
    {"[admission]\nmax_wait = \"0s\"", "max_wait = \"0s\"  # t.toml:2\n"},
    {"[admission]\nmax_wait = \"8784h\"", "max_wait = \"8784h\"  # t.toml:2\n"},
    {"[admission]\nmax_wait = \"8784h\"\ndefault_wait = \"8784h\"", "default_wait = \"8784h\"  # t.toml:3\n"},
    {"[admission]\ncreate_grace = \"1000ms\"", "create_grace = \"1s\"  # t.toml:2\n"},
    {"[admission]\ncreate_grace = \"8784h\"", "create_grace = \"8784h\"  # t.toml:2\n"},
    {"[admission]\nstart_timeout = \"1s\"", "start_timeout = \"1s\"  # t.toml:2\n"},
    {"[admission]\nstart_timeout = \"8784h\"", "start_timeout = \"8784h\"  # t.toml:2\n"},
    {"[admission]\nmax_bypass = 0", "max_bypass = 0  # t.toml:2\n"},
    {"[admission]\nmax_bypass = 1000000", "max_bypass = 1000000  # t.toml:2\n"},
    {"[admission]\nqueue_from = []", "queue_from = []  # t.toml:2\n"},
    {"[admission]\nqueue_from = [\n \"a\",\n \"b c\",\n]", "queue_from = [\"a\", \"b c\"]  # t.toml:2\n"},
    {QUEUE "weight = 1", "weight = 1  # t.toml:2\n"},
    {QUEUE "weight = 1048576", "weight = 1048576  # t.toml:2\n"},
    {QUEUE "guarantee = \"\"", "guarantee = \"\"  # t.toml:2\n"},
    {QUEUE "guarantee = \"gpu=2\"\nlimit = \"gpu=2\"", "guarantee = \"gpu=2\"  # t.toml:2\n"},
    {QUEUE "guarantee = \"gpu=2\"\nlimit = \"cpu=1\"", "limit = \"cpu=1\"  # t.toml:3\n"},
    {QUEUE "limit = \"gpu=0\"", "limit = \"gpu=0\"  # t.toml:2\n"},
    {QUEUE "lend = false", "lend = false  # t.toml:2\n"},
    {QUEUE "lend = true", "lend = true  # t.toml:2\n"},
    {QUEUE "max_priority = -1000", "max_priority = -1000  # t.toml:2\n"},
    {QUEUE "max_priority = 1000", "max_priority = 1000  # t.toml:2\n"},
    {"[queues.\"a.b\"]", "[queues.\"a.b\"]\nweight = 1  # default\n"},
    {"[placement]\npolicy = \"distributed\"", "policy = \"spread\"  # t.toml:2\n"},
    {"[placement]\npolicy = \"scatter\"", "policy = \"scatter\"  # t.toml:2\n"},
    {"[placement]\npolicy = \"packed\"", "policy = \"packed\"  # t.toml:2\n"},
    {"[placement]\npolicy = \"least-request\"", "policy = \"least-request\"  # t.toml:2\n"},
    {"[placement]\npolicy = \"round-robin\"", "policy = \"round-robin\"  # t.toml:2\n"},
    {"[placement]\nallow_override = false", "allow_override = false  # t.toml:2\n"},
    {"[placement]\nmax_containers_per_gpu = 0", "max_containers_per_gpu = 0  # t.toml:2\n"},
    {"[placement]\nmax_containers_per_gpu = 1024", "max_containers_per_gpu = 1024  # t.toml:2\n"},
    {"[inject]\ndriver = \"cdi\"", "driver = \"cdi\"  # t.toml:2\n"},
    {"[inject]\ndriver = \"nvc\"", "driver = \"nvc\"  # t.toml:2\n"},
    {"[inject]\ndriver = \"chain\"", "driver = \"chain\"  # t.toml:2\n"},
    {"[inject]\ndriver = \"none\"", "driver = \"none\"  # t.toml:2\n"},
    {"[inject]\ndeny_unrequested = true", "deny_unrequested = true  # t.toml:2\n"},
    {"[runtime]\nlow_level = [\"/usr/bin/runc\"]", "low_level = [\"/usr/bin/runc\"]  # t.toml:2\n"},
    {"[ledger]\ndir = \"/\"", "dir = \"/\"  # t.toml:2\n"},
    {"[ledger]\ngroup = \"gpu users\"", "group = \"gpu users\"  # t.toml:2\n"},
    {"[log]\nlevel = \"error\"", "level = \"error\"  # t.toml:2\n"},
    {"[log]\nlevel = \"warn\"", "level = \"warn\"  # t.toml:2\n"},
    {"[log]\nlevel = \"debug\"", "level = \"debug\"  # t.toml:2\n"},
    {"[log]\nevents = \"\"", "events = \"\"  # t.toml:2\n"},
};

static void every_key_takes_what_is_within_its_range(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS(accepted); i++) {
        CLEAN_CONFIG struct config *config = NULL;
        CLEAN_FREE char *printed = NULL;
        struct error err = {0};

        if (config_from_text(accepted[i].text, strlen(accepted[i].text), &config, &err) < 0)
            fail_msg("%s\n-> %s", accepted[i].text, err.text);
        printed = config_to_text(config);
        if (strstr(printed, accepted[i].printed) == NULL)
            fail_msg("%s\nis printed as\n%s", accepted[i].text, printed);
    }
}

/* --- the ends of what is counted --- */

/* Loads `text`, which it frees, and expects to hear `said`, or nothing if that is NULL. */
static void expect_owned(char *text, const char *said)
{
    CLEAN_CONFIG struct config *config = NULL;
    CLEAN_FREE char *owned = text;
    struct error err = {0};

    if (said == NULL) {
        if (config_from_text(owned, strlen(owned), &config, &err) < 0)
            fail_msg("%s", err.text);
        return;
    }
    assert_int_equal(config_from_text(owned, strlen(owned), &config, &err), -1);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_string_equal(err.text, said);
}

static char *numbered(const char *before, const char *format_before, const char *format_after, unsigned count,
                      const char *after)
{
    char *text = text_append(NULL, "%s", before);

    for (unsigned i = 0; i < count; i++)
        text = text_append(text, "%s%u%s", format_before, i, format_after);
    return text_append(text, "%s", after);
}

static void a_list_has_at_most_64_entries(void **state)
{
    (void)state;
    expect_owned(numbered("admission.queue_from = [", "\"a", "\",", 64, "]"), NULL);
    expect_owned(numbered("admission.queue_from = [", "\"a", "\",", 65, "]"),
                 "t.toml:1: admission.queue_from: has 65 entries; allowed: an array of 0 to 64 names of "
                 "annotations");
}

static void there_are_at_most_4096_queues(void **state)
{
    (void)state;
    expect_owned(numbered("", "[queues.a", "]\n", QUEUES_MAX, ""), NULL);
    expect_owned(numbered("", "[queues.a", "]\n", QUEUES_MAX + 1, ""),
                 "t.toml:4097: queues.a4096: is one too many; allowed: at most 4096 queues");
}

static void there_are_at_most_4096_devices(void **state)
{
    (void)state;
    expect_owned(numbered("", "[[gpu.device]]\nuuid = \"G", "\"\n", GPUS_MAX, ""), NULL);
    expect_owned(numbered("", "[[gpu.device]]\nuuid = \"G", "\"\n", GPUS_MAX + 1, ""),
                 "t.toml:1: gpu.device: has 4097 entries; allowed: at most 4096");
}

static void all_devices_together_have_at_most_65536_replicas(void **state)
{
    (void)state;
    expect_owned(numbered("gpu.replicas = 1024\n", "[[gpu.device]]\nuuid = \"G", "\"\n", 64, ""), NULL);
    expect_owned(numbered("gpu.replicas = 1024\n", "[[gpu.device]]\nuuid = \"G", "\"\n", 65, ""),
                 "t.toml:2: gpu.device: all together have 66560 replicas; allowed: at most 65536");
}

static void texts_have_a_greatest_length(void **state)
{
    static const struct {
        const char *before; /* with what it has of the text already */
        size_t more;        /* how many letters are allowed behind that */
        const char *after;
    } rows[] = {
        {"ledger.dir = \"/", 4094, "\""},
        {"ledger.group = \"", 255, "\""},
        {"runtime.low_level = [\"", 255, "\"]"},
        {"runtime.low_level = [\"/", 4094, "\"]"},
        {"admission.queue_from = [\"", 512, "\"]"},
        {"gpu.device = [{uuid = \"", 95, "\"}]"},
        {"gpu.device = [{uuid = \"G\", cdi = \"a/b=", 251, "\"}]"},
        {"gpu.device = [{uuid = \"G\", nodes = [\"/dev/", 4090, "\"]}]"},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        CLEAN_CONFIG struct config *config = NULL;
        CLEAN_FREE char *letters = text_repeat("x", rows[i].more);
        CLEAN_FREE char *good = text_append(NULL, "%s%s%s", rows[i].before, letters, rows[i].after);
        CLEAN_FREE char *bad = text_append(NULL, "%s%sx%s", rows[i].before, letters, rows[i].after);
        struct error err = {0};

        if (config_from_text(good, strlen(good), &config, &err) < 0)
            fail_msg("%s -> %s", rows[i].before, err.text);
        config_free(config);
        config = NULL;
        assert_int_equal(config_from_text(bad, strlen(bad), &config, &err), -1);
        if (strstr(err.text, "\" is too long; allowed: ") == NULL)
            fail_msg("%s -> %s", rows[i].before, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_files_everything_is_as_the_design_says),
        cmocka_unit_test(a_queue_that_says_nothing_has_the_defaults_of_a_queue),
        cmocka_unit_test(every_key_takes_what_is_within_its_range),
        cmocka_unit_test(a_list_has_at_most_64_entries),
        cmocka_unit_test(there_are_at_most_4096_queues),
        cmocka_unit_test(there_are_at_most_4096_devices),
        cmocka_unit_test(all_devices_together_have_at_most_65536_replicas),
        cmocka_unit_test(texts_have_a_greatest_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

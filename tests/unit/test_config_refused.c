/*
 * What the configuration refuses, and everything that is said then: file, line, key, what is wrong, what is
 * allowed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "config/config.h"
#include "config/schema.h"
#include "tests/support/config_text.h"

#define ROWS(table) (sizeof(table) / sizeof(table[0]))

struct row {
    const char *text;
    const char *said;
};

#define DEVICE "[[gpu.device]]\nuuid = \"G\"\n"
#define QUEUE  "[queues.q]\n"

/* What is allowed, where more than one row says it. */
#define FLAG        "; allowed: true or false"
#define REPLICAS    "; allowed: a whole number from 1 to 1024"
#define DURATION    "; allowed: a duration such as \"30s\" or \"5m\", from 0s to 8784h"
#define DURATION_1S "; allowed: a duration such as \"30s\" or \"5m\", from 1s to 8784h"
#define CPU         "; allowed: \"auto\", \"off\", or a number of cpus with up to three decimals"
#define MEM         "; allowed: \"auto\", \"off\", or bytes as a number or a size such as \"256g\""
#define MEMORY      "; allowed: at least 1 byte, as a number or a size such as \"80g\""
#define PATH        "; allowed: an absolute path without '.' and '..'"
#define SOURCES     "; allowed: one of auto, nvml, config"
#define POLICIES    "; allowed: one of spread (or distributed), scatter, packed, least-request, round-robin"
#define UUID        "; allowed: up to 95 letters, digits, '.', '_', '-' or '/', not digits alone"
#define NODES       "; allowed: an array of 1 to 64 paths of nodes below /dev"
#define CDI         "; allowed: a qualified CDI name such as \"amd.com/gpu=0\""
#define NOT_CDI     " is not a CDI name such as vendor.com/class=name"
#define RUNTIMES    "; allowed: an array of 1 to 64 names or absolute paths of runtimes"
#define GROUP       "; allowed: the name of a group, or \"\" for none"
#define AMOUNTS     "; allowed: amounts such as \"cpu=4,mem=16g,gpu=2\""
#define EXAMPLE     "; for example cpu=4,mem=16g,gpu=2"
#define QUEUE_NAME                                                                                           \
    "; allowed: 1 to 63 letters, digits, '.', '_' or '-', of which the first is a letter or digit"
#define NOT_MEM "is not a whole number of bytes with an optional k, m, g, t or p (then i, b or ib)"

static const struct row values[] = {
    {"[gpu]\nsource = \"nvlm\"", "t.toml:2: gpu.source: \"nvlm\" is not known" SOURCES},
    {"[gpu]\nsource = \"AUTO\"", "t.toml:2: gpu.source: \"AUTO\" is not known" SOURCES},
    {"[gpu]\nsource = \"\\u001b[31m\"", "t.toml:2: gpu.source: \"\\x1b[31m\" is not known" SOURCES},
    {"[gpu]\nsource = \"auto\\u0000\"", "t.toml:2: gpu.source: \"auto\\x00\" is not known" SOURCES},
    {"[gpu]\nsource = true", "t.toml:2: gpu.source: has the type boolean" SOURCES},
    {"[gpu]\nreplicas = 0", "t.toml:2: gpu.replicas: 0 is out of range" REPLICAS},
    {"[gpu]\nreplicas = 1025", "t.toml:2: gpu.replicas: 1025 is out of range" REPLICAS},
    {"[gpu]\nreplicas = -1", "t.toml:2: gpu.replicas: -1 is out of range" REPLICAS},
    {"[gpu]\nreplicas = 4294967300", "t.toml:2: gpu.replicas: 4294967300 is out of range" REPLICAS},
    {"[gpu]\nreplicas = \"4\"", "t.toml:2: gpu.replicas: has the type string" REPLICAS},
    {"[gpu]\nreplicas = 4.0", "t.toml:2: gpu.replicas: has the type float" REPLICAS},
    {"[gpu]\nreplicas = 1979-05-27", "t.toml:2: gpu.replicas: has the type local date" REPLICAS},
    {"[gpu]\nreplicas = [4]", "t.toml:2: gpu.replicas: has the type array" REPLICAS},
    {"[gpu.replicas]\n", "t.toml:1: gpu.replicas: has the type table" REPLICAS},
    {"[gpu]\ndev_root = \"\"", "t.toml:2: gpu.dev_root: \"\" is empty" PATH},
    {"[gpu]\ndev_root = \"dev\"", "t.toml:2: gpu.dev_root: \"dev\" does not start with '/'" PATH},
    {"[gpu]\ndev_root = \"/a/../b\"", "t.toml:2: gpu.dev_root: \"/a/../b\" has a part '.' or '..'" PATH},
    {"[gpu]\ndev_root = \"/.\"", "t.toml:2: gpu.dev_root: \"/.\" has a part '.' or '..'" PATH},
    {"[gpu]\ndev_root = \"/\\u0000\"", "t.toml:2: gpu.dev_root: \"/\\x00\" has a control character" PATH},
    {"[gpu]\ndev_root = \"/\\u007f\"", "t.toml:2: gpu.dev_root: \"/\\x7f\" has a control character" PATH},
    {"[gpu]\ndev_root = 1", "t.toml:2: gpu.dev_root: has the type integer" PATH},
    {"[gpu]\ndevice = 1", "t.toml:2: gpu.device: has the type integer; allowed: tables, each [[gpu.device]]"},
    {"[gpu.device]", "t.toml:1: gpu.device: has the type table; allowed: tables, each [[gpu.device]]"},
    {"[gpu]\ndevice = [1]", "t.toml:2: gpu.device: has the type integer; allowed: a table, [gpu.device]"},

    {"[[gpu.device]]\n", "t.toml:1: gpu.device.uuid: is missing; allowed: the GPU's UUID"},
    {"[[gpu.device]]\nuuid = \"\"", "t.toml:2: gpu.device.uuid: \"\" is empty" UUID},
    {"[[gpu.device]]\nuuid = \"12\"",
     "t.toml:2: gpu.device.uuid: \"12\" would be taken for a GPU's index" UUID},
    {"[[gpu.device]]\nuuid = \"-G\"",
     "t.toml:2: gpu.device.uuid: \"-G\" does not start with a letter or digit" UUID},
    {"[[gpu.device]]\nuuid = \"G::0\"", "t.toml:2: gpu.device.uuid: \"G::0\" has a character that is not a "
                                        "letter, digit, '.', '_', '-' or '/'" UUID},
    {"[[gpu.device]]\nuuid = \"G\\u0000\"",
     "t.toml:2: gpu.device.uuid: \"G\\x00\" has a character that is not "
     "a letter, digit, '.', '_', '-' or '/'" UUID},
    {"[[gpu.device]]\nuuid = 7", "t.toml:2: gpu.device.uuid: has the type integer" UUID},
    {DEVICE "minor = -1", "t.toml:3: gpu.device.minor: -1 is out of range; allowed: a whole number from 0 to "
                          "1048575"},
    {DEVICE "minor = 1048576", "t.toml:3: gpu.device.minor: 1048576 is out of range; allowed: a whole number "
                               "from 0 to 1048575"},
    {DEVICE "replicas = 0", "t.toml:3: gpu.device.replicas: 0 is out of range" REPLICAS},
    {DEVICE "replicas = 1025", "t.toml:3: gpu.device.replicas: 1025 is out of range" REPLICAS},
    {DEVICE "memory = 0", "t.toml:3: gpu.device.memory: is 0" MEMORY},
    {DEVICE "memory = \"0g\"", "t.toml:3: gpu.device.memory: is 0" MEMORY},
    {DEVICE "memory = -1", "t.toml:3: gpu.device.memory: -1 is out of range" MEMORY},
    {DEVICE "memory = 9007199254740993",
     "t.toml:3: gpu.device.memory: 9007199254740993 is out of range" MEMORY},
    {DEVICE "memory = \"9p\"", "t.toml:3: gpu.device.memory: \"9p\" is too large" MEMORY},
    {DEVICE "memory = 1.5", "t.toml:3: gpu.device.memory: has the type float" MEMORY},
    {DEVICE "nodes = []", "t.toml:3: gpu.device.nodes: has 0 entries" NODES},
    {DEVICE "nodes = [1]", "t.toml:3: gpu.device.nodes: has the type integer" NODES},
    {DEVICE "nodes = \"/dev/kfd\"", "t.toml:3: gpu.device.nodes: has the type string" NODES},
    {DEVICE "nodes = [\"/dev/\"]",
     "t.toml:3: gpu.device.nodes: \"/dev/\" is not the path of a node below /dev" NODES},
    {DEVICE "nodes = [\"/dev/dri/\"]",
     "t.toml:3: gpu.device.nodes: \"/dev/dri/\" is not the path of a node below /dev" NODES},
    {DEVICE "nodes = [\"/devil/x\"]",
     "t.toml:3: gpu.device.nodes: \"/devil/x\" is not the path of a node below /dev" NODES},
    {DEVICE "nodes = [\"/dev/../etc\"]",
     "t.toml:3: gpu.device.nodes: \"/dev/../etc\" has a part '.' or '..'" NODES},
    {DEVICE "nodes = [\"/dev/kfd\", \"/dev/kfd\"]",
     "t.toml:3: gpu.device.nodes: \"/dev/kfd\" is there twice" NODES},
    {DEVICE "cdi = \"\"", "t.toml:3: gpu.device.cdi: \"\" is empty" CDI},
    {DEVICE "cdi = \"a/b\"", "t.toml:3: gpu.device.cdi: \"a/b\"" NOT_CDI CDI},
    {DEVICE "cdi = \"b=c\"", "t.toml:3: gpu.device.cdi: \"b=c\"" NOT_CDI CDI},
    {DEVICE "cdi = \"a=b/c\"", "t.toml:3: gpu.device.cdi: \"a=b/c\"" NOT_CDI CDI},
    {DEVICE "cdi = \"/b=c\"", "t.toml:3: gpu.device.cdi: \"/b=c\"" NOT_CDI CDI},
    {DEVICE "cdi = \"a/=c\"", "t.toml:3: gpu.device.cdi: \"a/=c\"" NOT_CDI CDI},
    {DEVICE "cdi = \"a/b=\"", "t.toml:3: gpu.device.cdi: \"a/b=\"" NOT_CDI CDI},
    {DEVICE "cdi = \"1a/b=c\"", "t.toml:3: gpu.device.cdi: \"1a/b=c\"" NOT_CDI CDI},
    {DEVICE "cdi = \"a/1b=c\"", "t.toml:3: gpu.device.cdi: \"a/1b=c\"" NOT_CDI CDI},
    {DEVICE "cdi = \"a-/b=c\"", "t.toml:3: gpu.device.cdi: \"a-/b=c\"" NOT_CDI CDI},
    {DEVICE "cdi = \"a:1/b=c\"", "t.toml:3: gpu.device.cdi: \"a:1/b=c\"" NOT_CDI CDI},
    {DEVICE "cdi = \"a/b=c=d\"", "t.toml:3: gpu.device.cdi: \"a/b=c=d\"" NOT_CDI CDI},

    {"[capacity]\ncpu = \"none\"",
     "t.toml:2: capacity.cpu: \"none\" is not a number with up to three decimals" CPU},
    {"[capacity]\ncpu = \"1.0001\"",
     "t.toml:2: capacity.cpu: \"1.0001\" is not a number with up to three decimals" CPU},
    {"[capacity]\ncpu = -1", "t.toml:2: capacity.cpu: -1 is out of range" CPU},
    {"[capacity]\ncpu = 9007199254741", "t.toml:2: capacity.cpu: 9007199254741 is out of range" CPU},
    {"[capacity]\ncpu = 0.0001", "t.toml:2: capacity.cpu: is not a number of thousandths in range" CPU},
    {"[capacity]\ncpu = -0.5", "t.toml:2: capacity.cpu: is not a number of thousandths in range" CPU},
    {"[capacity]\ncpu = 1e300", "t.toml:2: capacity.cpu: is not a number of thousandths in range" CPU},
    {"[capacity]\ncpu = inf", "t.toml:2: capacity.cpu: is not a number of thousandths in range" CPU},
    {"[capacity]\ncpu = nan", "t.toml:2: capacity.cpu: is not a number of thousandths in range" CPU},
    {"[capacity]\ncpu = false", "t.toml:2: capacity.cpu: has the type boolean" CPU},
    {"[capacity]\nmem = \"1.5g\"", "t.toml:2: capacity.mem: \"1.5g\" " NOT_MEM MEM},
    {"[capacity]\nmem = 1.5", "t.toml:2: capacity.mem: has the type float" MEM},
    {"[capacity]\nmem = 9007199254740993", "t.toml:2: capacity.mem: 9007199254740993 is out of range" MEM},
    {"[unit]\nresreq = \"\"", "t.toml:2: unit.resreq: is empty" EXAMPLE},
    {"[unit]\nresreq = \"cpu\"", "t.toml:2: unit.resreq: entry \"cpu\" has no '='" EXAMPLE},
    {"[unit]\nresreq = \"gpu=4294967296\"",
     "t.toml:2: unit.resreq: entry \"gpu=4294967296\" is too large" EXAMPLE},
    {"[unit]\nresreq = \"cpu=0,gpu=0\"",
     "t.toml:2: unit.resreq: \"cpu=0,gpu=0\" asks for nothing" AMOUNTS ", at least one above 0"},
    {"[unit]\nresreq = 1", "t.toml:2: unit.resreq: has the type integer" AMOUNTS ", at least one above 0"},

    {"[admission]\ndefault_wait = 5", "t.toml:2: admission.default_wait: has the type integer" DURATION},
    {"[admission]\nmax_wait = \"5\"",
     "t.toml:2: admission.max_wait: \"5\" is not a duration such as 30s, 5m, 2h or 500ms" DURATION},
    {"[admission]\nmax_wait = \"8785h\"", "t.toml:2: admission.max_wait: \"8785h\" is too large" DURATION},
    {"[admission]\ncreate_grace = \"999ms\"",
     "t.toml:2: admission.create_grace: \"999ms\" is too short" DURATION_1S},
    {"[admission]\nstart_timeout = \"0s\"",
     "t.toml:2: admission.start_timeout: \"0s\" is too short" DURATION_1S},
    {"[admission]\nmax_bypass = 1000001",
     "t.toml:2: admission.max_bypass: 1000001 is out of range; allowed: a "
     "whole number from 0 to 1000000"},
    {"[admission]\nqueue_from = [\"\"]",
     "t.toml:2: admission.queue_from: \"\" is empty; allowed: an array of 0 "
     "to 64 names of annotations"},
    {QUEUE "weight = 0", "t.toml:2: queues.q.weight: 0 is out of range; allowed: a whole number from 1 to "
                         "1048576"},
    {QUEUE "weight = 1048577", "t.toml:2: queues.q.weight: 1048577 is out of range; allowed: a whole number "
                               "from 1 to 1048576"},
    {QUEUE "guarantee = \"gpu\"", "t.toml:2: queues.q.guarantee: entry \"gpu\" has no '='" EXAMPLE},
    {QUEUE "guarantee = []", "t.toml:2: queues.q.guarantee: has the type array" AMOUNTS ", or \"\" for none"},
    {QUEUE "limit = \" \"", "t.toml:2: queues.q.limit: is empty" EXAMPLE},
    {QUEUE "lend = \"yes\"", "t.toml:2: queues.q.lend: has the type string" FLAG},
    {QUEUE "max_priority = -1001", "t.toml:2: queues.q.max_priority: -1001 is out of range; allowed: a whole "
                                   "number from -1000 to 1000"},
    {QUEUE "max_priority = 1001", "t.toml:2: queues.q.max_priority: 1001 is out of range; allowed: a whole "
                                  "number from -1000 to 1000"},
    {"[placement]\npolicy = \"random\"", "t.toml:2: placement.policy: \"random\" is not known" POLICIES},
    {"[placement]\npolicy = 1", "t.toml:2: placement.policy: has the type integer" POLICIES},
    {"[placement]\nallow_override = 1", "t.toml:2: placement.allow_override: has the type integer" FLAG},
    {"[placement]\nmax_containers_per_gpu = 1025",
     "t.toml:2: placement.max_containers_per_gpu: 1025 is out of "
     "range; allowed: a whole number from 0 to 1024"},
    {"[inject]\ndriver = \"docker\"",
     "t.toml:2: inject.driver: \"docker\" is not known; allowed: one of auto, cdi, nvc, chain, none"},
    {"[inject]\ndeny_unrequested = 0", "t.toml:2: inject.deny_unrequested: has the type integer" FLAG},
    {"[runtime]\nlow_level = []", "t.toml:2: runtime.low_level: has 0 entries" RUNTIMES},
    {"[runtime]\nlow_level = [\"\"]", "t.toml:2: runtime.low_level: \"\" is empty" RUNTIMES},
    {"[runtime]\nlow_level = [\"bin/runc\"]",
     "t.toml:2: runtime.low_level: \"bin/runc\" is neither a name nor an absolute path" RUNTIMES},
    {"[runtime]\nlow_level = [\"..\"]",
     "t.toml:2: runtime.low_level: \"..\" is neither a name nor an absolute path" RUNTIMES},
    {"[runtime]\nlow_level = [\"/bin/./runc\"]",
     "t.toml:2: runtime.low_level: \"/bin/./runc\" has a part '.' or '..'" RUNTIMES},
    {"[ledger]\ndir = \"run\"", "t.toml:2: ledger.dir: \"run\" does not start with '/'" PATH},
    {"[ledger]\ngroup = \"a:b\"", "t.toml:2: ledger.group: \"a:b\" has a ':' or ','" GROUP},
    {"[ledger]\ngroup = \"a\\nb\"", "t.toml:2: ledger.group: \"a\\x0ab\" has a control character" GROUP},
    {"[log]\nlevel = \"trace\"",
     "t.toml:2: log.level: \"trace\" is not known; allowed: one of error, warn, info, debug"},
    {"[log]\nevents = \"e.jsonl\"",
     "t.toml:2: log.events: \"e.jsonl\" does not start with '/'" PATH ", or \"\" for off"},
};

static const struct row names[] = {
    {"[gpu]\nreplica = 4", "t.toml:2: gpu.replica: unknown key; did you mean replicas?"},
    {"[gpu]\nREPLICAS = 4", "t.toml:2: gpu.REPLICAS: unknown key; did you mean replicas?"},
    {"[gpu]\npolicy = 4", "t.toml:2: gpu.policy: unknown key; did you mean placement.policy?"},
    {"[gpu]\ncolour = 4", "t.toml:2: gpu.colour: unknown key; allowed: source, replicas, dev_root, device"},
    {"[gpu]\n\"replicas\\u0000\" = 4",
     "t.toml:2: gpu.\"replicas\\x00\": unknown key; did you mean replicas?"},
    {"[gpu]\n\"a\\nb: fine\" = 4",
     "t.toml:2: gpu.\"a\\x0ab: fine\": unknown key; allowed: source, replicas, dev_root, device"},
    {"[gpu]\n\"\" = 4", "t.toml:2: gpu.\"\": unknown key; allowed: source, replicas, dev_root, device"},
    {"[gpu.devices]", "t.toml:1: gpu.devices: unknown key; did you mean device?"},
    {DEVICE "node = []", "t.toml:3: gpu.device.node: unknown key; did you mean nodes?"},
    {QUEUE "wieght = 1", "t.toml:2: queues.q.wieght: unknown key; did you mean weight?"},
    {QUEUE "x = 1",
     "t.toml:2: queues.q.x: unknown key; allowed: weight, guarantee, limit, lend, max_priority"},
    {"[gpus]", "t.toml:1: gpus: unknown section; did you mean gpu?"},
    {"[queue.q]", "t.toml:1: queue: unknown section; did you mean queues?"},
    {"[secrets]", "t.toml:1: secrets: unknown section; allowed: gpu, capacity, unit, admission, placement, "
                  "inject, runtime, ledger, log, queues"},
    {"replicas = 4", "t.toml:1: replicas: unknown section; did you mean gpu.replicas?"},
    {"gpu = 4", "t.toml:1: gpu: has the type integer; allowed: a table, [gpu]"},
    {"[[gpu]]", "t.toml:1: gpu: has the type array; allowed: a table, [gpu]"},
    {"queues = []", "t.toml:1: queues.NAME: has the type array; allowed: a table, [queues.NAME]"},
    {"[queues]\nweight = 2",
     "t.toml:2: queues.weight: has the type integer; allowed: a table, [queues.weight]"},
    {"[queues.\"\"]", "t.toml:1: queues: the name \"\" is empty" QUEUE_NAME},
    {"[queues.\"a b\"]",
     "t.toml:1: queues: the name \"a b\" has a character that is not a letter, digit, '.', "
     "'_' or '-'" QUEUE_NAME},
    {"[queues.\"a\\u0000\"]", "t.toml:1: queues: the name \"a\\x00\" has a character that is not a letter, "
                              "digit, '.', '_' or '-'" QUEUE_NAME},
    {"[queues.a.b]",
     "t.toml:1: queues.a.b: unknown key; allowed: weight, guarantee, limit, lend, max_priority"},
};

static const struct row together[] = {
    {"[admission]\ndefault_wait = \"2m\"",
     "t.toml:2: admission.default_wait: 2m is above max_wait; allowed: at most 90s (default)"},
    {"[admission]\nmax_wait = \"10s\"\ndefault_wait = \"10001ms\"",
     "t.toml:3: admission.default_wait: 10001ms is above max_wait; allowed: at most 10s (t.toml:2)"},
    {QUEUE "limit = \"cpu=64,gpu=1\"\nguarantee = \"gpu=2\"",
     "t.toml:3: queues.q.guarantee: the guarantee gpu=2 is above the limit gpu=1; allowed: at most the limit "
     "(t.toml:2)"},
    {DEVICE DEVICE, "t.toml:4: gpu.device.uuid: is the same as at t.toml:2; allowed: each GPU once"},
    {DEVICE "minor = 3\n[[gpu.device]]\nuuid = \"H\"\nminor = 3",
     "t.toml:6: gpu.device.minor: is the same as at t.toml:3; allowed: each GPU once"},
    {DEVICE "cdi = \"a/b=0\"\n[[gpu.device]]\nuuid = \"H\"\ncdi = \"a/b=0\"",
     "t.toml:6: gpu.device.cdi: is the same as at t.toml:3; allowed: each GPU once"},
    {DEVICE "minor = 0\nnodes = [\"/dev/x\"]",
     "t.toml:4: gpu.device.nodes: there is also minor; allowed: one of minor, nodes and cdi"},
    {DEVICE "cdi = \"a/b=0\"\nminor = 0",
     "t.toml:3: gpu.device.cdi: there is also minor; allowed: one of minor, nodes and cdi"},
    {DEVICE "nodes = [\"/dev/x\"]\ncdi = \"a/b=0\"",
     "t.toml:4: gpu.device.cdi: there is also nodes; allowed: one of minor, nodes and cdi"},
    {"[capacity]\ncpu = 4\n[queues.a]\nguarantee = \"cpu=3\"\nlend = false\n[queues.b]\nguarantee = "
     "\"cpu=3\"\nlend = false",
     "t.toml:7: queues.b.guarantee: with those before it, the guarantees that are not lent add up to cpu=6; "
     "allowed: at "
     "most the capacity, cpu=4"},
    {"[gpu]\nsource = \"config\"\n[queues.a]\nguarantee = \"gpu=1\"\nlend = false",
     "t.toml:4: queues.a.guarantee: with those before it, the guarantees that are not lent add up to gpu=1; "
     "allowed: at "
     "most the capacity, gpu=0"},
};

static void expect_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CLEAN_CONFIG struct config *config = NULL;
        struct error err = {0};

        if (config_from_text(rows[i].text, strlen(rows[i].text), &config, &err) == 0)
            fail_msg("was accepted:\n%s", rows[i].text);
        if (err.kind != ERROR_INPUT || strcmp(err.text, rows[i].said) != 0)
            fail_msg("%s\nsaid:     %s\nexpected: %s", rows[i].text, err.text, rows[i].said);
    }
}

static void a_value_that_is_wrong_is_refused_with_what_is_allowed(void **state)
{
    (void)state;
    expect_rows(values, ROWS(values));
}

static void a_name_that_is_unknown_is_refused_with_what_was_meant(void **state)
{
    (void)state;
    expect_rows(names, ROWS(names));
}

static void values_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    expect_rows(together, ROWS(together));
}

static void expect_all_keys(const struct section *section, const char *path)
{
    for (size_t k = 0; k < section->count; k++) {
        CLEAN_FREE char *wanted = text_append(NULL, ": %s.%s: ", path, section->keys[k].name);
        size_t i = 0;

        while (i < ROWS(values) && strstr(values[i].said, wanted) == NULL)
            i++;
        if (i == ROWS(values))
            fail_msg("no wrong value of %s.%s is tried here", path, section->keys[k].name);
    }
}

static void every_key_of_the_schema_has_a_wrong_value_here(void **state)
{
    (void)state;
    for (size_t i = 0; i < SECTION_COUNT; i++)
        expect_all_keys(&config_sections[i], config_sections[i].name);
    expect_all_keys(&queue_section, "queues.q");
    expect_all_keys(&device_section, "gpu.device");
}

static void a_text_that_is_not_toml_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *start;
    } rows[] = {
        {"[gpu]\nreplicas = \n", 18, "t.toml:2: "},
        {"[gpu]\nreplicas = 1\nreplicas = 2\n", 31, "t.toml:3: "},
        {"[gpu]\n\n# \xff\n", 11, "t.toml:3: "},
    };

    (void)state;
    for (size_t i = 0; i < ROWS(rows); i++) {
        CLEAN_CONFIG struct config *config = NULL;
        struct error err = {0};

        assert_int_equal(config_from_text(rows[i].text, rows[i].length, &config, &err), -1);
        assert_int_equal(err.kind, ERROR_INPUT);
        if (strncmp(err.text, rows[i].start, strlen(rows[i].start)) != 0)
            fail_msg("said: %s", err.text);
    }
}

static void a_mebibyte_of_open_brackets_is_refused(void **state)
{
    CLEAN_FREE char *text = text_repeat("[", CONFIG_FILE_BYTES_MAX);
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    (void)state;
    assert_int_equal(config_from_text(text, CONFIG_FILE_BYTES_MAX, &config, &err), -1);
    assert_int_equal(err.kind, ERROR_INPUT);
    memcpy(text, "a = ", 4);
    assert_int_equal(config_from_text(text, CONFIG_FILE_BYTES_MAX, &config, &err), -1);
    assert_int_equal(err.kind, ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_is_wrong_is_refused_with_what_is_allowed),
        cmocka_unit_test(a_name_that_is_unknown_is_refused_with_what_was_meant),
        cmocka_unit_test(values_that_contradict_each_other_are_refused),
        cmocka_unit_test(every_key_of_the_schema_has_a_wrong_value_here),
        cmocka_unit_test(a_text_that_is_not_toml_is_refused_with_its_line),
        cmocka_unit_test(a_mebibyte_of_open_brackets_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "config/schema.h"

#include <string.h>

#include "alloc/limits.h"
#include "config/config.h"
#include "config/names.h"

/* The place of a member that must be of the given type: a row whose field does not fit its kind does not
 * compile. Enums whose constants are not negative are compatible with unsigned, with gcc and with clang. */
#define FIELD(owner, member, type)                                                                           \
    (offsetof(owner, member) +                                                                               \
     0 * sizeof(struct {                                                                                     \
         _Static_assert(__builtin_types_compatible_p(__typeof__(((owner *)0)->member), type), #member);      \
         int unused;                                                                                         \
     }))

#define BOOL(owner, member)     .kind = KIND_BOOL, .offset = FIELD(owner, member, bool)
#define COUNT(owner, member)    .kind = KIND_COUNT, .offset = FIELD(owner, member, uint32_t)
#define SIGNED(owner, member)   .kind = KIND_SIGNED, .offset = FIELD(owner, member, int32_t)
#define CHOICE(owner, member)   .kind = KIND_CHOICE, .offset = FIELD(owner, member, unsigned)
#define POLICY(owner, member)   .kind = KIND_POLICY, .offset = FIELD(owner, member, enum policy)
#define DURATION(owner, member) .kind = KIND_DURATION, .offset = FIELD(owner, member, uint64_t)
#define CPU(owner, member)      .kind = KIND_CPU, .offset = FIELD(owner, member, struct config_capacity)
#define MEM(owner, member)      .kind = KIND_MEM, .offset = FIELD(owner, member, struct config_capacity)
#define SIZE(owner, member)     .kind = KIND_SIZE, .offset = FIELD(owner, member, uint64_t)
#define RESREQ(owner, member)   .kind = KIND_RESREQ, .offset = FIELD(owner, member, struct resreq)
#define TEXT(owner, member)     .kind = KIND_TEXT, .offset = FIELD(owner, member, char *)
#define LIST(owner, member)     .kind = KIND_LIST, .offset = FIELD(owner, member, struct config_list)

#define SECOND 1000

#define ABSOLUTE_PATH "an absolute path without '.' and '..'"

static const char *const gpu_sources[] = {
    [GPU_SOURCE_AUTO] = "auto", [GPU_SOURCE_NVML] = "nvml", [GPU_SOURCE_CONFIG] = "config", NULL};

static const char *const inject_drivers[] = {
    [INJECT_DRIVER_AUTO] = "auto",   [INJECT_DRIVER_CDI] = "cdi",   [INJECT_DRIVER_NVC] = "nvc",
    [INJECT_DRIVER_CHAIN] = "chain", [INJECT_DRIVER_NONE] = "none", NULL};

static const char *const log_levels[] = {[LOG_LEVEL_ERROR] = "error",
                                         [LOG_LEVEL_WARN] = "warn",
                                         [LOG_LEVEL_INFO] = "info",
                                         [LOG_LEVEL_DEBUG] = "debug",
                                         NULL};

static const struct key gpu_keys[] = {
    {.name = "source", CHOICE(struct config, gpu.source), .choices = gpu_sources, .initial = "\"auto\""},
    {.name = "replicas",
     COUNT(struct config, gpu.replicas),
     .min = 1,
     .max = REPLICAS_PER_GPU_MAX,
     .initial = "4"},
    {.name = "dev_root",
     TEXT(struct config, gpu.dev_root),
     .wrong = path_wrong,
     .allowed = ABSOLUTE_PATH,
     .initial = "\"/\""},
    {.name = "device", .kind = KIND_DEVICES},
};

static const struct key device_keys[] = {
    {.name = "uuid",
     TEXT(struct config_device, uuid),
     .wrong = uuid_wrong,
     .allowed = "up to 95 letters, digits, '.', '_', '-' or '/', not digits alone"},
    {.name = "minor", SIGNED(struct config_device, minor), .min = 0, .max = CONFIG_MINOR_MAX},
    {.name = "replicas", COUNT(struct config_device, replicas), .min = 1, .max = REPLICAS_PER_GPU_MAX},
    {.name = "memory", SIZE(struct config_device, memory_bytes)},
    {.name = "nodes",
     LIST(struct config_device, nodes),
     .min = 1,
     .wrong = node_wrong,
     .allowed = "paths of nodes below /dev"},
    {.name = "cdi",
     TEXT(struct config_device, cdi),
     .wrong = cdi_wrong,
     .allowed = "a qualified CDI name such as \"amd.com/gpu=0\""},
};
_Static_assert(UUID_SIZE == 96, "the text above says 95");

static const struct key capacity_keys[] = {
    {.name = "cpu", CPU(struct config, capacity.cpu), .initial = "\"auto\""},
    {.name = "mem", MEM(struct config, capacity.mem), .initial = "\"auto\""},
};

static const struct key unit_keys[] = {
    {.name = "resreq", RESREQ(struct config, unit.resreq), .initial = "\"cpu=1,mem=1g,gpu=1\""},
};

static const struct key admission_keys[] = {
    {.name = "default_wait", DURATION(struct config, admission.default_wait_ms), .initial = "\"0s\""},
    {.name = "max_wait", DURATION(struct config, admission.max_wait_ms), .initial = "\"90s\""},
    /* Not 0: between `execve` and the runtime's first sign of life every record is without evidence. */
    {.name = "create_grace",
     DURATION(struct config, admission.create_grace_ms),
     .min = SECOND,
     .initial = "\"10s\""},
    {.name = "start_timeout",
     DURATION(struct config, admission.start_timeout_ms),
     .min = SECOND,
     .initial = "\"5m\""},
    {.name = "max_bypass",
     COUNT(struct config, admission.max_bypass),
     .min = 0,
     .max = BYPASS_MAX,
     .initial = "8"},
    {.name = "queue_from",
     LIST(struct config, admission.queue_from),
     .min = 0,
     .wrong = annotation_wrong,
     .allowed = "names of annotations",
     .initial = "[\"io.kubernetes.pod.namespace\", \"io.kubernetes.cri.sandbox-namespace\", "
                "\"allot.gpu/queue\"]"},
};

static const struct key queue_keys[] = {
    {.name = "weight", COUNT(struct queue, weight), .min = 1, .max = WEIGHT_MAX},
    {.name = "guarantee", RESREQ(struct queue, guarantee), .may_be_empty = true},
    {.name = "limit", RESREQ(struct queue, limit), .may_be_empty = true},
    {.name = "lend", BOOL(struct queue, lend)},
    {.name = "max_priority", SIGNED(struct queue, max_priority), .min = PRIORITY_MIN, .max = PRIORITY_MAX},
};

static const struct key placement_keys[] = {
    {.name = "policy", POLICY(struct config, placement.policy), .initial = "\"spread\""},
    {.name = "allow_override", BOOL(struct config, placement.allow_override), .initial = "true"},
    /* A container on a GPU holds one of its replicas, so more than that would cap nothing. */
    {.name = "max_containers_per_gpu",
     COUNT(struct config, placement.max_containers_per_gpu),
     .min = 0,
     .max = REPLICAS_PER_GPU_MAX,
     .initial = "0"},
};

static const struct key inject_keys[] = {
    {.name = "driver",
     CHOICE(struct config, inject.driver),
     .choices = inject_drivers,
     .initial = "\"auto\""},
    {.name = "deny_unrequested", BOOL(struct config, inject.deny_unrequested), .initial = "false"},
};

static const struct key runtime_keys[] = {
    {.name = "low_level",
     LIST(struct config, runtime.low_level),
     .min = 1,
     .wrong = runtime_wrong,
     .allowed = "names or absolute paths of runtimes",
     .initial = "[\"runc\", \"crun\"]"},
};

static const struct key ledger_keys[] = {
    {.name = "dir",
     TEXT(struct config, ledger.dir),
     .wrong = path_wrong,
     .allowed = ABSOLUTE_PATH,
     .initial = "\"/run/allot\""},
    {.name = "group",
     TEXT(struct config, ledger.group),
     .wrong = group_wrong,
     .allowed = "the name of a group, or \"\" for none",
     .initial = "\"\""},
};

static const struct key log_keys[] = {
    {.name = "level", CHOICE(struct config, log.level), .choices = log_levels, .initial = "\"info\""},
    {.name = "events",
     TEXT(struct config, log.events),
     .wrong = path_or_empty_wrong,
     .allowed = ABSOLUTE_PATH ", or \"\" for off",
     .initial = "\"/var/log/allot/events.jsonl\""},
};

#define KEYS(array) (array), sizeof(array) / sizeof((array)[0])
#define FITS(array) _Static_assert(sizeof(array) / sizeof((array)[0]) <= SECTION_KEYS_MAX, #array)
FITS(gpu_keys);
FITS(device_keys);
FITS(admission_keys);
FITS(queue_keys);

const struct section config_sections[SECTION_COUNT] = {
    {"gpu", KEYS(gpu_keys)},
    {"capacity", KEYS(capacity_keys)},
    {"unit", KEYS(unit_keys)},
    {"admission", KEYS(admission_keys)},
    {"placement", KEYS(placement_keys)},
    {"inject", KEYS(inject_keys)},
    {"runtime", KEYS(runtime_keys)},
    {"ledger", KEYS(ledger_keys)},
    {"log", KEYS(log_keys)},
};
const struct section queue_section = {QUEUES_NAME, KEYS(queue_keys)};
const struct section device_section = {"gpu.device", KEYS(device_keys)};

static bool is_name(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && memcmp(known, name, length) == 0;
}

const struct section *schema_section(const char *name, size_t length)
{
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (is_name(config_sections[i].name, name, length))
            return &config_sections[i];
    }
    return NULL;
}

const struct key *schema_key(const struct section *section, const char *name, size_t length)
{
    for (size_t i = 0; i < section->count; i++) {
        if (is_name(section->keys[i].name, name, length))
            return &section->keys[i];
    }
    return NULL;
}

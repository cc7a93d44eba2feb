/*
 * check.c - what no single value can tell. Runs once, when all files are in.
 */
#include <string.h>

#include "alloc/limits.h"
#include "alloc/number.h"
#include "config/build.h"
#include "config/schema.h"

static struct origin *key_origin(struct origin *origins, const struct section *section, const char *name)
{
    return &origins[schema_key(section, name, strlen(name)) - section->keys];
}

/* Of a key in one of the fixed sections. */
static const struct origin *setting_origin(const struct config *config, const char *section_name,
                                           const char *name)
{
    const struct section *section = schema_section(section_name, strlen(section_name));

    return key_origin(config->origins->keys[section - config_sections], section, name);
}

static int check_waits(const struct config *config, struct error *err)
{
    char at[ORIGIN_TEXT_SIZE];
    char bound_at[ORIGIN_TEXT_SIZE];
    char wait[DURATION_TEXT_SIZE];
    char bound[DURATION_TEXT_SIZE];

    if (config->admission.default_wait_ms <= config->admission.max_wait_ms)
        return 0;
    /* default_wait stands in a file then: its default is 0, which is never above. */
    return error_set(err, ERROR_INPUT,
                     "%s: admission.default_wait: %s is above max_wait; allowed: at most %s (%s)",
                     origin_format(setting_origin(config, "admission", "default_wait"), at),
                     duration_format(config->admission.default_wait_ms, wait),
                     duration_format(config->admission.max_wait_ms, bound),
                     origin_format(setting_origin(config, "admission", "max_wait"), bound_at));
}

static int check_queues(const struct config *config, struct error *err)
{
    char at[ORIGIN_TEXT_SIZE];
    char limit_at[ORIGIN_TEXT_SIZE];
    struct error wrong;

    for (size_t i = 0; i < config->queue_count; i++) {
        struct origin *origins = config->origins->queues[i];

        if (queue_check(&config->queues[i], &wrong) < 0)
            return error_set(
                err, ERROR_INPUT, "%s: " QUEUES_NAME ".%s.guarantee: %s; allowed: at most the limit (%s)",
                origin_format(key_origin(origins, &queue_section, "guarantee"), at), config->queues[i].name,
                wrong.text, origin_format(key_origin(origins, &queue_section, "limit"), limit_at));
    }
    return 0;
}

/* --- guarantees --- */

/* What the node is sure to have of a resource, where the configuration says it; else UINT64_MAX. */
static uint64_t fixed_capacity(const struct config *config, enum resource r)
{
    const struct config_capacity *capacity = r == RES_CPU ? &config->capacity.cpu : &config->capacity.mem;
    uint64_t replicas = 0;

    if (r != RES_GPU)
        return capacity->kind == CAPACITY_FIXED ? capacity->amount : UINT64_MAX;
    if (config->gpu.source != GPU_SOURCE_CONFIG)
        return UINT64_MAX;
    for (size_t i = 0; i < config->gpu.device_count; i++)
        replicas += config->gpu.devices[i].replicas;
    return replicas;
}

/* What is held back for some cannot be more than there is. Where the machine has the last word, so has the core. */
static int check_guarantees(const struct config *config, enum resource r, struct error *err)
{
    uint64_t capacity = fixed_capacity(config, r);
    uint64_t sum = 0;
    char at[ORIGIN_TEXT_SIZE];
    char sum_text[AMOUNT_TEXT_SIZE];
    char capacity_text[AMOUNT_TEXT_SIZE];

    for (size_t i = 0; i < config->queue_count; i++) {
        const struct queue *queue = &config->queues[i];

        if (queue->lend || queue->guarantee.amount.of[r] == 0)
            continue;
        sum = quantity_add(sum, queue->guarantee.amount.of[r]);
        if (sum > capacity)
            return error_set(
                err, ERROR_INPUT,
                "%s: " QUEUES_NAME ".%s.guarantee: with those before it, the guarantees that are not lent "
                "add up to %s=%s; allowed: at most the capacity, %s=%s",
                origin_format(key_origin(config->origins->queues[i], &queue_section, "guarantee"), at),
                queue->name, resource_name(r), amount_format(r, sum, sum_text), resource_name(r),
                amount_format(r, capacity, capacity_text));
    }
    return 0;
}

/* --- devices --- */

static const struct origin *device_origin(const struct config *config, size_t index, const char *name)
{
    return key_origin(config->origins->devices[index], &device_section, name);
}

static bool same_text(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* The key that names the same GPU in both, or NULL. Nodes may be shared: all GPUs of AMD have /dev/kfd. */
static const char *same_device(const struct config_device *a, const struct config_device *b)
{
    if (same_text(a->uuid, b->uuid))
        return "uuid";
    if (a->minor != CONFIG_MINOR_NONE && a->minor == b->minor)
        return "minor";
    if (same_text(a->cdi, b->cdi))
        return "cdi";
    return NULL;
}

/* A GPU that is there twice would be shared out twice. */
static int check_device_unique(const struct config *config, size_t index, struct error *err)
{
    const struct config_device *devices = config->gpu.devices;
    char at[ORIGIN_TEXT_SIZE];
    char first_at[ORIGIN_TEXT_SIZE];

    for (size_t i = 0; i < index; i++) {
        const char *key = same_device(&devices[i], &devices[index]);

        if (key != NULL)
            return error_set(err, ERROR_INPUT,
                             "%s: gpu.device.%s: is the same as at %s; allowed: each GPU once",
                             origin_format(device_origin(config, index, key), at), key,
                             origin_format(device_origin(config, i, key), first_at));
    }
    return 0;
}

/* A device that does not say how many replicas it has takes the number, and its origin, from [gpu]. */
static void inherit_replicas(struct config *config, size_t index)
{
    struct config_device *device = &config->gpu.devices[index];

    if (device->replicas != 0)
        return;
    device->replicas = config->gpu.replicas;
    *key_origin(config->origins->devices[index], &device_section, "replicas") =
        *setting_origin(config, "gpu", "replicas");
}

static int check_devices(struct config *config, struct error *err)
{
    char at[ORIGIN_TEXT_SIZE];
    uint64_t replicas = 0;

    for (size_t i = 0; i < config->gpu.device_count; i++) {
        if (check_device_unique(config, i, err) < 0)
            return -1;
        inherit_replicas(config, i);
        replicas += config->gpu.devices[i].replicas;
    }
    if (replicas > REPLICAS_MAX)
        return error_set(err, ERROR_INPUT,
                         "%s: gpu.device: all together have %llu replicas; allowed: at most %u",
                         origin_format(setting_origin(config, "gpu", "device"), at),
                         (unsigned long long)replicas, REPLICAS_MAX);
    return 0;
}

int config_finish(struct config *config, struct error *err)
{
    if (check_waits(config, err) < 0)
        return -1;
    if (check_queues(config, err) < 0)
        return -1;
    if (check_devices(config, err) < 0)
        return -1;
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (check_guarantees(config, r, err) < 0)
            return -1;
    }
    return 0;
}

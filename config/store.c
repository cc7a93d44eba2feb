/*
 * store.c - the memory of a configuration. Queues and devices are arrays that grow, each with the array of its
 * origins beside it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/build.h"
#include "config/list.h"
#include "config/schema.h"
#include "config/value.h"

int config_no_memory(struct error *err)
{
    return error_set_errno(err, ENOMEM, "cannot hold the configuration");
}

int config_allocate(struct config **out, struct error *err)
{
    struct config *config = calloc(1, sizeof(*config));
    struct config_origins *origins = calloc(1, sizeof(*origins));

    if (config == NULL || origins == NULL) {
        free(config);
        free(origins);
        return config_no_memory(err);
    }
    config->origins = origins;
    *out = config;
    return 0;
}

int config_insert_queue(struct config *config, size_t index, const char *name, struct error *err)
{
    const size_t behind = config->queue_count - index;
    struct origin(*origins)[SECTION_KEYS_MAX];
    struct queue *queues;

    queues = reallocarray(config->queues, config->queue_count + 1, sizeof(*queues));
    if (queues == NULL)
        return config_no_memory(err);
    config->queues = queues;
    origins = reallocarray(config->origins->queues, config->queue_count + 1, sizeof(*origins));
    if (origins == NULL)
        return config_no_memory(err);
    config->origins->queues = origins;
    memmove(&queues[index + 1], &queues[index], behind * sizeof(*queues));
    memmove(&origins[index + 1], &origins[index], behind * sizeof(*origins));
    queues[index] = queue_default(name, CONFIG_PRIORITY_DEFAULT);
    memset(&origins[index], 0, sizeof(*origins));
    config->queue_count++;
    return 0;
}

static void clear_section(const struct section *section, void *base)
{
    for (size_t i = 0; i < section->count; i++)
        value_clear(&section->keys[i], base);
}

static void clear_devices(struct config *config)
{
    for (size_t i = 0; i < config->gpu.device_count; i++)
        clear_section(&device_section, &config->gpu.devices[i]);
    free(config->gpu.devices);
    free(config->origins->devices);
    config->gpu.devices = NULL;
    config->gpu.device_count = 0;
    config->origins->devices = NULL;
}

int config_reserve_devices(struct config *config, size_t count, struct error *err)
{
    struct origin(*origins)[SECTION_KEYS_MAX];
    struct config_device *devices;

    clear_devices(config);
    if (count == 0)
        return 0;
    devices = calloc(count, sizeof(*devices));
    origins = calloc(count, sizeof(*origins));
    if (devices == NULL || origins == NULL) {
        free(devices);
        free(origins);
        return config_no_memory(err);
    }
    config->gpu.devices = devices;
    config->origins->devices = origins;
    return 0;
}

void config_free(struct config *config)
{
    if (config == NULL)
        return;
    for (size_t i = 0; i < SECTION_COUNT; i++)
        clear_section(&config_sections[i], config);
    clear_devices(config);
    free(config->queues);
    free(config->origins->queues);
    free(config->origins);
    list_clear(&config->files);
    free(config);
}

void config_clean(struct config **config)
{
    int saved = errno;

    config_free(*config);
    errno = saved;
}

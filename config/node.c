#include "config/node.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

/* Thousandths of the cpus that are online. */
static uint64_t machine_cpu_milli(void)
{
    int cpus = get_nprocs();

    return cpus > 0 ? (uint64_t)cpus * 1000 : 0;
}

static uint64_t machine_mem_bytes(void)
{
    struct sysinfo info;

    return sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : 0;
}

static void describe_capacity(const struct config_capacity *capacity, enum resource r, uint64_t machine,
                              struct node *node)
{
    node->off[r] = capacity->kind == CAPACITY_OFF;
    node->capacity.of[r] = capacity->kind == CAPACITY_AUTO ? machine : capacity->amount;
}

/* With source = "nvml" only the driver counts. */
static size_t count_described(const struct config *config)
{
    return config->gpu.source == GPU_SOURCE_NVML ? 0 : config->gpu.device_count;
}

static struct gpu *describe_gpus(const struct config *config)
{
    size_t count = count_described(config);
    struct gpu *gpus = calloc(count > 0 ? count : 1, sizeof(gpus[0]));

    if (gpus == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t length = strnlen(config->gpu.devices[i].uuid, UUID_SIZE - 1);

        memcpy(gpus[i].uuid, config->gpu.devices[i].uuid, length);
        gpus[i].replicas = config->gpu.devices[i].replicas;
    }
    return gpus;
}

int config_describe_node(const struct config *config, struct node_description *description, struct gpu **gpus,
                         struct error *err)
{
    struct node *node = &description->node;

    *description = (struct node_description){0};
    describe_capacity(&config->capacity.cpu, RES_CPU, machine_cpu_milli(), node);
    describe_capacity(&config->capacity.mem, RES_MEM, machine_mem_bytes(), node);
    node->max_bypass = config->admission.max_bypass;
    node->max_containers_per_gpu = config->placement.max_containers_per_gpu;
    node->undeclared_max_priority = CONFIG_PRIORITY_DEFAULT;
    *gpus = describe_gpus(config);
    if (*gpus == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    description->gpus = *gpus;
    description->gpu_count = (uint32_t)count_described(config);
    return 0;
}

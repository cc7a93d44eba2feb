/*
 * config.h - what the administrator says: /etc/allot/config.toml and /etc/allot/conf.d/ as one plain value.
 *
 *     config_path()   which file: --config, ALLOT_CONFIG, or the default place
 *     config_load()   files -> struct config; whatever is wrong is one error with file, line and key
 *     config_print()  struct config -> TOML, each value with where it came from
 *
 * config/config.toml says what every key means. It is the documentation, and a test keeps it complete.
 *
 * What is here has been checked: ranges, names, that each guarantee is within its limit. What needs the
 * machine is left to whoever asks the machine: whether a group exists, whether the guarantees that are not
 * lent fit into the capacity.
 *
 * Everything in the struct belongs to it and ends with config_free(). It is only read after loading.
 */
#ifndef ALLOT_CONFIG_CONFIG_H
#define ALLOT_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "alloc/error.h"
#include "alloc/policy.h"
#include "alloc/queue.h"
#include "alloc/resource.h"

#define CONFIG_FOLDER      "/etc/allot"
#define CONFIG_MAIN_FILE   "config.toml"
#define CONFIG_DROPINS     "conf.d"
#define CONFIG_ENVIRONMENT "ALLOT_CONFIG"

#define CONFIG_FILE_BYTES_MAX   (1U << 20)
#define CONFIG_FILES_MAX        256U            /* in conf.d */
#define CONFIG_LIST_MAX         64U             /* entries of an array of names */
#define CONFIG_MINOR_MAX        ((1 << 20) - 1) /* the kernel has 20 bits for a minor number */
#define CONFIG_MINOR_NONE       (-1)
#define CONFIG_PRIORITY_DEFAULT 0 /* max_priority of a queue that does not say, or is not declared */

enum gpu_source {
    GPU_SOURCE_AUTO,   /* [[gpu.device]] if there is any, else NVML */
    GPU_SOURCE_NVML,   /* the driver; [[gpu.device]] is not used */
    GPU_SOURCE_CONFIG, /* [[gpu.device]] only; none means a node without GPUs */
};

enum capacity_kind {
    CAPACITY_AUTO, /* what the machine has */
    CAPACITY_OFF,  /* neither checked nor shared */
    CAPACITY_FIXED,
};

enum inject_driver {
    INJECT_DRIVER_AUTO,
    INJECT_DRIVER_CDI,
    INJECT_DRIVER_NVC,
    INJECT_DRIVER_CHAIN,
    INJECT_DRIVER_NONE,
};

enum log_level {
    LOG_LEVEL_ERROR,
    LOG_LEVEL_WARN,
    LOG_LEVEL_INFO,
    LOG_LEVEL_DEBUG,
};

struct config_capacity {
    enum capacity_kind kind;
    uint64_t amount; /* CAPACITY_FIXED: thousandths of a cpu, or bytes; else 0 */
};

struct config_list {
    char **items;
    size_t count;
};

/* One [[gpu.device]]. Which nodes belong to it is said by at most one of minor, nodes and cdi. */
struct config_device {
    char *uuid;
    int32_t minor;            /* of /dev/nvidia<minor>, or CONFIG_MINOR_NONE */
    uint32_t replicas;        /* gpu.replicas where the device does not say */
    uint64_t memory_bytes;    /* 0: not said */
    struct config_list nodes; /* paths below /dev; several devices may share one */
    char *cdi;                /* "vendor/class=name", or NULL */
};

struct config {
    struct {
        enum gpu_source source;
        uint32_t replicas;
        char *dev_root;
        struct config_device *devices; /* in the order of the file: the GPUs' indices */
        size_t device_count;
    } gpu;
    struct {
        struct config_capacity cpu;
        struct config_capacity mem;
    } capacity;
    struct {
        struct resreq resreq; /* some amount is above 0 */
    } unit;
    struct {
        uint64_t default_wait_ms; /* at most max_wait_ms */
        uint64_t max_wait_ms;
        uint64_t create_grace_ms;
        uint64_t start_timeout_ms;
        uint32_t max_bypass;
        struct config_list queue_from; /* may be empty: every request is of the queue `default` */
    } admission;
    struct {
        enum policy policy;
        bool allow_override;
        uint32_t max_containers_per_gpu; /* 0: no cap */
    } placement;
    struct {
        enum inject_driver driver;
        bool deny_unrequested;
    } inject;
    struct {
        struct config_list low_level; /* names or absolute paths; at least one */
    } runtime;
    struct {
        char *dir;
        char *group; /* "": none */
    } ledger;
    struct {
        enum log_level level;
        char *events; /* "": off */
    } log;

    struct queue *queues; /* sorted by name */
    size_t queue_count;

    struct config_list files;       /* what was read, in that order; made safe to print */
    struct config_origins *origins; /* for config_print() and messages */
};

/* The file to load: `option` if a person gave one, else $ALLOT_CONFIG, else NULL for the default place. The
 * variable is ignored where the program has more rights than its caller. Borrowed. */
const char *config_path(const char *option);

/*
 * Loads `path`, which must exist; NULL loads the default place: CONFIG_FOLDER's main file and then its
 * drop-ins in byte order, all of which may be absent. A later file wins key by key; an array replaces the
 * whole array, and [[gpu.device]] all devices; queues merge key by key.
 *
 * A file that is named explicitly is the whole configuration: no conf.d is looked for beside it. What is
 * checked is then exactly what was named, and a file in /tmp does not pull in what others put beside it.
 *
 * Root reads only what root owns and nobody else may write. ERROR_INPUT for what files say and whose they
 * are, ERROR_SYSTEM for I/O.
 */
int config_load(const char *path, struct config **out, struct error *err);

/* The same for another default place, a folder that holds config.toml and conf.d. */
int config_load_folder(const char *folder, struct config **out, struct error *err);

void config_free(struct config *config); /* NULL is fine */
void config_clean(struct config **config);
#define CLEAN_CONFIG __attribute__((cleanup(config_clean)))

/* The declared queue of that name, or NULL. */
const struct queue *config_queue(const struct config *config, const char *name);

/* The whole configuration as TOML, each value followed by its origin as a comment. Loading that text gives
 * the same configuration. Fails (ERROR_SYSTEM) only where writing does. */
int config_print(const struct config *config, FILE *out, struct error *err);

#endif

#include "hook/cli/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/cleanup.h"
#include "alloc/line.h"

static bool is_first_of_gpu(const struct replica *replicas, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (replicas[i].gpu == replicas[at].gpu)
            return false;
    }
    return true;
}

/* Both lists; a container without GPUs sees none. */
static int join_names(const struct state *state, const struct grant *grant, char *gpus, char *names,
                      size_t size)
{
    const struct replica *replicas = &state->replicas[grant->first_replica];
    size_t gpus_used = 0;
    size_t names_used = 0;

    gpus[0] = names[0] = '\0';
    for (uint32_t i = 0; i < grant->ask.of[RES_GPU]; i++) {
        char name[REPLICA_TEXT_SIZE];

        names_used += (size_t)snprintf(names + names_used, size - names_used, "%s%s", i > 0 ? "," : "",
                                       replica_format(state, replicas[i], name));
        if (is_first_of_gpu(replicas, i))
            gpus_used += (size_t)snprintf(gpus + gpus_used, size - gpus_used, "%s%s",
                                          gpus_used > 0 ? "," : "", state->gpus[replicas[i].gpu].uuid);
    }
    return 0;
}

int environment_set(const struct state *state, const char *id, struct error *err)
{
    const size_t size = (size_t)GRANT_REPLICAS_MAX * REPLICA_TEXT_SIZE;
    CLEAN_FREE char *gpus = malloc(size);
    CLEAN_FREE char *names = malloc(size);
    uint32_t at = state_find_grant(state, id);

    if (at == INDEX_NONE)
        return error_set(err, ERROR_BUG, "the grant of %s is not there", id);
    if (gpus == NULL || names == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    join_names(state, &state->grants[at], gpus, names, size);
    if (gpus[0] == '\0')
        snprintf(gpus, size, "void"); /* what the driver's own tools call none */
    if (setenv("NVIDIA_VISIBLE_DEVICES", gpus, 1) < 0 ||
        setenv("CUDA_VISIBLE_DEVICES", strcmp(gpus, "void") == 0 ? "" : gpus, 1) < 0 ||
        setenv("ALLOT_REPLICAS", names, 1) < 0 ||
        setenv("ALLOT_QUEUE", state->queues[state->grants[at].queue].name, 1) < 0)
        return error_set_errno(err, errno, "the environment cannot be set");
    return 0;
}

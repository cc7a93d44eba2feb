#include "hook/cli/node.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/node.h"

void node_clean(struct node_access *node)
{
    ledger_close(node->ledger);
    config_free(node->config);
    free(node->gpus);
}

static int find_group(const char *name, gid_t *out, struct error *err)
{
    const struct group *group;

    *out = LEDGER_GROUP_NONE;
    if (name[0] == '\0')
        return 0;
    errno = 0;
    group = getgrnam(name);
    if (group == NULL && errno != 0)
        return error_set_errno(err, errno, "the group %s of ledger.group cannot be looked up", name);
    if (group == NULL)
        return error_set(err, ERROR_INPUT, "ledger.group: there is no group %s; remedy: groupadd %s", name,
                         name);
    *out = group->gr_gid;
    return 0;
}

int node_load(struct node_access *node, const char *engine, struct error *err)
{
    const struct config *config;

    *node = (struct node_access){0};
    if (config_load(config_path(NULL), &node->config, err) < 0)
        return -1;
    config = node->config;
    if (config_describe_node(config, &node->description, &node->gpus, err) < 0)
        return -1;
    node->options = (struct ledger_options){
        .folder = config->ledger.dir,
        .events = config->log.events,
        .engine = engine,
        .lock_timeout_ms = LEDGER_LOCK_TIMEOUT_MS,
        .create_grace_ms = config->admission.create_grace_ms,
        .node = &node->description,
        .queues = config->queues,
        .queue_count = config->queue_count,
    };
    return find_group(config->ledger.group, &node->options.group, err);
}

int node_open_ledger(struct node_access *node, struct error *err)
{
    return ledger_open(&node->options, &node->ledger, err);
}

void node_report(const struct node_access *node)
{
    const struct ledger *ledger = node->ledger;

    if (ledger->log_trouble.kind != ERROR_NONE)
        fprintf(stderr, "allot: warning: %s; decisions go on, and are not logged until this is mended\n",
                ledger->log_trouble.text);
    if (ledger->gpus_vanished > 0 || ledger->gpus_came > 0)
        fprintf(stderr,
                "allot: warning: since the last use %u GPUs vanished and %u came; grants on vanished ones "
                "stay until their "
                "containers end, see 'allot status'\n",
                ledger->gpus_vanished, ledger->gpus_came);
}

/*
 * node.h - from the configuration to the core: the node that it describes.
 */
#ifndef ALLOT_CONFIG_NODE_H
#define ALLOT_CONFIG_NODE_H

#include "alloc/state.h"
#include "config/config.h"

/* The GPUs that are described by hand, and the capacity: what the configuration says, else what the machine has. The
 * description points to `*gpus`, which the caller frees. */
int config_describe_node(const struct config *config, struct node_description *description, struct gpu **gpus,
                         struct error *err);

#endif

/*
 * list.h - a list that owns its texts. Internal to config/; others only read struct config_list.
 */
#ifndef ALLOT_CONFIG_LIST_H
#define ALLOT_CONFIG_LIST_H

#include <stddef.h>

#include "config/config.h"

/* Frees the texts and empties the list. */
void list_clear(struct config_list *list);
#define CLEAN_LIST __attribute__((cleanup(list_clear)))

/* Appends a copy. -1: there is no memory, and the list is as before. */
int list_add(struct config_list *list, const char *text, size_t length);

/* Moves the texts out; `list` is empty afterwards. */
struct config_list list_take(struct config_list *list);

#endif

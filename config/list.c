#include "config/list.h"

#include <stdlib.h>
#include <string.h>

void list_clear(struct config_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct config_list){0};
}

int list_add(struct config_list *list, const char *text, size_t length)
{
    char **items = reallocarray(list->items, list->count + 1, sizeof(items[0]));

    if (items == NULL)
        return -1;
    list->items = items;
    items[list->count] = strndup(text, length);
    if (items[list->count] == NULL)
        return -1;
    list->count++;
    return 0;
}

struct config_list list_take(struct config_list *list)
{
    struct config_list taken = *list;

    *list = (struct config_list){0};
    return taken;
}

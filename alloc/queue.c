#include "alloc/queue.h"

#include <assert.h>
#include <string.h>

_Static_assert(QUEUE_NAME_SIZE == 64, "a message below names it");

static bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

const char *queue_name_wrong(const char *name, size_t length)
{
    if (length == 0)
        return "is empty";
    if (length >= QUEUE_NAME_SIZE)
        return "is longer than 63 characters";
    if (!is_alphanumeric(name[0]))
        return "does not start with a letter or digit";
    for (size_t i = 1; i < length; i++) {
        if (!is_alphanumeric(name[i]) && name[i] != '.' && name[i] != '_' && name[i] != '-')
            return "has a character that is not a letter, digit, '.', '_' or '-'";
    }
    return NULL;
}

struct queue queue_default(const char *name, int32_t max_priority)
{
    struct queue queue = {.weight = 1, .lend = true, .max_priority = max_priority};
    size_t length = strlen(name);

    assert(length < sizeof(queue.name));
    memcpy(queue.name, name, length);
    return queue;
}

int queue_check(const struct queue *queue, struct error *err)
{
    char guarantee[AMOUNT_TEXT_SIZE];
    char limit[AMOUNT_TEXT_SIZE];

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (!queue->guarantee.named[r] || !queue->limit.named[r])
            continue;
        if (queue->guarantee.amount.of[r] > queue->limit.amount.of[r])
            return error_set(err, ERROR_INPUT, "the guarantee %s=%s is above the limit %s=%s",
                             resource_name(r), amount_format(r, queue->guarantee.amount.of[r], guarantee),
                             resource_name(r), amount_format(r, queue->limit.amount.of[r], limit));
    }
    return 0;
}

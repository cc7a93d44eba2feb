#include "config/config.h"

#include <stdlib.h>
#include <string.h>

#include "alloc/cleanup.h"
#include "config/build.h"
#include "config/schema.h"
#include "config/toml.h"
#include "config/value.h"

#define INITIAL_SIZE 256

static void clean_document(struct toml_document **document)
{
    toml_free(*document);
}

/* A default is read as if it stood in a file, so there is one way to a value and one check of it. */
static int read_initial(const struct key *key, struct config *config, struct error *err)
{
    __attribute__((cleanup(clean_document))) struct toml_document *document = NULL;
    char text[INITIAL_SIZE];
    int length = snprintf(text, sizeof(text), "%s = %s", key->name, key->initial);

    if (length < 0 || (size_t)length >= sizeof(text))
        return error_set(err, ERROR_BUG, "the default of %s is too long", key->name);
    if (toml_parse(text, (size_t)length, &document, err) < 0)
        return -1;
    return value_read(key, toml_root(document)->first, config, err);
}

static int read_initials(const struct section *section, struct config *config, struct error *err)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct key *key = &section->keys[i];

        if (key->initial != NULL && read_initial(key, config, err) < 0)
            return error_add_context(err, "the default of %s.%s", section->name, key->name);
    }
    return 0;
}

int config_new(struct config **out, struct error *err)
{
    CLEAN_CONFIG struct config *config = NULL;

    if (config_allocate(&config, err) < 0)
        return -1;
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (read_initials(&config_sections[i], config, err) < 0)
            return -1;
    }
    *out = take_pointer(&config);
    return 0;
}

bool config_find_queue(const struct config *config, const char *name, size_t *index)
{
    size_t low = 0;
    size_t high = config->queue_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(config->queues[middle].name, name);

        if (order == 0) {
            *index = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *index = low;
    return false;
}

const struct queue *config_queue(const struct config *config, const char *name)
{
    size_t index = 0;

    return config_find_queue(config, name, &index) ? &config->queues[index] : NULL;
}

/*
 * apply.c - the tree of a TOML text, laid over a configuration.
 *
 * [section] goes to struct config, [queues.NAME] to a struct queue, [[gpu.device]] to a struct config_device;
 * all three through apply_table(), which looks each member up in the schema. What the schema does not have is
 * refused: a setting that is misspelt and ignored would be a limit that does not limit.
 */
#include <string.h>

#include "alloc/cleanup.h"
#include "config/build.h"
#include "config/hint.h"
#include "config/list.h"
#include "config/schema.h"
#include "config/toml.h"
#include "config/value.h"

/* The text that is being applied. */
struct reading {
    struct config *config;
    const char *file; /* the label */
};

/* What the members of a table are stored to. */
struct target {
    const struct section *section;
    const char *path; /* for messages: "gpu", "queues.research" */
    void *base;
    struct origin *origins;
};

static void clean_document(struct toml_document **document)
{
    toml_free(*document);
}

/* --- messages --- */

/* A key as a message may show it: plain if it is bare, else quoted. */
static const char *show_key(const struct toml_value *value, char buffer[static QUOTE_SIZE])
{
    static const char bare[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t length = value->key_length;

    if (length == 0 || length >= QUOTE_SIZE || strspn(value->key, bare) != length)
        return text_quote(buffer, value->key, length);
    memcpy(buffer, value->key, length + 1);
    return buffer;
}

static int not_a_table(const struct reading *reading, const struct toml_value *value, const char *path,
                       struct error *err)
{
    return error_set(err, ERROR_INPUT, "%s:%u: %s: has the type %s; allowed: a table, [%s]", reading->file,
                     value->line, path, toml_type_name(value->type), path);
}

static int unknown_key(const struct reading *reading, const struct target *target,
                       const struct toml_value *value, struct error *err)
{
    char hint[HINT_SIZE];
    char key[QUOTE_SIZE];

    return error_set(err, ERROR_INPUT, "%s:%u: %s.%s: unknown key; %s", reading->file, value->line,
                     target->path, show_key(value, key),
                     hint_unknown(target->section, value->key, value->key_length, hint));
}

static int unknown_section(const struct reading *reading, const struct toml_value *value, struct error *err)
{
    char hint[HINT_SIZE];
    char key[QUOTE_SIZE];

    return error_set(err, ERROR_INPUT, "%s:%u: %s: unknown section; %s", reading->file, value->line,
                     show_key(value, key), hint_unknown(NULL, value->key, value->key_length, hint));
}

/* --- tables --- */

static int apply_devices(const struct reading *reading, const struct key *key, const struct toml_value *array,
                         struct error *err);

static int apply_member(const struct reading *reading, const struct target *target,
                        const struct toml_value *value, struct error *err)
{
    const struct key *key = schema_key(target->section, value->key, value->key_length);

    if (key == NULL)
        return unknown_key(reading, target, value, err);
    if (key->kind == KIND_DEVICES) {
        if (apply_devices(reading, key, value, err) < 0)
            return -1;
    } else if (value_read(key, value, target->base, err) < 0) {
        return error_add_context(err, "%s:%u: %s.%s", reading->file, value->line, target->path, key->name);
    }
    target->origins[key - target->section->keys] = (struct origin){reading->file, value->line};
    return 0;
}

static int apply_table(const struct reading *reading, const struct target *target,
                       const struct toml_value *table, struct error *err)
{
    if (table->type != TOML_TABLE)
        return not_a_table(reading, table, target->path, err);
    for (const struct toml_value *member = table->first; member != NULL; member = member->next) {
        if (apply_member(reading, target, member, err) < 0)
            return -1;
    }
    return 0;
}

/* --- devices --- */

/* minor, nodes and cdi each say by themselves which nodes a container gets: two of them could contradict each
 * other. None is fine: a CDI specification may know the GPU by its UUID. */
static int check_device(const struct reading *reading, const struct toml_value *table, struct error *err)
{
    static const char *const exclusive[] = {"minor", "nodes", "cdi"};
    const struct toml_value *seen = NULL;

    if (toml_get(table, "uuid") == NULL)
        return error_set(err, ERROR_INPUT, "%s:%u: gpu.device.uuid: is missing; allowed: the GPU's UUID",
                         reading->file, table->line);
    for (size_t i = 0; i < sizeof(exclusive) / sizeof(exclusive[0]); i++) {
        const struct toml_value *value = toml_get(table, exclusive[i]);

        if (value != NULL && seen != NULL)
            return error_set(err, ERROR_INPUT,
                             "%s:%u: gpu.device.%s: there is also %s; allowed: one of minor, nodes and cdi",
                             reading->file, value->line, exclusive[i], seen->key);
        if (value != NULL)
            seen = value;
    }
    return 0;
}

static int apply_device(const struct reading *reading, const struct toml_value *table, struct error *err)
{
    struct config *config = reading->config;
    size_t index = config->gpu.device_count;
    const struct target target = {&device_section, device_section.name, &config->gpu.devices[index],
                                  config->origins->devices[index]};

    config->gpu.devices[index] = (struct config_device){.minor = CONFIG_MINOR_NONE};
    /* Counted at once, so that what a failure leaves behind is freed with the rest. */
    config->gpu.device_count++;
    if (apply_table(reading, &target, table, err) < 0)
        return -1;
    return check_device(reading, table, err);
}

/* Replaces all devices: they are one array, and arrays are replaced whole. */
static int apply_devices(const struct reading *reading, const struct key *key, const struct toml_value *array,
                         struct error *err)
{
    struct config *config = reading->config;
    char allowed[HINT_SIZE];

    if (array->type != TOML_ARRAY)
        return error_set(err, ERROR_INPUT, "%s:%u: gpu.device: has the type %s; allowed: %s", reading->file,
                         array->line, toml_type_name(array->type), hint_allowed(key, allowed));
    if (array->count > GPUS_MAX)
        return error_set(err, ERROR_INPUT, "%s:%u: gpu.device: has %zu entries; allowed: at most %u",
                         reading->file, array->line, array->count, GPUS_MAX);
    if (config_reserve_devices(config, array->count, err) < 0)
        return -1;
    for (const struct toml_value *entry = array->first; entry != NULL; entry = entry->next) {
        if (apply_device(reading, entry, err) < 0)
            return -1;
    }
    return 0;
}

/* --- queues --- */

static int check_queue_name(const struct reading *reading, const struct toml_value *table, struct error *err)
{
    const char *wrong = queue_name_wrong(table->key, table->key_length);
    char quoted[QUOTE_SIZE];

    if (wrong == NULL)
        return 0;
    return error_set(err, ERROR_INPUT,
                     "%s:%u: " QUEUES_NAME ": the name %s %s; allowed: 1 to 63 letters, digits, '.', '_' or "
                     "'-', of which the first is a letter or digit",
                     reading->file, table->line, text_quote(quoted, table->key, table->key_length), wrong);
}

static int apply_queue(const struct reading *reading, const struct toml_value *table, struct error *err)
{
    struct config *config = reading->config;
    char path[sizeof(QUEUES_NAME ".") + QUEUE_NAME_SIZE];
    struct target target = {.section = &queue_section, .path = path};
    size_t index = 0;

    if (check_queue_name(reading, table, err) < 0)
        return -1;
    snprintf(path, sizeof(path), QUEUES_NAME ".%s", table->key);
    if (!config_find_queue(config, table->key, &index)) {
        if (config->queue_count == QUEUES_MAX)
            return error_set(err, ERROR_INPUT, "%s:%u: %s: is one too many; allowed: at most %u queues",
                             reading->file, table->line, path, QUEUES_MAX);
        if (config_insert_queue(config, index, table->key, err) < 0)
            return -1;
    }
    target.base = &config->queues[index];
    target.origins = config->origins->queues[index];
    return apply_table(reading, &target, table, err);
}

static int apply_queues(const struct reading *reading, const struct toml_value *queues, struct error *err)
{
    if (queues->type != TOML_TABLE)
        return not_a_table(reading, queues, QUEUES_NAME ".NAME", err);
    for (const struct toml_value *table = queues->first; table != NULL; table = table->next) {
        if (apply_queue(reading, table, err) < 0)
            return -1;
    }
    return 0;
}

/* --- the whole --- */

static int apply_section(const struct reading *reading, const struct toml_value *value, struct error *err)
{
    const struct section *section = schema_section(value->key, value->key_length);
    struct target target = {.section = section, .base = reading->config};

    if (value->key_length == sizeof(QUEUES_NAME) - 1 && strcmp(value->key, QUEUES_NAME) == 0)
        return apply_queues(reading, value, err);
    if (section == NULL)
        return unknown_section(reading, value, err);
    target.path = section->name;
    target.origins = reading->config->origins->keys[section - config_sections];
    return apply_table(reading, &target, value, err);
}

/* The reader of TOML knows no file: "line 3: …" becomes "FILE:3: …". */
static int place_syntax_error(const char *file, struct error *err)
{
    static const char word[] = "line ";
    const char *number = err->text + sizeof(word) - 1;
    char rest[ERROR_TEXT_SIZE];
    size_t digits;

    if (strncmp(err->text, word, sizeof(word) - 1) != 0)
        return error_add_context(err, "%s", file);
    digits = strspn(number, "0123456789");
    memcpy(rest, number, sizeof(err->text) - (size_t)(number - err->text));
    return error_set(err, err->kind, "%s:%.*s%s", file, (int)digits, rest, rest + digits);
}

/* Keeps the name of the text for as long as origins point to it. */
static int add_file(struct config *config, const char *name, const char **file, struct error *err)
{
    CLEAN_FREE char *label = label_make(name);

    if (label == NULL || list_add(&config->files, label, strlen(label)) < 0)
        return config_no_memory(err);
    *file = config->files.items[config->files.count - 1];
    return 0;
}

int config_apply_text(struct config *config, const char *name, const char *text, size_t length,
                      struct error *err)
{
    __attribute__((cleanup(clean_document))) struct toml_document *document = NULL;
    struct reading reading = {.config = config};

    if (add_file(config, name, &reading.file, err) < 0)
        return -1;
    if (toml_parse(text, length, &document, err) < 0)
        return place_syntax_error(reading.file, err);
    for (const struct toml_value *value = toml_root(document)->first; value != NULL; value = value->next) {
        if (apply_section(&reading, value, err) < 0)
            return -1;
    }
    return 0;
}

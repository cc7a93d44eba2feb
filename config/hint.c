#include "config/hint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "alloc/number.h"
#include "alloc/policy.h"
#include "config/config.h"
#include "config/suggest.h"

/* Appends a word of a list, which starts with `before`. What does not fit is cut. */
static void append_word(char buffer[static HINT_SIZE], const char *before, const char *word)
{
    size_t used = strlen(buffer);

    snprintf(buffer + used, HINT_SIZE - used, "%s%s", used > 0 ? ", " : before, word);
}

static const char *list_choices(const struct key *key, char buffer[static HINT_SIZE])
{
    buffer[0] = '\0';
    for (size_t i = 0; key->choices[i] != NULL; i++)
        append_word(buffer, "one of ", key->choices[i]);
    return buffer;
}

static const char *duration_range(const struct key *key, char buffer[static HINT_SIZE])
{
    char min[DURATION_TEXT_SIZE];
    char max[DURATION_TEXT_SIZE];

    snprintf(buffer, HINT_SIZE, "a duration such as \"30s\" or \"5m\", from %s to %s",
             duration_format((uint64_t)key->min, min), duration_format(DURATION_MAX_MS, max));
    return buffer;
}

const char *hint_allowed(const struct key *key, char buffer[static HINT_SIZE])
{
    switch (key->kind) {
    case KIND_BOOL: return "true or false";
    case KIND_COUNT:
    case KIND_SIGNED:
        snprintf(buffer, HINT_SIZE, "a whole number from %" PRId64 " to %" PRId64, key->min, key->max);
        return buffer;
    case KIND_CHOICE: return list_choices(key, buffer);
    case KIND_POLICY: return "one of " POLICY_NAMES;
    case KIND_DURATION: return duration_range(key, buffer);
    case KIND_CPU: return "\"auto\", \"off\", or a number of cpus with up to three decimals";
    case KIND_MEM: return "\"auto\", \"off\", or bytes as a number or a size such as \"256g\"";
    case KIND_SIZE: return "at least 1 byte, as a number or a size such as \"80g\"";
    case KIND_RESREQ:
        return key->may_be_empty ? "amounts such as \"cpu=4,mem=16g,gpu=2\", or \"\" for none"
                                 : "amounts such as \"cpu=4,mem=16g,gpu=2\", at least one above 0";
    case KIND_TEXT: return key->allowed;
    case KIND_LIST:
        snprintf(buffer, HINT_SIZE, "an array of %" PRId64 " to %u %s", key->min, CONFIG_LIST_MAX,
                 key->allowed);
        return buffer;
    case KIND_DEVICES: return "tables, each [[gpu.device]]";
    }
    return "?";
}

/* The section that has a key of exactly this name: the line probably stands below the wrong header. */
static const struct section *section_with_key(const char *name, size_t length)
{
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (schema_key(&config_sections[i], name, length) != NULL)
            return &config_sections[i];
    }
    return NULL;
}

static const char *unknown_key(const struct section *section, const char *name, size_t length,
                               char buffer[static HINT_SIZE])
{
    struct suggestion near = {0};

    buffer[0] = '\0';
    for (size_t i = 0; i < section->count; i++) {
        suggest_consider(&near, name, length, section->keys[i].name);
        append_word(buffer, "allowed: ", section->keys[i].name);
    }
    if (near.word != NULL)
        snprintf(buffer, HINT_SIZE, "did you mean %s?", near.word);
    return buffer;
}

static const char *unknown_section(const char *name, size_t length, char buffer[static HINT_SIZE])
{
    struct suggestion near = {0};

    buffer[0] = '\0';
    for (size_t i = 0; i <= SECTION_COUNT; i++) {
        const char *known = i < SECTION_COUNT ? config_sections[i].name : QUEUES_NAME;

        suggest_consider(&near, name, length, known);
        append_word(buffer, "allowed: ", known);
    }
    if (near.word != NULL)
        snprintf(buffer, HINT_SIZE, "did you mean %s?", near.word);
    return buffer;
}

const char *hint_unknown(const struct section *section, const char *name, size_t length,
                         char buffer[static HINT_SIZE])
{
    const struct section *elsewhere = section_with_key(name, length);

    if (elsewhere != NULL) {
        snprintf(buffer, HINT_SIZE, "did you mean %s.%s?", elsewhere->name,
                 schema_key(elsewhere, name, length)->name);
        return buffer;
    }
    return section != NULL ? unknown_key(section, name, length, buffer)
                           : unknown_section(name, length, buffer);
}

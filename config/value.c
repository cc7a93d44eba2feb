#include "config/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/limits.h"
#include "alloc/number.h"
#include "config/build.h"
#include "config/config.h"
#include "config/hint.h"
#include "config/list.h"

void *value_field(const struct key *key, void *base)
{
    return (char *)base + key->offset;
}

const void *value_field_const(const struct key *key, const void *base)
{
    return (const char *)base + key->offset;
}

/* --- what is wrong --- */

static int wrong_type(const struct key *key, const struct toml_value *value, struct error *err)
{
    char allowed[HINT_SIZE];

    return error_set(err, ERROR_INPUT, "has the type %s; allowed: %s", toml_type_name(value->type),
                     hint_allowed(key, allowed));
}

static int wrong_text(const struct key *key, const struct toml_value *value, const char *wrong,
                      struct error *err)
{
    char allowed[HINT_SIZE];
    char quoted[QUOTE_SIZE];

    return error_set(err, ERROR_INPUT, "%s %s; allowed: %s",
                     text_quote(quoted, value->text, value->text_length), wrong, hint_allowed(key, allowed));
}

static int wrong_integer(const struct key *key, const struct toml_value *value, struct error *err)
{
    char allowed[HINT_SIZE];

    return error_set(err, ERROR_INPUT, "%" PRId64 " is out of range; allowed: %s", value->integer,
                     hint_allowed(key, allowed));
}

/* --- plain values --- */

static int read_bool(const struct key *key, const struct toml_value *value, bool *field, struct error *err)
{
    if (value->type != TOML_BOOL)
        return wrong_type(key, value, err);
    *field = value->boolean;
    return 0;
}

static int read_integer(const struct key *key, const struct toml_value *value, struct error *err)
{
    if (value->type != TOML_INTEGER)
        return wrong_type(key, value, err);
    if (value->integer < key->min || value->integer > key->max)
        return wrong_integer(key, value, err);
    return 0;
}

static int read_count(const struct key *key, const struct toml_value *value, uint32_t *field,
                      struct error *err)
{
    if (read_integer(key, value, err) < 0)
        return -1;
    *field = (uint32_t)value->integer;
    return 0;
}

static int read_signed(const struct key *key, const struct toml_value *value, int32_t *field,
                       struct error *err)
{
    if (read_integer(key, value, err) < 0)
        return -1;
    *field = (int32_t)value->integer;
    return 0;
}

static bool is_text(const struct toml_value *value, const char *text)
{
    return value->type == TOML_STRING && value->text_length == strlen(text) &&
           memcmp(value->text, text, value->text_length) == 0;
}

static int read_choice(const struct key *key, const struct toml_value *value, unsigned *field,
                       struct error *err)
{
    if (value->type != TOML_STRING)
        return wrong_type(key, value, err);
    for (unsigned i = 0; key->choices[i] != NULL; i++) {
        if (is_text(value, key->choices[i])) {
            *field = i;
            return 0;
        }
    }
    return wrong_text(key, value, "is not known", err);
}

static int read_policy(const struct key *key, const struct toml_value *value, enum policy *field,
                       struct error *err)
{
    if (value->type != TOML_STRING)
        return wrong_type(key, value, err);
    if (!policy_parse(value->text, value->text_length, field))
        return wrong_text(key, value, "is not known", err);
    return 0;
}

static int read_duration(const struct key *key, const struct toml_value *value, uint64_t *field,
                         struct error *err)
{
    const char *wrong;
    uint64_t ms = 0;

    if (value->type != TOML_STRING)
        return wrong_type(key, value, err);
    wrong = duration_parse(value->text, value->text_length, &ms);
    if (wrong == NULL && ms < (uint64_t)key->min)
        wrong = "is too short";
    if (wrong != NULL)
        return wrong_text(key, value, wrong, err);
    *field = ms;
    return 0;
}

/* --- amounts --- */

static const uint64_t cpus_max = QUANTITY_MAX / 1000; /* whole ones; cpu_parse() goes as far */

/* A float is meant in decimal but arrives in binary. It stands for n thousandths if it is what the division
 * n / 1000 gives: both are the double that is nearest to that decimal number. */
static bool milli_from_real(double real, uint64_t *milli)
{
    uint64_t rounded;

    if (!(real >= 0 && real <= (double)cpus_max)) /* written so that NaN is refused */
        return false;
    rounded = (uint64_t)(real * 1000 + 0.5);
    if ((double)rounded / 1000 != real)
        return false;
    *milli = rounded;
    return true;
}

static int read_cpu(const struct key *key, const struct toml_value *value, uint64_t *milli, struct error *err)
{
    char allowed[HINT_SIZE];
    const char *wrong;

    if (value->type == TOML_INTEGER) {
        if (value->integer < 0 || (uint64_t)value->integer > cpus_max)
            return wrong_integer(key, value, err);
        *milli = (uint64_t)value->integer * 1000;
        return 0;
    }
    if (value->type == TOML_FLOAT) {
        if (milli_from_real(value->real, milli))
            return 0;
        return error_set(err, ERROR_INPUT, "is not a number of thousandths in range; allowed: %s",
                         hint_allowed(key, allowed));
    }
    if (value->type != TOML_STRING)
        return wrong_type(key, value, err);
    wrong = cpu_parse(value->text, value->text_length, milli);
    return wrong == NULL ? 0 : wrong_text(key, value, wrong, err);
}

static int read_mem(const struct key *key, const struct toml_value *value, uint64_t *bytes, struct error *err)
{
    const char *wrong;

    if (value->type == TOML_INTEGER) {
        if (value->integer < 0 || (uint64_t)value->integer > QUANTITY_MAX)
            return wrong_integer(key, value, err);
        *bytes = (uint64_t)value->integer;
        return 0;
    }
    if (value->type != TOML_STRING)
        return wrong_type(key, value, err);
    wrong = mem_parse(value->text, value->text_length, bytes);
    return wrong == NULL ? 0 : wrong_text(key, value, wrong, err);
}

static int read_capacity(const struct key *key, const struct toml_value *value, struct config_capacity *field,
                         struct error *err)
{
    struct config_capacity capacity = {.kind = CAPACITY_FIXED};

    if (is_text(value, "auto"))
        capacity.kind = CAPACITY_AUTO;
    else if (is_text(value, "off"))
        capacity.kind = CAPACITY_OFF;
    else if (key->kind == KIND_CPU ? read_cpu(key, value, &capacity.amount, err) < 0
                                   : read_mem(key, value, &capacity.amount, err) < 0)
        return -1;
    *field = capacity;
    return 0;
}

static int read_size(const struct key *key, const struct toml_value *value, uint64_t *field,
                     struct error *err)
{
    char allowed[HINT_SIZE];
    uint64_t bytes = 0;

    if (read_mem(key, value, &bytes, err) < 0)
        return -1;
    if (bytes == 0)
        return error_set(err, ERROR_INPUT, "is 0; allowed: %s", hint_allowed(key, allowed));
    *field = bytes;
    return 0;
}

static bool is_nothing(const struct resreq *req)
{
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (req->amount.of[r] > 0)
            return false;
    }
    return true;
}

static int read_resreq(const struct key *key, const struct toml_value *value, struct resreq *field,
                       struct error *err)
{
    struct resreq req = {0};

    if (value->type != TOML_STRING)
        return wrong_type(key, value, err);
    if (!key->may_be_empty || value->text_length > 0) {
        if (resreq_parse(value->text, value->text_length, &req, err) < 0)
            return -1;
    }
    if (!key->may_be_empty && is_nothing(&req))
        return wrong_text(key, value, "asks for nothing", err);
    *field = req;
    return 0;
}

/* --- texts --- */

static int check_text(const struct key *key, const struct toml_value *value, struct error *err)
{
    const char *wrong;

    if (value->type != TOML_STRING)
        return wrong_type(key, value, err);
    wrong = key->wrong(value->text, value->text_length);
    return wrong == NULL ? 0 : wrong_text(key, value, wrong, err);
}

static int read_text(const struct key *key, const struct toml_value *value, char **field, struct error *err)
{
    char *copy;

    if (check_text(key, value, err) < 0)
        return -1;
    copy = strndup(value->text, value->text_length);
    if (copy == NULL)
        return config_no_memory(err);
    free(*field);
    *field = copy;
    return 0;
}

static bool list_has(const struct config_list *list, const struct toml_value *value)
{
    for (size_t i = 0; i < list->count; i++) {
        if (is_text(value, list->items[i]))
            return true;
    }
    return false;
}

static int read_list(const struct key *key, const struct toml_value *value, struct config_list *field,
                     struct error *err)
{
    CLEAN_LIST struct config_list list = {0};
    char allowed[HINT_SIZE];

    if (value->type != TOML_ARRAY)
        return wrong_type(key, value, err);
    if ((int64_t)value->count < key->min || value->count > CONFIG_LIST_MAX)
        return error_set(err, ERROR_INPUT, "has %zu entries; allowed: %s", value->count,
                         hint_allowed(key, allowed));
    for (const struct toml_value *entry = value->first; entry != NULL; entry = entry->next) {
        if (check_text(key, entry, err) < 0)
            return -1;
        if (list_has(&list, entry))
            return wrong_text(key, entry, "is there twice", err);
        if (list_add(&list, entry->text, entry->text_length) < 0)
            return config_no_memory(err);
    }
    list_clear(field);
    *field = list_take(&list);
    return 0;
}

int value_read(const struct key *key, const struct toml_value *value, void *base, struct error *err)
{
    void *field = value_field(key, base);

    switch (key->kind) {
    case KIND_BOOL: return read_bool(key, value, field, err);
    case KIND_COUNT: return read_count(key, value, field, err);
    case KIND_SIGNED: return read_signed(key, value, field, err);
    case KIND_CHOICE: return read_choice(key, value, field, err);
    case KIND_POLICY: return read_policy(key, value, field, err);
    case KIND_DURATION: return read_duration(key, value, field, err);
    case KIND_CPU:
    case KIND_MEM: return read_capacity(key, value, field, err);
    case KIND_SIZE: return read_size(key, value, field, err);
    case KIND_RESREQ: return read_resreq(key, value, field, err);
    case KIND_TEXT: return read_text(key, value, field, err);
    case KIND_LIST: return read_list(key, value, field, err);
    case KIND_DEVICES: break;
    }
    return error_set(err, ERROR_BUG, "no reader for this kind");
}

void value_clear(const struct key *key, void *base)
{
    if (key->kind == KIND_TEXT) {
        char **text = value_field(key, base);

        free(*text);
        *text = NULL;
    } else if (key->kind == KIND_LIST) {
        list_clear(value_field(key, base));
    }
}

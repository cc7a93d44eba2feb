#include "hook/json.h"

#include <limits.h>
#include <string.h>

void json_clean(struct json_object **object)
{
    json_object_put(*object); /* NULL is fine */
}

static const char *type_name(struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_null: return "null";
    case json_type_boolean: return "a boolean";
    case json_type_double: return "a fraction";
    case json_type_int: return "a whole number";
    case json_type_object: return "an object";
    case json_type_array: return "an array";
    case json_type_string: return "a string";
    }
    return "something else";
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

int json_parse(const char *text, size_t length, struct json_object **out, struct error *err)
{
    struct json_tokener *tokener;
    struct json_object *object;
    enum json_tokener_error problem;
    size_t end;

    if (length > INT_MAX - 1)
        return error_set(err, ERROR_INPUT, "is too long for JSON");
    tokener = json_tokener_new_ex(JSON_DEPTH_MAX);
    if (tokener == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8 |
                                        JSON_TOKENER_ALLOW_TRAILING_CHARS);
    object = json_tokener_parse_ex(tokener, text, (int)length);
    problem = json_tokener_get_error(tokener);
    end = json_tokener_get_parse_end(tokener);
    if (problem == json_tokener_continue) {
        /* A bare number or word may go on for all it knows: tell it that this was the end. */
        object = json_tokener_parse_ex(tokener, "\n", 1);
        problem = json_tokener_get_error(tokener);
        end = length;
    }
    json_tokener_free(tokener);
    if (problem == json_tokener_continue)
        return error_set(err, ERROR_INPUT, "is not JSON: it ends too early");
    if (problem != json_tokener_success)
        return error_set(err, ERROR_INPUT, "is not JSON: %s at character %zu",
                         json_tokener_error_desc(problem), end + 1);
    while (end < length && is_blank(text[end]))
        end++;
    if (end < length) {
        json_object_put(object);
        return error_set(err, ERROR_INPUT, "is not JSON: something follows it at character %zu", end + 1);
    }
    *out = object;
    return 0;
}

int json_check_keys(struct json_object *object, const char *const *known, struct error *err)
{
    char quoted[QUOTE_SIZE];

    if (!json_object_is_type(object, json_type_object))
        return error_set(err, ERROR_INPUT, "must be an object, not %s", type_name(object));
    json_object_object_foreach(object, key, value)
    {
        size_t i = 0;

        (void)value;
        while (known[i] != NULL && strcmp(known[i], key) != 0)
            i++;
        if (known[i] == NULL)
            return error_set(err, ERROR_INPUT, "unknown key %s", text_quote(quoted, key, strlen(key)));
    }
    return 0;
}

int json_find(struct json_object *object, const char *key, struct json_object **out)
{
    return json_object_object_get_ex(object, key, out) && *out != NULL;
}

static int wrong_type(const char *key, const char *wanted, struct json_object *value, struct error *err)
{
    return error_set(err, ERROR_INPUT, "%s must be %s, not %s", key, wanted, type_name(value));
}

const char *json_text(struct json_object *value)
{
    const char *text;

    if (!json_object_is_type(value, json_type_string))
        return NULL;
    text = json_object_get_string(value);
    return strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

int json_get_string(struct json_object *object, const char *key, const char **out, struct error *err)
{
    struct json_object *value;
    const char *text;

    if (!json_find(object, key, &value))
        return 0;
    text = json_text(value);
    if (text == NULL)
        return wrong_type(key, "a string without NUL", value, err);
    *out = text;
    return 1;
}

int json_get_bool(struct json_object *object, const char *key, bool *out, struct error *err)
{
    struct json_object *value;

    if (!json_find(object, key, &value))
        return 0;
    if (!json_object_is_type(value, json_type_boolean))
        return wrong_type(key, "true or false", value, err);
    *out = json_object_get_boolean(value);
    return 1;
}

int json_get_integer(struct json_object *object, const char *key, int64_t min, int64_t max, int64_t *out,
                     struct error *err)
{
    struct json_object *value;
    int64_t number;

    if (!json_find(object, key, &value))
        return 0;
    if (!json_object_is_type(value, json_type_int))
        return wrong_type(key, "a whole number", value, err);
    number = json_object_get_int64(value); /* clamped to 64 bits, and no caller's range goes that far */
    if (number < min || number > max)
        return error_set(err, ERROR_INPUT, "%s must be from %lld to %lld", key, (long long)min,
                         (long long)max);
    *out = number;
    return 1;
}

int json_get_array(struct json_object *object, const char *key, struct json_object **out, struct error *err)
{
    struct json_object *value;

    if (!json_find(object, key, &value))
        return 0;
    if (!json_object_is_type(value, json_type_array))
        return wrong_type(key, "an array", value, err);
    *out = value;
    return 1;
}

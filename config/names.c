#include "config/names.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "alloc/limits.h"

static const char is_empty[] = "is empty";
static const char too_long[] = "is too long";
static const char has_control[] = "has a control character";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_alphanumeric(char c)
{
    return is_digit(c) || is_letter(c);
}

static bool has_any(const char *text, size_t length, const char *unwanted)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\0' && strchr(unwanted, text[i]) != NULL)
            return true;
    }
    return false;
}

/* Bytes above 0x7f are let through: TOML has proved that they are UTF-8. */
static const char *text_wrong(const char *text, size_t length, size_t max)
{
    if (length == 0)
        return is_empty;
    if (length > max)
        return too_long;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return has_control;
    }
    return NULL;
}

/* One part of a path is "." or "..". */
static bool has_dots(const char *text, size_t length)
{
    for (size_t start = 0; start < length;) {
        size_t end = start;

        while (end < length && text[end] != '/')
            end++;
        if ((end - start == 1 && text[start] == '.') ||
            (end - start == 2 && text[start] == '.' && text[start + 1] == '.'))
            return true;
        start = end + 1;
    }
    return false;
}

const char *path_wrong(const char *text, size_t length)
{
    const char *wrong = text_wrong(text, length, PATH_MAX - 1);

    if (wrong != NULL)
        return wrong;
    if (text[0] != '/')
        return "does not start with '/'";
    if (has_dots(text, length))
        return "has a part '.' or '..'";
    return NULL;
}

const char *path_or_empty_wrong(const char *text, size_t length)
{
    return length == 0 ? NULL : path_wrong(text, length);
}

const char *node_wrong(const char *text, size_t length)
{
    static const char folder[] = "/dev/";
    const size_t folder_length = sizeof(folder) - 1;
    const char *wrong = path_wrong(text, length);

    if (wrong != NULL)
        return wrong;
    if (length <= folder_length || memcmp(text, folder, folder_length) != 0 || text[length - 1] == '/')
        return "is not the path of a node below /dev";
    return NULL;
}

const char *runtime_wrong(const char *text, size_t length)
{
    const char *wrong = text_wrong(text, length, NAME_MAX);

    if (length > 0 && text[0] == '/')
        return path_wrong(text, length);
    if (wrong != NULL)
        return wrong;
    /* "bin/runc" would depend on the folder that the engine happens to stand in. */
    if (has_any(text, length, "/") || has_dots(text, length))
        return "is neither a name nor an absolute path";
    return NULL;
}

const char *uuid_wrong(const char *text, size_t length)
{
    bool digits_only = true;

    if (length == 0)
        return is_empty;
    if (length >= UUID_SIZE)
        return too_long;
    if (!is_alphanumeric(text[0]))
        return "does not start with a letter or digit";
    for (size_t i = 0; i < length; i++) {
        /* MIG instances of older drivers are MIG-GPU-<uuid>/<n>/<n>. */
        if (!is_alphanumeric(text[i]) && !has_any(&text[i], 1, "._-/"))
            return "has a character that is not a letter, digit, '.', '_', '-' or '/'";
        digits_only = digits_only && is_digit(text[i]);
    }
    return digits_only ? "would be taken for a GPU's index" : NULL;
}

/* One of the three parts of a CDI name. */
static bool is_cdi_part(const char *text, size_t length, const char *between)
{
    if (length == 0 || !is_alphanumeric(text[0]) || !is_alphanumeric(text[length - 1]))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!is_alphanumeric(text[i]) && !has_any(&text[i], 1, between))
            return false;
    }
    return true;
}

const char *cdi_wrong(const char *text, size_t length)
{
    static const char not_cdi[] = "is not a CDI name such as vendor.com/class=name";
    const char *wrong = text_wrong(text, length, NAME_MAX);
    const char *slash = wrong == NULL ? memchr(text, '/', length) : NULL;
    const char *equals = wrong == NULL ? memchr(text, '=', length) : NULL;
    const char *end = text + length;

    if (wrong != NULL)
        return wrong;
    if (slash == NULL || equals == NULL || equals < slash)
        return not_cdi;
    if (!is_letter(text[0]) || !is_letter(slash[1]))
        return not_cdi;
    if (!is_cdi_part(text, (size_t)(slash - text), "._-") ||
        !is_cdi_part(slash + 1, (size_t)(equals - slash - 1), "._-") ||
        !is_cdi_part(equals + 1, (size_t)(end - equals - 1), "._-:"))
        return not_cdi;
    return NULL;
}

const char *annotation_wrong(const char *text, size_t length)
{
    return text_wrong(text, length, ANNOTATION_NAME_MAX);
}

const char *group_wrong(const char *text, size_t length)
{
    const char *wrong = length == 0 ? NULL : text_wrong(text, length, GROUP_NAME_MAX);

    if (wrong != NULL)
        return wrong;
    /* What separates fields and members in /etc/group. */
    return has_any(text, length, ":,") ? "has a ':' or ','" : NULL;
}

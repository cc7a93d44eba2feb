#include "alloc/resource.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "alloc/limits.h"
#include "alloc/number.h"

#define EXAMPLE "for example cpu=4,mem=16g,gpu=2"

/* A part of the text that is being read; not NUL-terminated. */
struct slice {
    const char *text;
    size_t length;
};

const char *resource_name(enum resource resource)
{
    switch (resource) {
    case RES_CPU: return "cpu";
    case RES_MEM: return "mem";
    case RES_GPU: return "gpu";
    }
    return "?";
}

uint64_t quantity_add(uint64_t a, uint64_t b)
{
    uint64_t sum = 0;

    if (__builtin_add_overflow(a, b, &sum) || sum > QUANTITY_MAX)
        return QUANTITY_MAX;
    return sum;
}

static struct slice trim(struct slice s)
{
    while (s.length > 0 && (s.text[0] == ' ' || s.text[0] == '\t')) {
        s.text++;
        s.length--;
    }
    while (s.length > 0 && (s.text[s.length - 1] == ' ' || s.text[s.length - 1] == '\t'))
        s.length--;
    return s;
}

/* Splits off what is before `mark`; `rest` starts behind it. False: no mark, and all is `head`. */
static bool split(struct slice s, char mark, struct slice *head, struct slice *rest)
{
    const char *at = s.length > 0 ? memchr(s.text, mark, s.length) : NULL;

    *head = s;
    *rest = (struct slice){s.text + s.length, 0};
    if (at == NULL)
        return false;
    head->length = (size_t)(at - s.text);
    *rest = (struct slice){at + 1, s.length - head->length - 1};
    return true;
}

static bool equals_ignoring_case(struct slice s, const char *word)
{
    if (s.length != strlen(word))
        return false;
    for (size_t i = 0; i < s.length; i++) {
        char c = s.text[i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != word[i])
            return false;
    }
    return true;
}

static bool find_resource(struct slice key, enum resource *out)
{
    static const struct {
        const char *key;
        enum resource resource;
    } keys[] = {{"cpu", RES_CPU}, {"mem", RES_MEM}, {"memory", RES_MEM}, {"gpu", RES_GPU}};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (equals_ignoring_case(key, keys[i].key)) {
            *out = keys[i].resource;
            return true;
        }
    }
    return false;
}

static const char *amount_parse(enum resource resource, struct slice value, uint64_t *out)
{
    switch (resource) {
    case RES_CPU: return cpu_parse(value.text, value.length, out);
    case RES_MEM: return mem_parse(value.text, value.length, out);
    case RES_GPU: return number_parse(value.text, value.length, GPU_QUANTITY_MAX, out);
    }
    return "is of no known resource";
}

/* One `key=value`. Returns NULL or what is wrong with it. */
static const char *entry_parse(struct slice entry, struct resreq *out)
{
    struct slice key;
    struct slice value;
    struct slice extra;
    enum resource resource = RES_CPU;
    const char *wrong;

    if (trim(entry).length == 0)
        return "is empty";
    if (!split(entry, '=', &key, &value))
        return "has no '='";
    if (split(value, '=', &value, &extra))
        return "has a second '='";
    if (!find_resource(trim(key), &resource))
        return "has an unknown key; cpu, mem (or memory) and gpu are known";
    if (out->named[resource])
        return "names its resource a second time";
    value = trim(value);
    if (value.length == 0)
        return "has no value";
    wrong = amount_parse(resource, value, &out->amount.of[resource]);
    if (wrong == NULL)
        out->named[resource] = true;
    return wrong;
}

int resreq_parse(const char *text, size_t length, struct resreq *out, struct error *err)
{
    struct slice rest = {text, length};
    struct slice entry;
    struct resreq parsed = {0};
    bool more = true;
    char quoted[QUOTE_SIZE];
    const char *wrong;

    if (trim(rest).length == 0)
        return error_set(err, ERROR_INPUT, "is empty; " EXAMPLE);
    while (more) {
        more = split(rest, ',', &entry, &rest);
        wrong = entry_parse(entry, &parsed);
        if (wrong != NULL)
            return error_set(err, ERROR_INPUT, "entry %s %s; " EXAMPLE,
                             text_quote(quoted, entry.text, entry.length), wrong);
    }
    *out = parsed;
    return 0;
}

const char *amount_format(enum resource resource, uint64_t amount, char buffer[static AMOUNT_TEXT_SIZE])
{
    static const char suffixes[] = "\0kmgtp";
    unsigned step = 0;
    int length;

    if (resource == RES_CPU) {
        length = snprintf(buffer, AMOUNT_TEXT_SIZE, "%" PRIu64, amount / 1000);
        if (amount % 1000 != 0) {
            length += snprintf(buffer + length, AMOUNT_TEXT_SIZE - (size_t)length, ".%03u",
                               (unsigned)(amount % 1000));
            while (buffer[length - 1] == '0')
                buffer[--length] = '\0';
        }
        return buffer;
    }
    while (resource == RES_MEM && amount > 0 && amount % 1024 == 0 && step < 5) {
        amount /= 1024;
        step++;
    }
    length = snprintf(buffer, AMOUNT_TEXT_SIZE, "%" PRIu64, amount);
    if (step > 0)
        snprintf(buffer + length, AMOUNT_TEXT_SIZE - (size_t)length, "%c", suffixes[step]);
    return buffer;
}

const char *resreq_format(const struct resreq *req, char buffer[static RESREQ_TEXT_SIZE])
{
    char amount[AMOUNT_TEXT_SIZE];
    int used = 0;

    buffer[0] = '\0';
    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (req->named[r])
            used += snprintf(buffer + used, RESREQ_TEXT_SIZE - (size_t)used, "%s%s=%s", used > 0 ? "," : "",
                             resource_name(r), amount_format(r, req->amount.of[r], amount));
    }
    return buffer;
}

const char *resources_format(const struct resources *amount, char buffer[static RESREQ_TEXT_SIZE])
{
    struct resreq req = {.amount = *amount};
    bool any = false;

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        req.named[r] = amount->of[r] > 0;
        any = any || req.named[r];
    }
    req.named[RES_GPU] = req.named[RES_GPU] || !any;
    return resreq_format(&req, buffer);
}

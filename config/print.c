/*
 * print.c - a configuration as TOML, with the origin of each value behind it.
 *
 * What is printed is in force, defaults included, and loads again to the same configuration. It is therefore
 * also the way to move a machine's settings, drop-ins and all, into one file.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "alloc/number.h"
#include "config/config.h"
#include "config/schema.h"
#include "config/value.h"

/* A basic string. There are no control characters to escape: names.c lets none in. */
static void print_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '"' || byte == '\\')
            fputc('\\', out);
        fputc(byte, out);
    }
    fputc('"', out);
}

static void print_list(const struct config_list *list, FILE *out)
{
    fputc('[', out);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            fputs(", ", out);
        print_text(list->items[i], out);
    }
    fputc(']', out);
}

static void print_amount(enum resource resource, uint64_t amount, FILE *out)
{
    char text[AMOUNT_TEXT_SIZE];

    print_text(amount_format(resource, amount, text), out);
}

static void print_capacity(enum resource resource, const struct config_capacity *capacity, FILE *out)
{
    switch (capacity->kind) {
    case CAPACITY_AUTO: print_text("auto", out); break;
    case CAPACITY_OFF: print_text("off", out); break;
    case CAPACITY_FIXED: print_amount(resource, capacity->amount, out); break;
    }
}

static void print_resreq(const struct resreq *req, FILE *out)
{
    char text[RESREQ_TEXT_SIZE];

    print_text(resreq_format(req, text), out);
}

static void print_duration(uint64_t ms, FILE *out)
{
    char text[DURATION_TEXT_SIZE];

    print_text(duration_format(ms, text), out);
}

static void print_value(const struct key *key, const void *base, FILE *out)
{
    const void *field = value_field_const(key, base);

    switch (key->kind) {
    case KIND_BOOL: fputs(*(const bool *)field ? "true" : "false", out); break;
    case KIND_COUNT: fprintf(out, "%" PRIu32, *(const uint32_t *)field); break;
    case KIND_SIGNED: fprintf(out, "%" PRId32, *(const int32_t *)field); break;
    case KIND_CHOICE: print_text(key->choices[*(const unsigned *)field], out); break;
    case KIND_POLICY: print_text(policy_name(*(const enum policy *)field), out); break;
    case KIND_DURATION: print_duration(*(const uint64_t *)field, out); break;
    case KIND_CPU: print_capacity(RES_CPU, field, out); break;
    case KIND_MEM: print_capacity(RES_MEM, field, out); break;
    case KIND_SIZE: print_amount(RES_MEM, *(const uint64_t *)field, out); break;
    case KIND_RESREQ: print_resreq(field, out); break;
    case KIND_TEXT: print_text(*(char *const *)field, out); break;
    case KIND_LIST: print_list(field, out); break;
    case KIND_DEVICES: break;
    }
}

static void print_setting(const struct key *key, const void *base, const struct origin *origin, FILE *out)
{
    char text[ORIGIN_TEXT_SIZE];

    fprintf(out, "%s = ", key->name);
    print_value(key, base, out);
    fprintf(out, "  # %s\n", origin_format(origin, text));
}

static void print_section(const struct config *config, size_t index, FILE *out)
{
    const struct section *section = &config_sections[index];

    fprintf(out, "%s[%s]\n", index > 0 ? "\n" : "", section->name);
    for (size_t i = 0; i < section->count; i++) {
        /* The devices have tables of their own. */
        if (section->keys[i].kind != KIND_DEVICES)
            print_setting(&section->keys[i], config, &config->origins->keys[index][i], out);
    }
}

static void print_device(const struct config *config, size_t index, FILE *out)
{
    const struct origin *origins = config->origins->devices[index];

    fputs("\n[[gpu.device]]\n", out);
    for (size_t i = 0; i < device_section.count; i++) {
        const struct key *key = &device_section.keys[i];

        /* What a device does not say has no value; only replicas, its one count, comes from [gpu] then. */
        if (origins[i].file != NULL || key->kind == KIND_COUNT)
            print_setting(key, &config->gpu.devices[index], &origins[i], out);
    }
}

static void print_queue(const struct config *config, size_t index, FILE *out)
{
    const struct queue *queue = &config->queues[index];

    fputs("\n[" QUEUES_NAME ".", out);
    print_text(queue->name, out); /* quoted: a name may have dots */
    fputs("]\n", out);
    for (size_t i = 0; i < queue_section.count; i++)
        print_setting(&queue_section.keys[i], queue, &config->origins->queues[index][i], out);
}

/* 0, or why something did not get out. An earlier write may have failed and its errno be gone: EIO then. */
static int write_errno(FILE *out)
{
    if (fflush(out) != 0)
        return errno;
    return ferror(out) ? EIO : 0;
}

int config_print(const struct config *config, FILE *out, struct error *err)
{
    int failed;

    for (size_t i = 0; i < SECTION_COUNT; i++)
        print_section(config, i, out);
    for (size_t i = 0; i < config->gpu.device_count; i++)
        print_device(config, i, out);
    for (size_t i = 0; i < config->queue_count; i++)
        print_queue(config, i, out);
    failed = write_errno(out);
    return failed == 0 ? 0 : error_set_errno(err, failed, "cannot write the configuration");
}

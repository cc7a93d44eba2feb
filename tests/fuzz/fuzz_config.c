/*
 * fuzz_config.c - libFuzzer on the configuration (clang -fsanitize=fuzzer,address,undefined).
 *
 * A crash is found by the sanitizers. Beyond that: a refusal is one printable line that names the text, and what is
 * accepted survives being printed and loaded again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/cleanup.h"
#include "config/build.h"
#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAME "fuzz.toml"

#define REQUIRE(statement)                                                                                   \
    do {                                                                                                     \
        if (!(statement))                                                                                    \
            abort();                                                                                         \
    } while (0)

static struct config *load(const char *text, size_t length, struct error *err)
{
    CLEAN_CONFIG struct config *config = NULL;

    REQUIRE(config_new(&config, err) == 0);
    if (config_apply_text(config, NAME, text, length, err) < 0 || config_finish(config, err) < 0)
        return NULL;
    return take_pointer(&config);
}

static void check_refusal(const struct error *err)
{
    REQUIRE(err->kind == ERROR_INPUT);
    REQUIRE(strncmp(err->text, NAME ":", strlen(NAME ":")) == 0);
    for (const char *at = err->text; *at != '\0'; at++)
        REQUIRE(*at >= 0x20 && *at < 0x7f);
}

static char *print(const struct config *config, size_t *length)
{
    struct error err = {0};
    char *text = NULL;
    FILE *out = open_memstream(&text, length);

    REQUIRE(out != NULL);
    REQUIRE(config_print(config, out, &err) == 0);
    REQUIRE(fclose(out) == 0);
    return text;
}

/* Origins change with the lines of what is loaded: from the second print on all must stay the same. */
static void check_round_trip(const struct config *config)
{
    CLEAN_CONFIG struct config *second = NULL;
    CLEAN_CONFIG struct config *third = NULL;
    CLEAN_FREE char *first_text = NULL;
    CLEAN_FREE char *second_text = NULL;
    CLEAN_FREE char *third_text = NULL;
    struct error err = {0};
    size_t length = 0;

    first_text = print(config, &length);
    second = load(first_text, length, &err);
    REQUIRE(second != NULL);
    second_text = print(second, &length);
    third = load(second_text, length, &err);
    REQUIRE(third != NULL);
    third_text = print(third, &length);
    REQUIRE(strcmp(second_text, third_text) == 0);
    REQUIRE(second->queue_count == config->queue_count);
    REQUIRE(second->gpu.device_count == config->gpu.device_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEAN_CONFIG struct config *config = NULL;
    struct error err = {0};

    if (size > CONFIG_FILE_BYTES_MAX)
        return 0;
    config = load((const char *)data, size, &err);
    if (config == NULL)
        check_refusal(&err);
    else
        check_round_trip(config);
    return 0;
}

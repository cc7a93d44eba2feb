#include "tests/support/config_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "config/build.h"

int config_from_text(const char *text, size_t length, struct config **out, struct error *err)
{
    CLEAN_CONFIG struct config *config = NULL;

    if (config_new(&config, err) < 0 || config_apply_text(config, CONFIG_TEXT_NAME, text, length, err) < 0 ||
        config_finish(config, err) < 0)
        return -1;
    *out = take_pointer(&config);
    return 0;
}

char *config_to_text(const struct config *config)
{
    struct error err = {0};
    size_t length = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);

    assert_non_null(out);
    assert_int_equal(config_print(config, out, &err), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

char *config_to_values(const struct config *config)
{
    static const char mark[] = "  # ";
    char *text = config_to_text(config);
    char *to = text;

    for (char *line = text; *line != '\0';) {
        char *end = strchrnul(line, '\n');
        char *comment = memmem(line, (size_t)(end - line), mark, sizeof(mark) - 1);
        size_t kept = (size_t)((comment != NULL ? comment : end) - line);

        memmove(to, line, kept);
        to += kept;
        *to++ = '\n';
        line = *end == '\0' ? end : end + 1;
    }
    *to = '\0';
    return text;
}

char *text_repeat(const char *piece, size_t times)
{
    size_t length = strlen(piece);
    char *text = malloc(length * times + 1);

    assert_non_null(text);
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * length, piece, length);
    text[length * times] = '\0';
    return text;
}

char *text_append(char *text, const char *format, ...)
{
    size_t used = text != NULL ? strlen(text) : 0;
    CLEAN_FREE char *more = NULL;
    char *longer;
    va_list args;

    va_start(args, format);
    assert_true(vasprintf(&more, format, args) >= 0);
    va_end(args);
    longer = realloc(text, used + strlen(more) + 1);
    assert_non_null(longer);
    memcpy(longer + used, more, strlen(more) + 1);
    return longer;
}

#include "tests/support/config_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "tests/support/config_text.h"

struct config *config_from_folder(const struct temp_folder *folder)
{
    struct config *config = NULL;
    struct error err = {0};

    if (config_load_folder(folder->path, &config, &err) < 0)
        fail_msg("%s", err.text);
    return config;
}

char *folder_text(const struct temp_folder *folder, const char *text)
{
    char *filled = text_append(NULL, "%s", "");

    for (; *text != '\0'; text++)
        filled = *text == '@' ? text_append(filled, "%s", folder->path) : text_append(filled, "%c", *text);
    return filled;
}

void expect_folder_refused(const struct temp_folder *folder, enum error_kind kind, const char *said)
{
    CLEAN_CONFIG struct config *config = NULL;
    CLEAN_FREE char *wanted = folder_text(folder, said);
    struct error err = {0};

    assert_int_equal(config_load_folder(folder->path, &config, &err), -1);
    assert_null(config);
    assert_string_equal(err.text, wanted);
    assert_int_equal(err.kind, kind);
}

/*
 * cmd_config.c - `allot config check [FILE]` and `allot config print [FILE]`.
 *
 * Without FILE it is what the other programs of this machine would load: $ALLOT_CONFIG, or the default place.
 */
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "hook/cli/commands.h"

#define USAGE "usage: allot config check [FILE], or allot config print [FILE]"

/* One line with every file that was read: a drop-in that nobody knows of is half of all surprises. */
static int check(const struct config *config, struct error *err)
{
    (void)err;
    if (config->files.count == 0)
        printf("%s/%s: not there, so everything is at its default", CONFIG_FOLDER, CONFIG_MAIN_FILE);
    for (size_t i = 0; i < config->files.count; i++)
        printf("%s%s", i > 0 ? ", " : "", config->files.items[i]);
    puts(": ok");
    return 0;
}

static int print(const struct config *config, struct error *err)
{
    return config_print(config, stdout, err);
}

static const struct {
    const char *name;
    int (*run)(const struct config *config, struct error *err);
} actions[] = {{"check", check}, {"print", print}};

int cmd_config(int argc, char **argv, struct error *err)
{
    CLEAN_CONFIG struct config *config = NULL;
    char quoted[QUOTE_SIZE];

    if (argc < 2 || argc > 3)
        return error_set(err, ERROR_INPUT, "config needs one action and at most one file; " USAGE);
    /* There are no options yet, and a misspelt one is no file. "./-x" is. */
    if (argc == 3 && argv[2][0] == '-')
        return error_set(err, ERROR_INPUT, "unknown option %s; " USAGE,
                         text_quote(quoted, argv[2], strlen(argv[2])));
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (strcmp(actions[i].name, argv[1]) != 0)
            continue;
        if (config_load(config_path(argc == 3 ? argv[2] : NULL), &config, err) < 0)
            return -1;
        return actions[i].run(config, err);
    }
    return error_set(err, ERROR_INPUT, "unknown action %s; " USAGE,
                     text_quote(quoted, argv[1], strlen(argv[1])));
}

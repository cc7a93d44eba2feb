#include "hook/cli/options.h"

#include <string.h>

/* Is `word` this option? `*inline_value` is what stands behind its '=', or NULL. */
static bool matches(const char *word, const struct option_spec *spec, const char **inline_value)
{
    size_t length = strlen(spec->name);

    *inline_value = NULL;
    if (strncmp(word, spec->name, length) != 0)
        return false;
    if (word[length] == '=')
        *inline_value = word + length + 1;
    return word[length] == '\0' || word[length] == '=';
}

static int read_option(int argc, char **argv, int *at, const struct option_spec *spec,
                       const char *inline_value, struct error *err)
{
    if (spec->value == NULL) {
        if (inline_value != NULL)
            return error_set(err, ERROR_INPUT, "%s takes no value", spec->name);
        *spec->flag = true;
        return 0;
    }
    if (inline_value == NULL && *at + 1 >= argc)
        return error_set(err, ERROR_INPUT, "%s needs a value", spec->name);
    *spec->value = inline_value != NULL ? inline_value : argv[++*at];
    return 0;
}

int options_read(int argc, char **argv, const struct option_spec *specs, size_t count, int *rest,
                 struct error *err)
{
    char quoted[QUOTE_SIZE];
    int at = 1;

    for (; at < argc && argv[at][0] == '-' && argv[at][1] != '\0'; at++) {
        const char *inline_value = NULL;
        size_t i = 0;

        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        while (i < count && !matches(argv[at], &specs[i], &inline_value))
            i++;
        if (i == count)
            return error_set(err, ERROR_INPUT, "%s: unknown option %s; see 'allot help'", argv[0],
                             text_quote(quoted, argv[at], strlen(argv[at])));
        if (read_option(argc, argv, &at, &specs[i], inline_value, err) < 0)
            return error_add_context(err, "%s", argv[0]);
    }
    *rest = at;
    return 0;
}

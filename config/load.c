/*
 * load.c - which files make up the configuration, and in which order.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc/cleanup.h"
#include "config/build.h"
#include "config/file.h"
#include "config/origin.h"

const char *config_path(const char *option)
{
    const char *variable;

    if (option != NULL)
        return option;
    variable = secure_getenv(CONFIG_ENVIRONMENT);
    return variable != NULL && variable[0] != '\0' ? variable : NULL;
}

/* "FOLDER/NAME"; NULL if there is no memory. */
static char *join_path(const char *folder, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Reads `name` below `at` and applies it; `path` is what messages and origins call it. */
static int apply_file(struct config *config, int at, const char *name, const char *path, struct error *err)
{
    CLEAN_FREE char *label = label_make(path);
    CLEAN_FREE char *text = NULL;
    size_t length = 0;

    if (label == NULL)
        return config_no_memory(err);
    if (file_read(at, name, label, &text, &length, err) < 0)
        return -1;
    return config_apply_text(config, path, text, length, err);
}

/* Nothing of that name is there, and so nothing was meant. A link that leads nowhere was meant. */
static bool is_absent(int at, const char *name)
{
    struct stat status;

    return fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

static int apply_main_file(struct config *config, int at, const char *folder, struct error *err)
{
    CLEAN_FREE char *path = join_path(folder, CONFIG_MAIN_FILE);

    if (path == NULL)
        return config_no_memory(err);
    if (is_absent(at, CONFIG_MAIN_FILE))
        return 0;
    return apply_file(config, at, CONFIG_MAIN_FILE, path, err);
}

/* --- conf.d --- */

struct names {
    struct dirent **of;
    int count;
};

static void names_clean(struct names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->of[i]);
    free(names->of);
}

/* What editors leave behind (".x.toml.swp", "x.toml~") is not a drop-in, and neither is a hidden file. */
static int is_dropin(const struct dirent *entry)
{
    static const char ending[] = ".toml";
    const size_t ending_length = sizeof(ending) - 1;
    size_t length = strlen(entry->d_name);

    return entry->d_name[0] != '.' && length > ending_length &&
           strcmp(entry->d_name + length - ending_length, ending) == 0;
}

/* Not alphasort(): the order of a configuration must not depend on somebody's locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int apply_names(struct config *config, int at, const char *folder, const struct names *names,
                       struct error *err)
{
    for (int i = 0; i < names->count; i++) {
        CLEAN_FREE char *path = join_path(folder, names->of[i]->d_name);

        if (path == NULL)
            return config_no_memory(err);
        if (apply_file(config, at, names->of[i]->d_name, path, err) < 0)
            return -1;
    }
    return 0;
}

static int apply_dropins(struct config *config, int at, const char *folder, struct error *err)
{
    __attribute__((cleanup(names_clean))) struct names names = {0};
    CLEAN_FREE char *path = join_path(folder, CONFIG_DROPINS);
    CLEAN_FREE char *label = path != NULL ? label_make(path) : NULL;
    CLEAN_FD int fd = -1;

    if (label == NULL)
        return config_no_memory(err);
    if (is_absent(at, CONFIG_DROPINS))
        return 0;
    fd = folder_open(at, CONFIG_DROPINS, label, err);
    if (fd < 0)
        return -1;
    names.count = scandirat(fd, ".", &names.of, is_dropin, by_bytes);
    if (names.count < 0)
        return error_set_errno(err, errno, "%s: cannot be listed", label);
    if ((unsigned)names.count > CONFIG_FILES_MAX)
        return error_set(err, ERROR_INPUT, "%s: has %d files; allowed: at most %u", label, names.count,
                         CONFIG_FILES_MAX);
    return apply_names(config, fd, path, &names, err);
}

/* --- the whole --- */

static int apply_folder(struct config *config, const char *folder, struct error *err)
{
    CLEAN_FREE char *label = label_make(folder);
    CLEAN_FD int fd = -1;

    if (label == NULL)
        return config_no_memory(err);
    if (is_absent(AT_FDCWD, folder))
        return 0;
    fd = folder_open(AT_FDCWD, folder, label, err);
    if (fd < 0)
        return -1;
    if (apply_main_file(config, fd, folder, err) < 0)
        return -1;
    return apply_dropins(config, fd, folder, err);
}

int config_load_folder(const char *folder, struct config **out, struct error *err)
{
    CLEAN_CONFIG struct config *config = NULL;

    if (config_new(&config, err) < 0 || apply_folder(config, folder, err) < 0 ||
        config_finish(config, err) < 0)
        return -1;
    *out = take_pointer(&config);
    return 0;
}

int config_load(const char *path, struct config **out, struct error *err)
{
    CLEAN_CONFIG struct config *config = NULL;

    if (path == NULL)
        return config_load_folder(CONFIG_FOLDER, out, err);
    if (config_new(&config, err) < 0 || apply_file(config, AT_FDCWD, path, path, err) < 0 ||
        config_finish(config, err) < 0)
        return -1;
    *out = take_pointer(&config);
    return 0;
}

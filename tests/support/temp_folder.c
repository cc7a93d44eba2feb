#include "tests/support/temp_folder.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define OPEN_FOLDERS_MAX 16

int temp_folder_setup(void **state)
{
    struct temp_folder *folder = calloc(1, sizeof(*folder));

    if (folder == NULL)
        return -1;
    snprintf(folder->path, sizeof(folder->path), "/tmp/allot-test-XXXXXX");
    if (mkdtemp(folder->path) == NULL) {
        free(folder);
        return -1;
    }
    *state = folder;
    return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

int temp_folder_teardown(void **state)
{
    struct temp_folder *folder = *state;
    int failed = nftw(folder->path, remove_entry, OPEN_FOLDERS_MAX, FTW_DEPTH | FTW_PHYS);

    free(folder);
    *state = NULL;
    return failed;
}

char *temp_path(const struct temp_folder *folder, const char *name)
{
    char *path = NULL;

    assert_true(asprintf(&path, "%s/%s", folder->path, name) >= 0);
    return path;
}

void temp_write(const struct temp_folder *folder, const char *name, const char *text, size_t length)
{
    char *path = temp_path(folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    /* Whatever the umask of whoever runs the tests. */
    assert_int_equal(fchmod(fd, 0644), 0);
    assert_int_equal(write(fd, text, length), length);
    close(fd);
    free(path);
}

void temp_write_text(const struct temp_folder *folder, const char *name, const char *text)
{
    temp_write(folder, name, text, strlen(text));
}

void temp_mkdir(const struct temp_folder *folder, const char *name)
{
    char *path = temp_path(folder, name);

    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
}

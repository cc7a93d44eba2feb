/*
 * replay.c - runs a fuzz target over files instead of a fuzzer's inventions: what was found once stays found.
 *
 *     fuzz_x FOLDER    prints TAP, one line a file
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_BYTES_MAX (16U * 1024 * 1024)

static int replay(const char *folder, const char *name)
{
    CLEAN_FREE char *path = NULL;
    CLEAN_FREE uint8_t *data = NULL;
    CLEAN_FREE uint8_t *exact = NULL;
    CLEAN_FILE FILE *file = NULL;
    size_t size;

    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return -1;
    file = fopen(path, "re");
    data = malloc(FILE_BYTES_MAX);
    if (file == NULL || data == NULL)
        return -1;
    size = fread(data, 1, FILE_BYTES_MAX, file);
    /* A block of just that size, so that a sanitizer sees a step beyond it. */
    exact = malloc(size > 0 ? size : 1);
    if (exact == NULL || ferror(file))
        return -1;
    memcpy(exact, data, size);
    return LLVMFuzzerTestOneInput(exact, size);
}

static int is_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    struct dirent **names = NULL;
    int count = argc == 2 ? scandir(argv[1], &names, is_file, alphasort) : -1;

    if (count <= 0) {
        fprintf(stderr, "usage: %s FOLDER (with files in it)\n", argv[0]);
        return 2;
    }
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        fflush(stdout); /* a crash then shows which file it was not yet */
        printf("%sok %d - %s\n", replay(argv[1], names[i]->d_name) == 0 ? "" : "not ", i + 1,
               names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return 0;
}

/*
 * temp_folder.h - a folder for a test's files. Made in the test's setup and removed in its teardown, which
 * cmocka also runs when the test fails.
 */
#ifndef ALLOT_TESTS_TEMP_FOLDER_H
#define ALLOT_TESTS_TEMP_FOLDER_H

#include <stddef.h>

struct temp_folder {
    char path[64];
};

/* cmocka fixtures: *state is a struct temp_folder. */
int temp_folder_setup(void **state);
int temp_folder_teardown(void **state);

/* "FOLDER/NAME"; the caller's to free. */
char *temp_path(const struct temp_folder *folder, const char *name);

/* Makes FOLDER/NAME with mode 0644, or a folder with mode 0755. A failure is fatal to the test. */
void temp_write(const struct temp_folder *folder, const char *name, const char *text, size_t length);
void temp_write_text(const struct temp_folder *folder, const char *name, const char *text);
void temp_mkdir(const struct temp_folder *folder, const char *name);

#endif

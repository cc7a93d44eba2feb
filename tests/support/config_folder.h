/*
 * config_folder.h - a test's folder, loaded as the default place of the configuration.
 */
#ifndef ALLOT_TESTS_CONFIG_FOLDER_H
#define ALLOT_TESTS_CONFIG_FOLDER_H

#include "config/config.h"
#include "tests/support/temp_folder.h"

/* `text` with the folder's path for each '@'; the caller's to free. */
char *folder_text(const struct temp_folder *folder, const char *text);

/* Loads it; an error is fatal to the test. */
struct config *config_from_folder(const struct temp_folder *folder);

/* Loads it and expects an error of that kind, which says exactly folder_text(said). */
void expect_folder_refused(const struct temp_folder *folder, enum error_kind kind, const char *said);

#endif

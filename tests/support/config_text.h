/*
 * config_text.h - configurations of tests: from a text, and back to one.
 */
#ifndef ALLOT_TESTS_CONFIG_TEXT_H
#define ALLOT_TESTS_CONFIG_TEXT_H

#include <stddef.h>

#include "config/config.h"

#define CONFIG_TEXT_NAME "t.toml"

/* Defaults, then the text under the name CONFIG_TEXT_NAME, then the checks of the whole. */
int config_from_text(const char *text, size_t length, struct config **out, struct error *err);

/* What config_print() prints; the caller's to free. A failure is fatal to the test. */
char *config_to_text(const struct config *config);

/* The same without the comments that tell origins. */
char *config_to_values(const struct config *config);

/* Texts that grow; the caller frees. */
char *text_repeat(const char *piece, size_t times);
char *text_append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif

/*
 * number.h - the one strict reader of numbers, quantities and durations.
 *
 * Decimal digits only: no sign, no blank, no exponent, no underscore, no hexadecimal. A value above the given
 * bound is an error, not a wrap. Each function returns NULL, or a constant phrase that says what is wrong, to
 * be put behind the value in a message ("is not a whole number").
 */
#ifndef ALLOT_ALLOC_NUMBER_H
#define ALLOT_ALLOC_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* "0", "42". */
const char *number_parse(const char *text, size_t length, uint64_t max, uint64_t *out);

/* "-5", "42": the only place where a sign is allowed. */
const char *number_parse_signed(const char *text, size_t length, int64_t min, int64_t max, int64_t *out);

/* cpu: "4", "0.5", up to three decimals; in thousandths. */
const char *cpu_parse(const char *text, size_t length, uint64_t *milli);

/* Memory: bytes, or with k, m, g, t, p and an optional i, b or ib; all binary, any case. */
const char *mem_parse(const char *text, size_t length, uint64_t *bytes);

#define DURATION_MAX_MS (366ULL * 24 * 3600 * 1000)

/* "500ms", "30s", "5m", "2h"; in milliseconds, at most DURATION_MAX_MS. */
const char *duration_parse(const char *text, size_t length, uint64_t *ms);

#define DURATION_TEXT_SIZE 32

/* The shortest exact form of the above. */
const char *duration_format(uint64_t ms, char buffer[static DURATION_TEXT_SIZE]);

#endif

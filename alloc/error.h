/*
 * error.h - the one error type of allot.
 *
 * A function that can fail takes a `struct error *` as its last parameter, returns 0 or -1, and on -1 has
 * filled it. Whoever passes an error up may add context in front of it, once. Nothing below a program's
 * main prints or exits; main turns the kind into an exit status through error_exit_status().
 *
 * The text is one line for a person: what, why, what to do. Whatever came from outside goes through
 * text_quote() first, so that a hostile value can neither forge a second line nor talk to a terminal.
 */
#ifndef ALLOT_ALLOC_ERROR_H
#define ALLOT_ALLOC_ERROR_H

#include <stddef.h>

enum error_kind {
    ERROR_NONE = 0,
    ERROR_REFUSED, /* the request was understood, and the answer is no */
    ERROR_INPUT,   /* bad input or usage */
    ERROR_SYSTEM,  /* I/O, driver, ledger */
    ERROR_BUG,     /* our own mistake */
};

#define ERROR_TEXT_SIZE 1024

struct error {
    enum error_kind kind;
    int saved_errno; /* 0 where no system call failed */
    char text[ERROR_TEXT_SIZE];
};

/* Fills `err` and returns -1, so that `return error_set(…)` is the whole failure path. A text that is too
 * long ends in "...". */
int error_set(struct error *err, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like error_set with ERROR_SYSTEM, remembering `saved_errno` and appending what it means, in English
 * whatever the locale. */
int error_set_errno(struct error *err, int saved_errno, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " in front of the text; kind and errno stay. Returns -1. */
int error_add_context(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* DESIGN.md section 11: 0 done, 1 refused, 2 input, 3 system, 4 bug. */
int error_exit_status(const struct error *err);

#define QUOTE_SIZE 160

/* A value from outside, made safe to print: `value` in double quotes, with every byte that is not printable
 * ASCII, and the quote and the backslash, escaped; cut with "..." when it is long. Returns `buffer`. */
const char *text_quote(char buffer[static QUOTE_SIZE], const char *value, size_t length);

#endif

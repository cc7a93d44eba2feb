/*
 * suggest.h - "did you mean …?": the known word that is nearest to a misspelt one.
 */
#ifndef ALLOT_CONFIG_SUGGEST_H
#define ALLOT_CONFIG_SUGGEST_H

#include <stddef.h>

/* Longer words are nobody's typing error, and the working memory is bounded by this. */
#define SUGGEST_WORD_MAX 63U

/* The best candidate so far; starts zeroed. */
struct suggestion {
    const char *word; /* NULL: nothing was near enough */
    size_t distance;
};

/* Keeps `candidate` if it is near to the `length` bytes of `word`, and nearer than what was kept. Letters
 * that differ only in case are equal. */
void suggest_consider(struct suggestion *best, const char *word, size_t length, const char *candidate);

#endif

#include "config/suggest.h"

#include <string.h>

static char lower(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions and replacements from `word` to `candidate`. One row of the usual table is enough:
 * row[j] is the distance between the part of `word` seen so far and the first j letters of `candidate`. */
static size_t edit_distance(const char *word, size_t length, const char *candidate, size_t candidate_length)
{
    size_t row[SUGGEST_WORD_MAX + 1];

    for (size_t j = 0; j <= candidate_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= candidate_length; j++) {
            size_t replaced = diagonal + (lower(word[i - 1]) != lower(candidate[j - 1]));

            diagonal = row[j];
            row[j] = smaller(replaced, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[candidate_length];
}

void suggest_consider(struct suggestion *best, const char *word, size_t length, const char *candidate)
{
    size_t candidate_length = strlen(candidate);
    size_t distance;

    if (length > SUGGEST_WORD_MAX || candidate_length > SUGGEST_WORD_MAX)
        return;
    distance = edit_distance(word, length, candidate, candidate_length);
    /* A third of the word may be wrong: one letter of three, two of six. */
    if (distance > (candidate_length + 2) / 3 || distance >= candidate_length)
        return;
    if (best->word != NULL && distance >= best->distance)
        return;
    best->word = candidate;
    best->distance = distance;
}

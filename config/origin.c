#include "config/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *origin_format(const struct origin *origin, char buffer[static ORIGIN_TEXT_SIZE])
{
    if (origin->file == NULL)
        snprintf(buffer, ORIGIN_TEXT_SIZE, "default");
    else
        snprintf(buffer, ORIGIN_TEXT_SIZE, "%s:%u", origin->file, origin->line);
    return buffer;
}

char *label_make(const char *path)
{
    static const char cut_mark[] = "...";
    size_t length = strlen(path);
    char *label;

    if (length > LABEL_MAX) {
        path += length - LABEL_MAX;
        length = LABEL_MAX;
        label = strdup(path);
        if (label != NULL)
            memcpy(label, cut_mark, sizeof(cut_mark) - 1);
    } else {
        label = strdup(path);
    }
    for (size_t i = 0; label != NULL && i < length; i++) {
        if (label[i] < 0x20 || label[i] > 0x7e)
            label[i] = '?';
    }
    return label;
}

#include "hook/read_line.h"

#include <errno.h>
#include <stdlib.h>

void line_reader_clean(struct line_reader *reader)
{
    free(reader->text);
}

/* Room for one more byte and the NUL. */
static int make_room(struct line_reader *reader, struct error *err)
{
    size_t size = reader->size == 0 ? 4096 : 2 * reader->size;
    char *text;

    if (reader->length > LINE_BYTES_MAX)
        return error_set(err, ERROR_INPUT, "line %lu: is longer than %lu bytes", reader->number,
                         LINE_BYTES_MAX);
    if (reader->length + 2 <= reader->size)
        return 0;
    text = realloc(reader->text, size);
    if (text == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    reader->text = text;
    reader->size = size;
    return 0;
}

/* Not getline(): that has no bound, and cannot be told from the end of the text when memory runs out. */
int line_reader_next(struct line_reader *reader, struct error *err)
{
    int c;

    reader->length = 0;
    reader->number++;
    while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
        if (make_room(reader, err) < 0)
            return -1;
        reader->text[reader->length++] = (char)c;
    }
    if (ferror(reader->file))
        return error_set_errno(err, errno, "line %lu cannot be read", reader->number);
    if (c == EOF && reader->length == 0)
        return 0;
    if (make_room(reader, err) < 0)
        return -1;
    reader->text[reader->length] = '\0';
    return 1;
}

/*
 * fuzz_ledger.c - an image of the ledger, with a checksum that fits whatever is in it: what image_decode() takes, and
 * state_broken() finds nothing wrong with, can be worked on.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/ledger/image.h"
#include "alloc/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Large; made once, and without meaning from one input to the next. */
struct bench {
    struct state state;
    struct workspace workspace;
    struct decisions decisions;
    char pending[PENDING_BYTES_MAX + 1];
    unsigned char bytes[IMAGE_BYTES_MAX];
    unsigned char again[IMAGE_BYTES_MAX];
    char text[1 << 20];
};

static void require(int holds)
{
    if (!holds)
        abort();
}

static void work_on(struct bench *bench)
{
    struct error err;
    struct lines lines;

    lines_init(&lines, bench->text, sizeof(bench->text));
    line_state(&lines, &bench->state, NULL);
    require(decide(&bench->state, &(struct event){.kind = EVENT_SETTLE}, &bench->workspace, &bench->decisions,
                   &err) == 0);
    require(state_broken(&bench->state) == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bench *bench;
    struct image_header header;
    struct image image;

    if (bench == NULL)
        bench = calloc(1, sizeof(*bench));
    require(bench != NULL);
    if (size < sizeof(header) || size > IMAGE_BYTES_MAX)
        return 0;
    memcpy(bench->bytes, data, size);
    memcpy(&header, data, sizeof(header));
    header.length = size;
    memcpy(bench->bytes, &header, sizeof(header));
    header.checksum = image_checksum(bench->bytes + sizeof(header.checksum), size - sizeof(header.checksum));
    memcpy(bench->bytes, &header, sizeof(header));

    image = (struct image){.state = &bench->state, .pending = bench->pending};
    if (image_decode(bench->bytes, size, &image) != NULL)
        return 0;
    require(image_encode(&image, bench->again) <= IMAGE_BYTES_MAX);
    if (state_broken(&bench->state) == NULL)
        work_on(bench);
    return 0;
}

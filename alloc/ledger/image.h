/*
 * image.h - a state as bytes, and back.
 *
 *     struct image_header | head of struct state | gpus | queues | grants | waiters | replicas | pending lines
 *
 * Only the parts of the tables that are in use are written. The checksum covers all of it, the number of the commit
 * included, so an image that is torn, of another commit, or changed in a single byte is not taken for one. Records are
 * copied as they lie in memory: a ledger lives on one machine for one boot, and another layout has another version.
 */
#ifndef ALLOT_ALLOC_LEDGER_IMAGE_H
#define ALLOT_ALLOC_LEDGER_IMAGE_H

#include "alloc/error.h"
#include "alloc/state.h"

/* Event-log lines that belong to a commit, kept in it until they are known to be in the log. */
#define PENDING_BYTES_MAX (256UL * 1024)

struct image_header {
    uint64_t checksum;      /* of all that follows */
    uint64_t length;        /* of the whole image, header included */
    uint64_t number;        /* of the commit */
    uint64_t next_line;     /* number of the next event-log line, behind the pending ones */
    uint64_t pending_bytes; /* of lines */
    uint64_t lost_lines;    /* lines that did not fit are missing: the log has a gap after the pending ones */
};

/* The largest image there can be. */
#define IMAGE_BYTES_MAX (sizeof(struct image_header) + sizeof(struct state) + PENDING_BYTES_MAX)

/* What a commit consists of. */
struct image {
    uint64_t number;
    uint64_t next_line;
    bool lost_lines;
    struct state *state;
    char *pending; /* PENDING_BYTES_MAX + 1 bytes, NUL-terminated */
};

/* Writes the image into `bytes` (room for IMAGE_BYTES_MAX) and returns its length. */
size_t image_encode(const struct image *image, unsigned char *bytes);

/* Reads one back; `image` lends the memory. NULL, or what is wrong with it. Never reads beyond `length`. */
const char *image_decode(const unsigned char *bytes, size_t length, struct image *image);

uint64_t image_checksum(const void *bytes, size_t length);

#endif

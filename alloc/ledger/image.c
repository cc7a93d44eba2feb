#include "alloc/ledger/image.h"

#include <string.h>

#define STATE_HEAD offsetof(struct state, gpus)

/* Eight bytes at a time: mixing a word in is one-to-one in the sum so far and in the word, so a change of any single word
 * changes the result; the length tells apart what ends in zeros. */
uint64_t image_checksum(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t sum = 0x9e3779b97f4a7c15U ^ length;

    for (; length > 0;) {
        uint64_t word = 0;
        size_t part = length < sizeof(word) ? length : sizeof(word);

        memcpy(&word, at, part);
        sum = (sum ^ word) * 0xd6e8feb86659fd93U;
        sum ^= sum >> 32;
        at += part;
        length -= part;
    }
    return sum;
}

/* What is to be written, or what is left to be read. */
struct cursor {
    unsigned char *to;
    const unsigned char *from;
    size_t left;
};

static void write_part(struct cursor *cursor, const void *part, size_t length)
{
    memcpy(cursor->to, part, length);
    cursor->to += length;
}

static bool read_part(struct cursor *cursor, void *part, size_t length)
{
    if (length > cursor->left)
        return false;
    memcpy(part, cursor->from, length);
    cursor->from += length;
    cursor->left -= length;
    return true;
}

#define AFTER_CHECKSUM offsetof(struct image_header, length)

size_t image_encode(const struct image *image, unsigned char *bytes)
{
    const struct state *state = image->state;
    struct image_header header = {.number = image->number,
                                  .next_line = image->next_line,
                                  .pending_bytes = strlen(image->pending),
                                  .lost_lines = image->lost_lines};
    struct cursor cursor = {.to = bytes + sizeof(header)};

    write_part(&cursor, state, STATE_HEAD);
    write_part(&cursor, state->gpus, state->gpu_count * sizeof(state->gpus[0]));
    write_part(&cursor, state->queues, state->queue_count * sizeof(state->queues[0]));
    write_part(&cursor, state->grants, state->grant_count * sizeof(state->grants[0]));
    write_part(&cursor, state->waiters, state->waiter_count * sizeof(state->waiters[0]));
    write_part(&cursor, state->replicas, state->replica_count * sizeof(state->replicas[0]));
    write_part(&cursor, image->pending, header.pending_bytes);
    header.length = (size_t)(cursor.to - bytes);
    memcpy(bytes, &header, sizeof(header));
    header.checksum = image_checksum(bytes + AFTER_CHECKSUM, header.length - AFTER_CHECKSUM);
    memcpy(bytes, &header, sizeof(header));
    return header.length;
}

static bool counts_in_bounds(const struct state *state)
{
    return state->gpu_count <= GPUS_MAX && state->queue_count <= QUEUES_MAX &&
           state->grant_count <= GRANTS_MAX && state->waiter_count <= WAITERS_MAX &&
           state->replica_count <= REPLICAS_MAX;
}

static bool read_tables(struct cursor *cursor, struct state *state)
{
    return read_part(cursor, state->gpus, state->gpu_count * sizeof(state->gpus[0])) &&
           read_part(cursor, state->queues, state->queue_count * sizeof(state->queues[0])) &&
           read_part(cursor, state->grants, state->grant_count * sizeof(state->grants[0])) &&
           read_part(cursor, state->waiters, state->waiter_count * sizeof(state->waiters[0])) &&
           read_part(cursor, state->replicas, state->replica_count * sizeof(state->replicas[0]));
}

/* A bool that is neither 0 nor 1 may be both to the compiler; so before anybody looks at one, its byte is looked at. */
static bool is_bool(const bool *flag)
{
    unsigned char byte;

    memcpy(&byte, flag, sizeof(byte));
    return byte <= 1;
}

static bool are_bools(const bool *flags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_bool(&flags[i]))
            return false;
    }
    return true;
}

static bool flags_are_right(const struct state *state)
{
    bool right = are_bools(state->node.off, RES_COUNT);

    for (uint32_t i = 0; i < state->gpu_count; i++)
        right = right && is_bool(&state->gpus[i].excluded);
    for (uint32_t i = 0; i < state->queue_count; i++) {
        const struct queue *queue = &state->queues[i];

        right = right && are_bools(queue->guarantee.named, RES_COUNT) &&
                are_bools(queue->limit.named, RES_COUNT) && is_bool(&queue->lend) &&
                is_bool(&queue->declared);
    }
    for (uint32_t i = 0; i < state->waiter_count; i++)
        right = right && is_bool(&state->waiters[i].distinct);
    return right;
}

const char *image_decode(const unsigned char *bytes, size_t length, struct image *image)
{
    struct cursor cursor = {.from = bytes, .left = length};
    struct image_header header;

    if (!read_part(&cursor, &header, sizeof(header)))
        return "it is too short";
    if (header.length < sizeof(header) || header.length > length)
        return "its length is wrong";
    if (header.checksum != image_checksum(bytes + AFTER_CHECKSUM, header.length - AFTER_CHECKSUM))
        return "its checksum is wrong";
    cursor.left = header.length - sizeof(header);
    if (header.pending_bytes > PENDING_BYTES_MAX || !read_part(&cursor, image->state, STATE_HEAD) ||
        !counts_in_bounds(image->state) || !read_tables(&cursor, image->state) ||
        cursor.left != header.pending_bytes || !read_part(&cursor, image->pending, header.pending_bytes))
        return "its tables do not fit its length";
    if (!flags_are_right(image->state))
        return "it has flags that are none";
    image->pending[header.pending_bytes] = '\0';
    image->number = header.number;
    image->next_line = header.next_line;
    image->lost_lines = header.lost_lines != 0;
    return NULL;
}

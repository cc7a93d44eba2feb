/*
 * store.h - the ledger's file: two images and the word that says which one counts.
 *
 *     page 0   header: magic, version, boot, pid namespace; its checksum; the commit word
 *     then     image 0 | image 1, each with room for the largest state
 *
 * A commit writes the image that does not count, and then stores its number in the commit word: one aligned 64-bit store,
 * whose low bit names the image and whose upper bits check the rest. SIGKILL before the store leaves the state before, after it the state after. Nothing is
 * ever written where a reader may look, but the word.
 *
 * Readers take no lock: word, image, and if the image is not that word's, word again. The file is made complete under
 * another name and renamed, so whoever finds it finds all of it.
 */
#ifndef ALLOT_ALLOC_LEDGER_STORE_H
#define ALLOT_ALLOC_LEDGER_STORE_H

#include <sys/types.h>

#include "alloc/error.h"
#include "alloc/ledger/image.h"

#define STORE_NAME    "ledger"
#define STORE_VERSION 1U

/* Where records come from: they end with the boot, and their pids mean nothing in another pid namespace. */
struct store_origin {
    char boot_id[40];
    uint64_t pid_namespace;
    uint64_t time_namespace; /* start times are shifted in another one; 0 where the kernel has none */
};

struct store_header {
    char magic[8];
    uint32_t version;
    uint32_t image_pages; /* of each image: another build may have other tables */
    struct store_origin origin;
    uint64_t checksum; /* of all above */
};

struct store {
    int fd;
    volatile uint64_t *word; /* of a writer: the commit word, mapped */
    struct store_origin origin;
    unsigned char *bytes; /* room for one image */
};

/* This boot and these namespaces. */
int store_read_origin(struct store_origin *origin, struct error *err);

/* Makes a new file with `image` as its first commit, in place of any other. Only under the lock. */
int store_create(int folder, mode_t mode, const struct store_origin *origin, struct image *image,
                 struct error *err);

/* Opens the file: to read it, or also to commit. `*there` is false if there is none. ERROR_SYSTEM if it is not a ledger
 * of this version; nothing is guessed about a damaged one. */
int store_open(int folder, bool to_write, struct store *store, bool *there, struct error *err);
void store_close(struct store *store); /* a zeroed store with fd -1 is fine */

/* The state that counts. Without the lock, retries while a writer is faster. */
int store_read(struct store *store, struct image *image, struct error *err);

/* Makes `image` the state that counts; its number becomes the next one. Only under the lock. On an error the state
 * before still counts. */
int store_commit(struct store *store, struct image *image, struct error *err);

#endif

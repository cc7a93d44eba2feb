#include "alloc/ledger/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc/cleanup.h"

static const char magic[8] = {'A', 'L', 'L', 'O', 'T', 'L', 'E', 'D'};

#define NEW_NAME    STORE_NAME ".new"
#define PAGE        4096UL
#define WORD_OFFSET 2048UL /* in page 0, away from the header */
#define IMAGE_PAGES ((IMAGE_BYTES_MAX + PAGE - 1) / PAGE)
#define FILE_BYTES  ((1 + 2 * IMAGE_PAGES) * PAGE)
_Static_assert(sizeof(struct store_header) <= WORD_OFFSET, "header and word share the first page");
_Static_assert(IMAGE_PAGES <= UINT32_MAX, "the header tells the size of an image");

/* How often a reader tries again when writers overtake it. Each try is a whole read, so this is seconds. */
#define READ_TRIES 10000

#define BOOT_ID_LENGTH 36

#define REMEDY "; see 'allot ledger check', and 'allot ledger rebuild' to restore it"

static off_t image_offset(uint64_t number)
{
    return (off_t)((1 + (number & 1) * IMAGE_PAGES) * PAGE);
}

/* --- origin -------------------------------------------------------------------------------------------------- */

/* Anything but a whole boot id would make another boot of this one, and end every grant. */
static int read_boot_id(struct store_origin *origin, struct error *err)
{
    CLEAN_FD int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    ssize_t got;

    if (fd < 0)
        return error_set_errno(err, errno, "the boot id cannot be read");
    do {
        got = read(fd, origin->boot_id + used, sizeof(origin->boot_id) - 1 - used);
        if (got < 0 && errno != EINTR)
            return error_set_errno(err, errno, "the boot id cannot be read");
        used += got > 0 ? (size_t)got : 0;
    } while (got != 0 && used < sizeof(origin->boot_id) - 1);
    origin->boot_id[strcspn(origin->boot_id, "\n")] = '\0';
    if (strlen(origin->boot_id) != BOOT_ID_LENGTH)
        return error_set(err, ERROR_SYSTEM, "the boot id that the kernel gives is not one");
    return 0;
}

int store_read_origin(struct store_origin *origin, struct error *err)
{
    struct stat status;

    *origin = (struct store_origin){0};
    if (read_boot_id(origin, err) < 0)
        return -1;
    if (stat("/proc/self/ns/pid", &status) < 0)
        return error_set_errno(err, errno, "the pid namespace cannot be read");
    origin->pid_namespace = status.st_ino;
    if (stat("/proc/self/ns/time", &status) == 0)
        origin->time_namespace = status.st_ino;
    else if (errno != ENOENT)
        return error_set_errno(err, errno, "the time namespace cannot be read");
    return 0;
}

/* --- the commit word ----------------------------------------------------------------------------------------- */

/*
 * 40 bits of number, whose lowest names the image, and above them 24 bits of CRC. Without a check, a single flipped bit
 * could name the other image, which holds the commit before: a state that was, but does not count any more. The CRC finds
 * every change that lies within 24 neighbouring bits, so every change of a byte.
 */
#define NUMBER_BITS 40
#define NUMBER_MASK ((1ULL << NUMBER_BITS) - 1)
#define CRC_POLYNOM 0x864cfbU
#define CRC_BITS    24

static uint64_t crc_of(uint64_t number)
{
    uint32_t crc = 0xb704ceU;

    for (int bit = NUMBER_BITS - 1; bit >= 0; bit--) {
        bool carry = ((crc >> (CRC_BITS - 1)) ^ (uint32_t)(number >> bit)) & 1;

        crc = (crc << 1) & ((1U << CRC_BITS) - 1);
        if (carry)
            crc ^= CRC_POLYNOM;
    }
    return crc;
}

static uint64_t word_of(uint64_t number)
{
    return number | crc_of(number) << NUMBER_BITS;
}

static int number_of(uint64_t word, uint64_t *number, struct error *err)
{
    *number = word & NUMBER_MASK;
    if (word_of(*number) != word)
        return error_set(err, ERROR_SYSTEM, "the ledger is damaged: its commit word is not one" REMEDY);
    return 0;
}

/* --- bytes --------------------------------------------------------------------------------------------------- */

static int write_all(int fd, const void *bytes, size_t length, off_t offset, struct error *err)
{
    const unsigned char *at = bytes;

    while (length > 0) {
        ssize_t wrote = pwrite(fd, at, length, offset);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return error_set_errno(err, wrote < 0 ? errno : ENOSPC, "the ledger cannot be written");
        at += wrote;
        length -= (size_t)wrote;
        offset += wrote;
    }
    return 0;
}

/* Less than `length` only at the end of the file. */
static int read_some(int fd, void *bytes, size_t length, off_t offset, size_t *got, struct error *err)
{
    unsigned char *at = bytes;

    *got = 0;
    while (*got < length) {
        ssize_t part = pread(fd, at + *got, length - *got, offset + (off_t)*got);

        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return error_set_errno(err, errno, "the ledger cannot be read");
        if (part == 0)
            break;
        *got += (size_t)part;
    }
    return 0;
}

/* The number of the commit that counts. */
static int read_number(const struct store *store, uint64_t *number, struct error *err)
{
    uint64_t word = 0;
    size_t got;

    if (read_some(store->fd, &word, sizeof(word), (off_t)WORD_OFFSET, &got, err) < 0)
        return -1;
    if (got != sizeof(word))
        return error_set(err, ERROR_SYSTEM, "the ledger is cut off before its first page ends" REMEDY);
    return number_of(word, number, err);
}

/* --- making -------------------------------------------------------------------------------------------------- */

static int write_new(int fd, const struct store_origin *origin, struct image *image, struct error *err)
{
    CLEAN_FREE unsigned char *bytes = malloc(IMAGE_BYTES_MAX);
    struct store_header header = {.version = STORE_VERSION, .image_pages = IMAGE_PAGES, .origin = *origin};
    uint64_t word;
    int wrong;

    if (bytes == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    memcpy(header.magic, magic, sizeof(magic));
    header.checksum = image_checksum(&header, offsetof(struct store_header, checksum));
    /* All of it now: later, a full disk must not come in the way of a commit. */
    wrong = posix_fallocate(fd, 0, (off_t)FILE_BYTES);
    if (wrong != 0)
        return error_set_errno(err, wrong, "there is no room for a ledger of %lu bytes", FILE_BYTES);
    image->number = 2;
    word = word_of(image->number);
    if (write_all(fd, bytes, image_encode(image, bytes), image_offset(image->number), err) < 0 ||
        write_all(fd, &word, sizeof(word), (off_t)WORD_OFFSET, err) < 0)
        return -1;
    return write_all(fd, &header, sizeof(header), 0, err);
}

int store_create(int folder, mode_t mode, const struct store_origin *origin, struct image *image,
                 struct error *err)
{
    CLEAN_FD int fd = -1;

    /* Whoever was killed here before left it behind; we hold the lock. */
    unlinkat(folder, NEW_NAME, 0);
    fd = openat(folder, NEW_NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0)
        return error_set_errno(err, errno, "the ledger cannot be made");
    if (fchmod(fd, mode) < 0) /* whatever the umask is */
        return error_set_errno(err, errno, "the ledger's mode cannot be set");
    if (write_new(fd, origin, image, err) < 0) {
        unlinkat(folder, NEW_NAME, 0);
        return -1;
    }
    if (renameat(folder, NEW_NAME, folder, STORE_NAME) < 0)
        return error_set_errno(err, errno, "the ledger cannot be put in place");
    return 0;
}

/* --- opening ------------------------------------------------------------------------------------------------- */

static int check_header(struct store *store, struct error *err)
{
    struct store_header header;
    struct stat status;
    size_t got;

    if (read_some(store->fd, &header, sizeof(header), 0, &got, err) < 0)
        return -1;
    if (got != sizeof(header) || memcmp(header.magic, magic, sizeof(magic)) != 0)
        return error_set(err, ERROR_SYSTEM,
                         "the ledger's file is not a ledger, or its header is damaged" REMEDY);
    if (header.version != STORE_VERSION || header.image_pages != IMAGE_PAGES)
        return error_set(err, ERROR_SYSTEM,
                         "the ledger has format %u.%u, and this allot knows %u.%lu; end the containers that "
                         "hold grants and "
                         "remove the file, or use the other allot",
                         header.version, header.image_pages, STORE_VERSION, (unsigned long)IMAGE_PAGES);
    if (header.checksum != image_checksum(&header, offsetof(struct store_header, checksum)))
        return error_set(err, ERROR_SYSTEM, "the ledger's header is damaged" REMEDY);
    if (fstat(store->fd, &status) < 0)
        return error_set_errno(err, errno, "the ledger cannot be examined");
    if (status.st_size != (off_t)FILE_BYTES)
        return error_set(err, ERROR_SYSTEM, "the ledger has %lld bytes instead of %lu" REMEDY,
                         (long long)status.st_size, FILE_BYTES);
    store->origin = header.origin;
    return 0;
}

int store_open(int folder, bool to_write, struct store *store, bool *there, struct error *err)
{
    void *page;

    *store = (struct store){.fd = -1};
    *there = false;
    store->fd = openat(folder, STORE_NAME, (to_write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW);
    if (store->fd < 0 && errno == ENOENT)
        return 0;
    if (store->fd < 0)
        return error_set_errno(err, errno, "the ledger cannot be opened");
    *there = true;
    store->bytes = malloc(IMAGE_BYTES_MAX);
    if (store->bytes == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    if (check_header(store, err) < 0)
        return -1;
    if (!to_write)
        return 0;
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, store->fd, 0);
    if (page == MAP_FAILED)
        return error_set_errno(err, errno, "the ledger cannot be mapped");
    store->word = (volatile uint64_t *)((char *)page + WORD_OFFSET);
    return 0;
}

void store_close(struct store *store)
{
    if (store->word != NULL)
        munmap((char *)(uintptr_t)store->word - WORD_OFFSET, PAGE);
    if (store->fd >= 0)
        close(store->fd);
    free(store->bytes);
    *store = (struct store){.fd = -1};
}

/* --- reading ------------------------------------------------------------------------------------------------- */

/* One try. `*wrong` is what is wrong with the image of that number, NULL if nothing is. */
static int try_read(struct store *store, uint64_t number, struct image *image, const char **wrong,
                    struct error *err)
{
    struct image_header header;
    size_t got;

    if (read_some(store->fd, store->bytes, sizeof(header), image_offset(number), &got, err) < 0)
        return -1;
    memcpy(&header, store->bytes, sizeof(header));
    if (got != sizeof(header) || header.length < sizeof(header) || header.length > IMAGE_BYTES_MAX) {
        *wrong = "its length is wrong";
        return 0;
    }
    if (read_some(store->fd, store->bytes, header.length, image_offset(number), &got, err) < 0)
        return -1;
    *wrong = image_decode(store->bytes, got, image);
    if (*wrong == NULL && image->number != number)
        *wrong = "it is of another commit";
    return 0;
}

int store_read(struct store *store, struct image *image, struct error *err)
{
    const char *wrong = NULL;
    uint64_t number = 0;
    uint64_t again = 0;

    if (read_number(store, &number, err) < 0)
        return -1;
    for (int tries = 0; tries < READ_TRIES; tries++) {
        if (try_read(store, number, image, &wrong, err) < 0)
            return -1;
        if (wrong == NULL)
            wrong = state_broken(image->state);
        if (wrong == NULL)
            return 0;
        /* Wrong because it was written meanwhile? Then the word has moved on by now: a writer comes to this image only
         * after it has committed the other. */
        if (read_number(store, &again, err) < 0)
            return -1;
        if (again == number)
            return error_set(err, ERROR_SYSTEM, "the ledger is damaged: image %u, commit %llu: %s" REMEDY,
                             (unsigned)(number & 1), (unsigned long long)number, wrong);
        number = again;
    }
    return error_set(err, ERROR_SYSTEM, "the ledger changes faster than it can be read; try again");
}

/* --- committing ---------------------------------------------------------------------------------------------- */

int store_commit(struct store *store, struct image *image, struct error *err)
{
    uint64_t number;
    uint64_t word;
    size_t length;

    if (number_of(*store->word, &number, err) < 0)
        return -1;
    image->number = number + 1;
    word = word_of(image->number);
    length = image_encode(image, store->bytes);
    if (write_all(store->fd, store->bytes, length, image_offset(image->number), err) < 0)
        return -1;
    /* The image must be in the file before the word is: not reordered by the compiler, nor by the processor for a reader
     * on another one. */
    __atomic_store_n(store->word, word, __ATOMIC_SEQ_CST);
    return 0;
}

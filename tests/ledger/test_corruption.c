/*
 * A ledger with 100 grants is damaged in every single byte and cut off at every length. Each damage must be noticed, with a
 * sentence that says what is damaged and what to do, or be harmless: then what is read is the very same. Nothing is ever
 * granted from a damaged ledger.
 *
 * Usually some values are tried for each byte; VALUES=255 tries all of them.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "alloc/cleanup.h"
#include "tests/support/dice.h"
#include "tests/support/ledger_folder.h"
#include "tests/support/world.h"

#define GRANTS 100U
#define PAGE   4096U

/* As store.h draws it; the tests below notice if it is drawn otherwise. */
#define WORD_AT 2048U

struct damage {
    struct ledger_folder *folder;
    int fd; /* of the ledger's folder */
    int file;
    unsigned char *bytes; /* the ledger's file, mapped */
    size_t size;
    size_t image[2]; /* where they begin */
    size_t length[2];
    size_t current;
    struct image before; /* as it was written */
    struct image read;
    uint64_t tried;
    uint64_t noticed;
};

/* --- a ledger to be damaged --- */

static struct image new_image(void)
{
    struct image image = {.state = calloc(1, sizeof(struct state)),
                          .pending = calloc(1, PENDING_BYTES_MAX + 1)};

    assert_true(image.state != NULL && image.pending != NULL);
    return image;
}

static int read_ledger(const struct damage *damage, struct image *image, struct error *err)
{
    struct store store;
    bool there = false;
    int result = store_open(damage->fd, false, &store, &there, err);

    assert_true(there);
    if (result == 0)
        result = store_read(&store, image, err);
    store_close(&store);
    return result;
}

static struct damage *begin(struct ledger_folder *folder)
{
    struct damage *damage = calloc(1, sizeof(*damage));
    struct request last = ledger_folder_request("last", "research");
    struct error err = {0};
    struct stat status;
    char path[400];

    assert_non_null(damage);
    ledger_folder_fill(folder, GRANTS - 1);
    assert_int_equal(ledger_folder_ask(folder, &last, &err), 0);
    *damage = (struct damage){.folder = folder, .before = new_image(), .read = new_image()};
    damage->fd = open(folder->ledger, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(path, sizeof(path), "%s/%s", folder->ledger, STORE_NAME);
    damage->file = open(path, O_RDWR | O_CLOEXEC);
    assert_true(damage->fd >= 0 && damage->file >= 0 && fstat(damage->file, &status) == 0);
    damage->size = (size_t)status.st_size;
    damage->bytes = mmap(NULL, damage->size, PROT_READ | PROT_WRITE, MAP_SHARED, damage->file, 0);
    assert_true(damage->bytes != MAP_FAILED);
    assert_int_equal(read_ledger(damage, &damage->before, &err), 0);
    assert_int_equal(damage->before.state->grant_count, GRANTS);
    damage->current = damage->before.number & 1;
    for (size_t i = 0; i < 2; i++) {
        struct image_header header;

        damage->image[i] = PAGE + i * (damage->size - PAGE) / 2;
        memcpy(&header, damage->bytes + damage->image[i], sizeof(header));
        assert_int_equal(header.number, damage->before.number - (i == damage->current ? 0 : 1));
        damage->length[i] = header.length;
        assert_true(header.length > 10000 && header.length < (damage->size - PAGE) / 2);
    }
    return damage;
}

static void end(struct damage *damage)
{
    munmap(damage->bytes, damage->size);
    close(damage->file);
    close(damage->fd);
    free(damage->before.state);
    free(damage->before.pending);
    free(damage->read.state);
    free(damage->read.pending);
    free(damage);
}

/* --- judging --- */

static const char *error_wrong(const struct error *err)
{
    if (err->kind != ERROR_SYSTEM)
        return "it is not an error of the system";
    if (strstr(err->text, "ledger") == NULL || strchr(err->text, '\n') != NULL)
        return "the error is not one line about the ledger";
    if (strstr(err->text, "allot ledger rebuild") == NULL && strstr(err->text, "remove the file") == NULL)
        return "the error names no remedy";
    return NULL;
}

/* What was read, or the error, after a damage. */
static const char *outcome_wrong(struct damage *damage, int result, const struct error *err)
{
    const struct image *a = &damage->before;
    const struct image *b = &damage->read;

    damage->tried++;
    damage->noticed += result < 0;
    if (result < 0)
        return error_wrong(err);
    if (a->number != b->number || !ledger_folder_same(a->state, b->state))
        return "another state was read, and nobody noticed";
    if (a->next_line != b->next_line || a->lost_lines != b->lost_lines || strcmp(a->pending, b->pending) != 0)
        return "other log lines were read, and nobody noticed";
    return NULL;
}

static void report(const struct damage *damage)
{
    printf("# %llu damages, %llu of them noticed\n", (unsigned long long)damage->tried,
           (unsigned long long)damage->noticed);
}

/* --- bytes --- */

static unsigned usual_values(unsigned usual)
{
    const char *given = getenv("VALUES");
    unsigned long values = given != NULL ? strtoul(given, NULL, 10) : usual;

    return values < 1 ? 1 : values > 255 ? 255 : (unsigned)values;
}

/* Single bits first; all 255 are all there are. */
static unsigned char mask_of(unsigned number, unsigned values)
{
    static const unsigned char bits[] = {1, 128, 16, 2, 64, 4, 32, 8};

    return (unsigned char)(values <= sizeof(bits) ? bits[number] : number + 1);
}

/* Every value of `values` for the byte at `at`, through a store that is opened each time or, where its header is whole,
 * stays open. */
static void damage_byte(struct damage *damage, struct store *open_store, size_t at, unsigned values)
{
    unsigned char was = damage->bytes[at];

    for (unsigned i = 0; i < values; i++) {
        unsigned char now = was ^ mask_of(i, values);
        struct error err = {0};
        const char *wrong;
        int result;

        damage->bytes[at] = now;
        result = open_store != NULL ? store_read(open_store, &damage->read, &err)
                                    : read_ledger(damage, &damage->read, &err);
        wrong = outcome_wrong(damage, result, &err);
        damage->bytes[at] = was;
        if (wrong != NULL)
            fail_msg("byte %zu from %02x to %02x: %s%s%s", at, was, now, wrong, result < 0 ? ": " : "",
                     result < 0 ? err.text : "");
    }
}

static void every_change_of_a_byte_of_the_first_page_is_noticed_or_harmless(void **state)
{
    struct damage *damage = begin(*state);

    for (size_t at = 0; at < PAGE; at += LEDGER_FOLDER_STRIDE(7)) {
        bool counts = at < sizeof(struct store_header) || (at >= WORD_AT && at < WORD_AT + 8);

        damage_byte(damage, NULL, at, counts ? 255 : usual_values(2));
    }
    report(damage);
    assert_true(damage->noticed >= sizeof(struct store_header) / LEDGER_FOLDER_STRIDE(7) * 255);
    end(damage);
}

/* The word that says which image counts, at several numbers: one less is the commit before, which lies there whole. */
static void the_commit_word_cannot_name_another_commit(void **state)
{
    struct damage *damage = begin(*state);

    for (unsigned i = 0; i < 8 / LEDGER_FOLDER_STRIDE(4); i++) {
        struct error err = {0};
        struct request request = ledger_folder_request("x", "research");

        for (size_t at = WORD_AT; at < WORD_AT + 8; at++)
            damage_byte(damage, NULL, at, 255);
        if (i % 2 == 0)
            assert_int_equal(ledger_folder_ask(damage->folder, &request, &err), 0);
        else
            assert_int_equal(ledger_folder_release(damage->folder, "x", &err), 0);
        assert_int_equal(read_ledger(damage, &damage->before, &err), 0);
    }
    report(damage);
    end(damage);
}

static void damage_image(struct ledger_folder *folder, bool current, unsigned values)
{
    struct damage *damage = begin(folder);
    size_t which = current ? damage->current : 1 - damage->current;
    struct error err = {0};
    struct store store;
    bool there;

    assert_int_equal(store_open(damage->fd, false, &store, &there, &err), 0);
    for (size_t at = 0; at < damage->length[which]; at += LEDGER_FOLDER_STRIDE(31))
        damage_byte(damage, &store, damage->image[which] + at, values);
    store_close(&store);
    report(damage);
    assert_true(damage->tried >= damage->length[which] / LEDGER_FOLDER_STRIDE(31) * values);
    assert_int_equal(damage->noticed, current ? damage->tried : 0);
    end(damage);
}

static void every_change_of_a_byte_of_the_image_that_counts_is_noticed(void **state)
{
    damage_image(*state, true, usual_values(4));
}

static void every_change_of_a_byte_of_the_other_image_is_harmless(void **state)
{
    damage_image(*state, false, usual_values(1));
}

/* A random part of a file that was written over by something else. */
static void a_block_that_was_overwritten_is_noticed_or_harmless(void **state)
{
    struct damage *damage = begin(*state);
    struct dice dice = dice_new(dice_seed(__func__));
    uint32_t rounds = dice_rounds(3000);
    unsigned char *saved = malloc(damage->size);

    assert_non_null(saved);
    for (uint32_t round = 0; round < rounds; round++) {
        size_t base = (size_t[]){0, damage->image[0], damage->image[1]}[dice_below(&dice, 3)];
        size_t at = base + dice_below(&dice, dice_chance(&dice, 2) ? 4096 : 40000);
        size_t length = 1 + dice_below(&dice, dice_chance(&dice, 2) ? 16 : 8192);
        unsigned char fill = (unsigned char)dice_roll(&dice);
        bool random = dice_chance(&dice, 2);
        struct error err = {0};
        const char *wrong;

        memcpy(saved, damage->bytes + at, length);
        for (size_t i = 0; i < length; i++)
            damage->bytes[at + i] = random ? (unsigned char)dice_roll(&dice) : fill;
        wrong = outcome_wrong(damage, read_ledger(damage, &damage->read, &err), &err);
        memcpy(damage->bytes + at, saved, length);
        if (wrong != NULL)
            fail_msg("%zu bytes at %zu: %s: %s", length, at, wrong, err.text);
    }
    free(saved);
    report(damage);
    end(damage);
}

/* --- lengths --- */

static void every_truncation_is_noticed(void **state)
{
    struct damage *damage = begin(*state);
    size_t length = damage->size;

    /* From long to short, so that the file never has to grow: in steps where there is only room, then every length. */
    while (length > 0) {
        struct error err = {0};
        const char *wrong;
        int result;

        size_t step = length > 8 * PAGE ? 4093 : LEDGER_FOLDER_STRIDE(31);

        length -= step < length ? step : length;
        assert_int_equal(ftruncate(damage->file, (off_t)length), 0);
        result = read_ledger(damage, &damage->read, &err);
        wrong = outcome_wrong(damage, result, &err);
        if (wrong == NULL && result == 0)
            wrong = "it was not noticed";
        if (wrong != NULL)
            fail_msg("cut off at %zu: %s: %s", length, wrong, err.text);
    }
    report(damage);
    assert_true(damage->tried > 6 * PAGE / LEDGER_FOLDER_STRIDE(31));
    end(damage);
}

static void a_ledger_that_is_longer_than_it_should_be_is_noticed(void **state)
{
    struct damage *damage = begin(*state);
    struct error err = {0};

    assert_int_equal(ftruncate(damage->file, (off_t)damage->size + 1), 0);
    assert_int_equal(read_ledger(damage, &damage->read, &err), -1);
    assert_null(error_wrong(&err));
    end(damage);
}

static void put_file(const struct ledger_folder *folder, const void *bytes, size_t length)
{
    char path[400];
    CLEAN_FD int fd = -1;

    snprintf(path, sizeof(path), "%s/%s", folder->ledger, STORE_NAME);
    unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    assert_true(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
}

static void a_foreign_file_in_its_place_is_no_ledger_and_is_left_alone(void **state)
{
    static const char text[] = "this is somebody's diary\n";
    struct ledger_folder *folder = *state;
    struct request request = ledger_folder_request("x", "research");
    struct error err = {0};
    char found[sizeof(text)] = "";
    char path[400];
    CLEAN_FD int fd = -1;

    ledger_folder_fill(folder, 1);
    for (size_t length = 0; length < sizeof(text); length += sizeof(text) - 1) {
        put_file(folder, text, length);
        assert_int_equal(ledger_folder_ask(folder, &request, &err), -1);
        assert_null(error_wrong(&err));
    }
    snprintf(path, sizeof(path), "%s/%s", folder->ledger, STORE_NAME);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && read(fd, found, sizeof(found)) == sizeof(text) - 1);
    assert_string_equal(found, text);
}

/* --- nothing is granted --- */

static int run_program(const struct ledger_folder *folder, char *const arguments[], char *said, size_t size)
{
    int ends[2];
    int status = 0;
    size_t used = 0;
    ssize_t got;
    pid_t pid;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        setenv("ALLOT_CONFIG", folder->config, 1);
        if (dup2(ends[1], STDERR_FILENO) < 0)
            _exit(98);
        execv(folder->program, arguments);
        _exit(99);
    }
    close(ends[1]);
    while (used < size - 1 && (got = read(ends[0], said + used, size - 1 - used)) > 0)
        used += (size_t)got;
    said[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char word_allot[] = "allot";
static char word_run[] = "run";
static char word_replicas[] = "--replicas";
static char word_one[] = "1";
static char word_end[] = "--";
static char word_true[] = "/bin/true";
static char *const run_true[] = {word_allot, word_run, word_replicas, word_one, word_end, word_true, NULL};

/* Bytes whose damage is noticed: of the header, the word, and both ends and the middle of the image. */
static size_t spot(const struct damage *damage, uint32_t number)
{
    size_t image = damage->image[damage->current];
    size_t length = damage->length[damage->current];
    const size_t spots[] = {0,
                            9,
                            13,
                            17,
                            60,
                            65,
                            WORD_AT,
                            WORD_AT + 7,
                            image,
                            image + 9,
                            image + 17,
                            image + 48,
                            image + length / 2,
                            image + length - 1};

    return number < sizeof(spots) / sizeof(spots[0]) ? spots[number] : 0;
}

static void nothing_is_granted_from_a_damaged_ledger(void **state)
{
    struct damage *damage = begin(*state);
    const struct ledger_folder *folder = damage->folder;
    struct request request = ledger_folder_request("x", "research");
    unsigned char *saved = malloc(damage->size);

    assert_non_null(saved);
    assert_true(folder->program[0] != '\0');
    for (uint32_t i = 0; i == 0 || spot(damage, i) != 0; i++) {
        size_t at = spot(damage, i);
        unsigned char was = damage->bytes[at];
        struct error err = {0};
        char said[2048];

        damage->bytes[at] ^= 0x20;
        memcpy(saved, damage->bytes, damage->size);
        if (ledger_folder_ask(folder, &request, &err) == 0 || error_wrong(&err) != NULL)
            fail_msg("byte %zu: a request: %s", at, err.text);
        if (ledger_folder_release(folder, "last", &err) == 0 || error_wrong(&err) != NULL)
            fail_msg("byte %zu: a release: %s", at, err.text);
        assert_int_equal(run_program(folder, run_true, said, sizeof(said)), 3);
        if (strncmp(said, "allot: ", 7) != 0 || strchr(said, '\n') != said + strlen(said) - 1)
            fail_msg("byte %zu: allot run says: %s", at, said);
        /* And it is left as it is for whoever repairs it. */
        assert_memory_equal(saved, damage->bytes, damage->size);
        damage->bytes[at] = was;
    }
    free(saved);
    {
        char said[2048];

        assert_int_equal(run_program(folder, run_true, said, sizeof(said)), 0);
        assert_string_equal(said, "");
    }
    end(damage);
}

/* --- the image that does not count is written next --- */

static void damage_where_the_next_commit_goes_does_not_matter(void **state)
{
    struct damage *damage = begin(*state);
    struct ledger_folder *folder = damage->folder;
    struct request request = ledger_folder_request("x", "research");
    size_t other = damage->image[1 - damage->current];
    struct error err = {0};

    memset(damage->bytes + other, 0xa5, (damage->size - PAGE) / 2);
    ledger_folder_decide(folder, damage->before.state,
                         &(struct event){.kind = EVENT_REQUEST, .request = &request}, folder->then);
    assert_int_equal(ledger_folder_ask(folder, &request, &err), 0);
    ledger_folder_read(folder, folder->now);
    assert_true(ledger_folder_same(folder->now, folder->then));
    assert_null(ledger_folder_log_wrong(folder, false));
    end(damage);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, ledger_folder_setup, ledger_folder_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_change_of_a_byte_of_the_first_page_is_noticed_or_harmless),
        TEST(the_commit_word_cannot_name_another_commit),
        TEST(every_change_of_a_byte_of_the_image_that_counts_is_noticed),
        TEST(every_change_of_a_byte_of_the_other_image_is_harmless),
        TEST(a_block_that_was_overwritten_is_noticed_or_harmless),
        TEST(every_truncation_is_noticed),
        TEST(a_ledger_that_is_longer_than_it_should_be_is_noticed),
        TEST(a_foreign_file_in_its_place_is_no_ledger_and_is_left_alone),
        TEST(nothing_is_granted_from_a_damaged_ledger),
        TEST(damage_where_the_next_commit_goes_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

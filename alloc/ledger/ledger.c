#include "alloc/ledger/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "alloc/cleanup.h"
#include "alloc/ledger/in_force.h"
#include "alloc/ledger/life.h"
#include "alloc/ledger/lock.h"

#define MODE_LEDGER      0644
#define MODE_GROUP       0664
#define MODE_SECRET      0600
#define MODE_GROUP_SHARE 0660

/* --- opening ------------------------------------------------------------------------------------------------- */

static bool has_group(const struct ledger *ledger)
{
    return ledger->options.group != LEDGER_GROUP_NONE;
}

/* Whoever can write the folder can put another ledger in its place. */
static int check_folder(const struct ledger *ledger, struct error *err)
{
    mode_t forbidden = has_group(ledger) ? S_IWOTH : S_IWOTH | S_IWGRP;
    struct stat status;

    if (fstat(ledger->folder, &status) < 0)
        return error_set_errno(err, errno, "%s cannot be examined", ledger->options.folder);
    if (geteuid() == 0 && status.st_uid != 0)
        return error_set(err, ERROR_SYSTEM, "%s is owned by user %u; allowed: root; remedy: chown root %s",
                         ledger->options.folder, (unsigned)status.st_uid, ledger->options.folder);
    if ((status.st_mode & forbidden) != 0)
        return error_set(err, ERROR_SYSTEM, "%s may be written by others (mode %04o); remedy: chmod go-w %s",
                         ledger->options.folder, (unsigned)(status.st_mode & 07777), ledger->options.folder);
    return 0;
}

static int open_folder(struct ledger *ledger, struct error *err)
{
    const char *path = ledger->options.folder;

    bool made = mkdir(path, 0755) == 0;

    if (!made && errno != EEXIST)
        return error_set_errno(err, errno, "the ledger's folder %s cannot be made", path);
    ledger->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (ledger->folder < 0)
        return error_set_errno(err, errno, "the ledger's folder %s cannot be opened", path);
    if (made && fchmod(ledger->folder, 0755) < 0) /* whatever the umask is: status is for everybody */
        return error_set_errno(err, errno, "the mode of the ledger's folder %s cannot be set", path);
    return check_folder(ledger, err);
}

static int get_memory(struct ledger *ledger, struct error *err)
{
    ledger->image.state = calloc(1, sizeof(struct state));
    ledger->image.pending = calloc(1, PENDING_BYTES_MAX + 1);
    ledger->workspace = calloc(1, sizeof(struct workspace));
    ledger->decisions = calloc(1, sizeof(struct decisions));
    ledger->lines.text = calloc(1, PENDING_BYTES_MAX + 1);
    if (ledger->image.state == NULL || ledger->image.pending == NULL || ledger->workspace == NULL ||
        ledger->decisions == NULL || ledger->lines.text == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    return 0;
}

int ledger_open(const struct ledger_options *options, struct ledger **out, struct error *err)
{
    CLEAN_LEDGER struct ledger *ledger = calloc(1, sizeof(*ledger));
    mode_t secret;

    if (ledger == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    ledger->options = *options;
    ledger->folder = ledger->lock = ledger->store.fd = ledger->journal.fd = -1;
    secret = has_group(ledger) ? MODE_GROUP_SHARE : MODE_SECRET;
    if (get_memory(ledger, err) < 0 || store_read_origin(&ledger->origin, err) < 0 ||
        open_folder(ledger, err) < 0 || lock_open(ledger->folder, secret, &ledger->lock, err) < 0 ||
        wake_open(ledger->folder, secret, &ledger->wake, err) < 0)
        return -1;
    if (has_group(ledger) && geteuid() == 0 &&
        (fchownat(ledger->folder, LOCK_NAME, 0, options->group, 0) < 0 ||
         fchownat(ledger->folder, WAKE_NAME, 0, options->group, 0) < 0))
        return error_set_errno(err, errno, "the ledger's files cannot be given to the group");
    *out = take_pointer(&ledger);
    return 0;
}

void ledger_close(struct ledger *ledger)
{
    if (ledger == NULL)
        return;
    ledger_abandon(ledger);
    wake_close(&ledger->wake);
    if (ledger->lock >= 0)
        close(ledger->lock);
    if (ledger->folder >= 0)
        close(ledger->folder);
    free(ledger->image.state);
    free(ledger->image.pending);
    free(ledger->workspace);
    free(ledger->decisions);
    free(ledger->lines.text);
    free(ledger);
}

void ledger_clean(struct ledger **ledger)
{
    ledger_close(*ledger);
}

/* --- the log ------------------------------------------------------------------------------------------------- */

/* RFC 3339, in UTC. */
#define TIME_TEXT_SIZE 32

static struct line_stamp stamp_of(const struct ledger *ledger, uint64_t number,
                                  char time_text[static TIME_TEXT_SIZE])
{
    struct timespec now;
    struct tm utc;
    size_t length;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    length = strftime(time_text, TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(time_text + length, TIME_TEXT_SIZE - length, ".%03ldZ", now.tv_nsec / 1000000);
    return (struct line_stamp){
        .number = number, .time = time_text, .engine = ledger->options.engine, .pid = getpid()};
}

/* Room for the node, all queues and the largest state. */
#define SNAPSHOT_BYTES_MAX (64UL * 1024 * 1024)

/* All there is to know, as lines that carry the number of the last line so far: they say what is true after it. */
static int log_snapshot(struct ledger *ledger, struct error *err)
{
    const struct state *state = ledger->image.state;
    CLEAN_FREE char *text = malloc(SNAPSHOT_BYTES_MAX);
    char time_text[TIME_TEXT_SIZE];
    struct line_stamp stamp = stamp_of(ledger, ledger->image.next_line - 1, time_text);
    struct lines lines;

    if (text == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    stamp.boot = ledger->origin.boot_id;
    lines_init(&lines, text, SNAPSHOT_BYTES_MAX);
    line_node(&lines, state, &stamp);
    for (uint32_t i = 0; i < state->queue_count; i++) {
        if (state->queues[i].declared)
            line_queue(&lines, &state->queues[i], &stamp);
    }
    line_state(&lines, state, &stamp);
    if (lines.full)
        return error_set(err, ERROR_SYSTEM, "the state is too large for the event log");
    return journal_append(&ledger->journal, lines.text, lines.used, stamp.number, err);
}

/* The first of the lines with a number above `last`. */
static const char *lines_above(const char *lines, uint64_t last)
{
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");

        if (journal_number(lines, length) > last)
            break;
        lines += length + (lines[length] == '\n');
    }
    return lines;
}

/* Brings the log up to the commit that counts. */
static int catch_up(struct ledger *ledger, struct error *err)
{
    const struct image *image = &ledger->image;
    uint64_t first = image->pending[0] != '\0' ? journal_number(image->pending, strcspn(image->pending, "\n"))
                                               : image->next_line;
    const char *missing;

    if (ledger->journal.last == image->next_line - 1)
        return 0;
    /* The log is ahead: it could not be read when this ledger was made. Numbers go on from where it is. */
    if (ledger->journal.last >= image->next_line) {
        ledger->image.next_line = ledger->journal.last + 2;
        return log_snapshot(ledger, err);
    }
    if (ledger->journal.last == 0 || ledger->journal.last + 1 < first || image->lost_lines)
        return log_snapshot(ledger, err);
    missing = lines_above(image->pending, ledger->journal.last);
    return journal_append(&ledger->journal, missing, strlen(missing), image->next_line - 1, err);
}

/* Opens the log and catches up; trouble with it is remembered and stops nobody. */
static void begin_log(struct ledger *ledger)
{
    struct error err;

    ledger->log_trouble.kind = ERROR_NONE;
    if (journal_open(ledger->options.events, &ledger->journal, &err) < 0 ||
        (ledger->journal.fd >= 0 && catch_up(ledger, &err) < 0))
        ledger->log_trouble = err;
}

/* After the commit: the new lines. If that fails, they are in the commit, and the next holder tries. */
static void end_log(struct ledger *ledger)
{
    struct error err;

    if (ledger->journal.fd >= 0 && ledger->log_trouble.kind == ERROR_NONE && catch_up(ledger, &err) < 0)
        ledger->log_trouble = err;
    journal_close(&ledger->journal);
}

/* Notes what was decided. */
static void note_decisions(struct ledger *ledger, struct line_stamp stamp)
{
    for (uint32_t i = 0; i < ledger->decisions->count; i++) {
        stamp.number = ledger->image.next_line++;
        line_decision(&ledger->lines, ledger->image.state, ledger->decisions, &ledger->decisions->item[i],
                      &stamp);
    }
}

/* --- begin --------------------------------------------------------------------------------------------------- */

/* An empty ledger for this boot. Line numbers go on from what the log has. */
static int make_store(struct ledger *ledger, struct error *err)
{
    struct journal journal;
    struct error ignored;
    mode_t mode = has_group(ledger) ? MODE_GROUP : MODE_LEDGER;

    state_init(ledger->image.state);
    ledger->image.pending[0] = '\0';
    ledger->image.lost_lines = false;
    ledger->image.next_line = 2;
    if (journal_open(ledger->options.events, &journal, &ignored) == 0)
        ledger->image.next_line = journal.last + 2;
    journal_close(&journal);
    if (store_create(ledger->folder, mode, &ledger->origin, &ledger->image, err) < 0)
        return -1;
    if (has_group(ledger) && geteuid() == 0 &&
        fchownat(ledger->folder, STORE_NAME, 0, ledger->options.group, 0) < 0)
        return error_set_errno(err, errno, "the ledger cannot be given to the group");
    return 0;
}

static int open_store(struct ledger *ledger, struct error *err)
{
    bool there;

    if (store_open(ledger->folder, true, &ledger->store, &there, err) < 0)
        return -1;
    /* Grants end with the boot. */
    if (there && strcmp(ledger->store.origin.boot_id, ledger->origin.boot_id) != 0)
        there = false;
    if (!there) {
        store_close(&ledger->store);
        if (make_store(ledger, err) < 0 || store_open(ledger->folder, true, &ledger->store, &there, err) < 0)
            return -1;
    }
    if (ledger->store.origin.pid_namespace != ledger->origin.pid_namespace ||
        ledger->store.origin.time_namespace != ledger->origin.time_namespace)
        return error_set(err, ERROR_SYSTEM,
                         "the ledger in %s belongs to another pid or time namespace, whose processes cannot "
                         "be judged from here; call allot where its containers are started",
                         ledger->options.folder);
    return store_read(&ledger->store, &ledger->image, err);
}

/*
 * What comes before whatever the caller came for: the state learns what is in force, and if somebody waits, the dead are
 * looked for. In this order: what the dead leave must not be granted by rules that hold no more.
 *
 * The options are applied only once: a process that has waited for long knows a configuration that may be an old one.
 */
static int look_around(struct ledger *ledger, struct error *err)
{
    if (!ledger->began_before && in_force_apply(ledger, err) < 0)
        return -1;
    return ledger->image.state->waiter_count > 0 ? ledger_reap(ledger, NULL, err) : 0;
}

int ledger_begin(struct ledger *ledger, struct error *err)
{
    if (lock_take(ledger->lock, ledger->options.lock_timeout_ms, err) < 0)
        return -1;
    ledger->changed = ledger->ended = false;
    if (open_store(ledger, err) < 0) {
        ledger_abandon(ledger);
        return -1;
    }
    begin_log(ledger);
    lines_init(&ledger->lines, ledger->lines.text, PENDING_BYTES_MAX + 1);
    if (look_around(ledger, err) < 0) {
        ledger_abandon(ledger);
        return -1;
    }
    return 0;
}

/* --- deciding ------------------------------------------------------------------------------------------------ */

int ledger_decide(struct ledger *ledger, const struct event *event, struct error *err)
{
    char time_text[TIME_TEXT_SIZE];
    struct line_stamp stamp = stamp_of(ledger, ledger->image.next_line, time_text);
    size_t start = ledger->lines.used;
    bool was_full = ledger->lines.full;

    /* The event's line speaks of the state before it; if it turns out to be impossible, it is taken back. */
    line_event(&ledger->lines, ledger->image.state, event, &stamp);
    if (decide(ledger->image.state, event, ledger->workspace, ledger->decisions, err) < 0) {
        ledger->lines.used = start;
        ledger->lines.text[start] = '\0';
        ledger->lines.full = was_full;
        return -1;
    }
    ledger->image.next_line++;
    note_decisions(ledger, stamp);
    ledger->changed = true;
    ledger->ended = ledger->ended || event->kind == EVENT_RELEASE || event->kind == EVENT_CANCEL;
    return 0;
}

static uint64_t boot_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Judges a record by its holder; a change of that is to be committed. */
static bool has_ended(struct ledger *ledger, struct holder *holder, uint64_t arrival)
{
    struct life_rules rules = {.now_ms = boot_ms(), .create_grace_ms = ledger->options.create_grace_ms};
    struct side side = {.pid_file = ""};
    struct life_paths paths = {.pid_file = side.pid_file};
    bool changed = false;
    bool ended;

    if (holder->process == 0 && side_read(ledger->folder, arrival, &side) < 0)
        return false; /* what it says is not known: doubt keeps the grant */
    ended = life_judge(holder, &paths, &rules, &changed) == LIFE_ENDED;

    ledger->changed = ledger->changed || changed;
    return ended;
}

int ledger_reap(struct ledger *ledger, uint32_t *reaped, struct error *err)
{
    struct state *state = ledger->image.state;
    CLEAN_FREE const char **ids = calloc(GRANTS_MAX + WAITERS_MAX, sizeof(ids[0]));
    CLEAN_FREE char(*text)[ID_SIZE] = calloc(GRANTS_MAX + WAITERS_MAX, sizeof(text[0]));
    struct event cancel = {.kind = EVENT_CANCEL, .ids = ids};
    struct event release = {.kind = EVENT_RELEASE};

    if (ids == NULL || text == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        if (has_ended(ledger, &state->waiters[i].holder, state->waiters[i].arrival)) {
            memcpy(text[cancel.id_count], state->waiters[i].id, ID_SIZE);
            ids[cancel.id_count] = text[cancel.id_count];
            cancel.id_count++;
        }
    }
    release.ids = ids + cancel.id_count;
    for (uint32_t i = 0; i < state->grant_count; i++) {
        if (has_ended(ledger, &state->grants[i].holder, state->grants[i].arrival)) {
            uint32_t at = cancel.id_count + release.id_count++;

            memcpy(text[at], state->grants[i].id, ID_SIZE);
            ids[at] = text[at];
        }
    }
    if (reaped != NULL)
        *reaped = cancel.id_count + release.id_count;
    /* The dead leave the line first, so that nothing is granted to them. */
    if (cancel.id_count > 0 && ledger_decide(ledger, &cancel, err) < 0)
        return -1;
    return release.id_count > 0 ? ledger_decide(ledger, &release, err) : 0;
}

static bool has_record(const void *context, uint64_t arrival)
{
    const struct state *state = context;

    for (uint32_t i = 0; i < state->grant_count; i++) {
        if (state->grants[i].arrival == arrival)
            return true;
    }
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        if (state->waiters[i].arrival == arrival)
            return true;
    }
    return false;
}

int ledger_request(struct ledger *ledger, const struct request *request, const struct side *side,
                   struct error *err)
{
    const struct state *state = ledger->image.state;
    uint64_t arrival;

    if (!decide_would_grant(ledger->image.state, request, ledger->workspace) &&
        ledger_reap(ledger, NULL, err) < 0)
        return -1;
    arrival = state->next_arrival;
    /* Somebody who was killed before its commit may have left a file under this number. */
    if (side == NULL)
        side_remove(ledger->folder, arrival);
    else if (side_write(ledger->folder, arrival, side, err) < 0)
        return -1;
    if (ledger_decide(ledger, &(struct event){.kind = EVENT_REQUEST, .request = request}, err) < 0)
        return -1;
    if (side != NULL && !has_record(state, arrival))
        side_remove(ledger->folder, arrival);
    return 0;
}

/* --- end ----------------------------------------------------------------------------------------------------- */

void ledger_abandon(struct ledger *ledger)
{
    journal_close(&ledger->journal);
    store_close(&ledger->store);
    if (ledger->lock >= 0)
        lock_drop(ledger->lock);
}

int ledger_end(struct ledger *ledger, struct error *err)
{
    struct image *image = &ledger->image;
    bool changed = ledger->changed;

    ledger->began_before = true;
    if (changed) {
        memcpy(image->pending, ledger->lines.text, ledger->lines.used + 1);
        image->lost_lines = ledger->lines.full;
        if (store_commit(&ledger->store, image, err) < 0) {
            ledger->began_before = false; /* what is in force has not been written */
            ledger_abandon(ledger);
            return -1;
        }
        end_log(ledger);
        if (ledger->ended)
            side_sweep(ledger->folder, has_record, image->state);
    }
    ledger_abandon(ledger);
    if (changed)
        wake_all(&ledger->wake);
    return 0;
}

/* --- rebuilding ---------------------------------------------------------------------------------------------- */

int ledger_begin_rebuild(struct ledger *ledger, struct error *err)
{
    if (lock_take(ledger->lock, ledger->options.lock_timeout_ms, err) < 0)
        return -1;
    state_init(ledger->image.state);
    ledger->image.pending[0] = '\0';
    ledger->image.lost_lines = false;
    ledger->image.next_line = 2;
    ledger->changed = false;
    lines_init(&ledger->lines, ledger->lines.text, PENDING_BYTES_MAX + 1);
    return 0;
}

int ledger_end_rebuild(struct ledger *ledger, struct error *err)
{
    struct journal journal;
    struct error trouble;
    mode_t mode = has_group(ledger) ? MODE_GROUP : MODE_LEDGER;

    if (in_force_apply(ledger, err) < 0 || ledger_reap(ledger, NULL, err) < 0) {
        ledger_abandon(ledger);
        return -1;
    }
    /* What was decided just now is in the snapshot that follows, under a number of its own. */
    if (journal_open(ledger->options.events, &journal, &trouble) == 0)
        ledger->image.next_line = journal.last + 2;
    journal_close(&journal);
    ledger->image.pending[0] = '\0';
    /* The damaged one is kept for whoever wants to know what happened to it. */
    if (renameat(ledger->folder, STORE_NAME, ledger->folder, STORE_NAME ".damaged") < 0 && errno != ENOENT) {
        error_set_errno(err, errno, "the damaged ledger cannot be set aside");
        ledger_abandon(ledger);
        return -1;
    }
    if (store_create(ledger->folder, mode, &ledger->origin, &ledger->image, err) < 0) {
        ledger_abandon(ledger);
        return -1;
    }
    begin_log(ledger);
    ledger_abandon(ledger);
    wake_all(&ledger->wake);
    return 0;
}

/* --- reading ------------------------------------------------------------------------------------------------- */

int ledger_snapshot(const char *folder, struct state *state, bool *there, struct error *err)
{
    CLEAN_FD int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CLEAN_FREE char *pending = malloc(PENDING_BYTES_MAX + 1);
    struct image image = {.state = state, .pending = pending};
    struct store_origin origin;
    struct store store;
    int result;

    *there = false;
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return error_set_errno(err, errno, "the ledger's folder %s cannot be opened", folder);
    if (pending == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    if (store_read_origin(&origin, err) < 0)
        return -1;
    result = store_open(fd, false, &store, there, err);
    if (result == 0 && *there)
        result = store_read(&store, &image, err);
    if (result == 0 && *there && strcmp(store.origin.boot_id, origin.boot_id) != 0)
        *there = false;
    store_close(&store);
    return result;
}

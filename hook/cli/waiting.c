#include "hook/cli/waiting.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* A waker that died costs at most this. */
#define WAIT_BOUND_MS 1000

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* --- signals ------------------------------------------------------------------------------------------------- */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
#define SIGNALS (sizeof(ending_signals) / sizeof(ending_signals[0]))

static volatile sig_atomic_t ending_signal;

static void note_signal(int number)
{
    ending_signal = number;
}

static void catch_signals(struct sigaction *old)
{
    struct sigaction action = {.sa_handler = note_signal}; /* without SA_RESTART: it must end the wait */

    ending_signal = 0;
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(ending_signals[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN) /* nohup stays nohup */
            sigaction(ending_signals[i], &action, NULL);
    }
}

static void restore_signals(const struct sigaction *old)
{
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(ending_signals[i], &old[i], NULL);
}

/* --- what is shown ------------------------------------------------------------------------------------------- */

/* A line that is wider would not be written over. */
static int terminal_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

/* One line that is written over and over; nothing where stderr is no terminal. */
static void show_wait(const struct state *state, const char *id, const struct decision *waiting,
                      uint64_t began_ms)
{
    uint32_t place = 1;
    char sentence[SENTENCE_SIZE];
    char line[SENTENCE_SIZE + 128];

    if (!isatty(STDERR_FILENO))
        return;
    for (uint32_t i = 0; i < state->waiter_count && strcmp(state->waiters[i].id, id) != 0; i++)
        place++;
    explanation_sentence(&waiting->why, waiting->queue, sentence);
    snprintf(line, sizeof(line), "allot: waiting %" PRIu64 " s, %" PRIu32 " of %" PRIu32 " in line: %s: %s",
             (now_ms() - began_ms) / 1000, place, state->waiter_count, reason_name(waiting->why.reason),
             sentence);
    fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, line);
    fflush(stderr);
}

static void clear_shown(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* --- asking -------------------------------------------------------------------------------------------------- */

/* What the last event decided about `id`; it did decide. */
static struct decision decision_about(const struct ledger *ledger, const char *id)
{
    uint32_t at = 0;

    while (strcmp(ledger->decisions->item[at].id, id) != 0) {
        at++;
        assert(at < ledger->decisions->count);
    }
    return ledger->decisions->item[at];
}

static int refuse(const struct decision *decision, struct error *err)
{
    char sentence[SENTENCE_SIZE];

    return error_set(err, ERROR_REFUSED, "refused: %s: %s", reason_name(decision->why.reason),
                     explanation_sentence(&decision->why, decision->queue, sentence));
}

static int refuse_gone(struct error *err)
{
    return error_set(err, ERROR_REFUSED, "refused: it is no longer in line: somebody released it by hand");
}

/* Asks once. `*answer` is what was decided, copied; a refusal is no error here. */
static int ask(struct ledger *ledger, const struct request *request, struct decision *answer,
               struct error *err)
{
    if (ledger_begin(ledger, err) < 0)
        return -1;
    if (ledger_request(ledger, request, NULL, err) < 0) {
        ledger_abandon(ledger);
        return -1;
    }
    *answer = decision_about(ledger, request->id);
    return ledger_end(ledger, err);
}

/* Under the lock, when its time has come; ledger_begin() has looked once more for what the dead hold. Still waiting? Then
 * that ends it, and `answer` tells. */
static int time_out(struct ledger *ledger, const char *id, struct decision *answer, struct error *err)
{
    const struct event event = {.kind = EVENT_TIMEOUT, .ids = &id, .id_count = 1};

    answer->verdict = VERDICT_GRANTED;
    if (ledger_begin(ledger, err) < 0)
        return -1;
    if (state_find_waiter(ledger_state(ledger), id) != INDEX_NONE) {
        if (ledger_decide(ledger, &event, err) < 0) {
            ledger_abandon(ledger);
            return -1;
        }
        *answer = decision_about(ledger, id);
    } else if (state_find_grant(ledger_state(ledger), id) == INDEX_NONE) {
        ledger_abandon(ledger);
        return refuse_gone(err);
    }
    return ledger_end(ledger, err);
}

void waiting_give_up(struct ledger *ledger, const char *id)
{
    const struct state *state = ledger_state(ledger);
    struct event event = {.kind = EVENT_RELEASE, .ids = &id, .id_count = 1};
    struct error ignored;

    if (ledger_begin(ledger, &ignored) < 0)
        return;
    if (state_find_waiter(state, id) != INDEX_NONE)
        event.kind = EVENT_CANCEL;
    else if (state_find_grant(state, id) == INDEX_NONE) {
        ledger_abandon(ledger);
        return;
    }
    if (ledger_decide(ledger, &event, &ignored) < 0)
        ledger_abandon(ledger);
    else
        ledger_end(ledger, &ignored);
}

/* Lets somebody who needs room look for what the dead hold, which is what ledger_begin() does when anybody waits. The first in line after one bound, the next after two: not
 * everybody at once. */
static int reap_in_turn(struct ledger *ledger, const char *id, uint32_t idle_bounds, struct error *err)
{
    uint32_t place = state_find_waiter(ledger_state(ledger), id);

    if (idle_bounds == 0 || idle_bounds % ((place < 4 ? place : 4) + 1) != 0)
        return 0;
    return ledger_begin(ledger, err) < 0 ? -1 : ledger_end(ledger, err);
}

enum wait_end {
    WAIT_GRANTED,
    WAIT_GONE, /* neither granted nor waiting: refused by whoever changed the node or the queues */
    WAIT_TIME,
    WAIT_SIGNAL,
};

static int wait_in_line(struct ledger *ledger, const struct request *request, const struct decision *waiting,
                        enum wait_end *end, struct error *err)
{
    struct state *state = ledger_state(ledger);
    uint64_t began_ms = now_ms();
    uint64_t deadline_ms = began_ms + request->wait_ms;
    uint32_t idle_bounds = 0;

    for (;;) {
        uint32_t value = wake_value(&ledger->wake);
        uint64_t now = now_ms();
        uint64_t left_ms;
        bool there;

        if (ledger_snapshot(ledger->options.folder, state, &there, err) < 0)
            return -1;
        *end = WAIT_GRANTED;
        if (there && state_find_grant(state, request->id) != INDEX_NONE)
            return 0;
        *end = WAIT_GONE;
        if (!there || state_find_waiter(state, request->id) == INDEX_NONE)
            return 0;
        *end = ending_signal != 0 ? WAIT_SIGNAL : WAIT_TIME;
        if (ending_signal != 0 || now >= deadline_ms)
            return 0;
        show_wait(state, request->id, waiting, began_ms);
        left_ms = deadline_ms - now;
        wake_wait(&ledger->wake, value, left_ms < WAIT_BOUND_MS ? (uint32_t)left_ms : WAIT_BOUND_MS);
        idle_bounds = wake_value(&ledger->wake) == value ? idle_bounds + 1 : 0;
        if (reap_in_turn(ledger, request->id, idle_bounds, err) < 0)
            return -1;
    }
}

/* Whoever changed the node or the queues refused it, since it can never fit any more; or it was released by hand. */
static int explain_gone(struct ledger *ledger, const struct request *request, struct error *err)
{
    struct decision answer = {.verdict = VERDICT_DENIED};
    bool never;

    if (ledger_begin(ledger, err) < 0)
        return -1;
    never = decide_never_fits(ledger_state(ledger), request, ledger->workspace, &answer.why);
    ledger_abandon(ledger);
    memcpy(answer.queue, request->queue, sizeof(answer.queue));
    return never ? refuse(&answer, err) : refuse_gone(err);
}

static int after_wait(struct ledger *ledger, const struct request *request, enum wait_end end,
                      struct error *err)
{
    struct decision answer;

    switch (end) {
    case WAIT_GRANTED: return 0;
    case WAIT_SIGNAL:
        waiting_give_up(ledger, request->id);
        return error_set(err, ERROR_REFUSED, "given up: ended by a signal while waiting");
    case WAIT_TIME:
        if (time_out(ledger, request->id, &answer, err) < 0)
            return -1;
        break;
    case WAIT_GONE: return explain_gone(ledger, request, err);
    }
    return answer.verdict == VERDICT_GRANTED ? 0 : refuse(&answer, err);
}

static int acquire(struct ledger *ledger, const struct request *request, struct error *err)
{
    struct decision answer;
    enum wait_end end;

    if (ask(ledger, request, &answer, err) < 0)
        return -1;
    if (answer.verdict == VERDICT_GRANTED)
        return 0;
    if (answer.verdict != VERDICT_WAITING)
        return refuse(&answer, err);
    if (wait_in_line(ledger, request, &answer, &end, err) < 0) {
        clear_shown();
        waiting_give_up(ledger, request->id);
        return -1;
    }
    clear_shown();
    return after_wait(ledger, request, end, err);
}

int waiting_acquire(struct ledger *ledger, const struct request *request, struct error *err)
{
    struct sigaction old[SIGNALS];
    int result;

    catch_signals(old);
    result = acquire(ledger, request, err);
    restore_signals(old);
    if (ending_signal != 0) {
        /* Also one that came when the grant was there already: it was meant for us. */
        if (result == 0)
            waiting_give_up(ledger, request->id);
        raise(ending_signal);
    }
    return result;
}

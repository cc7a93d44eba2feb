#include "alloc/decision.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *verdict_name(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_GRANTED: return "granted";
    case VERDICT_WAITING: return "waiting";
    case VERDICT_DENIED: return "denied";
    case VERDICT_RELEASED: return "released";
    case VERDICT_CANCELLED: return "cancelled";
    }
    return "?";
}

const char *reason_name(enum reason reason)
{
    switch (reason) {
    case REASON_NONE: return "NONE";
    case REASON_BAD_REQUEST: return "BAD_REQUEST";
    case REASON_NEVER_FITS: return "NEVER_FITS";
    case REASON_OVER_LIMIT: return "OVER_LIMIT";
    case REASON_NO_HEALTHY_GPU: return "NO_HEALTHY_GPU";
    case REASON_NO_CAPACITY: return "NO_CAPACITY";
    case REASON_BEHIND_PROTECTED: return "BEHIND_PROTECTED";
    case REASON_TIMED_OUT: return "TIMED_OUT";
    case REASON_LEDGER_FULL: return "LEDGER_FULL";
    }
    return "?";
}

/* --- the sentence -------------------------------------------------------------------------------------------- */

/* A buffer that is being written; what does not fit is cut. */
struct pen {
    char *text;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void pen_write(struct pen *pen, const char *format, ...)
{
    va_list args;
    int wrote;

    va_start(args, format);
    wrote = vsnprintf(pen->text + pen->used, SENTENCE_SIZE - pen->used, format, args);
    va_end(args);
    if (wrote > 0)
        pen->used += (size_t)wrote;
    if (pen->used >= SENTENCE_SIZE)
        pen->used = SENTENCE_SIZE - 1;
}

/* "gpu=2" */
static void pen_amount(struct pen *pen, enum resource r, uint64_t amount)
{
    char text[AMOUNT_TEXT_SIZE];

    pen_write(pen, "%s=%s", resource_name(r), amount_format(r, amount, text));
}

/* "asks for cpu=4,gpu=2" */
static void pen_ask(struct pen *pen, const struct explanation *why)
{
    char text[RESREQ_TEXT_SIZE];

    pen_write(pen, "asks for %s", resources_format(&why->ask, text));
}

/* Of each resource that it lacks, what is free; and if that is enough, what it may not use of it. */
static void pen_free(struct pen *pen, const struct explanation *why, const char *queue)
{
    bool lacks = false;

    for (enum resource r = RES_CPU; r < RES_COUNT; r++) {
        if (why->ask.of[r] <= why->free.of[r])
            continue;
        if (lacks)
            pen_write(pen, ",");
        else
            pen_write(pen, ", and free for queue %s is ", queue);
        pen_amount(pen, r, why->free.of[r]);
        lacks = true;
    }
    if (why->ask.of[RES_GPU] > why->found && why->found < why->free.of[RES_GPU])
        pen_write(
            pen,
            ", and of the GPUs it may use (health, devices, distinct, containers) it can have gpu=%" PRIu64,
            why->found);
}

static void pen_line(struct pen *pen, const struct explanation *why, const char *queue)
{
    pen_write(pen, "; queue %s has a share of %" PRIu64 "/%" PRIu64 ", ", queue, why->share.held,
              why->share.of);
    if (why->ahead == 0)
        pen_write(pen, "nobody is ahead");
    else
        pen_write(pen, "%" PRIu32 " waiting %s ahead", why->ahead,
                  why->ahead == 1 ? "request is" : "requests are");
}

static void pen_bad_request(struct pen *pen, const struct explanation *why, const char *queue)
{
    char quoted[QUOTE_SIZE];

    text_quote(quoted, why->subject, strnlen(why->subject, sizeof(why->subject)));
    if (why->cause == CAUSE_PRIORITY)
        pen_write(pen, "asks for priority %" PRId64 ", but queue %s allows %d to %" PRId32, why->priority,
                  queue, PRIORITY_MIN, why->max_priority);
    else if (why->cause == CAUSE_UNKNOWN_DEVICE)
        pen_write(pen, "names the device %s, which is neither the UUID nor the index of a GPU of this node",
                  quoted);
    else
        pen_write(pen, "names more than %u devices", DEVICES_MAX);
}

static void pen_never_fits(struct pen *pen, const struct explanation *why, const char *queue)
{
    pen_ask(pen, why);
    if (why->cause == CAUSE_LIMIT) {
        pen_write(pen, ", but the limit of queue %s is ", queue);
        pen_amount(pen, why->which, why->bound);
    } else if (why->cause == CAUSE_CAPACITY) {
        pen_write(pen, ", but this node never has more for queue %s than ", queue);
        pen_amount(pen, why->which, why->bound);
    } else if (why->cause == CAUSE_PLACEMENT) {
        pen_write(pen, ", but the GPUs it may use (devices, distinct) never have more than ");
        pen_amount(pen, RES_GPU, why->bound);
    } else {
        pen_write(pen, ", but one grant holds at most gpu=%u", GRANT_REPLICAS_MAX);
    }
    pen_write(pen, "; ask for less");
}

static void pen_over_limit(struct pen *pen, const struct explanation *why, const char *queue)
{
    pen_ask(pen, why);
    pen_write(pen, ", and queue %s holds ", queue);
    pen_amount(pen, why->which, why->held.of[why->which]);
    pen_write(pen, " of its limit ");
    pen_amount(pen, why->which, why->bound);
    pen_write(pen, "; something of the queue must end first");
}

static void pen_ledger_full(struct pen *pen, const struct explanation *why, const char *queue)
{
    if (why->cause == CAUSE_WAITERS)
        pen_write(pen, "%u requests are waiting already, and the ledger holds no more; try again later",
                  WAITERS_MAX);
    else if (why->cause == CAUSE_QUEUE_WAITERS)
        pen_write(pen, "%u requests of queue %s are waiting already, and no more may; try again later",
                  WAITERS_PER_QUEUE, queue);
    else if (why->cause == CAUSE_QUEUES)
        pen_write(pen, "%u queues are in use, and the ledger holds no more; use one of them", QUEUES_MAX);
    else
        pen_write(pen, "%u grants are held, and the ledger holds no more; try again later", GRANTS_MAX);
}

static void pen_reason(struct pen *pen, enum reason reason, const struct explanation *why, const char *queue)
{
    char quoted[QUOTE_SIZE];

    switch (reason) {
    case REASON_BAD_REQUEST: pen_bad_request(pen, why, queue); break;
    case REASON_NEVER_FITS: pen_never_fits(pen, why, queue); break;
    case REASON_OVER_LIMIT: pen_over_limit(pen, why, queue); break;
    case REASON_NO_HEALTHY_GPU:
        pen_ask(pen, why);
        pen_free(pen, why, queue);
        pen_write(pen, "; it would fit if %" PRIu32 " excluded %s back in use", why->excluded_gpus,
                  why->excluded_gpus == 1 ? "GPU were" : "GPUs were");
        break;
    case REASON_NO_CAPACITY:
        pen_ask(pen, why);
        pen_free(pen, why, queue);
        pen_line(pen, why, queue);
        break;
    case REASON_BEHIND_PROTECTED:
        pen_ask(pen, why);
        pen_write(
            pen,
            ", which is free, but %s is ahead, was passed over %" PRIu32 " times, and would lack more of it",
            text_quote(quoted, why->subject, strnlen(why->subject, sizeof(why->subject))), why->bypassed);
        pen_line(pen, why, queue);
        break;
    case REASON_LEDGER_FULL: pen_ledger_full(pen, why, queue); break;
    case REASON_TIMED_OUT:
    case REASON_NONE: break;
    }
}

const char *explanation_sentence(const struct explanation *why, const char *queue,
                                 char buffer[static SENTENCE_SIZE])
{
    struct pen pen = {buffer, 0};

    buffer[0] = '\0';
    if (why->reason == REASON_TIMED_OUT) {
        pen_write(&pen, "waited too long: ");
        pen_reason(&pen, why->beneath, why, queue);
    } else {
        pen_reason(&pen, why->reason, why, queue);
    }
    return buffer;
}

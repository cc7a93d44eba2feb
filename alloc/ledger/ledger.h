/*
 * ledger.h - the one truth of a node, shared by many processes.
 *
 *     ledger_begin()     take the lock, read the state, write what the last holder did not get to log; if somebody waits,
 *                        look for the dead; the first time, apply what is in force
 *     ledger_decide()    one event: the core decides; repeat as needed
 *     ledger_end()       commit, log, drop the lock, wake those who wait
 *
 * Between begin and end nobody waits for anything and nobody forks. A process that is killed in between has changed
 * nothing. Readers (ledger_snapshot) take no lock.
 *
 *     folder/   ledger   the state (store.h), readable by all
 *               lock     who may change it (lock.h)
 *               wake     for those who wait (wake.h)
 */
#ifndef ALLOT_ALLOC_LEDGER_LEDGER_H
#define ALLOT_ALLOC_LEDGER_LEDGER_H

#include <sys/types.h>

#include "alloc/decide.h"
#include "alloc/error.h"
#include "alloc/ledger/image.h"
#include "alloc/ledger/journal.h"
#include "alloc/ledger/side.h"
#include "alloc/ledger/store.h"
#include "alloc/ledger/wake.h"
#include "alloc/line.h"

#define LEDGER_LOCK_TIMEOUT_MS 10000
#define LEDGER_GROUP_NONE      ((gid_t)-1)

struct ledger_options {
    const char *folder;
    const char *events; /* path of the event log; "": none */
    const char *engine; /* who we are, for the log */
    gid_t group;        /* whose members may change the ledger, too, or LEDGER_GROUP_NONE */
    uint64_t lock_timeout_ms;
    uint64_t create_grace_ms;
    /* What is in force: known before the lock is taken. */
    const struct node_description *node;
    const struct queue *queues;
    size_t queue_count;
};

struct ledger {
    struct ledger_options options;
    int folder;
    int lock;
    struct store store;
    struct store_origin origin;
    struct wake wake;
    struct journal journal;
    struct image image;
    struct workspace *workspace;
    struct decisions *decisions; /* of the last event */
    struct lines lines;          /* of this transaction */
    uint64_t first_line;         /* number of the first of them */
    bool began_before;           /* the options have been applied */
    bool changed;
    bool ended;             /* something was released or cancelled */
    uint32_t gpus_vanished; /* since the ledger was used last; grants on them stay */
    uint32_t gpus_came;
    struct error log_trouble; /* kind ERROR_NONE: the log is fine */
};

/* Makes the folder and its files if need be. The options must outlive the ledger. */
int ledger_open(const struct ledger_options *options, struct ledger **out, struct error *err);
void ledger_close(struct ledger *ledger); /* NULL is fine; drops the lock */
void ledger_clean(struct ledger **ledger);
#define CLEAN_LEDGER __attribute__((cleanup(ledger_clean)))

int ledger_begin(struct ledger *ledger, struct error *err);

/* The state, between begin and end. Changed only through events. */
static inline struct state *ledger_state(struct ledger *ledger)
{
    return ledger->image.state;
}

/* Gives the event to the core. The decisions are in ledger->decisions. */
int ledger_decide(struct ledger *ledger, const struct event *event, struct error *err);

/* Frees what the dead hold and cancels what they wait for: one change each. The number of records goes to `reaped`,
 * which may be NULL. */
int ledger_reap(struct ledger *ledger, uint32_t *reaped, struct error *err);

/* A request: reaps first if it could not be granted at once. The decision about it is the first one
 * with its id. `side` is what is to be remembered besides the record; NULL: nothing. */
int ledger_request(struct ledger *ledger, const struct request *request, const struct side *side,
                   struct error *err);

/* Commits what was decided, if anything was, and lets go. On an error nothing of it has happened. */
int ledger_end(struct ledger *ledger, struct error *err);

/* Lets go without a commit. */
void ledger_abandon(struct ledger *ledger);

/*
 * For a ledger that is damaged: begin takes the lock and gives an empty state, which the caller fills with what it knows;
 * end applies what is in force, frees what belongs to the dead, sets the damaged file aside and puts a new one in its
 * place.
 */
int ledger_begin_rebuild(struct ledger *ledger, struct error *err);
int ledger_end_rebuild(struct ledger *ledger, struct error *err);

/* The state as it is, without a lock and without rights. `*there` is false if there is no ledger in the folder, or one
 * of an earlier boot. */
int ledger_snapshot(const char *folder, struct state *state, bool *there, struct error *err);

#endif

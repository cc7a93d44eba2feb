/*
 * decision.h - what was decided, why, and the sentence that tells a person.
 *
 * A decision is plain data with the figures that it rests on, taken when it was made; the sentence is made from
 * them alone, whenever somebody wants to read it.
 */
#ifndef ALLOT_ALLOC_DECISION_H
#define ALLOT_ALLOC_DECISION_H

#include "alloc/share.h"
#include "alloc/state.h"

enum verdict {
    VERDICT_GRANTED,
    VERDICT_WAITING,
    VERDICT_DENIED,
    VERDICT_RELEASED,
    VERDICT_CANCELLED,
};

/* DESIGN.md section 5, in the order in which the first that applies is given. */
enum reason {
    REASON_NONE,
    REASON_BAD_REQUEST,
    REASON_NEVER_FITS,
    REASON_OVER_LIMIT,
    REASON_NO_HEALTHY_GPU,
    REASON_NO_CAPACITY,
    REASON_BEHIND_PROTECTED,
    REASON_TIMED_OUT,
    REASON_LEDGER_FULL,
};

/* Which of the ways to come to that reason it was. */
enum cause {
    CAUSE_NONE,
    CAUSE_PRIORITY,       /* BAD_REQUEST: outside of what the queue allows */
    CAUSE_UNKNOWN_DEVICE, /* BAD_REQUEST: `subject` is no GPU of the node */
    CAUSE_MANY_DEVICES,   /* BAD_REQUEST: more than DEVICES_MAX */
    CAUSE_LIMIT,          /* NEVER_FITS: the queue's limit */
    CAUSE_CAPACITY,       /* NEVER_FITS: the node's capacity, less guarantees that are not lent */
    CAUSE_PLACEMENT,      /* NEVER_FITS: devices or distinct */
    CAUSE_GRANT_SIZE,     /* NEVER_FITS: GRANT_REPLICAS_MAX */
    CAUSE_GRANTS,         /* LEDGER_FULL: of grants */
    CAUSE_WAITERS,        /* LEDGER_FULL: of waiters */
    CAUSE_QUEUE_WAITERS,  /* LEDGER_FULL: of waiters of this queue */
    CAUSE_QUEUES,         /* LEDGER_FULL: of queues */
};

struct explanation {
    enum reason reason;
    enum cause cause;
    enum reason beneath;   /* TIMED_OUT: what it waited for until then */
    enum resource which;   /* the resource that NEVER_FITS and OVER_LIMIT are about */
    uint64_t bound;        /* of it: the limit, or what there can ever be */
    struct resources held; /* by the queue */
    struct resources ask;
    struct resources free; /* for the queue */
    uint64_t found;        /* free replicas that its devices, distinct and caps let it have */
    struct share share;    /* of the queue, lowest terms */
    int64_t priority;      /* asked for */
    int32_t max_priority;  /* of the queue */
    uint32_t ahead;        /* waiters ahead of it */
    uint32_t excluded_gpus;
    uint32_t bypassed;     /* of `subject` */
    char subject[ID_SIZE]; /* BEHIND_PROTECTED: that waiter; BAD_REQUEST: the device */
};

struct decision {
    enum verdict verdict;
    char id[ID_SIZE];
    char queue[QUEUE_NAME_SIZE];
    struct share share;     /* granted: the queue's, afterwards, lowest terms */
    uint32_t first_replica; /* granted, released: in the pool of struct decisions */
    uint32_t replica_count;
    struct explanation why; /* waiting, denied */
};

#define DECISIONS_MAX (GRANTS_MAX + WAITERS_MAX + 1)

/* In the order in which things happen. The replicas' GPU indices are those of the state as it is after decide(). */
struct decisions {
    uint32_t count;
    uint32_t replica_count;
    struct decision item[DECISIONS_MAX];
    struct replica replicas[2 * REPLICAS_MAX];
};

const char *verdict_name(enum verdict verdict); /* "granted", … */
const char *reason_name(enum reason reason);    /* "NO_CAPACITY", … */

#define SENTENCE_SIZE 512

/* Why: what was asked, what is free, the shares, who is ahead. `queue` is the request's. */
const char *explanation_sentence(const struct explanation *why, const char *queue,
                                 char buffer[static SENTENCE_SIZE]);

#endif

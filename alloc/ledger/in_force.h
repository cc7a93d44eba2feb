/*
 * in_force.h - the node and the queues that the configuration and the inventory give now, against those that the ledger
 * knows.
 */
#ifndef ALLOT_ALLOC_LEDGER_IN_FORCE_H
#define ALLOT_ALLOC_LEDGER_IN_FORCE_H

#include "alloc/ledger/ledger.h"

/* Tells the state, by events, whatever is different from its options. A queue that is declared no more has nothing special
 * any more. Counts the GPUs that vanished and came. */
int in_force_apply(struct ledger *ledger, struct error *err);

#endif

/*
 * waiting.h - asking the ledger for a grant, and waiting for it outside of the lock.
 *
 * Whoever changes the state grants for others, so a waiter only looks: at the ledger, without a lock, whenever it is woken
 * or a bound has passed. Time-out and Ctrl-C look again under the lock, since the grant may have come in between.
 */
#ifndef ALLOT_HOOK_CLI_WAITING_H
#define ALLOT_HOOK_CLI_WAITING_H

#include "alloc/ledger/ledger.h"

/* On success the grant is in ledger_state(). ERROR_REFUSED with the sentence if the answer is no. While it waits on a
 * terminal, it shows place in line, reason and time on one line of stderr. A signal that ends it (SIGINT, SIGTERM,
 * SIGHUP) leaves no trace in the ledger and then ends the process as it would have. */
int waiting_acquire(struct ledger *ledger, const struct request *request, struct error *err);

/* Gives back a grant or a place in line, if there is one. */
void waiting_give_up(struct ledger *ledger, const char *id);

#endif

#include "hook/cli/status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc/line.h"

/* No node holds more units than this; a unit that asks for next to nothing must not keep us busy. */
#define UNITS_MAX 10000U

void status_clean(struct status *status)
{
    free(status->state);
    free(status->workspace);
    free(status->decisions);
    free(status->why);
    free(status->account);
}

int status_init(struct status *status, struct error *err)
{
    status->state = calloc(1, sizeof(*status->state));
    status->workspace = calloc(1, sizeof(*status->workspace));
    status->decisions = calloc(1, sizeof(*status->decisions));
    status->why = calloc(WAITERS_MAX, sizeof(status->why[0]));
    status->account = calloc(QUEUES_MAX, sizeof(status->account[0]));
    if (status->state == NULL || status->workspace == NULL || status->decisions == NULL ||
        status->why == NULL || status->account == NULL)
        return error_set(err, ERROR_SYSTEM, "out of memory");
    return 0;
}

/* --- working it out ------------------------------------------------------------------------------------------ */

/* On a copy of the free room: each unit that is granted is taken. The state is put back. */
static uint32_t count_units(struct status *status, const struct resreq *unit)
{
    struct request request = {.ask = unit->amount, .queue = "default"};
    uint32_t grants = status->state->grant_count;
    uint32_t replicas = status->state->replica_count;
    uint32_t count = 0;
    struct error ignored;

    for (; count < UNITS_MAX; count++) {
        snprintf(request.id, sizeof(request.id), "unit %u",
                 count); /* with a blank: nobody else has such an id */
        if (!decide_would_grant(status->state, &request, status->workspace) ||
            decide(status->state, &(struct event){.kind = EVENT_REQUEST, .request = &request},
                   status->workspace, status->decisions, &ignored) < 0)
            break;
    }
    status->state->grant_count = grants;
    status->state->replica_count = replicas;
    return count;
}

void status_examine(struct status *status, const struct resreq *unit)
{
    struct state *state = status->state;
    struct admission *admission = &status->workspace->admission;

    if (state->waiter_count == 0)
        status->more_units = count_units(status, unit);
    admission_open(admission, state);
    for (uint32_t i = 0; i < state->waiter_count; i++)
        admission_explain_waiter(admission, &state->waiters[i], &status->why[i]);
    status->held = admission->books.held;
    memcpy(status->account, admission->books.account, state->queue_count * sizeof(status->account[0]));
}

static uint32_t used_of_gpu(const struct state *state, uint32_t gpu)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < state->replica_count; i++)
        used += state->replicas[i].gpu == gpu;
    return used;
}

/* --- for people ---------------------------------------------------------------------------------------------- */

#define TIME_TEXT_SIZE 32

static const char *local_time(uint64_t seconds, char buffer[static TIME_TEXT_SIZE])
{
    time_t when = (time_t)seconds;
    struct tm local;

    localtime_r(&when, &local);
    strftime(buffer, TIME_TEXT_SIZE, "%Y-%m-%d %H:%M:%S", &local);
    return seconds != 0 ? buffer : "-";
}

static void print_gpus(const struct state *state, FILE *out)
{
    fprintf(out, "%-5s %-44s %-9s %s\n", "GPU", "UUID", "REPLICAS", "STATE");
    for (uint32_t i = 0; i < state->gpu_count; i++) {
        const struct gpu *gpu = &state->gpus[i];
        char index[16];
        char share[32];

        snprintf(index, sizeof(index), "%u", i);
        snprintf(share, sizeof(share), "%u/%u", used_of_gpu(state, i), gpu->replicas);
        fprintf(out, "%-5s %-44s %-9s %s\n", i < state->node_gpus ? index : "-", gpu->uuid, share,
                i >= state->node_gpus ? "vanished"
                : gpu->excluded       ? "excluded"
                                      : "ok");
    }
}

static void print_queues(const struct status *status, FILE *out)
{
    const struct state *state = status->state;
    char held[RESREQ_TEXT_SIZE];
    char limit[RESREQ_TEXT_SIZE];

    fprintf(out, "\n%-20s %-7s %-9s %-32s %s\n", "QUEUE", "WEIGHT", "SHARE", "HOLDS", "LIMIT");
    for (uint32_t i = 0; i < state->queue_count; i++) {
        struct share share = share_reduce(status->account[i].share);
        char fraction[48];

        snprintf(fraction, sizeof(fraction), "%" PRIu64 "/%" PRIu64, share.held, share.of);
        resreq_format(&state->queues[i].limit, limit);
        fprintf(out, "%-20s %-7u %-9s %-32s %s\n", state->queues[i].name, state->queues[i].weight, fraction,
                resources_format(&status->account[i].held, held), limit[0] != '\0' ? limit : "-");
    }
}

static void print_grants(const struct state *state, FILE *out)
{
    char ask[RESREQ_TEXT_SIZE];
    char since[TIME_TEXT_SIZE];
    char name[REPLICA_TEXT_SIZE];

    if (state->grant_count == 0)
        return;
    fprintf(out, "\n%-24s %-16s %-24s %-20s %s\n", "HOLDER", "QUEUE", "HOLDS", "SINCE", "REPLICAS");
    for (uint32_t i = 0; i < state->grant_count; i++) {
        const struct grant *grant = &state->grants[i];

        fprintf(out, "%-24s %-16s %-24s %-20s ", grant->id, state->queues[grant->queue].name,
                resources_format(&grant->ask, ask), local_time(grant->holder.since_s, since));
        for (uint32_t n = 0; n < grant->ask.of[RES_GPU]; n++)
            fprintf(out, "%s%s", n > 0 ? "," : "",
                    replica_format(state, state->replicas[grant->first_replica + n], name));
        fputs(grant->ask.of[RES_GPU] > 0 ? "\n" : "-\n", out);
    }
}

static void print_waiters(const struct status *status, FILE *out)
{
    const struct state *state = status->state;
    char ask[RESREQ_TEXT_SIZE];
    char sentence[SENTENCE_SIZE];

    if (state->waiter_count == 0)
        return;
    fprintf(out, "\n%-24s %-16s %-24s %s\n", "WAITING", "QUEUE", "ASKS FOR", "WHY");
    for (uint32_t i = 0; i < state->waiter_count; i++) {
        const struct waiter *waiter = &state->waiters[i];

        fprintf(out, "%-24s %-16s %-24s %s: %s\n", waiter->id, state->queues[waiter->queue].name,
                resources_format(&waiter->ask, ask), reason_name(status->why[i].reason),
                explanation_sentence(&status->why[i], state->queues[waiter->queue].name, sentence));
    }
}

void status_print(const struct status *status, FILE *out)
{
    const struct state *state = status->state;

    print_gpus(state, out);
    print_queues(status, out);
    print_grants(state, out);
    print_waiters(status, out);
    fprintf(out, "\n%u of %" PRIu64 " replicas are held; ", state->replica_count,
            state->node.capacity.of[RES_GPU]);
    if (state->waiter_count > 0)
        fprintf(out, "%u %s waiting\n", state->waiter_count,
                state->waiter_count == 1 ? "request is" : "requests are");
    else
        fprintf(out, "%u more %s would fit\n", status->more_units,
                status->more_units == 1 ? "unit" : "units");
}

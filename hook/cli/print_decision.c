#include "hook/cli/print_decision.h"

#include <inttypes.h>

#include "hook/json.h"

static void print_replicas(FILE *out, const struct state *state, const struct decisions *decisions,
                           const struct decision *decision)
{
    fputs(",\"replicas\":[", out);
    for (uint32_t i = 0; i < decision->replica_count; i++) {
        struct replica replica = decisions->replicas[decision->first_replica + i];
        char name[UUID_SIZE + 16];

        snprintf(name, sizeof(name), "%s::%u", state->gpus[replica.gpu].uuid, replica.number);
        if (i > 0)
            fputc(',', out);
        json_write_string(out, name);
    }
    fputc(']', out);
}

static void print_why(FILE *out, const struct decision *decision)
{
    char sentence[SENTENCE_SIZE];

    fprintf(out, ",\"reason\":\"%s\",\"text\":", reason_name(decision->why.reason));
    json_write_string(out, explanation_sentence(&decision->why, decision->queue, sentence));
}

void print_decision(FILE *out, const struct state *state, const struct decisions *decisions,
                    const struct decision *decision)
{
    fputs("{\"id\":", out);
    json_write_string(out, decision->id);
    fprintf(out, ",\"decision\":\"%s\"", verdict_name(decision->verdict));
    switch (decision->verdict) {
    case VERDICT_GRANTED:
        print_replicas(out, state, decisions, decision);
        fputs(",\"queue\":", out);
        json_write_string(out, decision->queue);
        fprintf(out, ",\"share\":\"%" PRIu64 "/%" PRIu64 "\"", decision->share.held, decision->share.of);
        break;
    case VERDICT_WAITING:
    case VERDICT_DENIED: print_why(out, decision); break;
    case VERDICT_RELEASED: print_replicas(out, state, decisions, decision); break;
    case VERDICT_CANCELLED: break;
    }
    fputs("}\n", out);
}

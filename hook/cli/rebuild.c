#include "hook/cli/rebuild.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/cleanup.h"
#include "alloc/ledger/life.h"
#include "hook/cli/trace.h"
#include "hook/read_line.h"

struct replay {
    struct ledger *ledger;
    struct trace_defaults defaults;
    uint64_t last;     /* number of the last line that was played */
    bool of_this_boot; /* what was played since the last state line */
    unsigned long played;
    unsigned long puzzling; /* lines that are broken or do not follow from those before */
};

/* A state says which boot it is of; what follows it, until the next, is of the same. */
static void note_boot(struct replay *replay, const char *line)
{
    const char *boot = strstr(line, ",\"boot\":\"");

    if (boot != NULL)
        replay->of_this_boot = strncmp(boot + strlen(",\"boot\":\""), replay->ledger->origin.boot_id,
                                       strlen(replay->ledger->origin.boot_id)) == 0;
}

static int play(struct replay *replay, const char *text, size_t length, struct error *err)
{
    CLEAN_TRACE_LINE struct trace_line line = {0};
    struct state *state = ledger_state(replay->ledger);
    uint64_t number = journal_number(text, length);
    bool snapshot;

    if (trace_parse(text, length, &replay->defaults, &line, err) < 0)
        return -1;
    snapshot = line.op == TRACE_STATE || line.event.kind == EVENT_NODE || line.event.kind == EVENT_QUEUE;
    if (line.op == TRACE_NOTE || (number <= replay->last && !snapshot))
        return 0; /* a decision follows from its event; a line that is there twice counts once */
    replay->last = number > replay->last ? number : replay->last;
    note_boot(replay, text);
    if (line.op == TRACE_STATE && trace_read_state(line.json, &replay->defaults, state, err) < 0)
        return -1;
    return decide(state, &line.event, replay->ledger->workspace, replay->ledger->decisions, err);
}

static int play_log(struct replay *replay, const char *path, struct error *err)
{
    CLEAN_FILE FILE *file = fopen(path, "re");
    CLEAN_LINE_READER struct line_reader reader = {.file = file};
    struct error puzzle;
    int there;

    if (file == NULL)
        return error_set_errno(err, errno, "the event log %s cannot be opened", path);
    while ((there = line_reader_next(&reader, err)) > 0) {
        if (play(replay, reader.text, reader.length, &puzzle) < 0)
            replay->puzzling++;
        replay->played++;
    }
    return there < 0 ? error_add_context(err, "the event log %s", path) : 0;
}

/* Whose life nobody can judge: the log does not say whom it belongs to. */
static unsigned long count_unowned(const struct state *state)
{
    unsigned long count = 0;

    for (uint32_t i = 0; i < state->grant_count; i++)
        count += state->grants[i].holder.owner == 0;
    return count;
}

int rebuild_ledger(struct node_access *node, struct error *err)
{
    struct ledger *ledger = node->ledger;
    struct state *state = ledger_state(ledger);
    struct replay replay = {.ledger = ledger,
                            .defaults = {.policy = node->config->placement.policy,
                                         .allow_override = true,
                                         .undeclared_max_priority = CONFIG_PRIORITY_DEFAULT}};
    uint32_t logged;

    if (ledger_begin_rebuild(ledger, err) < 0)
        return -1;
    if (node->options.events[0] == '\0' || play_log(&replay, node->options.events, err) < 0)
        return node->options.events[0] != '\0'
                   ? -1
                   : error_set(err, ERROR_SYSTEM,
                               "there is no event log to rebuild from: log.events is empty");
    if (!replay.of_this_boot)
        state_init(state); /* what an earlier boot granted has ended with it */
    logged = state->grant_count;
    if (ledger_end_rebuild(ledger, err) < 0)
        return -1;
    printf("%u %s restored from %lu log lines; %u of those in the log had ended\n", state->grant_count,
           state->grant_count == 1 ? "grant" : "grants", replay.played, logged - state->grant_count);
    if (!replay.of_this_boot)
        printf("the log has nothing of this boot\n");
    if (replay.puzzling > 0)
        printf("%lu lines could not be understood: what they said is not known\n", replay.puzzling);
    if (count_unowned(state) > 0)
        printf("%lu grants do not say whose they are: they stay until 'allot release'\n",
               count_unowned(state));
    return 0;
}

/*
 * life.h - does the process that a record belongs to still live? Death is proved, never assumed.
 *
 * A process is known by its pid and its start time in clock ticks after boot (field 22 of /proc/PID/stat): a pid alone is
 * recycled. It is dead if the kernel says that there is no such pid (ESRCH), if a start time was read and is another one,
 * or if it is a zombie with no other thread. Whatever cannot be read means alive: hidepid, no /proc, no descriptor left,
 * a /proc that shows another pid namespace than the caller's. Wall-clock time and file times prove nothing and are not
 * looked at.
 *
 * Pids, start times and boot time are those of the caller's pid and time namespace. A record that was made in another
 * one must not be judged: all of it would seem dead. The ledger's header is where that is refused.
 */
#ifndef ALLOT_ALLOC_LEDGER_LIFE_H
#define ALLOT_ALLOC_LEDGER_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "alloc/error.h"
#include "alloc/state.h"

/* Is the process proved to be dead? A number that no process can have (0 and below) proves nothing: false. */
bool life_is_dead(int32_t pid, uint64_t start_ticks);

/* The start time of a living process. ERROR_SYSTEM if it has ended or cannot be read; then *start_ticks is as before. */
int life_start_ticks(int32_t pid, uint64_t *start_ticks, struct error *err);

/* What is known of a container besides its processes. NULL or "" where it is not known. */
struct life_paths {
    const char *pid_file; /* where the runtime writes the container's pid */
};

/* A pid file holds a number below 2^31 and at most one line end; a longer one is no pid file. */
#define LIFE_PID_FILE_MAX 32

struct life_rules {
    uint64_t now_ms;          /* CLOCK_BOOTTIME: it does not jump, and goes on in suspend */
    uint64_t create_grace_ms; /* how long a record without any evidence is kept */
};

enum life_verdict {
    LIFE_GOES_ON, /* alive, or not proved to be dead; the holder may have been changed, see below */
    LIFE_ENDED,   /* proved: the grant is free */
};

/*
 * Judges a record.
 *
 * - Bound (holder->process is set): it ends with that process.
 * - Not bound, owner alive: it goes on. What was missing before is forgotten (doubt_ms = 0). A record that is nobody's
 *   (owner 0) ends by being released only.
 * - Not bound, owner dead, and no pid file is known (a process of `allot run`): it ends with the owner.
 * - Not bound, owner dead: the pid file speaks. An absent, empty or unreadable one, or one that names no living process
 *   that started at the owner's start time or later (a left-over of an earlier container), is no evidence; then doubt
 *   begins (doubt_ms = now_ms), and only after create_grace_ms of doubt, without a break, it ends: never at the look at
 *   which doubt began. Doubt from the future begins again. A pid file that names such a process binds the record to it
 *   (process, process_start; doubt_ms = 0). One that names a living process whose start time cannot be read ends the
 *   doubt but binds nothing. A file that is being written in place (digits without a line end may be the beginning of a
 *   longer number) only counts if what it names lives. If the file could not be looked at for lack of descriptors or
 *   memory, that is no look: the record goes on as it is.
 *
 * `*changed` becomes true if the holder was changed, so that the caller commits it; else it is left alone, so that one
 * flag serves a loop over many records.
 */
enum life_verdict life_judge(struct holder *holder, const struct life_paths *paths,
                             const struct life_rules *rules, bool *changed);

#endif

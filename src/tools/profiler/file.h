/* Profiles as files: our own JSON, and the formats of common viewers. */
#ifndef BATT_TOOLS_PROFILER_FILE_H
#define BATT_TOOLS_PROFILER_FILE_H

#include "base/json.h"
#include "tools/profiler/profile.h"

/* The whole profile, except events; the form is described in docs/formats.md. */
void profile_write_json(Out *out, const Profile *profile);
void profile_json_phases(Json *json, const Profile *profile); /* "phases", "wall_s", "unaccounted_s" */
/* Reads it back. False: `why` names file, place and reason. */
bool profile_read(Profile *profile, const char *path, char *why, size_t why_size);
bool profile_read_bytes(Profile *profile, const char *name, const char *bytes, size_t size, char *why,
                        size_t why_size);
/* Adds the repeats of `more` to `profile`. Both must be of the same tasks. False: `why` says what differs. */
bool profile_append(Profile *profile, const Profile *more, char *why, size_t why_size);

typedef enum ProfFormat {
    FORMAT_PROFILE,    /* *.json */
    FORMAT_CSV,        /* *.csv */
    FORMAT_FOLDED,     /* *.folded, *.collapsedstack.txt */
    FORMAT_SPEEDSCOPE, /* *.speedscope.json */
    FORMAT_CHROME,     /* *.trace.json */
    FORMAT_CALLGRIND,  /* callgrind.out.*, *.callgrind */
    FORMAT_HTML,       /* *.html */
    FORMAT_TEXT,       /* *.txt: what batt profile prints */
    FORMAT_UNKNOWN
} ProfFormat;
#define FORMAT_ENDINGS                                                                       \
    ".json, .csv, .folded, .collapsedstack.txt, .speedscope.json, .trace.json, .callgrind, " \
    "callgrind.out.*, .html, .txt"
ProfFormat format_of(const char *path); /* by its name */

/* The stacks of all tasks merged, without the level of tasks: what flame graphs show. Nodes in order, parents
 * first, node 0 the root. NULL: no memory; free it with mem_free. */
ProfStack *profile_flatten(const Profile *profile, ProfFilter filter, uint32_t *count);

void export_csv(Out *out, const Profile *profile, const ProfSum *sum);
void export_folded(Out *out, const Profile *profile, const ProfStack *stacks, uint32_t n);
void export_speedscope(Out *out, const Profile *profile, const ProfStack *stacks, uint32_t n);
void export_chrome(Out *out, const Profile *profile);
void export_callgrind(Out *out, const Profile *profile, const ProfStack *stacks, uint32_t n);

/* Iterates over events in the order of time, with the whole chain of calls: for exports of traces. */
typedef struct EventWalk {
    const Profile *profile;
    const ProfEventList *list;
    uint64_t next, last; /* the word of the next event; ticks at which the one before ended */
} EventWalk;
typedef struct EventStep {
    uint32_t key;
    bool open, close; /* both: a call without callees */
    double begin_ns, end_ns;
    bool failed;
} EventStep;
/* One worker's events as a profile of a speedscope file, appended to the file's open list. */
void export_events_speedscope(Json *json, const Profile *profile, uint32_t worker);

#endif

/* --profile and --profile-out for every command that runs programs.
 *
 *     typedef struct Options { ...; ProfileChoice profile; } Options;
 *     PROFILE_OPTIONS(Options, profile),                     in its table
 *
 *     ProfileRecorder tap;
 *     profile_attach(&tap, cli, &opt->profile, &pool)        after pool_open; false: reported, give up
 *     profile_collect(&tap, phases, ids, json or out)        after the run: reports, writes files, lets go
 *
 * A command that evaluates by itself, in a context of its own:
 *
 *     profile_attach_alone(&tap, cli, &opt->profile, &ctx, PHASE_REPORT)
 *     profile_item(&tap, id) ... profile_item_end(&tap)      around every evaluation
 *     profile_collect(&tap, NULL, NULL, json or out)
 */
#ifndef BATT_TOOLS_CLI_PROFILE_OPTION_H
#define BATT_TOOLS_CLI_PROFILE_OPTION_H

#include "base/json.h"
#include "tools/cli/cli.h"
#include "tools/cli/ranks_option.h"
#include "tools/profiler/profile.h"

typedef struct ProfileChoice {
    int level; /* ProfLevel, or -1: not given, which means counters, reported to scripts only */
    CliList out;
} ProfileChoice;

/* Whether a profile was asked for, by level or by file. */
static inline bool profile_requested(const ProfileChoice *choice) {
    return choice->level >= 0 || choice->out.count > 0;
}

#define PROFILE_OPTIONS(T, field)                                                                            \
    CLI_GROUP("reports"),                                                                                    \
        CLI_CHOICE(T, field.level, 0, "profile", PROF_LEVELS, NULL,                                          \
                   "report where the time goes: counters (exact numbers of calls and failures), timing "     \
                   "(sampled times), trace (every call); see batt profile"),                                 \
        CLI_FILES(T, field.out, 0, "profile-out", "FILE", CLI_ROLE_WRITE,                                    \
                  "with --profile timing or trace: write the profile; the file name selects the format, as " \
                  "in batt profile")

typedef struct ProfileRecorder {
    Cli *cli;
    const ProfileChoice *choice;
    Profiler profiler;
    bool attached;
    /* without a pool: a pool of one, and the names of the items, owned */
    Pool pool;
    Worker worker;
    Phases phases;
    Phase rest;
    char **ids;
    size_t n_ids;
    uint64_t began_ns;
    const RankSummaries *ranks; /* ranks whose profiles are part of this one; NULL: none */
} ProfileRecorder;

/* The tap must not move afterwards. False: an error was reported. */
bool profile_attach(ProfileRecorder *recorder, Cli *cli, const ProfileChoice *choice, Pool *pool);
/* The same without a pool. Counters of the context start from 0; `rest` is the phase between items. */
bool profile_attach_alone(ProfileRecorder *recorder, Cli *cli, const ProfileChoice *choice, Ctx *ctx,
                          Phase rest);
void profile_item(ProfileRecorder *recorder, const char *id);
void profile_item_end(ProfileRecorder *recorder);
/* Adds "profile": {..} to an open object, or (json NULL) a table to `out`; writes the files asked for. ids
 * names the items of the run; without a pool, phases and ids are the tap's own. Returns an exit code. */
int profile_collect(ProfileRecorder *recorder, Phases *phases, const char *const *ids, Json *json, Out *out);
/* Called before it if there are other ranks: they send what they counted and measured, and rank 0 gets all.
 * False: no memory. */
bool profile_gather(ProfileRecorder *recorder, Phases *phases, const char *const *ids, RankSummaries *ranks,
                    const Statistics *counted);
/* Merges the profiles of the other ranks into this one, which is rank 0's. Those that cannot be read are left
 * out and reported. False: no memory. */
bool profile_add_ranks(const Cli *cli, Profile *profile, const RankSummaries *ranks);
void profile_detach(ProfileRecorder *recorder); /* detaches without a report; may be called twice */

#endif

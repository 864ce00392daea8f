/* --profile and --profile-out for every command that runs programs.
 *
 *     typedef struct Options { ...; ProfileChoice profile; } Options;
 *     PROFILE_OPTIONS(Options, profile),                     in its table
 *
 *     ProfileTap tap;
 *     profile_attach(&tap, cli, &opt->profile, &pool)        after pool_open; false: reported, give up
 *     profile_collect(&tap, phases, ids, json or out)        after the run: reports, writes files, lets go
 */
#ifndef BATT_CLI_PROFILE_OPTION_H
#define BATT_CLI_PROFILE_OPTION_H

#include "cli/cli.h"
#include "core/json.h"
#include "prof/profile.h"

typedef struct ProfileChoice {
    int level; /* ProfLevel, or -1: not said, which is counters, told to scripts only */
    CliList out;
} ProfileChoice;

#define PROFILE_OPTIONS(T, field)                                                                           \
    CLI_CHOICE(T, field.level, 0, "profile", PROF_LEVELS, NULL,                                             \
               "where the time went: counters (calls and failures, always counted), timing (samples), "     \
               "trace (every "                                                                              \
               "call); see also batt profile"),                                                             \
        CLI_LIST(T, field.out, 0, "profile-out", "FILE",                                                    \
                 "with --profile timing or trace: write the profile; the name says the format, as in batt " \
                 "profile")

typedef struct ProfileTap {
    Cli *cli;
    const ProfileChoice *choice;
    Profiler profiler;
    bool attached;
} ProfileTap;

/* The tap must not move afterwards. False: an error was reported. */
bool profile_attach(ProfileTap *tap, Cli *cli, const ProfileChoice *choice, Pool *pool);
/* Adds "profile": {..} to an open object, or (json NULL) a table to `out`; writes the files asked for. Items
 * of the run are named by ids. An exit code. */
int profile_collect(ProfileTap *tap, Phases *phases, const char *const *ids, Json *json, Out *out);
void profile_let_go(ProfileTap *tap); /* without a report; may be called twice */

#endif

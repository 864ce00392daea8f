/* batt profile: what its views share. */
#ifndef BATT_CLI_CMD_PROFILE_H
#define BATT_CLI_CMD_PROFILE_H

#include "cli/data.h"
#include "core/json.h"
#include "display/table.h"
#include "prof/profile.h"

typedef struct ProfileOptions {
    CliList solvers, out;
    DataOptions data;
    const char *from, *project, *what_if;
    int64_t jobs, timeout, max_steps, max_memory, repeat, warmup, top, budget;
    double outlier_k, threshold;
    bool all, no_share, safe, filter_outliers, json, append;
    int mode, level, sort;
} ProfileOptions;

typedef struct ProfileView {
    Cli *cli;
    const ProfileOptions *opt;
    Profile profile;
    ProfSum all, kept; /* all tasks; without outliers */
    uint32_t outliers;
    Data data; /* tasks, where there are any: for their grids */
    Out out;
} ProfileView;

/* Views: text for people, members of an open object for scripts. Exit codes. */
int profile_view_dsl(ProfileView *view);
int profile_view_batch(ProfileView *view);
int profile_view_framework(ProfileView *view);
int profile_view_pipeline(ProfileView *view);
int profile_lines(Cli *cli, const ProfileOptions *opt, int argc, char **argv);
int profile_compare(Cli *cli, const ProfileOptions *opt, const char *before, const char *after);

/* Figures that every view ends with: phases, what is not accounted for, how it was measured. */
void profile_json_common(Json *json, const ProfileView *view, const char *name);
void profile_write_common(ProfileView *view);
int profile_flush(ProfileView *view); /* to standard output */

/* ---- words ---- */

void words_time(Out *out, double ns); /* "12.3 us" */
const char *words_time_in(char text[32], double ns);
const char *words_priority(double share); /* "HIGH", "MEDIUM", "LOW", "" */
TermInk words_priority_ink(double share);
bool words_unstable(double spread); /* too wide to be relied on */
/* "400,1000": numbers of at least 1. Returns how many, or -1 after an error message. */
enum { WORDS_MOST_NUMBERS = 16 };
int words_numbers(const Cli *cli, const char *option, const char *text, double *numbers);

/* The sum that is shown first, and the one beside it (NULL: there are no outliers, or only one was asked
 * for). */
const ProfSum *profile_main(const ProfileView *view);
const ProfSum *profile_beside(const ProfileView *view);

/* ---- shared with commands that run programs (profile_option.h) ---- */

/* Writes the profile to every file of `paths`, each in the format its name says. `before` may be NULL. */
int profile_write_files(Cli *cli, const CliList *paths, Profile *profile, const Data *data,
                        const Profile *before, bool append);

#endif

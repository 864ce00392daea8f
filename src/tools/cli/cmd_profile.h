/* batt profile: what its views share. */
#ifndef BATT_TOOLS_CLI_CMD_PROFILE_H
#define BATT_TOOLS_CLI_CMD_PROFILE_H

#include "base/json.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/data.h"
#include "tools/cli/device_option.h"
#include "tools/display/table.h"
#include "tools/profiler/profile.h"

typedef struct ProfileOptions {
    CliList solvers, out;
    DataOptions data;
    const char *from, *project, *what_if, *battery, *device, *search;
    int64_t jobs, timeout, max_steps, max_memory, repeat, warmup, runs, top, budget;
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
    Data data;        /* tasks, if there are any, for their grids */
    Backend *backend; /* NULL: the processor */
    Out out;
} ProfileView;

/* Views: text for people, or members of an open object for scripts. They return exit codes. */
int profile_view_dsl(ProfileView *view);
int profile_view_batch(ProfileView *view);
int profile_view_framework(ProfileView *view);
int profile_view_pipeline(ProfileView *view);
const char *profile_category(const char *name); /* of a primitive or scope, in the framework view */
const char *profile_engine_category(void);
/* Nanoseconds of wall time that a run over `tasks` tasks takes: load, generate, execute, validate. */
enum { PROFILE_STEPS = 4 };
void profile_project(const ProfileView *view, const ProfSum *sum, double tasks, double ns[PROFILE_STEPS]);
/* What the rows of --what-if bring together, in batch. False: they were refused, after an error message. */
bool profile_impact_text(ProfileView *view);
bool profile_impact_json(Json *json, const ProfileView *view);
int profile_lines(Cli *cli, const ProfileOptions *opt, int argc, char **argv);
/* Compares two saved profiles; or two programs, which are run in turn on the tasks of the paths that
 * follow. */
int profile_compare(Cli *cli, const ProfileOptions *opt, int argc, char **argv);
/* Runs over time, from the file of batt run --history. */
int profile_history(Cli *cli, const ProfileOptions *opt, int argc, char **argv);
bool profile_is_program(const char *path);
enum { PROFILE_PATH = 4096 };
/* Leaves a profile of each program in files; profile_forget_both removes them. Returns an exit code. */
int profile_run_both(const Cli *cli, const ProfileOptions *opt, const char *const programs[2],
                     char files[2][PROFILE_PATH], int n_paths, char **paths);
void profile_forget_both(char files[2][PROFILE_PATH]);

/* Figures that every view ends with: phases, what is not accounted for, how it was measured. */
void profile_json_common(Json *json, const ProfileView *view, const char *name);
void profile_write_common(ProfileView *view);
int profile_flush(ProfileView *view); /* to standard output */

/* ---- merged profiles (profile_sources.c) ---- */

/* A column per source, rows for the work done and for waiting; nothing for a profile that was not merged. */
void profile_sources_text(Out *out, const TermStyle *style, const Profile *profile, const ProfSum *sum);
void profile_sources_json(Json *json, const Profile *profile);
int profile_merge_files(Cli *cli, Profile *merged, int n, char **files); /* an exit code */

/* ---- words ---- */

void format_time(Out *out, double ns); /* "12.3 us" */
const char *format_time_in(char text[32], double ns);
/* "HIGH", "MEDIUM", "LOW" or "", by the share; also "" if the interval covers several. */
const char *format_priority(double share);
const char *format_priority_of(const ProfSumRow *row);
TermAttr format_priority_attr(double share);
bool profile_is_unstable(double spread); /* too wide to rely on */
/* "400,1000": numbers of at least 1. Returns how many, or -1 after an error message. */
enum { PROFILE_MAX_NUMBERS = 16 };
int profile_parse_numbers(const Cli *cli, const char *option, const char *text, double *numbers);

/* The sum that is shown first, and the one beside it (NULL: there are no outliers, or only one was asked
 * for). */
const ProfSum *profile_main(const ProfileView *view);
const ProfSum *profile_secondary(const ProfileView *view);

/* ---- shared with commands that run programs (profile_option.h) ---- */

/* Writes the profile to every file of `paths`, each in the format its name says. `before` may be NULL. */
int profile_write_files(Cli *cli, const CliList *paths, Profile *profile, const Data *data,
                        const Profile *before, bool append);

#endif

/* What speeding up rows of a profile would bring to a whole run: --what-if of pipeline and batch.
 *
 * A row is a step of a run, a primitive, a category of the framework view, dispatch, or a priority: HIGH,
 * MEDIUM or LOW stand for all primitives whose share says so. */
#ifndef BATT_TOOLS_CLI_PROFILE_WHAT_IF_H
#define BATT_TOOLS_CLI_PROFILE_WHAT_IF_H

#include "tools/cli/cmd_profile.h"

enum { WHAT_IF_MAX = 32 };

typedef struct ProfileSteps { /* nanoseconds of wall time of one run over the tasks of a sum */
    double ns[PROFILE_STEPS], total;
    const ProfSum *sum;
} ProfileSteps;
extern const char *const profile_step_names[PROFILE_STEPS];

typedef struct WhatIf {
    char name[64];
    double factor[2]; /* from, to */
    double ns;        /* of the row in a run, with everything in it */
} WhatIf;

ProfileSteps profile_steps_of(const ProfileView *view, const ProfSum *sum);
double profile_steps_sum(const double *ns);

/* "objects=4x,HIGH=3x-6x"; returns how many, or -1 after an error message. NULL: none. */
int what_if_parse(const ProfileView *view, const ProfileSteps *steps, const char *text,
                  WhatIf list[WHAT_IF_MAX]);
/* The time of a run whose steps take `ns`, with the smallest (end 0) or the largest (1) factor of each row.
 */
double what_if_sped_up(const ProfileView *view, const ProfSum *sum, const WhatIf *list, int n,
                       const double *ns, int end);

/* A number, or two where a range was asked for: "2.5 to 4.1". */
const char *what_if_range(char text[80], const double *values, const char *(*format)(char *, double));
const char *what_if_time(char *text, double ns);
const char *what_if_factor(char *text, double times);
const char *what_if_count(char *text, double count);

#endif

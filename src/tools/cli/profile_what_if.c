/* What speeding up rows of a profile would bring; see profile_what_if.h. */
#include "tools/cli/profile_what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = PROFILE_STEPS, EXECUTE = 2 };
const char *const profile_step_names[PROFILE_STEPS] = {"load", "generate", "execute", "validate"};

/* Loading and generating are counted in proportion to the tasks in the sum. */
ProfileSteps profile_steps_of(const ProfileView *v, const ProfSum *sum) {
    const Profile *p = &v->profile;
    double part = p->n_tasks > 0 ? (double)sum->tasks / p->n_tasks : 1;
    ProfileSteps s = {.ns = {(p->phases_ns[PHASE_LOAD] + p->phases_ns[PHASE_PARSE]) * part,
                             p->phases_ns[PHASE_GENERATE] * part,
                             (sum->execute_ns + sum->setup_ns) / p->workers, sum->validate_ns / p->workers},
                      .sum = sum};
    for (int k = 0; k < STEPS; k++) {
        s.total += s.ns[k];
    }
    return s;
}

double profile_steps_sum(const double *ns) {
    double sum = 0;
    for (int k = 0; k < STEPS; k++) {
        sum += ns[k];
    }
    return sum;
}

/* If only one size was measured, loading and generating are assumed to be fixed costs. */
void profile_project(const ProfileView *v, const ProfSum *sum, double tasks, double ns[PROFILE_STEPS]) {
    const Profile *p = &v->profile;
    const ProfModel *m = &p->model;
    double n = sum->tasks > 0 ? sum->tasks : 1, share = tasks / n / p->workers;
    double scheduling = p->n_tasks > 0 ? fmax(p->work_ns[WORK_SCHEDULING], 0) / p->n_tasks * n : 0;
    ns[0] = m->known ? m->load_fixed + m->load_task * tasks
                     : p->phases_ns[PHASE_LOAD] + p->phases_ns[PHASE_PARSE];
    ns[1] = m->known ? m->generate_fixed + m->generate_task * tasks : p->phases_ns[PHASE_GENERATE];
    ns[2] = (sum->execute_ns + sum->setup_ns + scheduling) * share;
    ns[3] = sum->validate_ns * share;
}

/* Names of rows may be written with - for spaces. */
static bool same_name(const char *a, const char *b) {
    for (; *a != '\0' && (*a == *b || (*a == '-' && *b == ' ')); a++, b++) {
    }
    return *a == *b;
}

static double factor_of(const WhatIf *list, int n, const char *name, int end) {
    double factor = 1;
    for (int k = 0; k < n; k++) {
        factor *= same_name(list[k].name, name) ? list[k].factor[end] : 1;
    }
    return factor;
}

/* Time of one part of execution that contains no other, divided by its own factor, that of its category and
 * that of the step. */
static double part_ns(const WhatIf *list, int n, const char *name, const char *category, double ns, int end) {
    return ns / factor_of(list, n, name, end) / factor_of(list, n, category, end) /
           factor_of(list, n, profile_step_names[EXECUTE], end);
}

/* Time of all parts of execution together. */
static double executed(const ProfileView *v, const ProfSum *sum, const WhatIf *list, int n, int end) {
    const char *engine = profile_engine_category();
    double ns = part_ns(list, n, "dispatch", engine, sum->dispatch_ns, end) +
                part_ns(list, n, "setup", engine, sum->setup_ns, end);
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        const char *name = v->profile.names[sum->rows[k].name].name;
        double share = sum->execute_ns > 0 ? sum->rows[k].self_ns / sum->execute_ns : 0;
        bool engine_row = v->profile.names[sum->rows[k].name].engine;
        ns += part_ns(list, n, name, profile_category(name), sum->rows[k].self_ns, end) /
              (engine_row ? 1 : factor_of(list, n, format_priority(share), end));
    }
    return ns;
}

/* The time of a run with the speedups applied, the smallest (end 0) or the largest (1) of each range. */
double what_if_sped_up(const ProfileView *v, const ProfSum *sum, const WhatIf *list, int n, const double *ns,
                       int end) {
    double all = 0, plain = executed(v, sum, list, 0, end);
    for (int k = 0; k < STEPS; k++) {
        all += k != EXECUTE ? ns[k] / factor_of(list, n, profile_step_names[k], end)
               : plain > 0  ? ns[k] * executed(v, sum, list, n, end) / plain
                            : 0;
    }
    return all;
}

/* What a row takes in a run: the time saved if it took none. */
static double row_ns(const ProfileView *v, const ProfileSteps *s, const WhatIf *row) {
    WhatIf gone = *row;
    gone.factor[0] = gone.factor[1] = INFINITY;
    return s->total - what_if_sped_up(v, s->sum, &gone, 1, s->ns, 0);
}

static bool known_row(const ProfileView *v, const ProfSum *sum, const char *name) {
    bool known =
        same_name(name, "dispatch") || same_name(name, "setup") || same_name(name, profile_engine_category());
    for (int k = 0; k < STEPS; k++) {
        known |= same_name(name, profile_step_names[k]);
    }
    for (double share = 0.02; share < 0.5; share *= 4) { /* LOW, MEDIUM, HIGH */
        known |= strcmp(name, format_priority(share)) == 0;
    }
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        const char *row = v->profile.names[sum->rows[k].name].name;
        known |= same_name(name, row) || same_name(name, profile_category(row));
    }
    return known;
}

/* "4x", "4" or "3x-6x"; NULL: neither. */
static const char *parse_factors(const char *text, double factor[2]) {
    char *end = NULL;
    for (int k = 0; k < 2; k++) {
        factor[k] = strtod(text, &end);
        if (end == text || !(factor[k] > 0) || !isfinite(factor[k])) {
            return NULL;
        }
        end += *end == 'x';
        factor[1] = k == 0 ? factor[0] : factor[1];
        if (k == 0 && *end != '-') {
            break;
        }
        text = end + 1;
    }
    return (*end == ',' || *end == '\0') && factor[0] <= factor[1] ? end : NULL;
}

int what_if_parse(const ProfileView *v, const ProfileSteps *s, const char *text, WhatIf list[WHAT_IF_MAX]) {
    int n = 0;
    while (text != NULL && *text != '\0') {
        const char *equals = strchr(text, '='), *end = NULL;
        size_t length = equals != NULL ? (size_t)(equals - text) : 0;
        double factor[2];
        if (equals == NULL || length == 0 || length >= sizeof list->name ||
            (end = parse_factors(equals + 1, factor)) == NULL) {
            cli_error(v->cli, "--what-if: `%s` is not of the form objects=4x,generate=3x-6x", text);
            return -1;
        }
        if (n == WHAT_IF_MAX) {
            cli_error(v->cli, "--what-if: at most %d rows", WHAT_IF_MAX);
            return -1;
        }
        WhatIf *w = &list[n++];
        *w = (WhatIf){.factor = {factor[0], factor[1]}};
        memcpy(w->name, text, length);
        if (!known_row(v, s->sum, w->name)) {
            cli_error(v->cli, "--what-if: this profile has no row `%s`", w->name);
            return -1;
        }
        w->ns = row_ns(v, s, w);
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

/* A number, or two where a range was asked for. */
const char *what_if_range(char text[80], const double *values, const char *(*format)(char *, double)) {
    char a[32], b[32];
    bool same = fabs(values[0] - values[1]) <= 1e-9 * fabs(values[0]);
    snprintf(text, 80, "%s%s%s", format(a, values[0]), same ? "" : " to ", same ? "" : format(b, values[1]));
    return text;
}
const char *what_if_time(char *text, double ns) {
    return format_time_in(text, ns);
}
const char *what_if_factor(char *text, double times) {
    snprintf(text, 32, times > 1 && times < 1.1 ? "%.3f" : "%.3g", times); /* 1.004, not 1 */
    return text;
}
const char *what_if_count(char *text, double count) {
    snprintf(text, 32, "%.0f", count);
    return text;
}

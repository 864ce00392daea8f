/* The end of batt profile batch: what speeding up the primitives that matter most would bring together, and
 * how many more runs that makes in a night. */
#include "base/clock.h"
#include "tools/cli/profile_what_if.h"

#include <math.h>

/* What people mostly gain when they work on a primitive, as the profilers of the Python original had it. */
static const char usual[] = "HIGH=3x-6x,MEDIUM=2x-4x";
enum { USUAL_HOURS = 8 };

typedef struct Impact {
    WhatIf list[WHAT_IF_MAX];
    int n;
    double before, after[2]; /* nanoseconds of a run over the tasks of the profile */
    double budget;
} Impact;

static bool impact_of(const ProfileView *v, Impact *impact) {
    const ProfSum *sum = profile_main(v);
    ProfileSteps s = profile_steps_of(v, sum);
    impact->n = what_if_parse(v, &s, v->opt->what_if != NULL ? v->opt->what_if : usual, impact->list);
    impact->before = s.total;
    for (int end = 0; end < 2 && impact->n >= 0; end++) {
        impact->after[end] = what_if_sped_up(v, sum, impact->list, impact->n, s.ns, end);
    }
    impact->budget = v->opt->budget > 0 ? (double)v->opt->budget : USUAL_HOURS * 3600e9;
    return impact->n >= 0;
}

bool profile_impact_text(ProfileView *v) {
    Impact impact;
    char a[80], c[32];
    if (!impact_of(v, &impact)) {
        return false;
    }
    double faster[2], runs[2];
    out_str(&v->out, "\nimpact      ");
    for (int k = 0; k < impact.n; k++) {
        const WhatIf *w = &impact.list[k];
        double after[2] = {w->ns / w->factor[0], w->ns / w->factor[1]};
        out_fmt(&v->out, "%s: %s -> ", w->name, format_time_in(c, w->ns));
        out_fmt(&v->out, "%s (%s times as fast); ", what_if_range(a, after, what_if_time),
                what_if_range((char[80]){0}, w->factor, what_if_factor));
    }
    for (int end = 0; end < 2; end++) {
        faster[end] = impact.after[end] > 0 ? impact.before / impact.after[end] : 1;
        runs[end] = impact.after[end] > 0 ? floor(impact.budget / impact.after[end]) : 0;
    }
    out_fmt(&v->out, "together the run is %s times as fast\n", what_if_range(a, faster, what_if_factor));
    out_fmt(&v->out, "            runs in %s: %.0f now, ", format_time_in(c, impact.budget),
            impact.before > 0 ? floor(impact.budget / impact.before) : 0);
    out_fmt(&v->out, "%s then\n", what_if_range(a, runs, what_if_count));
    return true;
}

bool profile_impact_json(Json *json, const ProfileView *v) {
    Impact impact;
    if (!impact_of(v, &impact)) {
        return false;
    }
    json_key(json, "impact");
    json_begin_object(json);
    json_key(json, "rows");
    json_begin_array(json);
    for (int k = 0; k < impact.n; k++) {
        const WhatIf *w = &impact.list[k];
        json_begin_object(json);
        json_kv_string(json, "name", w->name);
        json_kv_fixed(json, "us", w->ns * 1e-3, 3);
        json_kv_double(json, "factor", w->factor[0]);
        json_kv_double(json, "factor_max", w->factor[1]);
        json_end_object(json);
    }
    json_end_array(json);
    json_kv_fixed(json, "run_s", impact.before * 1e-9, 9);
    json_kv_fixed(json, "run_sped_up_s", impact.after[0] * 1e-9, 9);
    json_kv_fixed(json, "run_sped_up_max_s", impact.after[1] * 1e-9, 9);
    json_kv_fixed(json, "budget_s", impact.budget * 1e-9, 3);
    json_end_object(json);
    return true;
}

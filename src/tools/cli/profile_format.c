/* Formats words and numbers for all views of a profile. */
#include "tools/cli/cmd_profile.h"
#include "tools/profiler/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void format_time(Out *out, double ns) {
    char text[32];
    out_str(out, format_time_in(text, ns));
}

const char *format_time_in(char text[32], double ns) {
    static const struct {
        double from, unit;
        const char *name;
    } steps[] = {{1e3, 1, "ns"},    {1e6, 1e3, "us"},      {1e9, 1e6, "ms"},
                 {120e9, 1e9, "s"}, {7200e9, 60e9, "min"}, {172800e9, 3600e9, "h"}};
    if (!isfinite(ns) || ns == 0) {
        return ns == 0 ? "0 ns" : "-";
    }
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        if (ns < steps[k].from) {
            double value = ns / steps[k].unit;
            snprintf(text, 32, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value, steps[k].name);
            return text;
        }
    }
    snprintf(text, 32, "%.1f days", ns / 86400e9);
    return text;
}

const char *format_priority(double share) {
    return share > 0.10 ? "HIGH" : share >= 0.05 ? "MEDIUM" : share >= 0.01 ? "LOW" : "";
}

const char *format_priority_of(const ProfSumRow *row) {
    const char *low = format_priority(row->low), *high = format_priority(row->high);
    return strcmp(low, high) == 0 ? low : "";
}

TermAttr format_priority_attr(double share) {
    return share > 0.10 ? ATTR_BAD : share >= 0.05 ? ATTR_WARN : ATTR_DIM;
}

bool profile_is_unstable(double spread) {
    return isfinite(spread) && spread > 0.10;
}

int profile_parse_numbers(const Cli *cli, const char *option, const char *text, double *numbers) {
    int n = 0;
    while (text != NULL && *text != '\0') {
        char *end;
        double value = strtod(text, &end);
        if (end == text || (*end != ',' && *end != '\0') || !(value >= 1) || !isfinite(value)) {
            cli_error(cli, "--%s: `%s` is not a list of numbers such as 400,1000", option, text);
            return -1;
        }
        if (n == PROFILE_MAX_NUMBERS) {
            cli_error(cli, "--%s: at most %d numbers", option, PROFILE_MAX_NUMBERS);
            return -1;
        }
        numbers[n++] = value;
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

const ProfSum *profile_main(const ProfileView *view) {
    return view->opt->filter_outliers ? &view->kept : &view->all;
}

const ProfSum *profile_secondary(const ProfileView *view) {
    return view->opt->filter_outliers || view->outliers == 0 ? NULL : &view->kept;
}

/* ---- what every view ends with ---- */

void profile_json_common(Json *json, const ProfileView *view, const char *name) {
    const Profile *p = &view->profile;
    double whole = profile_pass_ns(p), rest = profile_unaccounted(p, &view->all);
    json_kv_string(json, "view", name);
    json_kv_string(json, "command", p->command);
    json_kv_uint(json, "tasks", p->n_tasks);
    json_kv_uint(json, "workers", p->workers);
    json_kv_uint(json, "repeats", p->repeats);
    json_kv_uint(json, "warmup", p->warmup);
    json_kv_string(json, "data", p->data);
    profile_json_phases(json, p);
    json_key(json, "execute");
    json_begin_object(json);
    json_kv_fixed(json, "pass_s", whole * 1e-9, 9);
    json_kv_fixed(json, "primitives_s", view->all.primitives_ns * 1e-9, 9);
    json_kv_fixed(json, "engine_s", view->all.engine_ns * 1e-9, 9);
    json_kv_fixed(json, "dispatch_s", view->all.dispatch_ns * 1e-9, 9);
    for (int k = WORK_SETUP; k < WORK_COUNT; k++) {
        char key[32];
        snprintf(key, sizeof key, "%s_s", prof_work_name((ProfWork)k));
        json_kv_fixed(json, key, p->work_ns[k] * 1e-9, 9);
    }
    json_kv_fixed(json, "unaccounted_s", rest * 1e-9, 9);
    json_end_object(json);
    profile_sources_json(json, p);
}

void profile_write_common(ProfileView *view) {
    const Profile *p = &view->profile;
    const TermStyle *style = &view->cli->style;
    Out *out = &view->out;
    const char *bad = term_attr(style, ATTR_BAD), *reset = term_attr(style, ATTR_RESET);
    double phases = 0, whole = profile_pass_ns(p), rest = profile_unaccounted(p, &view->all);
    const char *before = "";
    profile_sources_text(out, style, p, &view->all);
    out_str(out, "\nphases      ");
    for (int k = 0; k < PHASE_COUNT; k++) {
        phases += p->phases_ns[k];
        if (p->phases_ns[k] > 0) {
            out_fmt(out, "%s%s ", before, phase_name((Phase)k));
            before = ", ";
            format_time(out, p->phases_ns[k]);
            out_fmt(out, " (%.0f %%)", p->wall_ns > 0 ? 100 * p->phases_ns[k] / p->wall_ns : 0);
        }
    }
    out_str(out, "\nwall        ");
    format_time(out, p->wall_ns);
    if (p->cpu_ns > 0) {
        out_str(out, ", ");
        format_time(out, p->cpu_ns);
        out_str(out, " of processor time");
    }
    if (fabs(p->wall_ns - phases) > 0.01 * p->wall_ns) {
        out_fmt(out, "  %sunaccounted: %.1f %%%s", bad, 100 * (p->wall_ns - phases) / p->wall_ns, reset);
    }
    out_fmt(out,
            "\nmeasured    %u repeat%s after %u warm-up, %u worker%s; a recorded call costs %.1f ns (%.1f to "
            "%.1f), subtracted",
            p->repeats, p->repeats == 1 ? "" : "s", p->warmup, p->workers, p->workers == 1 ? "" : "s",
            p->timestamp_ns, p->timestamp_low_ns, p->timestamp_high_ns);
    if (p->plain_ns > 0) {
        out_fmt(out, "; with timestamps, corrected: %+.1f %%", 100 * (p->measured_ns / p->plain_ns - 1));
    }
    out_char(out, '\n');
    if (p->disturbed > 0) {
        bool one = p->disturbed == 1;
        out_fmt(out, "interrupted %llu measurement%s far above the median of %s repeats and replaced by it\n",
                (unsigned long long)p->disturbed, one ? " was" : "s were", one ? "its" : "their");
    }
    if (whole > 0 && fabs(rest) > 0.01 * whole) {
        out_fmt(out, "%sunaccounted: %.1f %% of the workers' time is in no row%s\n", bad, 100 * rest / whole,
                reset);
    }
    if (p->lost > 0) {
        out_fmt(out, "%s%llu calls were not recorded: the buffer was full%s\n", bad,
                (unsigned long long)p->lost, reset);
    }
}

/* A copy without colors. */
static void plain_text(const Out *from, Out *to) {
    for (size_t k = 0; k < from->len; k++) {
        if (from->data[k] == '\033') { /* up to the letter that ends the sequence */
            while (k + 1 < from->len && from->data[k] != 'm') {
                k++;
            }
        } else {
            out_char(to, from->data[k]);
        }
    }
}

int profile_flush(ProfileView *view) {
    bool good = cli_print(view->cli, &view->out);
    for (size_t k = 0; k < view->opt->out.count; k++) {
        if (format_of(view->opt->out.items[k]) == FORMAT_TEXT) {
            Out text;
            out_init(&text);
            plain_text(&view->out, &text);
            good = cli_save(view->cli, &text, view->opt->out.items[k]) && good;
            out_free(&text);
        }
    }
    out_clear(&view->out);
    return good ? EXIT_DONE : EXIT_SHORT;
}

/* Profiling commands on the side; see profile_option.h. */
#include "cli/profile_option.h"

#include "cli/cmd_profile.h"
#include "prof/files.h"

#include <inttypes.h>
#include <string.h>

enum { NODES = 1 << 18, EVENTS = 4 << 20 };

static ProfLevel level_of(const ProfileChoice *choice) {
    return choice->level < 0 ? PROF_COUNTERS : (ProfLevel)choice->level;
}

bool profile_attach(ProfileTap *tap, Cli *cli, const ProfileChoice *choice, Pool *pool) {
    ProfLevel level = level_of(choice);
    *tap = (ProfileTap){.cli = cli, .choice = choice};
    for (size_t k = 0; k < choice->out.count; k++) {
        ProfFormat format = format_of(choice->out.items[k]);
        if (format == FORMAT_UNKNOWN) {
            cli_error(cli, "--profile-out %s: the name says no format; known endings: " FORMAT_ENDINGS,
                      choice->out.items[k]);
            return false;
        }
        if (level < (format == FORMAT_CHROME ? PROF_TRACE : PROF_TIMING)) {
            cli_error(cli, "--profile-out %s needs --profile %s", choice->out.items[k],
                      format == FORMAT_CHROME ? "trace" : "timing or trace");
            return false;
        }
    }
    if (!prof_attach(&tap->profiler, pool, level, NODES, EVENTS)) {
        cli_error(cli, "out of memory");
        return false;
    }
    tap->profiler.everything = level == PROF_TRACE;
    tap->attached = true;
    return true;
}

void profile_let_go(ProfileTap *tap) {
    if (tap->attached) {
        prof_detach(&tap->profiler);
        tap->attached = false;
    }
}

static void write_json(Json *json, const Profile *p, const ProfSum *sum, uint32_t measured) {
    static const char *const levels[] = {"off", "counters", "timing", "trace"};
    json_key(json, "profile");
    json_begin_object(json);
    json_kv_string(json, "level", levels[p->level]);
    if (p->level >= PROF_TIMING) {
        json_kv_uint(json, "items", p->n_tasks);
        json_kv_uint(json, "items_measured", measured);
        json_kv_fixed(json, "items_s", sum->execute_ns * 1e-9, 9);
        json_kv_fixed(json, "primitives_s", sum->primitives_ns * 1e-9, 9);
        json_kv_fixed(json, "engine_s", sum->dispatch_ns * 1e-9, 9);
        json_kv_fixed(json, "idle_s", p->work_ns[WORK_IDLE] * 1e-9, 9);
    }
    json_key(json, "prims");
    json_begin_object(json);
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        const ProfSumRow *r = &sum->rows[k];
        json_key(json, p->names[r->name].name);
        json_begin_object(json);
        json_kv_uint(json, "calls", r->calls);
        json_kv_uint(json, "fails", r->fails);
        if (p->level >= PROF_TIMING) {
            json_kv_fixed(json, "self_us", r->self_ns * 1e-3, 3);
            json_kv_fixed(json, "total_us", r->total_ns * 1e-3, 3);
        }
        json_end_object(json);
    }
    json_end_object(json);
    json_end_object(json);
}

static void write_table(ProfileTap *tap, Out *out, const Profile *p, const ProfSum *sum, uint32_t measured) {
    enum { SHOWN = 15 };
    const TermStyle *style = &tap->cli->style;
    bool timed = p->level >= PROF_TIMING;
    char text[32];
    Table t;
    table_init(&t);
    table_column(&t, "primitive", TABLE_LEFT);
    table_column(&t, "calls", TABLE_RIGHT);
    table_column(&t, "failed", TABLE_RIGHT);
    if (timed) {
        table_column(&t, "total", TABLE_RIGHT);
        table_column(&t, "self", TABLE_RIGHT);
        table_column(&t, "share", TABLE_RIGHT);
    }
    for (uint32_t k = 0; k < sum->n_rows && k < SHOWN; k++) {
        const ProfSumRow *r = &sum->rows[k];
        table_cell(&t, p->names[r->name].name);
        table_fmt(&t, "%" PRIu64, r->calls);
        table_fmt(&t, "%" PRIu64, r->fails);
        if (timed) {
            table_cell(&t, words_time_in(text, r->total_ns));
            table_cell(&t, words_time_in(text, r->self_ns));
            table_fmt(&t, "%.1f %%", sum->execute_ns > 0 ? 100 * r->self_ns / sum->execute_ns : 0);
        }
    }
    out_char(out, '\n');
    table_write(&t, out, style->width, style->color != TERM_MONO);
    table_free(&t);
    out_fmt(out, "profile     %" PRIu64 " calls, %" PRIu64 " failed, of %u primitives", sum->calls,
            sum->fails, sum->n_rows);
    if (timed) {
        out_fmt(out, "; %s in them", words_time_in(text, sum->primitives_ns));
        out_fmt(out, ", %s in the engine; %u of %u items measured%s", words_time_in(text, sum->dispatch_ns),
                measured, p->n_tasks, measured < p->n_tasks ? ", the others by their likeness" : "");
    }
    out_char(out, '\n');
    if (p->lost > 0) {
        out_fmt(out, "%s%" PRIu64 " calls found no room and were not noted%s\n", term_ink(style, INK_BAD),
                p->lost, term_ink(style, INK_RESET));
    }
}

static bool take_events(Profile *p, const Profiler *profiler) {
    p->events = profile_alloc(p, p->workers, sizeof *p->events);
    for (unsigned k = 0; p->events != NULL && k < p->workers; k++) {
        p->events[k] =
            (ProfEventList){profiler->workers[k].events, profiler->workers[k].n_events}; /* borrowed */
    }
    return p->events != NULL;
}

int profile_collect(ProfileTap *tap, Phases *phases, const char *const *ids, Json *json, Out *out) {
    Profile profile = {0};
    ProfSum sum = {0};
    ProfLevel level = level_of(tap->choice);
    Pool *pool = tap->profiler.pool;
    int code = EXIT_DONE;
    if (!tap->attached || level == PROF_OFF) {
        profile_let_go(tap);
        return EXIT_DONE;
    }
    char command[64];
    snprintf(command, sizeof command, "batt %s", tap->cli->entry->name);
    bool good = profile_begin(&profile, command, level, pool->count, 1) &&
                profile_from_run(&profile, &tap->profiler, ids);
    profile.wall_ns = (double)phase_total_ns(phases);
    for (int k = 0; k < PHASE_COUNT; k++) {
        profile.phases_ns[k] = (double)phases->ns[k];
    }
    double busy = 0;
    for (unsigned k = 0; k < pool->count; k++) {
        busy += (double)pool->workers[k].busy_ns;
    }
    profile.work_ns[WORK_IDLE] = profile.phases_ns[PHASE_EXECUTE] * pool->count - busy;
    good = good && profile_sum(&profile, FILTER_ALL, &sum) &&
           (level != PROF_TRACE || take_events(&profile, &tap->profiler));
    if (!good) {
        code = cli_error(tap->cli, "out of memory");
    } else {
        uint32_t measured = 0;
        for (uint32_t k = 0; k < profile.n_tasks; k++) {
            measured += profile.tasks[k].weight > 0;
        }
        outliers_mark(&profile, OUTLIERS_DEVIATIONS);
        if (json != NULL) {
            write_json(json, &profile, &sum, measured);
        } else if (tap->choice->level >= 0) {
            write_table(tap, out, &profile, &sum, measured);
        }
        code = profile_write_files(tap->cli, &tap->choice->out, &profile, NULL, NULL, false);
    }
    profile_sum_free(&sum);
    profile_free(&profile);
    profile_let_go(tap);
    return code;
}

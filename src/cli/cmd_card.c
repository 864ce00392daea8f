/* batt card: picks programs, mutates some, and writes them as one battery. */
#include "cli/data.h"
#include "cli/profile_option.h"
#include "cli/statistics_option.h"
#include "core/json.h"
#include "evolve/card.h"
#include "prof/phase.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Options {
    CliList sources;
    int64_t count, seed;
    const char *output;
    bool freeze, json, stats;
    ProfileChoice profile;
} Options;

static const CliOption options[] = {
    CLI_FILES(Options, sources, 's', "solvers", "FILE", CLI_ROLE_READ,
              "solver file, or folder of them; may be given several times; default: the built-in ones"),
    CLI_INT(Options, count, 'n', "count", "N", "0", 0, 1 << 20, "programs to pick; 0: all"),
    CLI_INT(Options, seed, 0, "seed", "N", "1", 0, INT64_MAX, "seed of picking and mutation"),
    CLI_FLAG(Options, freeze, 0, "freeze", "mutate nothing"),
    CLI_FILE(Options, output, 'o', "output", "FILE", CLI_ROLE_WRITE,
             "write the battery here; default: standard output"),
    PROFILE_OPTIONS(Options, profile),
    STATISTICS_OPTION(Options),
    CLI_FLAG(Options, json, 0, "json", "write figures as JSON; needs -o"),
    CLI_END};

static const CliExample examples[] = {
    {"batt card --freeze -n 8", "eight of the built-in solvers as one function", false},
    {"batt card -n 32 --seed 7 -o battery.py", "thirty-two, about half of them mutated", false},
    {"batt run --battery battery.py data/training", "every program of it on every task", true},
    {0}};

typedef struct Figures {
    Card card;
    Phases phases;
} Figures;

static double seconds(const Figures *f, Phase phase) {
    return (double)f->phases.ns[phase] * 1e-9;
}

static int write_figures(Out *out, const TermStyle *style, const Options *o, Figures *f, ProfileTap *tap) {
    double sharing = f->card.calls_after > 0 ? (double)f->card.calls_before / (double)f->card.calls_after : 1;
    if (o->json) {
        Json json = json_on(out, 2);
        json_begin_object(&json);
        json_kv_uint(&json, "programs", f->card.programs);
        json_kv_uint(&json, "mutated", COUNTED(&f->card.statistics, MUTATED));
        json_kv_uint(&json, "calls_before", f->card.calls_before);
        json_kv_uint(&json, "calls_after", f->card.calls_after);
        json_kv_fixed(&json, "sharing", sharing, 4);
        json_kv_fixed(&json, "load_s", seconds(f, PHASE_PARSE), 6);
        json_kv_fixed(&json, "generate_s", seconds(f, PHASE_GENERATE), 6);
        if (o->stats) {
            statistics_json(&json, &f->card.statistics);
        }
        phase_json(&json, &f->phases);
        int code = profile_collect(tap, NULL, NULL, &json, out);
        json_end_object(&json);
        out_char(out, '\n');
        return code;
    }
    out_fmt(out, "%" PRIu32 " programs, %" PRIu64 " of them mutated\n", f->card.programs,
            COUNTED(&f->card.statistics, MUTATED));
    out_fmt(out, "%" PRIu64 " calls, %" PRIu64 " after merging: sharing %.2f\n", f->card.calls_before,
            f->card.calls_after, sharing);
    out_fmt(out, "loaded in %.2f ms, generated in %.2f ms\n", seconds(f, PHASE_PARSE) * 1e3,
            seconds(f, PHASE_GENERATE) * 1e3);
    if (o->stats) {
        statistics_text(out, style, &f->card.statistics);
    }
    return profile_collect(tap, NULL, NULL, NULL, out);
}

static int write_battery(Cli *cli, const Options *o, const Out *text, Figures *f, ProfileTap *tap) {
    Out figures;
    out_init(&figures);
    int code = write_figures(&figures, &cli->style, o, f, tap);
    if (code != EXIT_DONE) {
        out_free(&figures);
        return code;
    }
    if (o->output == NULL) {
        code = out_flush_to(text, stdout) ? EXIT_DONE : EXIT_SHORT;
        out_flush_to(&figures, stderr);
    } else if (!cli_save(cli, text, o->output)) {
        code = EXIT_SHORT;
    } else {
        code = out_flush_to(&figures, stdout) ? EXIT_DONE : EXIT_SHORT;
    }
    out_free(&figures);
    return code;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *o = given;
    (void)argc;
    (void)argv;
    if (o->json && o->output == NULL) {
        return cli_error(cli,
                         "--json writes the figures to standard output: say where the battery goes, with -o");
    }
    Solvers solvers = {0};
    Figures figures = {0};
    phase_start(&figures.phases, PHASE_PARSE);
    int code = solvers_load(cli, &o->sources, PARSE_MODE_AUTO, &solvers);
    phase_enter(&figures.phases, PHASE_GENERATE);
    Budget budget = BUDGET_DEFAULT;
    Ctx ctx;
    bool open = code == EXIT_DONE && prim_open(&ctx, MODE_CORE, false, &budget);
    if (open) {
        CardOptions wanted = {.seed = (uint64_t)o->seed, .count = (uint32_t)o->count, .freeze = o->freeze};
        Out text;
        out_init(&text);
        ProfileTap tap = {0};
        bool asked = o->profile.level >= 0 || o->profile.out.count > 0;
        if (asked && !profile_attach_alone(&tap, cli, &o->profile, &ctx, PHASE_REPORT)) {
            prim_close(&ctx);
            solvers_free(&solvers);
            return EXIT_BAD;
        }
        profile_item(&tap, "card");
        bool good = card_write(&text, &wanted, (const Program *const *)solvers.list.items, solvers.list.count,
                               &ctx, &figures.card);
        profile_item_end(&tap);
        prim_count(&ctx, &figures.card.statistics);
        phase_enter(&figures.phases, PHASE_REPORT);
        code = good ? write_battery(cli, o, &text, &figures, &tap) : cli_no_memory(cli);
        profile_let_go(&tap);
        out_free(&text);
        prim_close(&ctx);
    } else if (code == EXIT_DONE) {
        code = cli_no_memory(cli);
    }
    solvers_free(&solvers);
    return code;
}

const CliCommand cmd_card = {
    .max_args = 0,
    .details =
        "Picks programs, mutates about half of them (none with --freeze), and writes them as one function in "
        "the same language, in which every distinct call stands once. Comments mark the lines that give a "
        "program's output, with its name and what was done to it. `batt run --battery` reads the file.",
    .options = options,
    .size = sizeof(Options),
    .examples = examples,
    .run = run};

/* Writes the programs that batt solve found as solver files: one per task, and a table of which strategy
 * found it in what time.
 *
 * Only programs that are right on every training pair, and on every test whose output is known, are written.
 * A program that contains a training output (perhaps with its colors renamed) is a copy of the task, not a
 * rule, and is left out. */
#include "engine/eval/eval.h"
#include "engine/language/print.h"
#include "search/run/match_programs.h"
#include "tools/cli/cmd_solve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 4096 };

static bool is_right(Ctx *ctx, const Program *p, const Task *task) {
    bool right = true;
    for (int32_t k = 0; k < task->n_train + task->n_test && right; k++) {
        const TaskPair *pair = k < task->n_train ? &task->train[k] : &task->test[k - task->n_train];
        Val in = eval_grid(pair->in);
        ctx_reset(ctx);
        right = !pair->has_output || val_eq(eval_program(ctx, p, &in), eval_grid(pair->out));
    }
    return right;
}

/* Whether a grid equals an image, perhaps after renaming its colors. */
static bool is_copy(Val grid, Image image) {
    int8_t name[256];
    uint8_t used[256] = {0};
    if (grid.kind != VAL_GRID8 || (int32_t)grid.n != image.h || grid.w != image.w) {
        return false;
    }
    memset(name, -1, sizeof name);
    for (int32_t k = 0; k < image.h * image.w; k++) {
        uint8_t from = (uint8_t)grid.b8[k], to = (uint8_t)image.cells[k];
        if (name[from] < 0) {
            name[from] = (int8_t)to;
            if (used[to]++) {
                return false;
            }
        }
        if (name[from] != image.cells[k]) {
            return false;
        }
    }
    return true;
}

static bool holds_output(const Program *p, const Task *task) {
    enum { MIN_CELLS = 5 }; /* fewer may be just a color or two */
    for (uint32_t c = 0; c < p->nconsts; c++) {
        for (int32_t k = 0; k < task->n_train; k++) {
            Image out = task->train[k].out;
            if (out.h * out.w >= MIN_CELLS && is_copy(p->consts[c], out)) {
                return true;
            }
        }
    }
    return false;
}

static const SolveProgram *choose(Ctx *ctx, const SolveTask *r) {
    for (uint32_t k = 0; k < r->n_programs; k++) {
        const SolveProgram *p = &r->programs[k];
        if (p->program != NULL && !holds_output(p->program, r->task) && is_right(ctx, p->program, r->task)) {
            return p;
        }
    }
    return NULL;
}

static bool is_file_name(const char *id) {
    return id[0] != '\0' &&
           strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(id);
}

static bool save(const Cli *cli, const Out *out, const char *folder, const char *name, const char *ending) {
    char path[PATH_ROOM];
    if (snprintf(path, sizeof path, "%s/%s%s", folder, name, ending) >= (int)sizeof path) {
        cli_error(cli, "%s: the path is too long", folder);
        return false;
    }
    return cli_save(cli, out, path);
}

static bool save_task(const Cli *cli, const SolveJob *job, const SolveTask *r, const SolveProgram *p,
                      Out *table) {
    char name[MATCH_NAME_ROOM];
    Out out;
    out_init(&out);
    match_name(name, r->task->id);
    out_str(&out, "# " OUT_MARK " solve\n");
    print_program(&out, p->program, name);
    bool good = save(cli, &out, job->options->found, r->task->id, ".py");
    out_fmt(table, "| %s | %s | %u | %.2f |\n", r->task->id, strategy_names[p->strategy], p->program->nops,
            (double)r->time_ns * 1e-9);
    out_free(&out);
    return good;
}

bool solve_write_found(const Cli *cli, SolveJob *job) {
    const char *folder = job->options->found;
    size_t strategies[STRATEGY_COUNT] = {0}, count = 0, odd = 0;
    bool good = mkdir(folder, 0777) == 0 || errno == EEXIST;
    Out table;
    if (!good) {
        cli_error(cli, "%s: %s", folder, strerror(errno));
        return false;
    }
    out_init(&table);
    out_str(&table, "| task | strategy | calls | CPU s |\n| --- | --- | ---: | ---: |\n");
    for (size_t k = 0; k < job->data->n_tasks && good; k++) {
        const SolveTask *r = &job->session.results[k];
        const SolveProgram *p = r->done ? choose(&job->session.checks[0], r) : NULL;
        if (p != NULL && !is_file_name(r->task->id)) {
            odd++;
        } else if (p != NULL) {
            good = save_task(cli, job, r, p, &table);
            strategies[p->strategy]++;
            count++;
        }
    }
    out_fmt(&table, "\n%zu of %zu tasks", count, job->data->n_tasks);
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        out_fmt(&table, "%s %s %zu", p ? "," : ":", strategy_names[p], strategies[p]);
    }
    out_char(&table, '\n');
    good = good && save(cli, &table, folder, "TABLE", ".md");
    out_free(&table);
    if (good && odd > 0) {
        cli_error(cli, "%zu programs were not written: the ids of their tasks cannot be file names", odd);
    }
    return good;
}

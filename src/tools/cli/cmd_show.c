/* batt show: draws tasks in the terminal, as a picture or as a page. */
#include "base/json.h"
#include "data/tasks/select.h"
#include "tools/cli/data.h"
#include "tools/display/picture.h"
#include "tools/display/table.h"
#include "tools/display/task_drawing.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct Options {
    DataOptions data;
    bool digits, list, json;
    int palette;
    const char *svg, *png, *gallery;
} Options;

static const CliOption options[] = {
    CLI_FLAG(Options, digits, 0, "digits", "print a number in every cell"),
    CLI_CHOICE(Options, palette, 0, "palette", "classic|arcprize|colorblind", "classic",
               "colors of the original ARC viewer, of arcprize.org, or safe for color blindness"),
    CLI_FILE(Options, svg, 0, "svg", "FILE", CLI_ROLE_WRITE, "write a picture (SVG) instead"),
    CLI_FILE(Options, png, 0, "png", "FILE", CLI_ROLE_WRITE, "write a picture (PNG) instead"),
    CLI_FILE(Options, gallery, 0, "gallery", "FILE", CLI_ROLE_WRITE,
             "write a page with filters (HTML) instead"),
    CLI_FLAG(Options, list, 'l', "list", "list tasks, one per line: sizes, colors, number of pairs"),
    CLI_FLAG(Options, json, 0, "json", "the same as JSON"),
    DATA_OPTIONS(Options),
    DATA_SEED_OPTION(Options),
    CLI_END};

static const CliExample examples[] = {
    {"batt show", "some of the built-in tasks", false},
    {"batt show 92eac448 --palette colorblind", "one of them", false},
    {"batt show 92eac448 --svg task.svg", "a picture of it", false},
    {"batt show --list --filter 'h<=8,colors<=3'", "which tasks are small and have few colors", false},
    {"batt show data/training/00d62c1b.json", "a task file", true},
    {"batt show 00d62c1b data/training", "a task of a folder or a challenges file", true},
    {"batt show --gallery tasks.html data/training", "a page with all tasks", true},
    {0}};

static void show_list(Out *out, const TermStyle *style, const Data *data) {
    Table table;
    table_begin(&table, "task", ">pairs", ">tests", ">inputs", ">outputs", ">colors", "size");
    for (size_t k = 0; k < data->n_tasks; k++) {
        TaskFacts f = select_facts(data->tasks[k]);
        table_cell(&table, data->tasks[k]->id);
        table_fmt(&table, "%d", f.pairs);
        table_fmt(&table, "%d", f.tests);
        table_fmt(&table, "%dx%d", f.in_h, f.in_w);
        table_fmt(&table, "%dx%d", f.out_h, f.out_w);
        table_fmt(&table, "%d", f.colors);
        table_cell(&table, f.same_size ? "stays" : "changes");
    }
    table_end(&table, out, style);
    out_fmt(out, "\n%zu task%s; hash of the data: %016" PRIx64 "\n", data->n_tasks,
            data->n_tasks == 1 ? "" : "s", data->hash);
}

static void show_json(Out *out, const Data *data) {
    Json json = json_on(out, 1);
    char hash[17];
    json_begin_report(&json, "batt.show/1");
    json_kv_uint(&json, "tasks", data->n_tasks);
    snprintf(hash, sizeof hash, "%016" PRIx64, data->hash);
    json_kv_string(&json, "data_hash", hash);
    json_key(&json, "results");
    json_begin_array(&json);
    for (size_t k = 0; k < data->n_tasks; k++) {
        const Task *task = data->tasks[k];
        TaskFacts f = select_facts(task);
        json_begin_object(&json);
        json_kv_string(&json, "id", task->id);
        json_kv_int(&json, "pairs", f.pairs);
        json_kv_int(&json, "tests", f.tests);
        json_kv_int(&json, "in_h", f.in_h);
        json_kv_int(&json, "in_w", f.in_w);
        json_kv_int(&json, "out_h", f.out_h);
        json_kv_int(&json, "out_w", f.out_w);
        json_kv_int(&json, "colors", f.colors);
        json_kv_bool(&json, "same_size", f.same_size);
        json_kv_string(&json, "source", task->source);
        snprintf(hash, sizeof hash, "%016" PRIx64, task->hash);
        json_kv_string(&json, "hash", hash);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    out_char(out, '\n');
}

static int save(const Cli *cli, const Out *out, const char *path) {
    if (!cli_save(cli, out, path)) {
        return EXIT_SHORT;
    }
    fprintf(cli_out(cli), "%s\n", path);
    return EXIT_DONE;
}

static int write_pictures(const Cli *cli, const Options *opt, const Data *data) {
    bool several = data->n_tasks > 1;
    TaskView view;
    if (!task_view_make(&view, data->tasks, data->n_tasks, several)) {
        return cli_no_memory(cli);
    }
    Picture picture = {.title = several ? NULL : data->tasks[0]->id,
                       .strips = view.strips,
                       .count = view.count,
                       .palette = cli->style.palette,
                       .digits = opt->digits};
    int code = EXIT_DONE;
    char why[256];
    Out out;
    out_init(&out);
    if (opt->svg != NULL) {
        picture_to_svg(&out, &picture);
        code = save(cli, &out, opt->svg);
    }
    out_clear(&out);
    if (opt->png != NULL && code == EXIT_DONE) {
        code = picture_to_png(&out, &picture, why, sizeof why) ? save(cli, &out, opt->png)
                                                               : cli_error(cli, "%s: %s", opt->png, why);
    }
    out_free(&out);
    task_view_free(&view);
    return code;
}

static int write_gallery(const Cli *cli, const Options *opt, const Data *data) {
    char summary[64];
    Page page;
    Out out;
    out_init(&out);
    snprintf(summary, sizeof summary, "%zu tasks; hash of the data %016" PRIx64, data->n_tasks, data->hash);
    gallery_begin(&page, &out, "batt show", summary, cli->style.palette);
    for (size_t k = 0; k < data->n_tasks; k++) {
        const Task *task = data->tasks[k];
        task_gallery(&page, &(RunTask){.task = task, .n_samples = (uint32_t)(task->n_train + task->n_test)},
                     false);
    }
    gallery_end(&page);
    int code = save(cli, &out, opt->gallery);
    out_free(&out);
    return code;
}

static int show(const Cli *cli, const Options *opt, const Data *data) {
    if (opt->svg != NULL || opt->png != NULL || opt->gallery != NULL) {
        int code = write_pictures(cli, opt, data);
        return code == EXIT_DONE && opt->gallery != NULL ? write_gallery(cli, opt, data) : code;
    }
    Out out;
    out_init(&out);
    bool good = true;
    if (opt->json) {
        show_json(&out, data);
    } else if (opt->list) {
        show_list(&out, &cli->style, data);
    }
    for (size_t k = 0; good && !opt->json && !opt->list && k < data->n_tasks; k++) {
        out_str(&out, k > 0 ? "\n" : "");
        task_draw(&out, &cli->style, data->tasks[k]);
        good = cli_print(cli, &out); /* task by task, so that a folder of thousands starts at once */
        out_clear(&out);
    }
    good = good && cli_print(cli, &out);
    out_free(&out);
    return good ? EXIT_DONE : EXIT_SHORT;
}

/* Shown by default: a few of the examples, enough to see what tasks are. */
static const char *const some[] = {"a729ef36", "92eac448", "f1a725b5"};

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    Data data;
    DataOptions which = opt->data;
    bool pages = opt->json || opt->list || opt->gallery != NULL;
    if (argc == 0 && !pages && which.ids.count == 0 && which.filter == NULL && which.start == 0 &&
        which.count == 0) {
        which.ids = (CliList){(const char **)some, sizeof some / sizeof *some};
    }
    cli->term_options.digits = opt->digits;
    cli->term_options.palette = palette_at(opt->palette);
    cli_restyle(cli);
    int code = data_load_named(cli, &which, 0, argc, argv, &data);
    if (code == EXIT_DONE) {
        code = show(cli, opt, &data);
    }
    data_free(&data);
    return code;
}

const CliCommand cmd_show = {.arguments = "[TASK|ID]...",
                             .max_args = -1,
                             .details =
                                 "Draws the training pairs and tests of tasks side by side, as large as the "
                                 "terminal's width allows.\nArguments are task files, challenges files, "
                                 "folders, or ids of tasks in those files; without files, ids are those of "
                                 "the built-in examples. Without arguments, batt shows some of the examples.",
                             .options = options,
                             .size = sizeof(Options),
                             .main = "svg png gallery list palette",
                             .examples = examples,
                             .run = run};

/* Loads tasks for commands; see data.h. */
#include "tools/cli/data.h"

#include "base/alloc.h"
#include "data/tasks/embedded.h"
#include "data/tasks/select.h"
#include "data/tasks/shard.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_ERRORS = 20 };

TaskSet *data_examples(void) {
    size_t count;
    const EmbeddedFile *files = embedded_tasks(&count);
    TaskBytes *bytes = mem_array(count, sizeof *bytes);
    if (bytes == NULL) {
        return NULL;
    }
    for (size_t k = 0; k < count; k++) {
        bytes[k] = (TaskBytes){files[k].name, files[k].data, files[k].size};
    }
    TaskSet *set = task_load_memory(bytes, count, NULL);
    mem_free(bytes);
    return set;
}

void data_report_errors(const Cli *cli, const TaskError *errors, size_t n_errors) {
    char line[1024];
    for (size_t k = 0; k < n_errors && k < SHOWN_ERRORS; k++) {
        task_error_format(&errors[k], line, sizeof line);
        cli_error(cli, "%s", line);
    }
    if (n_errors > SHOWN_ERRORS) {
        cli_error(cli, "and %zu more errors", n_errors - SHOWN_ERRORS);
    }
}

static int take_shard(const Cli *cli, const DataOptions *options, Data *data) {
    Shard shard;
    ShardCosts costs = {0};
    char why[SHARD_WHY_BYTES];
    if (options->shard == NULL) {
        return options->costs == NULL ? EXIT_DONE : cli_error(cli, "--shard-costs needs --shard K/N");
    }
    if (!shard_parse(options->shard, &shard, why)) {
        return cli_error(cli, "--shard: %s", why);
    }
    if (options->costs != NULL && !shard_costs_read(&costs, options->costs, why)) {
        return cli_error(cli, "%s", why);
    }
    bool good = shard_take(&shard, &costs, data->tasks, &data->n_tasks);
    shard_costs_free(&costs);
    return good ? EXIT_DONE : cli_no_memory(cli);
}

static int choose(const Cli *cli, const DataOptions *options, const CliList *ids, Data *data) {
    SelectOptions choice = {.ids = ids->items,
                            .n_ids = ids->count,
                            .filter = options->filter,
                            .sample = (size_t)options->sample,
                            .seed = (uint64_t)options->seed,
                            .start = (size_t)options->start,
                            .count = (size_t)options->count};
    char why[SELECT_WHY_BYTES];
    data->tasks = select_tasks(data->set, &choice, &data->n_tasks, why);
    if (data->tasks == NULL) {
        return cli_error(cli, "%s: %s", data->origin, why);
    }
    if (data->n_tasks == 0) {
        return cli_error(cli, "none of the %zu tasks matches --id, --ids, --filter, --start and --count",
                         data->set->n_tasks);
    }
    int code = take_shard(cli, options, data);
    if (code == EXIT_DONE && data->n_tasks == 0) {
        fprintf(cli_err(cli), "batt %s: shard %s has no tasks\n", cli->entry->name, options->shard);
    }
    data->hash = task_data_hash(data->tasks, data->n_tasks);
    return code;
}

/* Chooses among the tasks loaded, by the ids in a file as by those that are named. */
static int choose_named(const Cli *cli, const DataOptions *options, Data *data) {
    SelectIds listed = {0};
    char why[SELECT_WHY_BYTES];
    if (options->ids_file == NULL) {
        return choose(cli, options, &options->ids, data);
    }
    if (!select_ids_read(&listed, options->ids_file, why)) {
        return cli_error(cli, "%s", why);
    }
    size_t count = options->ids.count + listed.count;
    const char **all = mem_array(count, sizeof *all);
    int code = EXIT_BAD;
    if (all == NULL) {
        cli_no_memory(cli);
    } else if (count == 0) {
        cli_error(cli, "%s: contains no task ids", options->ids_file);
    } else {
        for (size_t k = 0; k < count; k++) {
            bool named = k < options->ids.count;
            all[k] = named ? options->ids.items[k] : listed.items[k - options->ids.count];
        }
        code = choose(cli, options, &(CliList){all, count}, data);
    }
    mem_free(all);
    select_ids_free(&listed);
    return code;
}

int data_load(const Cli *cli, const DataOptions *options, int64_t jobs, int n_paths, char **paths,
              Data *data) {
    *data = (Data){.origin = n_paths > 0 ? paths[0] : "the examples"};
    TaskLoadOptions how = {
        .jobs = (int)jobs, .strict = options->strict, .max_side = (int)options->max_side, .stop = cli->stop};
    data->set = n_paths > 0 ? task_load((const char *const *)paths, (size_t)n_paths, &how) : data_examples();
    if (data->set == NULL) {
        return cli_no_memory(cli);
    }
    if (cli_stopped(cli)) {
        return EXIT_INTERRUPTED;
    }
    if (n_paths == 0 && cli->reads) {
        fprintf(cli_err(cli),
                "batt %s: using the %zu built-in examples; name task files or folders to use your own\n",
                cli->entry->name, data->set->n_tasks);
    }
    data_report_errors(cli, data->set->errors, data->set->n_errors);
    *cli->refused += data->set->n_errors;
    if (data->set->n_tasks == 0) {
        return data->set->n_errors > 0
                   ? EXIT_BAD
                   : cli_error(
                         cli,
                         "%s: no tasks found; name a folder of task files, a task file or a challenges file",
                         data->origin);
    }
    return choose_named(cli, options, data);
}

static bool is_path(const char *name) {
    size_t length = strlen(name);
    return strchr(name, '/') != NULL || access(name, F_OK) == 0 ||
           (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

int data_load_named(const Cli *cli, const DataOptions *options, int64_t jobs, int n_names, char **names,
                    Data *data) {
    size_t room = (size_t)n_names + options->ids.count;
    const char **ids = mem_array(room, sizeof *ids);
    char **paths = mem_array((size_t)n_names, sizeof *paths);
    DataOptions with = *options;
    int n_paths = 0, code = EXIT_BAD;
    *data = (Data){0};
    if (ids != NULL && paths != NULL) {
        with.ids = (CliList){ids, 0};
        for (int k = 0; k < n_names; k++) {
            if (is_path(names[k])) {
                paths[n_paths++] = names[k];
            } else {
                ids[with.ids.count++] = names[k];
            }
        }
        for (size_t k = 0; k < options->ids.count; k++) {
            ids[with.ids.count++] = options->ids.items[k];
        }
        code = data_load(cli, &with, jobs, n_paths, paths, data);
        data->origin = n_paths > 0 ? data->origin : "the examples";
    } else {
        cli_no_memory(cli);
    }
    mem_free(ids);
    mem_free(paths);
    return code;
}

void data_free(Data *data) {
    if (data->set != NULL) {
        task_set_free(data->set);
    }
    mem_free(data->tasks);
    *data = (Data){0};
}

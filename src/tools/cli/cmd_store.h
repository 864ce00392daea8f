/* What the files of `batt store` share. */
#ifndef BATT_TOOLS_CLI_CMD_STORE_H
#define BATT_TOOLS_CLI_CMD_STORE_H

#include "base/json.h"
#include "base/out.h"
#include "data/store/solver_file.h"
#include "data/store/store.h"
#include "tools/cli/cli.h"
#include "tools/display/table.h"

typedef struct StoreOptions {
    int64_t best, limit, calls; /* CLI_UNSET if not given */
    double score;               /* NAN if not given */
    int mode, layout;           /* -1 if not given */
    bool solved, text, partial, dot, json;
    const char *output, *html;
} StoreOptions;

/* Each reports errors and returns an exit code. */
int store_cli_rows(Cli *cli, const StoreOptions *opt, const char *path, char **tasks, int n_tasks, bool best);
int store_cli_export(Cli *cli, const StoreOptions *opt, const char *path, char **tasks, int n_tasks);
int store_cli_import(Cli *cli, const StoreOptions *opt, const char *path, char **files, int n_files);
int store_cli_layout(Cli *cli, const StoreOptions *opt, const char *path, char **rest, int n_rest);
int store_cli_records(Cli *cli, const StoreOptions *opt, const char *path, char **tasks, int n_tasks);
int store_cli_merge(Cli *cli, const StoreOptions *opt, const char *path, char **files, int n_files);
int store_cli_lineage(Cli *cli, const StoreOptions *opt, const char *path, char **programs, int n);
int store_cli_check(Cli *cli, const StoreOptions *opt, const char *path);

Store *store_cli_open(const Cli *cli, const char *path, unsigned flags); /* NULL: reported */
int store_cli_close(const Cli *cli, Store *store, int status);
int store_cli_print(const Cli *cli, Out *out, int status); /* to standard output; frees it */

#endif

/* Files that a command writes: checked before it begins, rescued if they cannot be written at its end.
 *
 * Long work must not be lost because a folder is missing, nor anyone's file because of a mistyped option. So
 * before a command runs, the frame tries every file that it will write, compares it with all that it will
 * read, and refuses to replace files that batt did not write. It recognizes its own by their first bytes:
 * everything batt writes has a mark there, or a form that nothing else uses. */
#include "base/out.h"
#include "tools/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- whose file is it? ---- */

typedef struct OutputMark {
    const char *text;
    bool first; /* the file begins with it */
} OutputMark;

static const OutputMark marks[] = {
    {OUT_MARK, false},                             /* solvers, batteries, steps, pages, pictures */
    {"\"batt-profile\"", false},                   /* profiles, and their formats */
    {"\"exporter\":\"batt@", false},               /* speedscope */
    {"\"exporter\": \"batt@", false},              /* the same with blanks */
    {"creator: batt ", false},                     /* callgrind */
    {"batt-outcomes\t", true},                     /* outcomes of searches */
    {"batt;", true},                               /* folded stacks */
    {"name,family,calls,fails,self_ns,", true},    /* CSV */
    {"\":[{\"attempt_1\":[[", false},              /* submissions: no blanks */
    {"{\"train\":[{\"input\":[[", true},           /* tasks: no blanks */
    {"\":{\"train\":[{\"input\":[[", false},       /* files of many tasks */
    {"| task | strategy | calls | CPU s |", true}, /* the table beside the programs that were found */
};

/* Folded stacks begin with "batt;PRIMITIVE 12" or, for the root itself, with "batt 12". */
static bool is_root_line(const char *head) {
    size_t digits = strncmp(head, "batt ", 5) == 0 ? strspn(head + 5, "0123456789") : 0;
    return digits > 0 && head[5 + digits] == '\n';
}

static bool is_ours(const char *path) {
    char head[1024 + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, head, sizeof head - 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    if (got <= 0) {
        return got == 0; /* replacing an empty file loses nothing */
    }
    head[got] = '\0';
    if (is_root_line(head)) {
        return true;
    }
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
        size_t length = strlen(marks[k].text);
        if (marks[k].first ? (size_t)got >= length && memcmp(head, marks[k].text, length) == 0
                           : memmem(head, (size_t)got, marks[k].text, length) != NULL) {
            return true;
        }
    }
    return false;
}

bool cli_may_replace(const Cli *cli, const char *path) {
    struct stat info;
    if (cli->force || stat(path, &info) != 0 || !S_ISREG(info.st_mode) || is_ours(path)) {
        return true;
    }
    cli_error(cli, "%s: exists and was not written by batt; --force overwrites it", path);
    return false;
}

/* ---- can it be written? ---- */

static bool cannot(const Cli *cli, const char *path, int error) {
    cli_error(cli, "%s: cannot be written: %s", path,
              error == ENOENT ? "its folder does not exist; create it first" : strerror(error));
    return false;
}

static void folder_of(const char *path, char *folder, size_t size) {
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    snprintf(folder, size, "%.*s", length < size ? (int)length : (int)size - 1, slash == NULL ? "." : path);
}

/* Tested by creating a file there: permissions alone say nothing about read-only file systems or quotas. */
static bool try_folder(const Cli *cli, const char *path, const char *folder) {
    char probe[PATH_MAX];
    if (snprintf(probe, sizeof probe, "%s/.batt-%ld.tmp", folder, (long)getpid()) >= (int)sizeof probe) {
        return cannot(cli, path, ENAMETOOLONG);
    }
    int fd = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return cannot(cli, path, errno);
    }
    close(fd);
    unlink(probe);
    return true;
}

static bool try_file(const Cli *cli, const char *path) {
    struct stat info;
    char folder[PATH_MAX];
    if (*path == '\0') {
        return cannot(cli, "''", ENOENT);
    }
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            return cannot(cli, path, EISDIR);
        }
        if (!S_ISREG(info.st_mode)) {
            return access(path, W_OK) == 0 || cannot(cli, path, errno);
        }
    }
    folder_of(path, folder, sizeof folder);
    return try_folder(cli, path, folder);
}

/* Every file in the folder must be one that may be replaced, because it is not known before the end which
 * ones will be. */
static bool try_files_of(const Cli *cli, const char *path) {
    char *const roots[] = {(char *)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    bool good = true;
    for (FTSENT *entry; walk != NULL && good && (entry = fts_read(walk)) != NULL;) {
        if (entry->fts_info == FTS_D && entry->fts_level > 0) {
            fts_set(walk, entry, FTS_SKIP);
        } else if (entry->fts_info == FTS_F && entry->fts_name[0] != '.') {
            good = cli_may_replace(cli, entry->fts_path);
        }
    }
    if (walk != NULL) {
        fts_close(walk);
    }
    return good;
}

static bool try_output_folder(const Cli *cli, const char *path) {
    struct stat info;
    char parent[PATH_MAX];
    size_t length = strlen(path);
    if (stat(path, &info) == 0) {
        if (!S_ISDIR(info.st_mode)) {
            return cannot(cli, path, ENOTDIR);
        }
        return try_folder(cli, path, path) && try_files_of(cli, path);
    }
    if (length == 0 || length >= sizeof parent) {
        return cannot(cli, length ? path : "''", length ? ENAMETOOLONG : ENOENT);
    }
    char without[PATH_MAX];
    snprintf(without, sizeof without, "%s", path);
    while (length > 1 && without[length - 1] == '/') {
        without[--length] = '\0';
    }
    folder_of(without, parent, sizeof parent);
    return try_folder(cli, path, parent);
}

/* ---- is it an input? ---- */

typedef struct Named { /* a file that an option or an argument names */
    const char *path, *by;
    CliRole role;
    struct stat info;
    bool exists;
} Named;

enum { MAX_NAMED = 256 }; /* of thousands of arguments only the first are compared */

typedef struct NamedList {
    Named items[MAX_NAMED];
    size_t count;
} NamedList;

static const char an_argument[] = "an argument"; /* otherwise an option names the file */

static void name_file(NamedList *list, const char *path, const char *by, CliRole role) {
    if (path == NULL || list->count == MAX_NAMED) {
        return;
    }
    Named *named = &list->items[list->count++];
    *named = (Named){.path = path, .by = by, .role = role};
    named->exists = stat(path, &named->info) == 0;
}

static bool same_info(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool cli_same_file(const char *a, const char *b) {
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && same_info(&one, &two);
}

/* Devices may be written several times; files that do not exist yet are compared by name. */
static bool clashing(const Named *a, const Named *b) {
    if (a->exists && b->exists) {
        return same_info(&a->info, &b->info) && (S_ISREG(a->info.st_mode) || S_ISDIR(a->info.st_mode));
    }
    return !a->exists && !b->exists && strcmp(a->path, b->path) == 0;
}

static const char *dashes(const Named *named) {
    return strcmp(named->by, an_argument) == 0 ? "" : "--";
}

static bool check_clashes(const Cli *cli, const NamedList *list) {
    for (size_t k = 0; k < list->count; k++) {
        const Named *out = &list->items[k];
        for (size_t x = 0; out->role >= CLI_ROLE_WRITE && x < list->count; x++) {
            const Named *other = &list->items[x];
            bool output = other->role >= CLI_ROLE_WRITE;
            bool grows = out->role == CLI_ROLE_GROW; /* its contents stay */
            if (x == k || (output ? x < k : grows || !other->exists) || !clashing(out, other)) {
                continue;
            }
            if (output) {
                cli_error(cli, "%s: would be written twice, by %s%s and %s%s", out->path, dashes(out),
                          out->by, dashes(other), other->by);
            } else {
                cli_error(cli, "%s: %s%s would overwrite an input (%s%s)", out->path, dashes(out), out->by,
                          dashes(other), other->by);
            }
            return false;
        }
    }
    return true;
}

/* ---- all of them ---- */

static void collect(NamedList *list, const CliCommand *command, const char *options) {
    for (const CliOption *option = cli_first_option(command->options); option;
         option = cli_next_option(option)) {
        const char *at = options + option->offset;
        if (option->role == CLI_ROLE_NONE) {
            continue;
        }
        if (option->kind == CLI_KIND_TEXT) {
            name_file(list, *(const char *const *)(const void *)at, option->name, option->role);
        }
        const CliList *many = option->kind == CLI_KIND_LIST ? (const CliList *)(const void *)at : NULL;
        for (size_t k = 0; many != NULL && k < many->count; k++) {
            name_file(list, many->items[k], option->name, option->role);
        }
    }
}

/* Where an option takes a folder for task files, a name in .json means a single file. */
static bool is_json(const char *path) {
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

bool cli_check_files(Cli *cli, const CliCommand *command, const void *options, int argc, char **argv) {
    NamedList list = {.count = 0};
    collect(&list, command, options);
    if (command->output_arg > 0 && command->output_arg < argc) {
        name_file(&list, argv[command->output_arg], an_argument, CLI_ROLE_WRITE);
    }
    size_t n_options = list.count;
    bool writes = false, good = true;
    for (size_t k = 0; k < n_options; k++) {
        writes |= list.items[k].role >= CLI_ROLE_WRITE;
        cli->reads |= list.items[k].role == CLI_ROLE_READ;
    }
    for (int k = 0; writes && k < argc; k++) {
        if (command->output_arg == 0 || k != command->output_arg) {
            name_file(&list, argv[k], an_argument, CLI_ROLE_READ);
        }
    }
    if (!check_clashes(cli, &list)) {
        return false;
    }
    for (size_t k = 0; k < n_options; k++) {
        const Named *named = &list.items[k];
        if (named->role == CLI_ROLE_WRITE || named->role == CLI_ROLE_FOLDER) {
            out_sweep(named->path);
        }
        if (named->role == CLI_ROLE_FOLDER && !is_json(named->path)) {
            good &= try_output_folder(cli, named->path);
        } else if (named->role == CLI_ROLE_WRITE || named->role == CLI_ROLE_FOLDER) {
            good &= try_file(cli, named->path) && cli_may_replace(cli, named->path);
        } else if (named->role == CLI_ROLE_GROW) {
            good &= try_file(cli, named->path);
        }
    }
    return good;
}

/* ---- rescue ---- */

static bool rescue_in(const Cli *cli, const Out *out, const char *folder, const char *path) {
    char name[PATH_MAX], why[PATH_MAX + 256];
    struct stat info;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    for (int k = 0; k < 1000; k++) {
        int length = k == 0 ? snprintf(name, sizeof name, "%s/rescued-%s", folder, base)
                            : snprintf(name, sizeof name, "%s/rescued-%d-%s", folder, k, base);
        if (length < 0 || length >= (int)sizeof name) {
            return false;
        }
        if (lstat(name, &info) == 0) {
            continue;
        }
        if (!out_save(out, name, why, sizeof why)) {
            return false;
        }
        cli_error(cli, "the output was saved to %s", name);
        return true;
    }
    return false;
}

static bool save_or_rescue(const Cli *cli, const Out *out, const char *path) {
    char why[PATH_MAX + 256];
    const char *temporary = getenv("TMPDIR");
    if (out_save(out, path, why, sizeof why)) {
        return true;
    }
    cli_error(cli, "%s", why);
    if (out->failed || rescue_in(cli, out, ".", path) ||
        rescue_in(cli, out, temporary && *temporary ? temporary : "/tmp", path)) {
        return false;
    }
    cli_error(cli, "the output follows on standard output");
    out_flush_to(out, cli_out(cli));
    return false;
}

bool cli_save(const Cli *cli, const Out *out, const char *path) {
    atomic_fetch_add(cli->saving, 1);
    bool good = save_or_rescue(cli, out, path);
    atomic_fetch_sub(cli->saving, 1);
    return good;
}

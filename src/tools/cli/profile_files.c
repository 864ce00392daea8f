/* Writes a profile to files, each in the format that its name says. */
#include "base/alloc.h"
#include "tools/cli/cmd_profile.h"
#include "tools/display/profile_page.h"
#include "tools/profiler/file.h"

#include <string.h>
#include <unistd.h>

typedef struct Files {
    Cli *cli;
    Profile *profile;
    const Data *data;
    const Profile *before;
    ProfSum all, kept;
    ProfStack *stacks;
    uint32_t n_stacks;
} Files;

static int append_to(const Files *f, const char *path) {
    Profile old;
    char why[600];
    if (!profile_read(&old, path, why, sizeof why)) {
        return cli_error(f->cli, "%s", why);
    }
    Out out;
    out_init(&out);
    bool good = profile_append(&old, f->profile, why, sizeof why);
    if (!good) {
        char reason[600];
        snprintf(reason, sizeof reason, "%s", why);
        cli_error(f->cli, "%s: cannot append: %s", path, reason);
    } else {
        profile_write_json(&out, &old);
        good = cli_save(f->cli, &out, path);
    }
    out_free(&out);
    profile_free(&old);
    return good ? EXIT_DONE : EXIT_SHORT;
}

static int write_one(const Files *f, const char *path, bool append) {
    Out out;
    out_init(&out);
    switch (format_of(path)) {
    case FORMAT_PROFILE:
        if (append && access(path, F_OK) == 0) {
            return append_to(f, path);
        }
        profile_write_json(&out, f->profile);
        break;
    case FORMAT_CSV:
        export_csv(&out, f->profile, &f->all);
        break;
    case FORMAT_FOLDED:
        export_folded(&out, f->profile, f->stacks, f->n_stacks);
        break;
    case FORMAT_SPEEDSCOPE:
        export_speedscope(&out, f->profile, f->stacks, f->n_stacks);
        break;
    case FORMAT_CHROME:
        if (f->profile->events == NULL) {
            return cli_error(f->cli,
                             "%s: Chrome traces need every call: add --profile trace, and drop --from", path);
        }
        export_chrome(&out, f->profile);
        break;
    case FORMAT_CALLGRIND:
        export_callgrind(&out, f->profile, f->stacks, f->n_stacks);
        break;
    case FORMAT_HTML:
        profile_page(&out, &(ProfilePage){.profile = f->profile,
                                          .all = &f->all,
                                          .kept = &f->kept,
                                          .tasks = f->data != NULL ? f->data->tasks : NULL,
                                          .n_tasks = f->data != NULL ? f->data->n_tasks : 0,
                                          .before = f->before,
                                          .palette = f->cli->style.palette});
        break;
    case FORMAT_TEXT: /* written with the view; see profile_flush */
        out_free(&out);
        return EXIT_DONE;
    default:
        return cli_error(f->cli, "%s: the file name selects no format; known endings: " FORMAT_ENDINGS, path);
    }
    bool good = cli_save(f->cli, &out, path);
    out_free(&out);
    return good ? EXIT_DONE : EXIT_SHORT;
}

int profile_write_files(Cli *cli, const CliList *paths, Profile *profile, const Data *data,
                        const Profile *before, bool append) {
    Files f = {.cli = cli, .profile = profile, .data = data, .before = before};
    int code = EXIT_DONE;
    if (paths->count == 0) {
        return EXIT_DONE;
    }
    f.stacks = profile_flatten(profile, FILTER_ALL, &f.n_stacks);
    if (f.stacks == NULL || !profile_sum(profile, FILTER_ALL, &f.all) ||
        !profile_sum(profile, FILTER_WITHOUT, &f.kept)) {
        code = cli_no_memory(cli);
    }
    for (size_t k = 0; code == EXIT_DONE && k < paths->count; k++) {
        code = write_one(&f, paths->items[k], append);
    }
    mem_free(f.stacks);
    profile_sum_free(&f.all);
    profile_sum_free(&f.kept);
    return code;
}

/* batt submission merge: merges the answers of several submission files into one. */
#include "base/alloc.h"
#include "base/json.h"
#include "base/out.h"
#include "data/submission/submission.h"
#include "tools/cli/data.h"

#include <stdio.h>
#include <string.h>

#define WORDS "merge"

typedef struct Options {
    bool json;
} Options;

static const CliOption options[] = {CLI_FLAG(Options, json, 0, "json", "write JSON"), CLI_END};

static const CliExample examples[] = {
    {"batt submission merge submission.json part1.json part2.json part3.json", "the answers of three shards",
     true},
    {0}};

static int report(const Cli *cli, const Options *opt, const char *path, int n_files,
                  const SubmissionMerged *m) {
    Out out;
    out_init(&out);
    if (opt->json) {
        Json json = json_on(&out, 2);
        json_begin_report(&json, "batt.submission/1");
        json_kv_string(&json, "file", path);
        json_kv_int(&json, "submissions", n_files);
        json_kv_uint(&json, "tasks", m->tasks);
        json_kv_uint(&json, "tests", m->tests);
        json_kv_uint(&json, "shared", m->shared);
        json_kv_uint(&json, "unanswered", m->unanswered);
        json_end_object(&json);
        out_char(&out, '\n');
    } else {
        out_fmt(&out, "%zu tasks, %zu tests of %d submissions in ", m->tasks, m->tests, n_files);
        out_printable(&out, path);
        out_fmt(&out, "; in more than one: %zu tasks; without an answer: %zu tests\n", m->shared,
                m->unanswered);
    }
    bool good = cli_print(cli, &out);
    out_free(&out);
    return good ? EXIT_DONE : cli_error(cli, "cannot write to standard output");
}

/* A file with a malformed entry is refused: otherwise an answer would be lost silently. */
static Submission *read_whole(const Cli *cli, const char *path) {
    Submission *submission = submission_read(path);
    if (submission == NULL) {
        cli_no_memory(cli);
    } else if (submission->n_errors > 0) {
        data_report_errors(cli, submission->errors, submission->n_errors);
        submission_free(submission);
        submission = NULL;
    }
    return submission;
}

static int merge(const Cli *cli, const Options *opt, const char *path, int n_files, char **files) {
    Submission **from = mem_zalloc((size_t)n_files + 1, sizeof *from);
    SubmissionMerged merged;
    Out out;
    char why[1024];
    out_init(&out);
    int code = from != NULL ? EXIT_DONE : cli_no_memory(cli);
    for (int k = 0; k < n_files && code == EXIT_DONE; k++) {
        from[k] = read_whole(cli, files[k]);
        code = from[k] != NULL ? EXIT_DONE : EXIT_BAD;
    }
    if (code == EXIT_DONE && !submission_merge(&out, from, (size_t)n_files, &merged, why, sizeof why)) {
        code = cli_error(cli, "%s", why);
    } else if (code == EXIT_DONE && !cli_save(cli, &out, path)) {
        code = EXIT_BAD;
    }
    out_free(&out);
    code = code == EXIT_DONE ? report(cli, opt, path, n_files, &merged) : code;
    for (int k = 0; from != NULL && k < n_files; k++) {
        submission_free(from[k]);
    }
    mem_free(from);
    return code;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    if (cli_word(cli, "word", argv[0], WORDS) < 0) {
        return EXIT_BAD;
    }
    return merge(cli, given, argv[1], argc - 2, argv + 2);
}

const CliCommand cmd_submission = {
    .arguments = WORDS " OUT SUBMISSIONS...",
    .words = WORDS,
    .min_args = 3,
    .max_args = -1,
    .output_arg = 1,
    .details = "Merges SUBMISSIONS, of shards or of several runs on the same tasks, into OUT.\nIf several "
               "answer the same test, they vote: a first attempt has two votes, a second one; ties go to the "
               "file named first. The placeholder [[0,0],[0,0]] has no vote.",
    .options = options,
    .size = sizeof(Options),
    .examples = examples,
    .run = run};

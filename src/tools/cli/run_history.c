/* Lines about the tasks of a run; see run_history.h. */
#include "tools/cli/run_history.h"

#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void write_time(char *text, size_t room, const char *format) {
    struct timespec now;
    struct tm parts;
    char date[40] = "";
    clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &parts) != NULL) {
        strftime(date, sizeof date, format, &parts);
    }
    snprintf(text, room, "%s.%03d", date, (int)(now.tv_nsec / 1000000));
}

/* One write for a line: lines of several threads and processes do not mix. */
static void append(RunHistory *h, Out *line) {
    out_char(line, '\n');
    if (line->failed || write(h->file, line->data, line->len) != (ssize_t)line->len) {
        h->failed = true;
    }
}

static Json begin_line(const RunHistory *h, Out *line, const char *event, size_t item) {
    char time[64];
    write_time(time, sizeof time - 1, "%Y-%m-%dT%H:%M:%S");
    strcat(time, "Z");
    out_init(line);
    Json json = json_on(line, 0);
    json_begin_report(&json, "batt.run.history/1");
    json_kv_string(&json, "event", event);
    json_kv_string(&json, "run", h->run);
    json_kv_string(&json, "time", time);
    json_kv_string(&json, "task", h->tasks[item]->id);
    return json;
}

static void begin(void *user, Worker *worker, size_t item) {
    Out line;
    (void)worker;
    Json json = begin_line(user, &line, "start", item);
    json_end_object(&json);
    append(user, &line);
    out_free(&line);
}

static void end(void *user, Worker *worker, size_t item, const RunTask *r) {
    Out line;
    (void)worker;
    Json json = begin_line(user, &line, "end", item);
    uint64_t all = 0;
    json_kv_string(&json, "status", run_status(r));
    json_kv_bool(&json, "solved", r->solved);
    json_kv_uint(&json, "samples", run_known(r));
    json_kv_uint(&json, "samples_correct", r->train_right + r->test_right);
    json_kv_string(&json, "program", r->program != NULL ? r->program->name : NULL);
    json_kv_uint(&json, "tried", r->tried);
    json_kv_uint(&json, "cut_off", r->n_cutoffs);
    json_key(&json, "phases");
    json_begin_object(&json);
    for (int k = 0; k < RUN_PHASES; k++) {
        json_kv_fixed(&json, run_phase_names[k], (double)r->phase_ns[k] * 1e-9, 9);
        all += r->phase_ns[k];
    }
    json_end_object(&json);
    json_kv_fixed(&json, "time_s", (double)all * 1e-9, 9);
    json_end_object(&json);
    append(user, &line);
    out_free(&line);
}

/* Whether a file that is there may be added to: it is empty, or begins as our lines do. */
static bool is_history(int file) {
    static const char head[] = "{\"schema\":\"batt.run.history/";
    char bytes[sizeof head - 1];
    ssize_t got = pread(file, bytes, sizeof bytes, 0);
    return got == 0 || (got == (ssize_t)sizeof bytes && memcmp(bytes, head, sizeof bytes) == 0);
}

/* A line that a crash cut off is ended, so that the next one stands alone. */
static bool end_last_line(int file) {
    off_t size = lseek(file, 0, SEEK_END);
    char last = '\n';
    return size <= 0 || (pread(file, &last, 1, size - 1) == 1 && (last == '\n' || write(file, "\n", 1) == 1));
}

bool run_history_open(RunHistory *h, const Cli *cli, const char *path, const Task *const *tasks) {
    char now[64];
    h->tasks = tasks;
    h->path = path;
    h->failed = false;
    h->hooks = (RunHooks){.user = h, .begin = begin, .end = end};
    h->file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (h->file < 0) {
        cli_error(cli, "%s: %s", path, strerror(errno));
        return false;
    }
    if (!is_history(h->file)) {
        cli_error(cli, "%s: not a history written by batt; left unchanged", path);
        close(h->file);
        h->file = -1;
        return false;
    }
    h->failed = !end_last_line(h->file);
    write_time(now, sizeof now, "%Y%m%dT%H%M%S");
    snprintf(h->run, sizeof h->run, "%.40s-%ld", now, (long)getpid());
    return true;
}

bool run_history_close(RunHistory *h, const Cli *cli) {
    if (h->file < 0) {
        return true;
    }
    bool good = close(h->file) == 0 && !h->failed;
    h->file = -1;
    if (!good) {
        cli_error(cli, "%s: some lines could not be written", h->path);
    }
    return good;
}

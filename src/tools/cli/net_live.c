/* Draws the progress of a single net in the terminal: a few lines, redrawn in place, with the loss, its
 * curve, and the current answers. */
#include "base/alloc.h"
#include "base/clock.h"
#include "tools/cli/cmd_net.h"
#include "tools/display/draw.h"
#include "tools/display/live.h"

#include <math.h>
#include <stdio.h>

enum { EVERY_MS = 250 };

typedef struct NetLive {
    NetJob *job;
    TermStyle style;
    Out out;
    Live lines;
    uint64_t next_ns, start_ns;
} NetLive;

struct NetLive *net_live_open(NetJob *job) {
    if (!live_possible(cli_err(job->cli))) {
        return NULL;
    }
    NetLive *live = mem_zalloc(1, sizeof *live);
    if (live != NULL) {
        live->job = job;
        live->style = job->cli->error_style;
        live->lines.stream = cli_err(job->cli);
        live->start_ns = clock_now_ns();
        out_init(&live->out);
    }
    return live;
}

/* The course of a loss: a block for each part of the run, higher where the logarithm is. */
static void write_course(Out *out, const TermStyle *style, const NetCurve *curve, bool code) {
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", ".", "-", "-", "=", "=", "#"};
    enum { WIDTH = 48 };
    double min = HUGE_VAL, max = -HUGE_VAL;
    for (uint32_t k = 0; k < curve->count; k++) {
        double value = log(fmax(1e-3, code ? curve->moments[k].kl : curve->moments[k].rec));
        min = fmin(min, value);
        max = fmax(max, value);
    }
    uint32_t width = curve->count < WIDTH ? curve->count : WIDTH;
    for (uint32_t k = 0; k < width; k++) {
        const NetMoment *m = &curve->moments[(uint64_t)k * curve->count / width];
        double value = log(fmax(1e-3, code ? m->kl : m->rec));
        int level = max > min ? (int)(7.99 * (value - min) / (max - min)) : 0;
        out_str(out, (style->utf8 ? blocks : plain)[level]);
    }
}

void net_live_step(NetLive *live, const Net *net, const NetCurve *curve) {
    uint64_t now = clock_now_ns();
    if (now < live->next_ns) {
        return;
    }
    live->next_ns = now + (uint64_t)EVERY_MS * 1000000;
    Out *out = &live->out;
    const TermStyle *style = &live->style;
    const Task *task = live->job->data.tasks[0];
    out_clear(out);
    double seconds = (double)(now - live->start_ns) * 1e-9;
    out_fmt(out, "%s%s%s  step %zu of %lld  %.1f s  loss %.1f\n", term_attr(style, ATTR_BOLD), task->id,
            term_attr(style, ATTR_RESET), net->step, (long long)live->job->options->steps, seconds,
            net->loss.kl + 10 * net->loss.rec);
    out_fmt(out, "code  %9.1f ", net->loss.kl);
    write_course(out, style, curve, true);
    out_fmt(out, "\ngrids %9.2f ", net->loss.rec);
    write_course(out, style, curve, false);
    out_char(out, '\n');
    for (uint32_t test = 0; test < (uint32_t)task->n_test; test++) {
        char label[40];
        snprintf(label, sizeof label, "test %u", test + 1);
        DrawStrip strip = {
            .label = label,
            .count = 4,
            .panels = {{.name = "input", .image = task->test[test].in},
                       {.name = "sample",
                        .joint = JOINT_ARROW,
                        .image = net_answer_grid(&net->answers, net->scores.sample_answer, test)},
                       {.name = "mean",
                        .joint = JOINT_GAP,
                        .image = net_answer_grid(&net->answers, net->scores.mean_answer, test)},
                       {.name = "answer",
                        .joint = JOINT_GAP,
                        .image = net_answer_grid(&net->answers, net->answers.slots[0], test)}}};
        draw_strips(out, style, &strip, 1);
    }
    live_show(&live->lines, out->data);
    fflush(live->lines.stream);
}

void net_live_close(NetLive *live) {
    live_wipe(&live->lines);
    fflush(live->lines.stream);
    out_free(&live->out);
    mem_free(live);
}

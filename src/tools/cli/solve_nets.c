/* The hooks of nets that a search trains: nets are saved in the store and shown while they learn.
 *
 * One net at a time is shown, the first that comes until it is done: its steps, its loss, and the answer it
 * would give now. The worker that trains it draws the picture four times a second; the progress line, which
 * another thread may be drawing, shows it. So all of it is done under the session's lock. */
#include "base/clock.h"
#include "search/net/net.h"
#include "tools/cli/cmd_solve.h"
#include "tools/display/draw.h"

#include <string.h>

static const uint64_t every_ns = 250000000;

static const Task *task_named(const SolveJob *job, const char *id) {
    for (size_t k = 0; k < job->data->n_tasks; k++) {
        if (strcmp(job->data->tasks[k]->id, id) == 0) {
            return job->data->tasks[k];
        }
    }
    return NULL;
}

static void draw(SolveJob *job, const Net *net, const Task *task) {
    SolvePreview *preview = &job->preview;
    const TermStyle *style = &preview->style;
    snprintf(preview->note, sizeof preview->note, "net of %s: step %zu, loss %.1f", task->id, net->step,
             net->loss.kl + 10 * net->loss.rec);
    out_clear(&preview->picture);
    out_fmt(&preview->picture, "%s%s%s\n", term_attr(style, ATTR_BOLD), preview->note,
            term_attr(style, ATTR_RESET));
    for (uint32_t test = 0; test < (uint32_t)task->n_test; test++) {
        char label[40];
        snprintf(label, sizeof label, "test %u", test + 1);
        DrawStrip strip = {
            .label = label,
            .count = 2,
            .panels = {{.name = "input", .image = task->test[test].in},
                       {.name = "answer",
                        .joint = JOINT_ARROW,
                        .image = net_answer_grid(&net->answers, net->answers.slots[0], test)}}};
        draw_strips(&preview->picture, style, &strip, 1);
    }
}

static void stepped(void *user, const Net *net, const char *id) {
    SolveJob *job = user;
    SolvePreview *preview = &job->preview;
    uint64_t now = clock_now_ns();
    pthread_mutex_lock(&job->session.lock);
    if (job->watch.shown && now >= preview->next_ns &&
        (preview->task[0] == '\0' || strcmp(preview->task, id) == 0)) {
        const Task *task = task_named(job, id);
        if (task != NULL) {
            snprintf(preview->task, sizeof preview->task, "%s", id);
            draw(job, net, task);
            job->progress.note = preview->note;
            job->progress.picture = preview->picture.data;
        }
        preview->next_ns = now + every_ns;
    }
    pthread_mutex_unlock(&job->session.lock);
}

static void resume(void *user, Net *net, const char *id, uint64_t seed) {
    SolveJob *job = user;
    pthread_mutex_lock(&job->session.lock);
    bool good = solve_store_resume_net(&job->keep, net, id, seed);
    pthread_mutex_unlock(&job->session.lock);
    if (!good) {
        fprintf(
            cli_err(job->cli),
            "batt solve: the saved net of %s is damaged or belongs to another task; training starts over\n",
            id);
    }
}

static void trained(void *user, const Net *net, const char *id, uint64_t seed) {
    SolveJob *job = user;
    pthread_mutex_lock(&job->session.lock);
    if (strcmp(job->preview.task, id) == 0) {
        job->preview.task[0] = '\0';
        job->progress.note = job->progress.picture = NULL;
    }
    solve_store_keep_net(&job->keep, net, id, seed);
    pthread_mutex_unlock(&job->session.lock);
}

void solve_nets_open(Cli *cli, SolveJob *job) {
    job->nets = (NetHooks){job, resume, stepped, trained};
    job->session.limits.net.hooks = &job->nets;
    job->preview.style = cli->error_style;
    out_init(&job->preview.picture);
}

void solve_nets_close(SolveJob *job) {
    out_free(&job->preview.picture);
}

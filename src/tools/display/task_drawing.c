/* Showing tasks; see task_drawing.h. */
#include "tools/display/task_drawing.h"

#include "base/alloc.h"
#include "data/tasks/select.h"
#include "engine/language/print.h"

#include <stdio.h>

void task_pair_label(const Task *task, uint32_t pair, char *text, size_t room) {
    uint32_t train = (uint32_t)task->n_train;
    bool test = pair >= train;
    snprintf(text, room, "%s %u", test ? "test" : "train", (test ? pair - train : pair) + 1);
}

static Image output_of(const TaskPair *pair) {
    return pair->has_output ? pair->out : (Image){0};
}

bool task_view_make(TaskView *view, const Task *const *tasks, size_t n_tasks, bool with_ids) {
    size_t count = 0;
    for (size_t k = 0; k < n_tasks; k++) {
        count += (size_t)(tasks[k]->n_train + tasks[k]->n_test);
    }
    *view = (TaskView){.strips = mem_zalloc(count, sizeof *view->strips),
                       .labels = mem_zalloc(count, sizeof *view->labels)};
    if (view->strips == NULL || view->labels == NULL) {
        task_view_free(view);
        return false;
    }
    for (size_t k = 0; k < n_tasks; k++) {
        uint32_t pairs = (uint32_t)(tasks[k]->n_train + tasks[k]->n_test);
        for (uint32_t x = 0; x < pairs; x++) {
            char *label = view->labels[view->count];
            int used =
                with_ids ? snprintf(label, sizeof view->labels[0], "%.*s ", TASK_MAX_ID, tasks[k]->id) : 0;
            task_pair_label(tasks[k], x, label + used, sizeof view->labels[0] - (size_t)used);
            const TaskPair *pair = run_pair(tasks[k], x);
            view->strips[view->count++] = (DrawStrip){
                .label = label, .panels = {{.image = pair->in}, {.image = output_of(pair)}}, .count = 2};
        }
    }
    return true;
}

void task_view_free(TaskView *view) {
    mem_free(view->strips);
    mem_free(view->labels);
    *view = (TaskView){0};
}

void task_draw(Out *out, const TermStyle *style, const Task *task) {
    TaskFacts facts = select_facts(task);
    TaskView view;
    out_fmt(out, "%s%s%s  %s%d training pair%s, %d test%s, %d colors, up to %dx%d%s\n\n",
            term_attr(style, ATTR_NAME), task->id, term_attr(style, ATTR_RESET), term_attr(style, ATTR_DIM),
            facts.pairs, facts.pairs == 1 ? "" : "s", facts.tests, facts.tests == 1 ? "" : "s", facts.colors,
            facts.h, facts.w, term_attr(style, ATTR_RESET));
    if (!task_view_make(&view, &task, 1, false)) {
        out->failed = true;
        return;
    }
    draw_strips(out, style, view.strips, view.count);
    task_view_free(&view);
}

static void sample_note(const Program *program, const RunSample *sample, char *text, size_t room) {
    switch ((SampleVerdict)sample->verdict) {
    case SAMPLE_FAILED:
    case SAMPLE_OVER_BUDGET:
        run_failure(program, sample, text, room);
        break;
    case SAMPLE_NOT_GRID:
        snprintf(text, room, "the answer is not a grid");
        break;
    default:
        text[0] = '\0';
    }
}

void task_gallery(Page *page, const RunTask *t, bool ran) {
    enum { LABEL = 24, NOTE = 128 };
    GalleryPair *pairs = mem_zalloc(t->n_samples, sizeof *pairs);
    char(*labels)[LABEL] = mem_zalloc(t->n_samples, sizeof *labels);
    char(*notes)[NOTE] = mem_zalloc(t->n_samples, sizeof *notes);
    char why[256];
    Out text;
    out_init(&text);
    run_reason(t, why, sizeof why);
    if (t->program != NULL) {
        print_program(&text, t->program, NULL);
    }
    bool good = pairs != NULL && labels != NULL && notes != NULL && !text.failed;
    for (uint32_t k = 0; good && k < t->n_samples; k++) {
        const TaskPair *pair = run_pair(t->task, k);
        task_pair_label(t->task, k, labels[k], sizeof labels[k]);
        pairs[k] = (GalleryPair){.label = labels[k],
                                 .test = k >= (uint32_t)t->task->n_train,
                                 .ran = t->samples != NULL,
                                 .input = pair->in,
                                 .expected = output_of(pair),
                                 .note = notes[k]};
        if (t->samples != NULL) {
            sample_note(t->program, &t->samples[k], notes[k], sizeof notes[k]);
            pairs[k].got = t->samples[k].got;
        }
    }
    if (good) {
        gallery_task(page, &(GalleryTask){.id = t->task->id,
                                          .status = ran ? run_status(t) : "",
                                          .note = t->solved || t->program == NULL ? NULL : why,
                                          .program = t->program != NULL ? text.data : NULL,
                                          .pairs = pairs,
                                          .count = t->n_samples});
    } else {
        page->out->failed = true;
    }
    mem_free(pairs);
    mem_free(labels);
    mem_free(notes);
    out_free(&text);
}

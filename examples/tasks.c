/* Tasks: load, select, run a program on every pair, judge, draw. Without arguments: the built-in
 * examples. */
#include <batt.h>
#include <stdio.h>
#include <string.h>

static const char solver[] = "def mirror(I):\n    O = vmirror(I)\n    return O\n";

static void judge(batt_context *batt, const batt_programs *programs, const batt_tasks *tasks, size_t task) {
    for (int which = BATT_TRAIN; which <= BATT_TEST; which++) {
        for (size_t pair = 0; pair < batt_task_pairs(tasks, task, which); pair++) {
            int rows, columns;
            const int8_t *cells = batt_task_grid(tasks, task, which, pair, BATT_INPUT, &rows, &columns);
            batt_value *answer = batt_run(batt, programs, 0, cells, rows, columns);
            printf("%s %s %zu: %s\n", batt_task_id(tasks, task), which == BATT_TRAIN ? "train" : "test",
                   pair + 1, batt_verdict_name(batt_judge(batt, tasks, task, which, pair, answer)));
            batt_release(answer);
        }
    }
}

int main(int argc, char **argv) {
    batt_context *batt = batt_open();
    batt_programs *programs = batt_parse(batt, solver, strlen(solver), BATT_MODE_AUTO);
    batt_tasks *all = batt_tasks_load(batt, (const char *const *)argv + 1, (size_t)argc - 1);
    for (size_t k = 0; k < batt_tasks_error_count(all); k++) {
        const batt_fault *fault = batt_tasks_fault(all, k);
        fprintf(stderr, "%s:%u:%u: %s\n", fault->file, fault->line, fault->column, fault->text);
    }
    batt_tasks *small = batt_tasks_select(batt, all, NULL, 0, "h<=12,w<=12,same_size", 0, 2);
    if (programs == NULL || small == NULL) {
        fprintf(stderr, "tasks: %s\n", batt_error(batt));
        return 1;
    }
    printf("%zu of %zu tasks\n", batt_tasks_count(small), batt_tasks_count(all));
    for (size_t k = 0; k < batt_tasks_count(small); k++) {
        judge(batt, programs, small, k);
    }
    char *drawing = batt_task_drawing(batt, small, 0, NULL, 80, 0),
         *svg = batt_task_svg(batt, small, 0, "colorblind");
    printf("%s\nan SVG of %zu bytes\n", drawing ? drawing : "", svg ? strlen(svg) : 0);
    batt_text_free(drawing);
    batt_text_free(svg);
    batt_tasks_free(small);
    batt_tasks_free(all);
    batt_programs_free(programs);
    batt_close(batt);
    return 0;
}

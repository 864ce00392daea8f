/* A C function as a primitive: programs name it, tasks are run with it by several threads, search finds
 * programs that call it.
 *
 *     cc own.c $(pkg-config --cflags --libs batt) -o own && ./own
 */
#include <batt.h>
#include <stdio.h>
#include <string.h>

/* Adds n times its row to every color, modulo 10. Worker threads call it at the same time, so it keeps
 * nothing between calls. */
static batt_value *add_rows(void *user, batt_context *context, const batt_value *const *arguments, size_t n) {
    int8_t cells[900];
    int rows, columns;
    (void)user;
    (void)n; /* as the signature says */
    if (!batt_value_grid(arguments[0], &rows, &columns) || rows > 30 || columns > 30) {
        return batt_fail(context, "a grid of at most 30 x 30 is wanted");
    }
    size_t count = batt_value_cells(arguments[0], cells, sizeof cells);
    for (size_t k = 0; k < count; k++) {
        int64_t row = (int64_t)k / columns, n_times = batt_value_int(arguments[1]) % 10;
        cells[k] = (int8_t)(((cells[k] + row * n_times) % 10 + 10) % 10);
    }
    return batt_grid(context, cells, rows, columns);
}

static const char task[] =
    "{\"train\": [{\"input\": [[1, 2, 7], [1, 1, 9], [0, 5, 2]],"
    "\"output\": [[7, 2, 1], [2, 4, 4], [8, 1, 6]]},"
    "{\"input\": [[3, 9, 9], [9, 1, 0]], \"output\": [[9, 9, 3], [3, 4, 2]]},"
    "{\"input\": [[8, 0, 5], [2, 2, 6]], \"output\": [[5, 0, 8], [9, 5, 5]]}],"
    "\"test\": [{\"input\": [[4, 6, 1], [1, 6, 4]], \"output\": [[1, 6, 4], [7, 9, 4]]}]}";

int main(void) {
    batt_context *batt = batt_open();
    /* 5 bits: search tries it about as readily as a primitive of batt */
    if (!batt_primitive_register(batt, "add_rows", "grid: grid, n: int -> grid", 5, add_rows, NULL, NULL)) {
        fprintf(stderr, "%s\n", batt_error(batt));
        return 1;
    }
    const char *text = "def solve_shifted(I):\n    x1 = add_rows(I, THREE)\n    return vmirror(x1)\n";
    batt_programs *programs = batt_parse(batt, text, strlen(text), BATT_MODE_AUTO);
    batt_tasks *tasks = batt_tasks_read(batt, "shifted", task, sizeof task - 1);
    if (programs == NULL || tasks == NULL) {
        fprintf(stderr, "%s\n", batt_error(batt));
        return 1;
    }
    printf("%s", batt_programs_text(programs, 0));

    batt_results *run = batt_run_tasks(batt, programs, tasks, NULL, NULL);
    printf("run: %s\n", batt_results_status(run, 0));

    batt_solve_options options = {.size = sizeof options, .steps = 5000000, .without_library = 1};
    batt_results *found = batt_solve(batt, tasks, &options, NULL);
    printf("search: %s\n%s", batt_results_status(found, 0), batt_results_program(found, 0, 0));

    batt_value *v = batt_run_text(batt, programs, 0, "5", NULL, NULL); /* not a grid */
    printf("failed: %s in %s\n", batt_value_reason(v), batt_value_where(v));

    batt_release(v);
    batt_results_free(found);
    batt_results_free(run);
    batt_tasks_free(tasks);
    batt_programs_free(programs);
    batt_close(batt);
    return 0;
}

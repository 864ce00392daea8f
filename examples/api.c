/* Basic use of the library: parse solvers, run one on a grid, print the result. */
#include <batt.h>
#include <stdio.h>
#include <string.h>

static const char solvers[] = "def recolor_corners(I):\n"
                              "    x1 = asindices(I)\n"
                              "    x2 = corners(x1)\n"
                              "    O = fill(I, RED, x2)\n"
                              "    return O\n"
                              "\n"
                              "def too_narrow(I):\n"
                              "    x1 = hsplit(I, ZERO)\n"
                              "    O = first(x1)\n"
                              "    return O\n"
                              "\n"
                              "def misspelt(I):\n"
                              "    O = vmiror(I)\n"
                              "    return O\n";

/* Prints a value and releases it. */
static void show(batt_value *value) {
    int rows, columns;
    int8_t cells[900];
    char text[200];
    if (batt_value_kind(value) == BATT_FAILED) {
        printf("  failed: %s in line %d\n", batt_value_reason(value), batt_value_line(value));
    } else if (batt_value_grid(value, &rows, &columns) &&
               batt_value_cells(value, cells, sizeof cells) <= sizeof cells) {
        for (int i = 0; i < rows; i++) {
            printf(" ");
            for (int j = 0; j < columns; j++) {
                printf(" %d", cells[i * columns + j]);
            }
            printf("\n");
        }
    } else {
        batt_value_text(value, text, sizeof text);
        printf("  %s\n", text);
    }
    batt_release(value);
}

int main(void) {
    static const int8_t grid[] = {0, 0, 0, 0, 5, 0, 0, 0, 0};
    batt_context *batt = batt_open();
    batt_programs *programs = batt ? batt_parse(batt, solvers, strlen(solvers), BATT_MODE_AUTO) : NULL;
    if (programs == NULL) {
        fprintf(stderr, "api: %s\n", batt ? batt_error(batt) : "out of memory");
        batt_close(batt);
        return 1;
    }
    printf("batt %s\n%zu programs, %zu errors\n%s", batt_version(), batt_programs_count(programs),
           batt_programs_error_count(programs), batt_programs_errors(programs));
    for (size_t k = 0; k < batt_programs_count(programs); k++) {
        printf("%s\n", batt_programs_name(programs, k));
        show(batt_run(batt, programs, k, grid, 3, 3));
    }
    batt_value *objects = batt_eval(batt, "objects(((1, 0), (0, 2)), T, F, T)", BATT_MODE_CORE);
    printf("%zu objects\n", batt_value_size(objects));
    for (size_t k = 0; k < batt_value_size(objects); k++) {
        show(batt_value_at(objects, k));
    }
    batt_release(objects);
    batt_programs_free(programs);
    batt_close(batt);
    return 0;
}

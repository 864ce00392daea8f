/* Values without text: calls primitives by name, passes results from call to call, and wraps a C
 * function. */
#include <batt.h>
#include <stdio.h>

/* The last error of a context, as data. */
static int complain(const batt_context *batt) {
    const batt_fault *fault = batt_fault_of(batt);
    fprintf(stderr, "values: error %d: %s\n", fault->code, fault->text);
    return 1;
}

/* The number of cells of an object, as a key function for `argmax`. It has a context of its own to
 * make values in. */
static batt_value *cells(void *user, const batt_value *const *arguments, size_t n) {
    return n == 1 ? batt_int(user, (int64_t)batt_value_size(arguments[0])) : NULL;
}

int main(void) {
    static const int8_t picture[] = {3, 3, 0, 0, 0, /* a square of three and two dots */
                                     3, 3, 0, 5, 0, 0, 0, 0, 0, 2};
    batt_context *batt = batt_open(), *helper = batt_open();
    batt_value *grid = batt_grid(batt, picture, 3, 5), *yes = batt_int(batt, 1), *no = batt_int(batt, 0);
    batt_value *find = batt_primitive(batt, "objects"), *argmax = batt_primitive(batt, "argmax");
    batt_value *count = batt_function(batt, 1, cells, helper, NULL);
    if (grid == NULL || find == NULL || argmax == NULL || count == NULL) {
        return complain(batt);
    }

    const batt_value *how[] = {grid, yes, no, yes};
    batt_value *objects = batt_call(batt, find, how, 4, BATT_MODE_CORE);
    printf("%zu objects\n", batt_value_size(objects));

    const batt_value *which[] = {objects, count};
    batt_value *largest = batt_call(batt, argmax, which, 2, BATT_MODE_CORE);
    batt_release(objects); /* the largest lives on */

    int32_t read[3 * 15];
    int64_t n = batt_value_patch(largest, read, 15);
    for (int64_t k = 0; k < n; k++) {
        printf("color %d at row %d, column %d\n", read[3 * k], read[3 * k + 1], read[3 * k + 2]);
    }

    if (batt_primitive(batt, "objetcs") == NULL) {
        printf("%s\n", batt_fault_of(batt)->text);
    }
    batt_value *all[] = {grid, yes, no, find, argmax, count, largest};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        batt_release(all[k]);
    }
    batt_close(batt);
    batt_close(helper);
    return 0;
}

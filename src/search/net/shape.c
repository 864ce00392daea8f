/* Task to shape; see shape.h. */
#include "search/net/shape.h"

#include "base/alloc.h"

#include <string.h>

static bool equal_sizes(Image a, Image b) {
    return a.h == b.h && a.w == b.w;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static void find_size_rules(NetShape *shape, const Task *task) {
    Image in = task->train[0].in, out = task->train[0].out;
    shape->same = shape->same_inputs = shape->same_outputs = true;
    for (int32_t k = 0; k < task->n_train; k++) {
        shape->same = shape->same && equal_sizes(task->train[k].in, task->train[k].out);
        shape->same_inputs = shape->same_inputs && equal_sizes(task->train[k].in, in);
        shape->same_outputs = shape->same_outputs && equal_sizes(task->train[k].out, out);
    }
    for (int32_t k = 0; k < task->n_test; k++) {
        shape->same_inputs = shape->same_inputs && equal_sizes(task->test[k].in, in);
    }
    shape->known = shape->same || shape->same_outputs;
}

static NetSize size_of(Image image) {
    return (NetSize){(uint32_t)image.h, (uint32_t)image.w};
}

static void find_sizes(NetShape *shape, const Task *task) {
    NetSize max = {0, 0};
    for (uint32_t e = 0; e < shape->n; e++) {
        bool known = e < shape->n_train;
        const TaskPair *pair = known ? &task->train[e] : &task->test[e - shape->n_train];
        NetSize *size = shape->examples[e].size;
        size[0] = size_of(pair->in);
        size[1] = known ? size_of(pair->out) : (NetSize){0, 0};
        for (int o = 0; o < 2; o++) {
            max = (NetSize){larger(max.h, size[o].h), larger(max.w, size[o].w)};
        }
    }
    for (uint32_t e = shape->n_train; e < shape->n; e++) {
        NetSize *size = shape->examples[e].size;
        size[1] = shape->same ? size[0] : shape->same_outputs ? shape->examples[0].size[1] : max;
    }
    shape->rows = max.h;
    shape->columns = max.w;
}

static const uint8_t *number_cells(uint8_t **next, Image image, const uint8_t *number) {
    uint8_t *cells = *next;
    for (int32_t k = 0; k < image.h * image.w; k++) {
        cells[k] = number[(uint8_t)image.cells[k]];
    }
    *next += image.h * image.w;
    return cells;
}

static void find_colors(NetShape *shape, const Task *task, uint8_t *number) {
    uint32_t set = 1;
    for (int32_t k = 0; k < task->n_train; k++) {
        set |= (uint32_t)image_colors(task->train[k].in) | image_colors(task->train[k].out);
    }
    for (int32_t k = 0; k < task->n_test; k++) {
        set |= image_colors(task->test[k].in);
    }
    uint8_t count = 0;
    for (uint8_t color = 0; color < TASK_COLORS; color++) {
        if ((set & (1u << color)) != 0) {
            shape->palette[count] = color;
            number[color] = count++;
        }
    }
    shape->colors = count - 1u;
}

bool net_shape_open(NetShape *shape, const Task *task, const char **why) {
    const char *unused = NULL;
    why = why != NULL ? why : &unused;
    *shape = (NetShape){.n_train = (uint32_t)task->n_train, .n_test = (uint32_t)task->n_test};
    shape->n = shape->n_train + shape->n_test;
    if (shape->n_train == 0 || shape->n_test == 0) {
        *why = shape->n_train == 0 ? "it has no training pairs" : "it has no tests";
        return false;
    }
    size_t cells = 0;
    for (uint32_t e = 0; e < shape->n; e++) {
        const TaskPair *pair = e < shape->n_train ? &task->train[e] : &task->test[e - shape->n_train];
        if (pair->in.h < 1 || pair->in.w < 1) {
            *why = "an input is missing";
            return false;
        }
        cells += (size_t)pair->in.h * (size_t)pair->in.w;
        cells += e < shape->n_train ? (size_t)pair->out.h * (size_t)pair->out.w : 0;
    }
    uint8_t number[TASK_COLORS] = {0};
    find_colors(shape, task, number);
    if (shape->colors == 0) {
        *why = "all its grids are black";
        return false;
    }
    shape->examples = mem_zalloc(shape->n, sizeof *shape->examples);
    shape->cells = mem_alloc(cells);
    if (shape->examples == NULL || shape->cells == NULL) {
        net_shape_close(shape);
        *why = MEM_NONE;
        return false;
    }
    uint8_t *next = shape->cells;
    for (uint32_t e = 0; e < shape->n; e++) {
        bool known = e < shape->n_train;
        const TaskPair *pair = known ? &task->train[e] : &task->test[e - shape->n_train];
        shape->examples[e].grid[0] = number_cells(&next, pair->in, number);
        shape->examples[e].grid[1] = known ? number_cells(&next, pair->out, number) : NULL;
    }
    find_size_rules(shape, task);
    find_sizes(shape, task);
    return true;
}

void net_shape_close(NetShape *shape) {
    mem_free(shape->examples);
    mem_free(shape->cells);
    shape->examples = NULL;
    shape->cells = NULL;
}

double net_mean_weight(const NetShape *shape, size_t e, size_t x, size_t y, bool over_rows) {
    size_t n = over_rows ? shape->rows : shape->columns, inside = 0;
    if (!shape->known) {
        return 1 / (double)n;
    }
    for (size_t k = 0; k < n; k++) {
        inside += net_inside(shape, e, over_rows ? k : x, over_rows ? y : k);
    }
    return net_inside(shape, e, x, y) / ((double)inside + 0.0001);
}

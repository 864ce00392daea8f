/* Tasks and grids as pictures and as text for a terminal. */
#include "base/alloc.h"
#include "tools/api/api_internal.h"
#include "tools/display/marks.h"
#include "tools/display/picture.h"
#include "tools/display/task_drawing.h"

#include <string.h>

/* False with the fault set. */
static bool palette_of(batt_context *c, const char *name, const Palette **palette) {
    *palette = name == NULL ? palette_default() : palette_find(name);
    if (*palette == NULL) {
        api_fault(c, BATT_BAD_ARGUMENT, "unknown palette '%.40s'; there are %s", name, palette_names());
    }
    return *palette != NULL;
}

static TermStyle style_of(const Palette *palette, size_t columns, int colors) {
    return (TermStyle){.color = colors >= 1 << 24 ? TERM_TRUE
                                : colors >= 256   ? TERM_256
                                                  : TERM_MONO,
                       .digits = colors < 256,
                       .utf8 = true,
                       .width = columns,
                       .palette = palette};
}

static bool image_of(batt_context *c, const batt_value *grid, Image *image) {
    int rows, columns;
    const int8_t *cells = batt_value_cells_in_place(grid);
    if (cells == NULL) {
        api_fault(c, BATT_BAD_ARGUMENT,
                  grid == NULL ? "the grid is NULL" : "the value is not a grid of small numbers");
        return false;
    }
    batt_value_grid(grid, &rows, &columns);
    *image = (Image){rows, columns, cells};
    return true;
}

/* The task as SVG or PNG; the caller owns *out. False with the fault set. */
static bool task_picture(batt_context *c, const batt_tasks *tasks, size_t k, const char *name, bool png,
                         Out *out) {
    const Palette *palette;
    const Task *task;
    TaskView view;
    char why[256];
    if (!api_begin(c) || !palette_of(c, name, &palette) || (task = api_task(c, tasks, k)) == NULL) {
        return false;
    }
    if (!task_view_make(&view, &task, 1, false)) {
        api_no_memory(c);
        return false;
    }
    Picture picture = {.title = task->id, .strips = view.strips, .count = view.count, .palette = palette};
    bool good = true;
    if (!png) {
        picture_to_svg(out, &picture);
    } else if (!(good = picture_to_png(out, &picture, why, sizeof why))) {
        api_fault(c, BATT_NO_MEMORY, "%s", why);
    }
    task_view_free(&view);
    return good;
}

char *batt_task_svg(batt_context *c, const batt_tasks *tasks, size_t k, const char *palette) {
    Out out;
    out_init(&out);
    return task_picture(c, tasks, k, palette, false, &out) ? api_text(c, &out) : (out_free(&out), NULL);
}

char *batt_task_png(batt_context *c, const batt_tasks *tasks, size_t k, const char *palette, size_t *length) {
    Out out;
    out_init(&out);
    if (length != NULL) {
        *length = 0;
    }
    if (!task_picture(c, tasks, k, palette, true, &out)) {
        out_free(&out);
        return NULL;
    }
    size_t count = out.len;
    char *bytes = api_text(c, &out);
    if (bytes != NULL && length != NULL) {
        *length = count;
    }
    return bytes;
}

char *batt_task_drawing(batt_context *c, const batt_tasks *tasks, size_t k, const char *name, size_t columns,
                        int colors) {
    const Palette *palette;
    const Task *task;
    Out out;
    if (!api_begin(c) || !palette_of(c, name, &palette) || (task = api_task(c, tasks, k)) == NULL) {
        return NULL;
    }
    TermStyle style = style_of(palette, columns, colors);
    out_init(&out);
    task_draw(&out, &style, task);
    return api_text(c, &out);
}

static char *strips_svg(batt_context *c, const DrawStrip *strip, const Palette *palette) {
    Out out;
    out_init(&out);
    Picture picture = {.strips = strip, .count = 1, .palette = palette};
    picture_to_svg(&out, &picture);
    return api_text(c, &out);
}

char *batt_grid_svg(batt_context *c, const batt_value *grid, const char *name) {
    const Palette *palette;
    Image image;
    if (!api_begin(c) || !palette_of(c, name, &palette) || !image_of(c, grid, &image)) {
        return NULL;
    }
    DrawStrip strip = {.panels = {{.image = image}}, .count = 1};
    return strips_svg(c, &strip, palette);
}

char *batt_grid_drawing(batt_context *c, const batt_value *grid, const char *name, size_t columns,
                        int colors) {
    const Palette *palette;
    Image image;
    Out out;
    if (!api_begin(c) || !palette_of(c, name, &palette) || !image_of(c, grid, &image)) {
        return NULL;
    }
    TermStyle style = style_of(palette, columns, colors);
    out_init(&out);
    draw_image(&out, &style, NULL, &image);
    return api_text(c, &out);
}

char *batt_difference_svg(batt_context *c, const batt_value *expected, const batt_value *got,
                          const char *name) {
    const Palette *palette;
    Image wanted, came;
    if (!api_begin(c) || !palette_of(c, name, &palette) || !image_of(c, expected, &wanted) ||
        !image_of(c, got, &came)) {
        return NULL;
    }
    uint8_t *marks = mem_array((size_t)came.h, (size_t)came.w);
    if (marks == NULL) {
        return api_no_memory(c);
    }
    MarksDiff diff = marks_diff(&wanted, &came, marks);
    bool right = diff.same_size && diff.wrong == 0;
    DrawStrip strip = {.panels = {{.name = "expected", .image = wanted},
                                  {.name = "got",
                                   .joint = right ? JOINT_EQUAL : JOINT_UNEQUAL,
                                   .image = came,
                                   .marks = marks}},
                       .count = 2};
    char *svg = strips_svg(c, &strip, palette);
    mem_free(marks);
    return svg;
}

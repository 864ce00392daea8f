/* Tasks and grids as pictures and as text for a terminal. */
#include "base/alloc.h"
#include "tools/api/api_internal.h"
#include "tools/display/marks.h"
#include "tools/display/picture.h"
#include "tools/display/task_drawing.h"
#include "tools/display/trace_value.h"

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

/* The bytes of a PNG file, of which *out may be incomplete; *length may be NULL. */
static char *png_bytes(batt_context *c, Out *out, bool good, size_t *length) {
    size_t count = out->len;
    char *bytes = good ? api_text(c, out) : (out_free(out), NULL);
    if (length != NULL) {
        *length = bytes != NULL ? count : 0;
    }
    return bytes;
}

char *batt_task_png(batt_context *c, const batt_tasks *tasks, size_t k, const char *palette, size_t *length) {
    Out out;
    out_init(&out);
    return png_bytes(c, &out, task_picture(c, tasks, k, palette, true, &out), length);
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

/* ---- any value ---- */

/* The panels in strips of as many as one takes. False with the fault set; nothing is written for no panel. */
static bool panels_picture(batt_context *c, const DrawPanel *panels, size_t n, const Palette *palette,
                           bool png, Out *out) {
    DrawStrip strips[TRACE_MAX_PANELS] = {0};
    size_t count = 0;
    char why[256];
    for (size_t k = 0; k < n; k++) {
        DrawStrip *strip = &strips[count - (count > 0)];
        if (count == 0 || strip->count == DRAW_MAX_PANELS) {
            strip = &strips[count++];
        }
        strip->panels[strip->count++] = panels[k];
    }
    Picture picture = {.strips = strips, .count = count, .palette = palette};
    if (count == 0) {
        return true;
    }
    if (!png) {
        picture_to_svg(out, &picture);
    } else if (!picture_to_png(out, &picture, why, sizeof why)) {
        api_fault(c, BATT_NO_MEMORY, "%s", why);
        return false;
    }
    return true;
}

static bool value_picture(batt_context *c, const batt_value *value, const batt_value *over, const char *name,
                          bool png, Out *out) {
    const Palette *palette;
    Image input = {0};
    TraceValue view = {0};
    if (!api_begin(c) || !palette_of(c, name, &palette) || (over != NULL && !image_of(c, over, &input))) {
        return false;
    }
    if (value == NULL) {
        api_fault(c, BATT_BAD_ARGUMENT, "the value is NULL");
        return false;
    }
    bool good = trace_value_make(&view, value->value, (TraceUse){.grid = true, .grids = true}, input);
    if (!good) {
        api_no_memory(c);
    }
    for (size_t k = 1; k < view.panel_count; k++) {
        view.panels[k].joint = JOINT_GAP;
    }
    good = good && panels_picture(c, view.panels, view.panel_count, palette, png, out);
    trace_value_free(&view);
    return good;
}

char *batt_value_svg(batt_context *c, const batt_value *value, const batt_value *over, const char *palette) {
    Out out;
    out_init(&out);
    return value_picture(c, value, over, palette, false, &out) ? api_text(c, &out) : (out_free(&out), NULL);
}

char *batt_value_png(batt_context *c, const batt_value *value, const batt_value *over, const char *palette,
                     size_t *length) {
    Out out;
    out_init(&out);
    return png_bytes(c, &out, value_picture(c, value, over, palette, true, &out), length);
}

static bool pair_picture(batt_context *c, const batt_value *input, const batt_value *output, const char *name,
                         bool png, Out *out) {
    const Palette *palette;
    DrawPanel panels[2] = {{.name = NULL}, {.joint = JOINT_ARROW}};
    return api_begin(c) && palette_of(c, name, &palette) && image_of(c, input, &panels[0].image) &&
           (output == NULL || image_of(c, output, &panels[1].image)) &&
           panels_picture(c, panels, 2, palette, png, out);
}

char *batt_pair_svg(batt_context *c, const batt_value *input, const batt_value *output, const char *palette) {
    Out out;
    out_init(&out);
    return pair_picture(c, input, output, palette, false, &out) ? api_text(c, &out) : (out_free(&out), NULL);
}

char *batt_pair_png(batt_context *c, const batt_value *input, const batt_value *output, const char *palette,
                    size_t *length) {
    Out out;
    out_init(&out);
    return png_bytes(c, &out, pair_picture(c, input, output, palette, true, &out), length);
}

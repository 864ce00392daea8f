/* Lays a picture out: one walk over the strips, used both to measure and to draw; see picture.h. */
#include "tools/display/picture.h"

#include "base/check.h"
#include "tools/display/marks.h"

#include <inttypes.h>

enum {
    MARGIN = 16,
    TITLE_HEIGHT = 30,
    CAPTION_HEIGHT = 20,
    STRIP_GAP = 32,
    ROW_GAP = 18,
    JOINT_WIDTH = 30,
    DEFAULT_WIDTH = 860,
    LARGEST_PANEL = 210, /* cells are sized so that the longest side is close to this */
};

enum { PICTURE_MAX_SIDE = 255 }; /* the largest grid of a task */

static int shown(int32_t side) {
    return side > PICTURE_MAX_SIDE ? PICTURE_MAX_SIDE : side;
}

/* One cell size for the whole picture, so that grids can be compared by eye. */
static int cell_size(const Picture *picture) {
    int longest = 1;
    for (size_t i = 0; i < picture->count; i++) {
        for (int p = 0; p < picture->strips[i].count; p++) {
            const Image *image = &picture->strips[i].panels[p].image;
            if (image_is_empty(image)) {
                continue;
            }
            int side = shown(image->h > image->w ? image->h : image->w);
            longest = side > longest ? side : longest;
        }
    }
    ASSERT(longest >= 1 && longest <= PICTURE_MAX_SIDE, "a side of %d", longest);
    int size = LARGEST_PANEL / longest;
    return size > 22 ? 22 : size < 6 ? (longest > 64 ? 2 : 6) : size;
}

static int panel_width(const DrawPanel *panel, int cell) {
    return image_is_empty(&panel->image) ? 2 * PICTURE_CHAR : shown(panel->image.w) * cell + 1;
}

static int panel_height(const DrawPanel *panel, int cell) {
    return image_is_empty(&panel->image) ? CAPTION_HEIGHT : shown(panel->image.h) * cell + 1;
}

static int text_width(const char *text) {
    size_t columns = text ? out_columns(text) : 0;
    return columns > 200 ? 200 * PICTURE_CHAR : (int)columns * PICTURE_CHAR;
}

/* "input 3x3 → expected 3x3 ≠ got 3x3" */
static void sizes_text(const DrawStrip *strip, char *text, size_t size) {
    static const char *const joints[] = {
        [JOINT_ARROW] = " → ", [JOINT_EQUAL] = " = ", [JOINT_UNEQUAL] = " ≠ ", [JOINT_GAP] = "  "};
    size_t length = 0;
    text[0] = '\0';
    for (int p = 0; p < strip->count && length < size; p++) {
        const DrawPanel *panel = &strip->panels[p];
        char one[32];
        const char *name = panel->name ? panel->name : "";
        int wrote = snprintf(text + length, size - length, "%s%s%s%s", p ? joints[panel->joint] : "", name,
                             *name ? " " : "", draw_size(&panel->image, one, sizeof one));
        length += wrote > 0 ? (size_t)wrote : 0;
    }
}

static int strip_width(const DrawStrip *strip, int cell) {
    char sizes[256];
    sizes_text(strip, sizes, sizeof sizes);
    int caption = text_width(strip->label) + 2 * PICTURE_CHAR + text_width(sizes) +
                  (strip->note ? 2 * PICTURE_CHAR + text_width(strip->note) : 0);
    int picture = 0;
    for (int p = 0; p < strip->count; p++) {
        picture += panel_width(&strip->panels[p], cell) + (p ? JOINT_WIDTH : 0);
    }
    return caption > picture ? caption : picture;
}

static int strip_height(const DrawStrip *strip, int cell) {
    int height = 0;
    for (int p = 0; p < strip->count; p++) {
        int h = panel_height(&strip->panels[p], cell);
        height = h > height ? h : height;
    }
    return CAPTION_HEIGHT + height;
}

static Rgb dimmed(Rgb c) { /* towards light grey: pictures mostly lie on light pages */
    return (Rgb){(uint8_t)((c.r + 3 * 0xD0) / 4), (uint8_t)((c.g + 3 * 0xD0) / 4),
                 (uint8_t)((c.b + 3 * 0xD4) / 4)};
}

static int mark_of(const DrawPanel *panel, int r, int c) {
    return panel->marks ? panel->marks[r * panel->image.w + c] : MARK_NONE;
}

static int value_of(const DrawPanel *panel, int r, int c) {
    return panel->image.cells[r * panel->image.w + c];
}

/* Equal neighbors in a row become one rectangle, and rectangles are written color by color: both keep SVG
 * small. */
static void fill_cells(Canvas *canvas, const DrawPanel *panel, const Palette *palette, int x, int y, int cell,
                       int color, bool dim) {
    Rgb rgb = palette_rgb(palette, color);
    int h = shown(panel->image.h), w = shown(panel->image.w);
    for (int r = 0; r < h; r++) {
        for (int c = 0, run; c < w; c += run) {
            for (run = 0; c + run < w; run++) {
                int value = value_of(panel, r, c + run), mark = mark_of(panel, r, c + run);
                int shown_as = palette_has(value) ? value : PALETTE_COLORS;
                if (mark == MARK_VOID || shown_as != color || (mark == MARK_DIM) != dim) {
                    break;
                }
            }
            if (run) {
                canvas->rect(canvas, x + c * cell, y + r * cell, run * cell, cell, dim ? dimmed(rgb) : rgb);
            }
            run += !run;
        }
    }
}

/* The four sides of a square. */
static void frame(Canvas *canvas, int x, int y, int size, int thick, Rgb color) {
    canvas->rect(canvas, x, y, size, thick, color);
    canvas->rect(canvas, x, y + size - thick, size, thick, color);
    canvas->rect(canvas, x, y + thick, thick, size - 2 * thick, color);
    canvas->rect(canvas, x + size - thick, y + thick, thick, size - 2 * thick, color);
}

/* Where cells are missing, each existing one gets lines of its own. */
static void grid_lines(Canvas *canvas, const DrawPanel *panel, Rgb line, int x, int y, int cell) {
    int h = shown(panel->image.h), w = shown(panel->image.w);
    ASSERT(cell > 0 && h > 0 && w > 0, "%dx%d cells of %d", h, w, cell);
    for (int r = 0; r < h && panel->marks; r++) {
        for (int c = 0; c < w; c++) {
            if (mark_of(panel, r, c) != MARK_VOID) {
                frame(canvas, x + c * cell, y + r * cell, cell + 1, 1, line);
            }
        }
    }
    for (int r = 0; r <= h && !panel->marks; r++) {
        canvas->rect(canvas, x, y + r * cell, w * cell + 1, 1, line);
    }
    for (int c = 0; c <= w && !panel->marks; c++) {
        canvas->rect(canvas, x + c * cell, y, 1, h * cell + 1, line);
    }
}

/* Wrong cells get a white and a red frame, which shows on every color. */
static void cell_signs(Canvas *canvas, const Picture *picture, const Palette *palette, const DrawPanel *panel,
                       int x, int y, int cell) {
    static const Rgb red = {0xE0, 0x00, 0x20}, white = {0xFF, 0xFF, 0xFF};
    for (int r = 0; r < shown(panel->image.h); r++) {
        for (int c = 0; c < shown(panel->image.w); c++) {
            int value = value_of(panel, r, c), mark = mark_of(panel, r, c), left = x + c * cell,
                top = y + r * cell;
            int thick = cell >= 12 ? 2 : 1;
            if (mark == MARK_WRONG) {
                frame(canvas, left + 1, top + 1, cell - 1, thick, white);
                if (cell >= 4 * thick) {
                    frame(canvas, left + 1 + thick, top + 1 + thick, cell - 1 - 2 * thick, thick, red);
                }
            }
            bool number = picture->digits || !palette_has(value);
            if (!number || cell < 9 || mark == MARK_VOID || mark == MARK_DIM) {
                continue;
            }
            char text[8];
            snprintf(text, sizeof text, "%d", value);
            bool light = palette_is_light(palette_rgb(palette, value));
            canvas->text(canvas, left + (cell + 1) / 2, top + cell / 2 + 4, light ? TEXT_DARK : TEXT_LIGHT,
                         text);
        }
    }
}

static void draw_panel(Canvas *canvas, const Picture *picture, const DrawPanel *panel, int x, int y,
                       int cell) {
    if (image_is_empty(&panel->image)) {
        canvas->text(canvas, x, y + 14, TEXT_LABEL, panel->image.cells ? "-" : "?");
        return;
    }
    const Palette *palette = picture->palette ? picture->palette : palette_default();
    for (int color = 0; color <= PALETTE_COLORS; color++) {
        fill_cells(canvas, panel, palette, x, y, cell, color, false);
        if (panel->marks) {
            fill_cells(canvas, panel, palette, x, y, cell, color, true);
        }
    }
    grid_lines(canvas, panel, palette->line, x, y, cell);
    cell_signs(canvas, picture, palette, panel, x, y, cell);
}

static void draw_strip(Canvas *canvas, const Picture *picture, const DrawStrip *strip, int x, int y,
                       int cell) {
    static const char *const joints[] = {
        [JOINT_ARROW] = "→", [JOINT_EQUAL] = "=", [JOINT_UNEQUAL] = "≠", [JOINT_GAP] = ""};
    char sizes[256];
    sizes_text(strip, sizes, sizeof sizes);
    int at = x;
    if (strip->label) {
        canvas->text(canvas, at, y + 13, TEXT_LABEL, strip->label);
        at += text_width(strip->label) + 2 * PICTURE_CHAR;
    }
    canvas->text(canvas, at, y + 13, TEXT_PLAIN, sizes);
    at += text_width(sizes) + 2 * PICTURE_CHAR;
    if (strip->note) {
        canvas->text(canvas, at, y + 13,
                     strip->note_attr == ATTR_GOOD  ? TEXT_GOOD
                     : strip->note_attr == ATTR_BAD ? TEXT_BAD
                                                    : TEXT_PLAIN,
                     strip->note);
    }
    int top = y + CAPTION_HEIGHT, tallest = strip_height(strip, cell) - CAPTION_HEIGHT;
    for (int p = 0; p < strip->count; p++) {
        const DrawPanel *panel = &strip->panels[p];
        if (p) {
            canvas->text(canvas, x + 10, top + tallest / 2 + 4, TEXT_LABEL, joints[panel->joint]);
            x += JOINT_WIDTH;
        }
        int down = image_is_empty(&panel->image) ? tallest / 2 - 10 : 0;
        draw_panel(canvas, picture, panel, x, top + down, cell);
        x += panel_width(panel, cell);
    }
}

/* Measures, and draws if there is a canvas. */
static void walk(const Picture *picture, Canvas *canvas, int *width, int *height) {
    int cell = cell_size(picture), limit = picture->width > 0 ? picture->width : DEFAULT_WIDTH;
    int x = MARGIN, y = MARGIN, row_height = 0, right = MARGIN;
    if (picture->title && *picture->title) {
        size_t columns = out_columns(picture->title);
        right += (columns > 200 ? 200 : (int)columns) * PICTURE_TITLE_CHAR;
        if (canvas) {
            canvas->text(canvas, x, y + 15, TEXT_TITLE, picture->title);
        }
        y += TITLE_HEIGHT;
    }
    for (size_t i = 0; i < picture->count; i++) {
        const DrawStrip *strip = &picture->strips[i];
        int w = strip_width(strip, cell), h = strip_height(strip, cell);
        if (x > MARGIN && x + w > limit - MARGIN) {
            x = MARGIN;
            y += row_height + ROW_GAP;
            row_height = 0;
        }
        if (canvas) {
            draw_strip(canvas, picture, strip, x, y, cell);
        }
        x += w;
        right = x > right ? x : right;
        x += STRIP_GAP;
        row_height = h > row_height ? h : row_height;
    }
    *width = right + MARGIN;
    *height = y + row_height + MARGIN;
}

void picture_measure(const Picture *picture, int *width, int *height) {
    walk(picture, NULL, width, height);
}

void picture_draw(const Picture *picture, Canvas *canvas) {
    int width, height;
    walk(picture, canvas, &width, &height);
}

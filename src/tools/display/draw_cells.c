/* Turns cells into characters and escape sequences; see draw_cells.h. */
#include "tools/display/draw_cells.h"

#include "tools/display/marks.h"

#include <string.h>

static int32_t shown(int32_t side) {
    return side > DRAW_MAX_SIDE ? DRAW_MAX_SIDE : side;
}

size_t cells_columns(const DrawPanel *panel, CellMode mode) {
    if (image_is_empty(&panel->image)) {
        return 1;
    }
    size_t w = (size_t)shown(panel->image.w);
    return mode == CELL_WIDE ? 2 * w : w;
}

size_t cells_lines(const DrawPanel *panel, CellMode mode) {
    if (image_is_empty(&panel->image)) {
        return 1;
    }
    size_t h = (size_t)shown(panel->image.h);
    return mode == CELL_HALF ? (h + 1) / 2 : h;
}

/* A color as sent to the terminal; `set` false means the terminal's own background. */
typedef struct Paint {
    Rgb rgb;
    uint8_t xterm;
    bool set;
} Paint;

static bool same_paint(Paint a, Paint b) {
    return a.set == b.set && a.xterm == b.xterm && a.rgb.r == b.rgb.r && a.rgb.g == b.rgb.g &&
           a.rgb.b == b.rgb.b;
}

/* Nearest entry of the 6x6x6 cube or the grey ramp of 256-color terminals. */
static uint8_t nearest_xterm(Rgb c) {
    static const int steps[] = {0, 95, 135, 175, 215, 255};
    const int channel[3] = {c.r, c.g, c.b};
    int index[3], cube = 0, grey_level = (channel[0] + channel[1] + channel[2]) / 3;
    for (int i = 0; i < 3; i++) {
        index[i] = 0;
        for (int s = 1; s < 6; s++) {
            if (2 * channel[i] > steps[s - 1] + steps[s]) {
                index[i] = s;
            }
        }
        cube += (channel[i] - steps[index[i]]) * (channel[i] - steps[index[i]]);
    }
    int ramp = grey_level < 8 ? 0 : grey_level > 238 ? 23 : (grey_level - 3) / 10;
    int grey = 0;
    for (int i = 0; i < 3; i++) {
        grey += (channel[i] - (8 + 10 * ramp)) * (channel[i] - (8 + 10 * ramp));
    }
    return (uint8_t)(grey < cube ? 232 + ramp : 16 + 36 * index[0] + 6 * index[1] + index[2]);
}

static uint8_t mix(uint8_t a, uint8_t b) {
    return (uint8_t)((3 * a + 7 * b) / 10);
}

static Paint cell_paint(const TermStyle *style, int cell, int mark) {
    if (mark == MARK_VOID) {
        return (Paint){0};
    }
    Rgb rgb = palette_rgb(style->palette, cell);
    if (mark == MARK_DIM) { /* towards a grey that is not black: lit black cells must stand out as well */
        rgb = (Rgb){mix(rgb.r, 0x44), mix(rgb.g, 0x44), mix(rgb.b, 0x4C)};
        return (Paint){.rgb = rgb, .xterm = nearest_xterm(rgb), .set = true};
    }
    uint8_t xterm = palette_has(cell) ? style->palette->xterm[cell] : PALETTE_FOREIGN_XTERM;
    return (Paint){.rgb = rgb, .xterm = xterm, .set = true};
}

static void put_paint(Out *out, const TermStyle *style, Paint paint, bool background) {
    int base = background ? 48 : 38;
    if (!paint.set) {
        out_fmt(out, "\033[%dm", base + 1); /* the terminal's default */
    } else if (style->color == TERM_TRUE) {
        out_fmt(out, "\033[%d;2;%d;%d;%dm", base, paint.rgb.r, paint.rgb.g, paint.rgb.b);
    } else {
        out_fmt(out, "\033[%d;5;%dm", base, paint.xterm);
    }
}

/* The pen remembers what it told the terminal, so that runs of equal cells cost one sequence. */
typedef struct Pen {
    Out *out;
    const TermStyle *style;
    Paint back, fore;
} Pen;

static void pen_set(Pen *pen, Paint fore, Paint back) {
    if (!same_paint(pen->back, back)) {
        put_paint(pen->out, pen->style, back, true);
    }
    if (!same_paint(pen->fore, fore)) {
        put_paint(pen->out, pen->style, fore, false);
    }
    pen->back = back;
    pen->fore = fore;
}

static void pen_end(Pen *pen) {
    if (pen->back.set || pen->fore.set) {
        out_str(pen->out, "\033[0m");
    }
}

static int cell_at(const DrawPanel *panel, size_t row, size_t col) {
    return panel->image.cells[row * (size_t)panel->image.w + col];
}

static int mark_at(const DrawPanel *panel, size_t row, size_t col) {
    return panel->marks ? panel->marks[row * (size_t)panel->image.w + col] : MARK_NONE;
}

/* The letter of the object that a lit cell belongs to, 0 if there are no objects to tell apart. */
static char group_at(const DrawPanel *panel, size_t row, size_t col) {
    int group = panel->groups ? panel->groups[row * (size_t)panel->image.w + col] : 0;
    return (char)(group ? 'a' + (group - 1) % 26 : 0);
}

/* Cells one column wide cannot carry a sign. Where some are wrong, the right ones are dimmed instead. */
static int small_mark_at(const DrawPanel *panel, size_t row, size_t col) {
    int mark = mark_at(panel, row, col);
    if (mark == MARK_NONE && panel->marks) {
        size_t area = (size_t)panel->image.h * (size_t)panel->image.w;
        if (memchr(panel->marks, MARK_WRONG, area)) {
            return MARK_DIM;
        }
    }
    return mark == MARK_WRONG ? MARK_LIT : mark;
}

/* Without color: digits, `.` for zero. Where cells are lit, the others are all dots, so that a lit zero
 * shows. */
static char mono_digit(int cell, int mark) {
    if (mark == MARK_VOID) {
        return ' ';
    }
    if (mark == MARK_DIM || (cell == 0 && mark != MARK_LIT)) {
        return '.';
    }
    return palette_has(cell) ? (char)('0' + cell) : '?';
}

/* A digit and a sign; or a number of two characters if it is not a color. */
static void wide_digit(int cell, int mark, char group, char digit, char text[8]) {
    bool number = !palette_has(cell) && cell >= -9 && cell <= 99 && (mark == MARK_NONE || mark == MARK_LIT);
    if (number && !group) {
        snprintf(text, 8, "%2d", cell);
    } else {
        snprintf(text, 8, "%c%c", digit, mark == MARK_WRONG ? '!' : group ? group : ' ');
    }
}

static void mono_line(Out *out, const DrawPanel *panel, CellMode mode, size_t row, size_t w) {
    for (size_t col = 0; col < w; col++) {
        int cell = cell_at(panel, row, col);
        if (mode == CELL_NARROW) {
            out_char(out, mono_digit(cell, small_mark_at(panel, row, col)));
            continue;
        }
        char text[8];
        int mark = mark_at(panel, row, col);
        wide_digit(cell, mark, group_at(panel, row, col), mono_digit(cell, mark), text);
        out_str(out, text);
    }
}

/* The text of a colored cell two columns wide. For most the color says enough; black ones carry a faint dot,
 * because they would be invisible on a black terminal. */
static void wide_text(const TermStyle *style, int cell, int mark, char group, char text[8]) {
    const char *dot = style->utf8 ? "·" : ".";
    if (mark == MARK_VOID || mark == MARK_DIM) {
        snprintf(text, 8, "  ");
    } else if (style->digits || !palette_has(cell)) {
        wide_digit(cell, mark, group, palette_has(cell) ? (char)('0' + cell) : '?', text);
    } else if (mark == MARK_WRONG) {
        snprintf(text, 8, "><");
    } else if (mark == MARK_LIT && group) {
        snprintf(text, 8, "%c%c", group, group);
    } else if (mark == MARK_LIT) {
        snprintf(text, 8, "%s%s", dot, dot);
    } else {
        snprintf(text, 8, "%s ", cell ? " " : dot);
    }
}

/* The color of that text: black or white, whichever reads better; dark grey for the faint dot. */
static Paint text_paint(Paint back, bool faint) {
    uint8_t level = faint ? 0x44 : palette_is_light(back.rgb) ? 0 : 255;
    return (Paint){.rgb = {level, level, level}, .xterm = faint ? 238 : level ? 231 : 16, .set = true};
}

static void color_line(Out *out, const TermStyle *style, const DrawPanel *panel, CellMode mode, size_t row,
                       size_t w) {
    Pen pen = {.out = out, .style = style};
    for (size_t col = 0; col < w; col++) {
        int cell = cell_at(panel, row, col), mark = mark_at(panel, row, col);
        char text[8] = " ";
        if (mode == CELL_WIDE) {
            wide_text(style, cell, mark, group_at(panel, row, col), text);
        } else {
            mark = small_mark_at(panel, row, col);
            text[0] = mark == MARK_VOID || mark == MARK_DIM ? ' '
                      : palette_has(cell)                   ? (char)('0' + cell)
                                                            : '?';
        }
        Paint back = cell_paint(style, cell, mark);
        bool faint = cell == 0 && mark == MARK_NONE && !style->digits;
        bool blank = text[0] == ' ' && (text[1] == ' ' || !text[1]);
        pen_set(&pen, blank ? pen.fore : text_paint(back, faint), back);
        out_str(out, text);
    }
    pen_end(&pen);
}

/* Two rows in one line of "▀": the upper row is the foreground. */
static void half_line(Out *out, const TermStyle *style, const DrawPanel *panel, size_t line, size_t w,
                      size_t h) {
    Pen pen = {.out = out, .style = style};
    for (size_t col = 0; col < w; col++) {
        Paint paint[2] = {0};
        for (size_t half = 0; half < 2 && 2 * line + half < h; half++) {
            size_t row = 2 * line + half;
            paint[half] = cell_paint(style, cell_at(panel, row, col), small_mark_at(panel, row, col));
        }
        if (paint[0].set) {
            pen_set(&pen, paint[0], paint[1]);
            out_str(out, "▀");
        } else if (paint[1].set) {
            pen_set(&pen, paint[1], paint[0]);
            out_str(out, "▄");
        } else {
            pen_set(&pen, paint[0], paint[1]);
            out_char(out, ' ');
        }
    }
    pen_end(&pen);
}

void cells_line(Out *out, const TermStyle *style, const DrawPanel *panel, CellMode mode, size_t line) {
    size_t columns = cells_columns(panel, mode);
    if (line >= cells_lines(panel, mode)) {
        out_repeat(out, " ", columns);
        return;
    }
    if (image_is_empty(&panel->image)) {
        out_str(out, panel->image.cells ? "-" : "?");
        return;
    }
    size_t w = (size_t)shown(panel->image.w), h = (size_t)shown(panel->image.h);
    if (mode == CELL_HALF) {
        half_line(out, style, panel, line, w, h);
    } else if (style->color == TERM_MONO) {
        mono_line(out, panel, mode, line, w);
    } else {
        color_line(out, style, panel, mode, line, w);
    }
}

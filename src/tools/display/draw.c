/* Draws strips of panels, fitted to the terminal; see draw.h. */
#include "tools/display/draw.h"

#include "base/alloc.h"
#include "base/check.h"
#include "tools/display/draw_cells.h"
#include "tools/display/marks.h"

#include <inttypes.h>
#include <string.h>

enum { GAP = 4, JOINT_COLUMNS = 4 }; /* blanks between strips; arrow and blanks between panels */

char *draw_size(const Image *image, char *text, size_t size) {
    if (!image->cells) {
        snprintf(text, size, "?");
    } else if (image_is_empty(image)) {
        snprintf(text, size, "empty");
    } else {
        snprintf(text, size, "%" PRId32 "x%" PRId32, image->h, image->w);
    }
    return text;
}

/* Two columns wide with ASCII, one with UTF-8. */
static const char *joint_text(const TermStyle *style, DrawJoint joint) {
    static const char *const texts[][2] = {
        [JOINT_ARROW] = {"->", "→"},
        [JOINT_EQUAL] = {"==", "="},
        [JOINT_UNEQUAL] = {"!=", "≠"},
        [JOINT_GAP] = {"  ", " "},
    };
    return texts[joint][style->utf8];
}

static bool is_cut(const DrawPanel *panel) {
    return !image_is_empty(&panel->image) &&
           (panel->image.h > DRAW_MAX_SIDE || panel->image.w > DRAW_MAX_SIDE);
}

/* "train 1  10x12 → 3x3  note"; written without color for measuring. */
static void caption(Out *out, const TermStyle *style, const DrawStrip *strip, bool color) {
    ASSERT(strip->count >= 0 && strip->count <= DRAW_MAX_PANELS, "%d panels", strip->count);
    TermStyle mono = *style;
    if (!color) {
        mono.color = TERM_MONO;
    }
    const char *reset = term_attr(&mono, ATTR_RESET);
    if (strip->label && *strip->label) {
        out_str(out, term_attr(&mono, ATTR_BOLD));
        out_printable(out, strip->label);
        out_fmt(out, "%s  ", reset);
    }
    char size[32];
    for (int i = 0; i < strip->count; i++) {
        const DrawPanel *panel = &strip->panels[i];
        if (i) {
            out_fmt(out, " %s ", joint_text(style, panel->joint));
        }
        if (panel->name) {
            out_fmt(out, "%s ", panel->name);
        }
        out_str(out, draw_size(&panel->image, size, sizeof size));
        if (is_cut(panel)) {
            out_fmt(out, " (first %dx%d shown)", DRAW_MAX_SIDE, DRAW_MAX_SIDE);
        }
    }
    if (strip->note && *strip->note) {
        out_fmt(out, "  %s", strip->note_attr == ATTR_RESET ? "" : term_attr(&mono, strip->note_attr));
        out_printable(out, strip->note);
        out_str(out, strip->note_attr == ATTR_RESET ? "" : reset);
    }
}

/* Measured by writing the caption and taking it back, so that running out of memory shows in `out` as
 * usual. */
static size_t caption_columns(Out *out, const TermStyle *style, const DrawStrip *strip) {
    size_t start = out->len;
    caption(out, style, strip, false);
    size_t columns = out_columns(out->data + start);
    out_truncate(out, start);
    return columns;
}

static size_t picture_columns(const DrawStrip *strip, CellMode mode) {
    size_t columns = 0;
    for (int i = 0; i < strip->count; i++) {
        columns += cells_columns(&strip->panels[i], mode) + (i ? JOINT_COLUMNS : 0);
    }
    return columns;
}

static size_t strip_columns(Out *out, const TermStyle *style, const DrawStrip *strip, CellMode mode) {
    size_t text = caption_columns(out, style, strip), picture = picture_columns(strip, mode);
    return text > picture ? text : picture;
}

static size_t strip_lines(const DrawStrip *strip, CellMode mode) {
    size_t lines = 0;
    for (int i = 0; i < strip->count; i++) {
        size_t l = cells_lines(&strip->panels[i], mode);
        lines = l > lines ? l : lines;
    }
    return lines;
}

static bool all_fit(const TermStyle *style, const DrawStrip *strips, size_t count, CellMode mode) {
    for (size_t i = 0; i < count; i++) {
        if (picture_columns(&strips[i], mode) > style->width) {
            return false;
        }
    }
    return true;
}

/* All strips of a call have the same cell size, so that pictures that belong together can be compared. */
static CellMode choose_mode(const TermStyle *style, const DrawStrip *strips, size_t count) {
    if (!style->width || all_fit(style, strips, count, CELL_WIDE)) {
        return CELL_WIDE;
    }
    return style->color != TERM_MONO && !style->digits && style->utf8 ? CELL_HALF : CELL_NARROW;
}

static void pad(Out *out, size_t used, size_t columns) {
    if (used < columns) {
        out_repeat(out, " ", columns - used);
    }
}

/* One line of a strip's picture, padded to `columns` unless it is the last in its row. */
static void strip_line(Out *out, const TermStyle *style, const DrawStrip *strip, CellMode mode, size_t line,
                       size_t columns, bool padded) {
    size_t arrow_line = (strip_lines(strip, mode) - 1) / 2;
    for (int i = 0; i < strip->count; i++) {
        const DrawPanel *panel = &strip->panels[i];
        if (i && line == arrow_line) {
            out_fmt(out, " %s%s ", joint_text(style, panel->joint), style->utf8 ? " " : "");
        } else if (i) {
            out_repeat(out, " ", JOINT_COLUMNS);
        }
        bool unknown = image_is_empty(&panel->image); /* its "?" stands where the arrow points */
        cells_line(out, style, panel, mode, !unknown ? line : line == arrow_line ? 0 : 1);
    }
    size_t used = picture_columns(strip, mode);
    if (padded) {
        pad(out, used, columns);
    }
}

/* Blanks at the end of a line are noise in a pipe and break copying from a terminal. */
static void trim_line(Out *out, size_t start) {
    size_t end = out->len;
    while (end > start && out->data[end - 1] == ' ') {
        end--;
    }
    out_truncate(out, end);
}

static void write_row(Out *out, const TermStyle *style, const DrawStrip *strips, size_t count,
                      CellMode mode) {
    size_t lines = 0;
    for (size_t i = 0; i < count; i++) {
        size_t l = strip_lines(&strips[i], mode);
        lines = l > lines ? l : lines;
        caption(out, style, &strips[i], true);
        if (i + 1 < count) {
            size_t columns = strip_columns(out, style, &strips[i], mode);
            pad(out, caption_columns(out, style, &strips[i]), columns + GAP);
        }
    }
    out_char(out, '\n');
    for (size_t line = 0; line < lines; line++) {
        size_t start = out->len;
        for (size_t i = 0; i < count; i++) {
            bool last = i + 1 == count;
            strip_line(out, style, &strips[i], mode, line, strip_columns(out, style, &strips[i], mode),
                       !last);
            if (!last) {
                out_repeat(out, " ", GAP);
            }
        }
        trim_line(out, start);
        out_char(out, '\n');
    }
}

/* Too wide even with the smallest cells: panels below each other. */
static void write_stacked(Out *out, const TermStyle *style, const DrawStrip *strip, CellMode mode) {
    caption(out, style, strip, true);
    out_char(out, '\n');
    for (int i = 0; i < strip->count; i++) {
        DrawJoint joint = strip->panels[i].joint;
        if (i && joint == JOINT_ARROW) {
            out_fmt(out, "%s\n", style->utf8 ? "↓" : "v");
        } else if (i) {
            out_fmt(out, "%s\n", joint == JOINT_GAP ? "" : joint_text(style, joint));
        }
        for (size_t line = 0; line < cells_lines(&strip->panels[i], mode); line++) {
            size_t start = out->len;
            cells_line(out, style, &strip->panels[i], mode, line);
            trim_line(out, start);
            out_char(out, '\n');
        }
    }
}

void draw_strips(Out *out, const TermStyle *style, const DrawStrip *strips, size_t count) {
    CellMode mode = choose_mode(style, strips, count);
    for (size_t i = 0; i < count;) {
        if (i) {
            out_char(out, '\n');
        }
        if (style->width && picture_columns(&strips[i], mode) > style->width) {
            write_stacked(out, style, &strips[i++], mode);
            continue;
        }
        size_t n = 1, columns = strip_columns(out, style, &strips[i], mode);
        while (style->width && i + n < count) {
            columns += GAP + strip_columns(out, style, &strips[i + n], mode);
            if (columns > style->width) {
                break;
            }
            n++;
        }
        write_row(out, style, &strips[i], n, mode);
        i += n;
    }
}

void draw_image(Out *out, const TermStyle *style, const char *label, const Image *image) {
    DrawStrip strip = {.label = label, .panels = {{.image = *image}}, .count = 1};
    draw_strips(out, style, &strip, 1);
}

void draw_pair(Out *out, const TermStyle *style, const char *label, const Image *input, const Image *output) {
    DrawStrip strip = {.label = label, .panels = {{.image = *input}, {.image = *output}}, .count = 2};
    draw_strips(out, style, &strip, 1);
}

void draw_diff(Out *out, const TermStyle *style, const char *label, const Image *input, const Image *expected,
               const Image *got) {
    uint8_t *marks = NULL;
    if (!image_is_empty(got)) {
        marks = mem_array((size_t)got->h, (size_t)got->w);
        if (!marks) {
            out->failed = true;
            return;
        }
    }
    MarksDiff diff = marks_diff(expected, got, marks);
    char note[64];
    bool right = diff.same_size && !diff.wrong && got->cells && expected->cells;
    if (!expected->cells) {
        snprintf(note, sizeof note, "expected output unknown");
    } else if (!got->cells) {
        snprintf(note, sizeof note, "no output");
    } else if (!diff.same_size) {
        snprintf(note, sizeof note, "wrong size");
    } else if (diff.wrong) {
        snprintf(note, sizeof note, "%" PRId64 " of %" PRId64 " cells wrong", diff.wrong, diff.cells);
    } else {
        snprintf(note, sizeof note, "right");
    }

    DrawStrip strip = {.label = label, .note = note, .note_attr = right ? ATTR_GOOD : ATTR_BAD};
    if (input) {
        strip.panels[strip.count++] = (DrawPanel){.name = "input", .image = *input};
    }
    strip.panels[strip.count++] = (DrawPanel){.name = "expected", .image = *expected};
    DrawJoint joint = !expected->cells ? JOINT_GAP : right ? JOINT_EQUAL : JOINT_UNEQUAL;
    /* with nothing to compare with, nothing is wrong */
    const uint8_t *wrong = expected->cells ? marks : NULL;
    strip.panels[strip.count++] = (DrawPanel){.name = "got", .joint = joint, .image = *got, .marks = wrong};
    draw_strips(out, style, &strip, 1);
    mem_free(marks);
}

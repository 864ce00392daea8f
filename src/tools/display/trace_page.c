/* Writes the lines of a program with their values, for the trace page and for the terminal; see html.h. */
#include "tools/display/marks.h"
#include "tools/display/page.h"

#include <inttypes.h>

void trace_page_begin(Page *page, Out *out, const char *title, const char *summary, const Palette *palette) {
    page_begin(page, out, title, summary, palette, ASSET_TRACE_CSS, ASSET_TRACE_HTML, ASSET_TRACE_JS);
    json_key(&page->json, "samples");
    json_begin_array(&page->json);
}

void trace_page_sample(Page *page, const TraceSample *sample) {
    Json *json = &page->json;
    json_begin_object(json);
    json_kv_string(json, "label", sample->label);
    page_grid(page, "input", &sample->input);
    page_grid(page, "expected", &sample->expected);
    page_grid(page, "got", &sample->got);
    if (sample->expected.cells) {
        MarksDiff diff = marks_compare(&sample->expected, &sample->got);
        json_kv_bool(json, "right", sample->got.cells && diff.same_size && !diff.wrong);
    }
    json_key(json, "steps");
    json_begin_array(json);
}

void trace_page_sample_end(Page *page) {
    json_end_array(&page->json);
    json_end_object(&page->json);
}

void trace_page_end(Page *page) {
    json_end_array(&page->json);
    page_end(page);
}

static void time_text(int64_t ns, char *text, size_t size) {
    if (ns < 1000) {
        snprintf(text, size, "%" PRId64 " ns", ns);
    } else if (ns < 1000000) {
        snprintf(text, size, "%.1f µs", (double)ns / 1e3);
    } else {
        snprintf(text, size, "%.1f ms", (double)ns / 1e6);
    }
}

/* Marks in the shape of the grid: one letter per cell, rows joined by '|'. */
static void write_marks(Page *page, const DrawPanel *panel) {
    static const char letters[] = {
        [MARK_NONE] = '.', [MARK_WRONG] = 'w', [MARK_DIM] = 'd', [MARK_LIT] = 'l', [MARK_VOID] = 'v'};
    json_key(&page->json, "marks");
    json_raw(&page->json, "\"");
    for (size_t r = 0; r < (size_t)panel->image.h; r++) {
        if (r) {
            out_char(page->out, '|');
        }
        for (size_t c = 0; c < (size_t)panel->image.w; c++) {
            out_char(page->out, letters[panel->marks[r * (size_t)panel->image.w + c]]);
        }
    }
    out_char(page->out, '"');
}

static void write_groups(Page *page, const DrawPanel *panel) {
    Json *json = &page->json;
    json_key(json, "groups");
    json_begin_array(json);
    for (size_t r = 0; r < (size_t)panel->image.h; r++) {
        json_begin_array(json);
        for (size_t c = 0; c < (size_t)panel->image.w; c++) {
            json_int(json, panel->groups[r * (size_t)panel->image.w + c]);
        }
        json_end_array(json);
    }
    json_end_array(json);
}

static void write_panel(Page *page, const DrawPanel *panel) {
    static const char *const joints[] = {
        [JOINT_ARROW] = "arrow", [JOINT_EQUAL] = "equal", [JOINT_UNEQUAL] = "unequal", [JOINT_GAP] = "gap"};
    json_begin_object(&page->json);
    page_text(page, "name", panel->name);
    json_kv_string(&page->json, "joint", joints[panel->joint]);
    page_grid(page, "grid", &panel->image);
    if (panel->marks && !image_is_empty(&panel->image)) {
        write_marks(page, panel);
    }
    if (panel->groups && !image_is_empty(&panel->image)) {
        write_groups(page, panel);
    }
    json_end_object(&page->json);
}

void trace_page_line(Page *page, const TraceLine *line) {
    Json *json = &page->json;
    out_char(page->out, '\n');
    json_begin_object(json);
    json_kv_string(json, "source", line->source);
    page_text(page, "type", line->type);
    page_text(page, "text", line->text);
    page_text(page, "failed", line->failed);
    if (line->time_ns >= 0) {
        char text[32];
        time_text(line->time_ns, text, sizeof text);
        json_kv_string(json, "time", text);
    }
    if (line->panel_count) {
        json_key(json, "panels");
        json_begin_array(json);
        for (size_t i = 0; i < line->panel_count; i++) {
            write_panel(page, &line->panels[i]);
        }
        json_end_array(json);
    }
    json_end_object(json);
}

/* A strip for every panel: draw_strips places as many side by side as fit. */
static void draw_panels(Out *out, const TermStyle *style, const TraceLine *line) {
    enum { BATCH = 16 };
    DrawStrip strips[BATCH];
    for (size_t start = 0; start < line->panel_count; start += BATCH) {
        size_t count = line->panel_count - start < BATCH ? line->panel_count - start : BATCH;
        for (size_t i = 0; i < count; i++) {
            strips[i] = (DrawStrip){.label = line->panels[start + i].name,
                                    .panels = {{.image = line->panels[start + i].image}},
                                    .count = 1};
        }
        for (size_t i = 0; i < count; i++) {
            strips[i].panels[0].marks = line->panels[start + i].marks;
            strips[i].panels[0].groups = line->panels[start + i].groups;
        }
        if (start) {
            out_char(out, '\n');
        }
        draw_strips(out, style, strips, count);
    }
}

void trace_draw_line(Out *out, const TermStyle *style, size_t number, const TraceLine *line) {
    const char *reset = term_attr(style, ATTR_RESET);
    out_fmt(out, "%s%3zu%s  %s", term_attr(style, ATTR_DIM), number, reset, term_attr(style, ATTR_BOLD));
    out_printable(out, line->source);
    out_str(out, reset);
    if (line->type && *line->type) {
        out_fmt(out, "  %s", term_attr(style, ATTR_DIM));
        out_printable(out, line->type);
        if (line->time_ns >= 0) {
            char text[32];
            time_text(line->time_ns, text, sizeof text);
            out_fmt(out, ", %s", text);
        }
        out_str(out, reset);
    }
    out_char(out, '\n');
    if (line->failed && *line->failed) {
        out_fmt(out, "     %sfailed: ", term_attr(style, ATTR_BAD));
        out_printable(out, line->failed);
        out_fmt(out, "%s\n", reset);
    }
    if (line->text && *line->text) {
        out_str(out, "     ");
        out_printable(out, line->text);
        out_char(out, '\n');
    }
    draw_panels(out, style, line);
    if (line->panel_count) {
        out_char(out, '\n');
    }
}

/* Pictures and pages.
 *
 * Without arguments: the unit tests. tests/cli/gallery_chromium.sh also calls this program to write
 * pages and to check their pixels:   pages FOLDER   writes sample pages;   pixels FILE RRGGBB
 * counts pixels of a color. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include "base/alloc.h"
#include "tools/display/html.h"
#include "tools/display/marks.h"
#include "tools/display/picture.h"

#include <jansson.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- sample data ---- */

static const int8_t square[] = {1, 2, 3, 4};
static const int8_t wrong_square[] = {1, 2, 3, 5};
static const int8_t big[] = {1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4};
static const int8_t odd[] = {-1, 10, 100, 0};

#define SQUARE ((Image){2, 2, square})
#define WRONG ((Image){2, 2, wrong_square})
#define BIG ((Image){4, 4, big})
#define ODD ((Image){2, 2, odd})
#define NONE ((Image){0})

static const char nasty[] = "</script><b>&\"'\n\x01\xff";

static void write_gallery(Out *out, int copies) {
    Page page;
    gallery_begin(&page, out, "sample <gallery>", "four tasks & more", palette_find("colorblind"));
    for (int i = 0; i < copies; i++) {
        char ids[4][32];
        static const char *const names[] = {"same", "grows", "fails", "half"};
        for (int k = 0; k < 4; k++) {
            snprintf(ids[k], sizeof ids[k], i ? "%s-%d" : "%s", names[k], i);
        }
        const GalleryPair same[] = {
            {.label = "train 1", .ran = true, .input = SQUARE, .expected = SQUARE, .got = SQUARE},
            {.label = "test 1",
             .test = true,
             .ran = true,
             .input = SQUARE,
             .expected = SQUARE,
             .got = SQUARE}};
        const GalleryPair grows[] = {
            {.label = "train 1", .ran = true, .input = SQUARE, .expected = BIG, .got = SQUARE},
            {.label = "test 1", .test = true, .ran = true, .input = SQUARE, .expected = BIG, .got = ODD}};
        const GalleryPair fails[] = {
            {.label = "train 1", .ran = true, .input = BIG, .expected = SQUARE, .got = NONE, .note = nasty},
            {.label = "test 1", .test = true, .input = BIG, .expected = NONE}};
        const GalleryPair half[] = {
            {.label = "train 1", .ran = true, .input = SQUARE, .expected = SQUARE, .got = SQUARE},
            {.label = "test 1",
             .test = true,
             .ran = true,
             .input = SQUARE,
             .expected = SQUARE,
             .got = WRONG}};
        const GalleryTask tasks[] = {
            {ids[0], "solved", "3 µs", "def solve(I):\n    O = identity(I)\n    return O\n", same, 2},
            {ids[1], "wrong", NULL, NULL, grows, 2},
            {ids[2], "failed", nasty, nasty, fails, 2},
            {ids[3], "training only", "right on training only", "O = hmirror(I)", half, 2},
        };
        for (size_t k = 0; k < 4; k++) {
            gallery_task(&page, &tasks[k]);
        }
    }
    gallery_end(&page);
}

static void write_trace(Out *out) {
    Page page;
    const OverlayCell cells[] = {
        {0, 0, OVERLAY_KEEP, 1}, {0, 1, OVERLAY_KEEP, 1}, {3, 3, 7, 2}, {-1, 0, 6, 3}};
    Overlay overlay;
    if (!overlay_make(&overlay, &BIG, cells, 4)) {
        out->failed = true;
        return;
    }
    const DrawPanel objects = {.image = overlay.image, .marks = overlay.marks, .groups = overlay.groups};
    const DrawPanel grids[] = {{.name = "1", .image = SQUARE},
                               {.name = "2", .image = ODD, .joint = JOINT_GAP}};
    const TraceLine steps[] = {
        {"x1 = objects(I, T, F, F)", "objects", "3 objects", NULL, &objects, 1, 900},
        {"x2 = hsplit(I, TWO)", "tuple of grids", NULL, NULL, grids, 2, 12345},
        {"x3 = size(x2)", "integer", "2", NULL, NULL, 0, -1},
        {"O = crop(I, x1, x3)", "grid", NULL, "argument 2 is not a cell", NULL, 0, 2345678},
    };
    const TraceSample samples[] = {{"train 1", BIG, SQUARE, SQUARE}, {"test 1", BIG, SQUARE, NONE}};
    trace_page_begin(&page, out, "sample trace", NULL, NULL);
    for (size_t s = 0; s < 2; s++) {
        trace_page_sample(&page, &samples[s]);
        for (size_t i = 0; i < (s ? 4 : 3); i++) {
            trace_page_line(&page, &steps[i]);
        }
        trace_page_sample_end(&page);
    }
    trace_page_end(&page);
    overlay_free(&overlay);
}

static const uint8_t wrong_marks[] = {MARK_NONE, MARK_NONE, MARK_NONE, MARK_WRONG};

static Picture sample_picture(DrawStrip strips[3]) {
    strips[0] = (DrawStrip){.label = "train <1>", .panels = {{.image = SQUARE}, {.image = BIG}}, .count = 2};
    strips[1] = (DrawStrip){.label = "test 1", .panels = {{.image = ODD}, {.image = NONE}}, .count = 2};
    strips[2] =
        (DrawStrip){.note = "1 of 4 cells wrong",
                    .note_attr = ATTR_BAD,
                    .panels = {{.name = "expected", .image = SQUARE},
                               {.name = "got", .joint = JOINT_UNEQUAL, .image = WRONG, .marks = wrong_marks}},
                    .count = 2};
    return (Picture){.title = nasty, .strips = strips, .count = 3, .digits = true};
}

/* ---- reading PNG back ---- */

typedef struct Pixels {
    png_image image;
    uint8_t *rgb;
} Pixels;

static bool read_png(Pixels *pixels, const char *path, const void *bytes, size_t count) {
    *pixels = (Pixels){.image = {.version = PNG_IMAGE_VERSION}};
    int ok = path ? png_image_begin_read_from_file(&pixels->image, path)
                  : png_image_begin_read_from_memory(&pixels->image, bytes, count);
    if (!ok) {
        return false;
    }
    pixels->image.format = PNG_FORMAT_RGB;
    pixels->rgb = malloc(PNG_IMAGE_SIZE(pixels->image));
    return pixels->rgb && png_image_finish_read(&pixels->image, NULL, pixels->rgb, 0, NULL);
}

static const uint8_t *pixel(const Pixels *pixels, unsigned x, unsigned y) {
    return pixels->rgb + 3 * ((size_t)y * pixels->image.width + x);
}

static size_t count_color(const Pixels *pixels, const uint8_t color[3]) {
    size_t count = 0;
    for (unsigned y = 0; y < pixels->image.height; y++) {
        for (unsigned x = 0; x < pixels->image.width; x++) {
            count += memcmp(pixel(pixels, x, y), color, 3) == 0;
        }
    }
    return count;
}

/* ---- the tests ---- */

static void png_has_the_right_pixels(void **state) {
    (void)state;
    DrawStrip strip = {.panels = {{.image = SQUARE}}, .count = 1};
    Picture picture = {.strips = &strip, .count = 1};
    Out out;
    out_init(&out);
    char why[200];
    assert_true(picture_to_png(&out, &picture, why, sizeof why));
    Pixels pixels;
    assert_true(read_png(&pixels, NULL, out.data, out.len));
    /* margin 16 and caption 20 at two pixels per unit, cells of 22 units: check the middle of each
     * cell */
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *p = pixel(&pixels, (16 + 22 * (i % 2) + 11) * 2, (16 + 20 + 22 * (i / 2) + 11) * 2);
        assert_memory_equal(p, &palette_default()->rgb[square[i]], 3);
    }
    const uint8_t white[3] = {255, 255, 255};
    assert_memory_equal(pixel(&pixels, 0, 0), white, 3);
    assert_memory_equal(pixel(&pixels, 32, 72), &palette_default()->line, 3);
    free(pixels.rgb);
    out_free(&out);
}

static void png_survives_no_memory(void **state) {
    (void)state;
    DrawStrip strips[3];
    Picture picture = sample_picture(strips);
    Out out;
    out_init(&out);
    char why[200];
    uint64_t before = mem_bytes(), calls = mem_calls();
    assert_true(picture_to_png(&out, &picture, why, sizeof why));
    out_free(&out);
    calls = mem_calls() - calls;
    assert_true(calls > 3);
    for (uint64_t n = 1; n <= calls; n++) {
        mem_fail_at(n);
        bool ok = picture_to_png(&out, &picture, why, sizeof why);
        mem_fail_at(0);
        assert_false(ok);
        assert_string_equal(why, "out of memory");
        out_free(&out);
        assert_int_equal(mem_bytes(), before);
    }
}

static void png_too_large_is_refused(void **state) {
    (void)state;
    enum { MANY = 2000 };
    static int8_t cells[64 * 64];
    DrawStrip *strips = calloc(MANY, sizeof *strips);
    assert_non_null(strips);
    for (int i = 0; i < MANY; i++) {
        strips[i] = (DrawStrip){.panels = {{.image = {64, 64, cells}}}, .count = 1};
    }
    Out out;
    out_init(&out);
    char why[200];
    assert_false(picture_to_png(&out, &(Picture){.strips = strips, .count = MANY}, why, sizeof why));
    assert_non_null(strstr(why, "too large"));
    free(strips);
}

/* Tags balance, attributes are quoted, no stray `<` or `&`: a reader strict enough for what we write. */
static void check_xml(const char *text) {
    const char *open[64];
    size_t lengths[64], depth = 0;
    for (const char *s = text; *s; s++) {
        if (*s == '&') {
            const char *end = strchr(s, ';');
            assert_true(end && end - s <= 6);
        }
        if (*s != '<') {
            continue;
        }
        if (s[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_memory_equal(s + 2, open[depth], lengths[depth]);
            assert_int_equal(s[2 + lengths[depth]], '>');
            continue;
        }
        size_t length = strspn(s + 1, "abcdefghijklmnopqrstuvwxyz");
        assert_true(length > 0 && depth < 64);
        const char *end = s + 1 + length;
        while (*end && *end != '>') {
            if (*end == '"') {
                end = strchr(end + 1, '"');
            }
            assert_non_null(end);
            assert_int_not_equal(*end, '<');
            end++;
        }
        assert_int_equal(*end, '>');
        if (end[-1] != '/') {
            open[depth] = s + 1;
            lengths[depth++] = length;
        }
        s = end;
    }
    assert_int_equal(depth, 0);
}

static void svg_is_well_formed(void **state) {
    (void)state;
    DrawStrip strips[3];
    Picture picture = sample_picture(strips);
    Out out;
    out_init(&out);
    picture_to_svg(&out, &picture);
    assert_false(out.failed);
    check_xml(out.data);
    assert_non_null(strstr(out.data, "train &lt;1&gt;"));
    assert_non_null(strstr(out.data, "2x2 → 4x4"));
    assert_non_null(strstr(out.data, "1 of 4 cells wrong"));
    assert_non_null(strstr(out.data, "fill=\"#0074d9\" d=\"M16 66h22v22h-22z"));
    assert_null(strchr(out.data, '\x01'));
    out_free(&out);
}

/* The JSON document inside a page. */
static json_t *page_data(const Out *out) {
    assert_false(out->failed);
    const char *start = strstr(out->data, "type=\"application/json\">");
    assert_non_null(start);
    start = strchr(start, '\n');
    const char *end = strstr(start, "</script>");
    assert_non_null(end);
    json_error_t error;
    json_t *data = json_loadb(start, (size_t)(end - start), 0, &error);
    assert_non_null(data);
    return data;
}

static const char *text_of(json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static void nothing_is_fetched(const char *page) {
    assert_null(strstr(page, "http:"));
    assert_null(strstr(page, "https:"));
    assert_null(strstr(page, "url("));
    assert_null(strstr(page, "@import"));
    assert_null(strstr(page, " src="));
}

static void gallery_holds_its_data(void **state) {
    (void)state;
    Out out;
    out_init(&out);
    write_gallery(&out, 1);
    nothing_is_fetched(out.data);
    assert_non_null(strstr(out.data, "<title>sample &lt;gallery&gt;</title>"));
    json_t *data = page_data(&out), *tasks = json_object_get(data, "tasks");
    assert_string_equal(text_of(data, "palette"), "colorblind");
    assert_int_equal(json_array_size(tasks), 4);
    json_t *pair = json_array_get(json_object_get(json_array_get(tasks, 0), "pairs"), 1);
    assert_string_equal(text_of(pair, "i"), "12|34");
    assert_true(json_is_true(json_object_get(pair, "g"))); /* right: not written twice */
    assert_true(json_is_true(json_object_get(pair, "t")));
    pair = json_array_get(json_object_get(json_array_get(tasks, 1), "pairs"), 1);
    assert_string_equal(text_of(pair, "g"), "??|?0");
    json_t *failed = json_array_get(tasks, 2);
    assert_string_equal(text_of(failed, "note"), "</script><b>&\"'\n\x01\uFFFD");
    assert_true(json_is_null(json_object_get(json_array_get(json_object_get(failed, "pairs"), 0), "g")));
    assert_null(json_object_get(json_array_get(json_object_get(failed, "pairs"), 1), "g"));
    json_decref(data);
    out_free(&out);
}

static void trace_holds_its_data(void **state) {
    (void)state;
    Out out;
    out_init(&out);
    write_trace(&out);
    nothing_is_fetched(out.data);
    json_t *data = page_data(&out), *samples = json_object_get(data, "samples");
    assert_int_equal(json_array_size(samples), 2);
    assert_true(json_is_true(json_object_get(json_array_get(samples, 0), "right")));
    assert_true(json_is_false(json_object_get(json_array_get(samples, 1), "right")));
    json_t *steps = json_object_get(json_array_get(samples, 1), "steps");
    assert_int_equal(json_array_size(steps), 4);
    json_t *panel = json_array_get(json_object_get(json_array_get(steps, 0), "panels"), 0);
    assert_string_equal(text_of(panel, "grid"), "6000|1212|3434|1212|3437");
    assert_string_equal(text_of(panel, "marks"), "lvvv|lldd|dddd|dddd|dddl");
    json_t *row = json_array_get(json_object_get(panel, "groups"), 0);
    assert_int_equal(json_integer_value(json_array_get(row, 0)), 3);
    assert_string_equal(text_of(json_array_get(steps, 1), "time"), "12.3 µs");
    assert_string_equal(text_of(json_array_get(steps, 3), "failed"), "argument 2 is not a cell");
    json_decref(data);
    out_free(&out);
}

static void pages_survive_no_memory(void **state) {
    (void)state;
    uint64_t before = mem_bytes();
    for (uint64_t n = 1;; n++) {
        Out out;
        out_init(&out);
        mem_fail_at(n);
        write_trace(&out);
        write_gallery(&out, 1);
        mem_fail_at(0);
        bool failed = out.failed;
        out_free(&out);
        assert_int_equal(mem_bytes(), before);
        if (!failed) {
            assert_true(n > 5);
            break;
        }
    }
}

static void trace_in_the_terminal(void **state) {
    (void)state;
    TermStyle style = {.color = TERM_MONO, .digits = true, .palette = palette_default()};
    const DrawPanel panel = {.image = SQUARE};
    const TraceLine good = {"x1 = hmirror(I)", "grid", NULL, NULL, &panel, 1, 1500000};
    const TraceLine bad = {"O = crop(x1, \033[1m)", "", "text", "no \x07", NULL, 0, -1};
    Out out;
    out_init(&out);
    trace_draw_line(&out, &style, 1, &good);
    trace_draw_line(&out, &style, 12, &bad);
    assert_string_equal(out.data, "  1  x1 = hmirror(I)  grid, 1.5 ms\n"
                                  "2x2\n"
                                  "1 2\n"
                                  "3 4\n"
                                  "\n"
                                  " 12  O = crop(x1, ?[1m)\n"
                                  "     failed: no ?\n"
                                  "     text\n");
    out_free(&out);
}

/* ---- helping the browser test ---- */

static int save(Out *out, const char *folder, const char *name) {
    char path[1000], why[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    bool ok = out_save(out, path, why, sizeof why);
    if (!ok) {
        fprintf(stderr, "%s\n", why);
    }
    out_free(out);
    return ok ? 0 : 1;
}

static int write_pages(const char *folder) {
    Out out;
    out_init(&out);
    write_gallery(&out, 1);
    int failed = save(&out, folder, "gallery.html");
    write_gallery(&out, 250);
    failed |= save(&out, folder, "thousand.html");
    write_trace(&out);
    failed |= save(&out, folder, "trace.html");
    DrawStrip strips[3];
    Picture picture = sample_picture(strips);
    picture_to_svg(&out, &picture);
    return failed | save(&out, folder, "picture.svg");
}

static int print_pixels(const char *path, const char *hex) {
    unsigned long value = strtoul(hex, NULL, 16);
    const uint8_t color[3] = {(uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    Pixels pixels;
    bool ok = read_png(&pixels, path, NULL, 0);
    if (ok) {
        printf("%zu\n", count_color(&pixels, color));
    } else {
        fprintf(stderr, "%s: not a PNG that can be read\n", path);
    }
    free(pixels.rgb);
    return ok ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "pages") == 0) {
        return write_pages(argv[2]);
    }
    if (argc == 4 && strcmp(argv[1], "pixels") == 0) {
        return print_pixels(argv[2], argv[3]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_has_the_right_pixels), cmocka_unit_test(png_survives_no_memory),
        cmocka_unit_test(png_too_large_is_refused), cmocka_unit_test(svg_is_well_formed),
        cmocka_unit_test(gallery_holds_its_data),   cmocka_unit_test(trace_holds_its_data),
        cmocka_unit_test(pages_survive_no_memory),  cmocka_unit_test(trace_in_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

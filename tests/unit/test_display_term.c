/* Terminal output: styles, grids, comparisons, overlays, tables, the progress line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include "base/alloc.h"
#include "tools/display/draw.h"
#include "tools/display/marks.h"
#include "tools/display/progress.h"
#include "tools/display/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int8_t ramp[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4};
static const int8_t odd[] = {-1, 10, 100, 0};

static Image image(int32_t h, int32_t w) {
    return (Image){.h = h, .w = w, .cells = ramp};
}

static TermStyle plain(size_t width) {
    return (TermStyle){
        .color = TERM_MONO, .digits = true, .utf8 = false, .width = width, .palette = palette_default()};
}

static TermStyle colored(TermColor color) {
    return (TermStyle){.color = color, .utf8 = true, .width = 80, .palette = palette_default()};
}

static void forget_environment(void) {
    static const char *const names[] = {"NO_COLOR", "COLORTERM", "COLUMNS", "TERM",
                                        "LC_ALL",   "LC_CTYPE",  "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsetenv(names[i]);
    }
}

static void style_follows_environment(void **state) {
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    forget_environment();
    TermStyle style = term_style(file, &(TermOptions){0});
    assert_int_equal(style.color, TERM_MONO); /* not a terminal */
    assert_true(style.digits);
    assert_int_equal(style.width, 0);
    assert_ptr_equal(style.palette, palette_default());
    assert_string_equal(term_attr(&style, ATTR_BAD), "");

    setenv("COLUMNS", "33", 1);
    setenv("NO_COLOR", "1", 1); /* what is asked for on the command line counts more */
    style = term_style(file, &(TermOptions){.color = TERM_ALWAYS});
    assert_int_equal(style.color, TERM_256);
    assert_false(style.digits);
    assert_int_equal(style.width, 33);
    setenv("COLORTERM", "truecolor", 1);
    style = term_style(file, &(TermOptions){.color = TERM_ALWAYS, .digits = true, .width = 20});
    assert_int_equal(style.color, TERM_TRUE);
    assert_true(style.digits);
    assert_int_equal(style.width, 20);

    setenv("COLUMNS", "many", 1);
    assert_int_equal(term_width(fileno(file)), 80);
    assert_true(term_is_utf8());
    setenv("LANG", "C", 1);
    assert_false(term_is_utf8());
    setenv("LC_ALL", "en_US.UTF-8", 1);
    assert_true(term_is_utf8());
    forget_environment();
    fclose(file);
}

static void palettes(void **state) {
    (void)state;
    char names[100] = "";
    for (int i = 0; palette_at(i); i++) {
        const Palette *palette = palette_at(i);
        assert_ptr_equal(palette_find(palette->name), palette);
        strcat(names, i ? "|" : "");
        strcat(names, palette->name);
        for (int a = 0; a < PALETTE_COLORS; a++) {
            for (int b = 0; b < a; b++) {
                assert_memory_not_equal(&palette->rgb[a], &palette->rgb[b], sizeof(Rgb));
                assert_int_not_equal(palette->xterm[a], palette->xterm[b]);
            }
        }
    }
    assert_string_equal(names, palette_names());
    assert_null(palette_find("sepia"));
    assert_null(palette_at(-1));
    assert_memory_equal(&palette_default()->rgb[1], (&(Rgb){0x00, 0x74, 0xD9}), sizeof(Rgb));
}

/* Lab coordinates of a color as eyes of one kind see it. `eyes` works on linear light (Machado et al. 2009).
 */
static void see(Rgb color, const double eyes[9], double lab[3]) {
    const uint8_t channels[3] = {color.r, color.g, color.b};
    double light[3], seen[3], f[3];
    for (int i = 0; i < 3; i++) {
        double c = channels[i] / 255.0;
        light[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++) {
        seen[i] = eyes[3 * i] * light[0] + eyes[3 * i + 1] * light[1] + eyes[3 * i + 2] * light[2];
        seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
    }
    static const double to_xyz[9] = {0.4339, 0.3762, 0.1899, 0.2126, 0.7152, 0.0722, 0.0177, 0.1095, 0.8729};
    for (int i = 0; i < 3; i++) { /* rows are divided by the white point already */
        double t = to_xyz[3 * i] * seen[0] + to_xyz[3 * i + 1] * seen[1] + to_xyz[3 * i + 2] * seen[2];
        f[i] = t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

/* The smallest distance of two colors of a palette over four kinds of color vision. */
static double min_contrast(const Palette *palette) {
    static const double eyes[4][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1},
        {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
        {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
        {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
    };
    double min = 1000;
    for (int kind = 0; kind < 4; kind++) {
        for (int a = 0; a < PALETTE_COLORS; a++) {
            for (int b = 0; b < a; b++) {
                double p[3], q[3];
                see(palette->rgb[a], eyes[kind], p);
                see(palette->rgb[b], eyes[kind], q);
                double d = sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
                min = d < min ? d : min;
            }
        }
    }
    return min;
}

static void colorblind_colors_stay_apart(void **state) {
    (void)state;
    assert_true(min_contrast(palette_find("colorblind")) > 25);
    assert_true(min_contrast(palette_find("classic")) < 10); /* which is why there is another */
}

static void expect(Out *out, const char *wanted) {
    assert_false(out->failed);
    assert_string_equal(out->data, wanted);
    out_free(out);
}

static void pairs_without_color(void **state) {
    (void)state;
    DrawStrip strips[] = {
        {.label = "train 1", .panels = {{.image = image(2, 2)}, {.image = image(3, 1)}}, .count = 2},
        {.label = "test 1", .panels = {{.image = {2, 2, odd}}, {.image = {0}}}, .count = 2},
    };
    Out out;
    out_init(&out);
    TermStyle style = plain(0);
    draw_strips(&out, &style, strips, 2);
    expect(&out, "train 1  2x2 -> 3x1\n"
                 ". 1     .\n"
                 "2 3  -> 1\n"
                 "        2\n"
                 "\n"
                 "test 1  2x2 -> ?\n"
                 "-110 -> ?\n"
                 "? .\n");
    style = plain(80);
    style.utf8 = true;
    draw_strips(&out, &style, strips, 2);
    expect(&out, "train 1  2x2 → 3x1    test 1  2x2 → ?\n"
                 ". 1     .             -110 →  ?\n"
                 "2 3  →  1             ? .\n"
                 "        2\n");
}

static void narrow_terminals(void **state) {
    (void)state;
    Image wide = image(2, 10);
    Out out;
    out_init(&out);
    TermStyle style = plain(24); /* 20 + 4 + 20 columns do not fit, 10 + 4 + 10 do */
    draw_pair(&out, &style, "a", &wide, &wide);
    expect(&out, "a  2x10 -> 2x10\n"
                 ".123456789 -> .123456789\n"
                 ".123456789    .123456789\n");
    style.width = 23; /* not even those */
    draw_pair(&out, &style, "a", &wide, &wide);
    expect(&out, "a  2x10 -> 2x10\n"
                 ".123456789\n"
                 ".123456789\n"
                 "v\n"
                 ".123456789\n"
                 ".123456789\n");
    style.width = 1; /* nothing fits: drawn all the same */
    draw_image(&out, &style, NULL, &(Image){1, 3, ramp});
    expect(&out, "1x3\n.12\n");
}

static void huge_and_empty_images(void **state) {
    (void)state;
    int8_t *cells = calloc(200, 300);
    assert_non_null(cells);
    Out out;
    out_init(&out);
    TermStyle style = plain(0);
    draw_image(&out, &style, "big", &(Image){200, 300, cells});
    assert_non_null(strstr(out.data, "big  200x300 (first 64x64 shown)\n. ."));
    assert_true(out.len < 64 * 130 + 100);
    out_free(&out);
    draw_image(&out, &style, "none", &(Image){0, 0, cells});
    expect(&out, "none  empty\n-\n");
    free(cells);
}

static void diffs(void **state) {
    (void)state;
    const int8_t got[] = {0, 1, 7, 3};
    Image expected = image(2, 2), wrong = {2, 2, got}, none = {0}, other = image(1, 3);
    Out out;
    out_init(&out);
    TermStyle style = plain(0);
    draw_diff(&out, &style, "t", NULL, &expected, &wrong);
    expect(&out, "t  expected 2x2 != got 2x2  1 of 4 cells wrong\n"
                 ". 1  != . 1\n"
                 "2 3     7!3\n");
    draw_diff(&out, &style, "t", &other, &expected, &expected);
    expect(&out, "t  input 1x3 -> expected 2x2 == got 2x2  right\n"
                 ". 1 2  -> . 1  == . 1\n"
                 "          2 3     2 3\n");
    draw_diff(&out, &style, "t", NULL, &expected, &other);
    expect(&out, "t  expected 2x2 != got 1x3  wrong size\n"
                 ". 1  != . 1 2!\n"
                 "2 3\n");
    draw_diff(&out, &style, "t", NULL, &expected, &none);
    expect(&out, "t  expected 2x2 != got ?  no output\n"
                 ". 1  != ?\n"
                 "2 3\n");
    draw_diff(&out, &style, "t", NULL, &none, &wrong);
    expect(&out, "t  expected ?    got 2x2  expected output unknown\n"
                 "?    . 1\n"
                 "     7 3\n");
    style.width = 11; /* single digits: what is right steps back */
    Image wide = image(1, 5);
    const int8_t wide_got[] = {0, 1, 0, 3, 4};
    draw_diff(&out, &style, NULL, NULL, &wide, &(Image){1, 5, wide_got});
    expect(&out, "expected 1x5 != got 1x5  1 of 5 cells wrong\n"
                 ".1234\n"
                 "!=\n"
                 "..0..\n");
    MarksDiff diff = marks_compare(&expected, &other);
    assert_false(diff.same_size);
    assert_int_equal(diff.cells, 2);
    assert_int_equal(diff.wrong, 0);
}

static void overlays(void **state) {
    (void)state;
    OverlayCell cells[] = {{0, 0, OVERLAY_KEEP, 0}, {-1, 1, 7, 0},        {1, 3, 300, 0},
                           {1000, 0, 1, 0},         {0, INT32_MIN, 1, 0}, {INT32_MAX, INT32_MAX, 1, 0}};
    Image base = image(2, 3);
    Overlay overlay;
    assert_true(overlay_make(&overlay, &base, cells, 6));
    assert_int_equal(overlay.beyond, 3);
    assert_int_equal(overlay.top, -1);
    assert_int_equal(overlay.left, 0);
    Out out;
    out_init(&out);
    TermStyle style = plain(0);
    DrawStrip strip = {.panels = {{.image = overlay.image, .marks = overlay.marks}}, .count = 1};
    draw_strips(&out, &style, &strip, 1);
    expect(&out, "3x4\n"
                 "  7\n"
                 "0 . .\n"
                 ". . . ?\n");
    overlay_free(&overlay);

    cells[0].group = 1; /* letters distinguish objects */
    cells[1].group = 2;
    cells[2].group = 28;
    assert_true(overlay_make(&overlay, &base, cells, 6));
    strip.panels[0] = (DrawPanel){.image = overlay.image, .marks = overlay.marks, .groups = overlay.groups};
    draw_strips(&out, &style, &strip, 1);
    expect(&out, "3x4\n"
                 "  7b\n"
                 "0a. .\n"
                 ". . . ?b\n");
    overlay_free(&overlay);
    assert_true(overlay_make(&overlay, &(Image){0}, cells, 0));
    assert_true(image_is_empty(&overlay.image));
    for (uint64_t n = 1; n <= 3; n++) {
        mem_fail_at(n);
        assert_false(overlay_make(&overlay, &base, cells, 6));
        mem_fail_at(0);
        assert_null(overlay.cells);
    }
}

static void colors(void **state) {
    (void)state;
    Out out;
    out_init(&out);
    TermStyle style = colored(TERM_256);
    Image row = {1, 4, (const int8_t[]){1, 1, 2, 0}};
    draw_image(&out, &style, NULL, &row);
    expect(&out, "1x4\n\033[48;5;32m    \033[48;5;203m  \033[48;5;16m\033[38;5;238m· \033[0m\n");
    style.color = TERM_TRUE;
    style.digits = true;
    draw_image(&out, &style, NULL, &(Image){1, 1, (const int8_t[]){4}});
    expect(&out, "1x1\n\033[48;2;255;220;0m\033[38;2;0;0;0m4 \033[0m\n");
    style.digits = false;
    style.width = 5; /* half blocks: an odd last row has nothing below */
    draw_image(&out, &style, NULL, &(Image){3, 3, (const int8_t[]){1, 1, 1, 2, 2, 2, 1, 1, 1}});
    expect(&out, "3x3\n"
                 "\033[48;2;255;65;54m\033[38;2;0;116;217m▀▀▀\033[0m\n"
                 "\033[38;2;0;116;217m▀▀▀\033[0m\n");
    style.color = TERM_256;
    style.width = 80;
    uint8_t marks[] = {MARK_WRONG, MARK_LIT, MARK_DIM, MARK_VOID};
    DrawStrip strip = {.label = "\033[7m", .panels = {{.image = row, .marks = marks}}, .count = 1};
    draw_strips(&out, &style, &strip, 1);
    expect(&out,
           "\033[1m?[7m\033[0m  1x4\n\033[48;5;32m\033[38;5;231m><··\033[48;5;95m  \033[49m  \033[0m\n");
}

static void draw_some(Out *out) {
    Image a = image(5, 5), b = image(4, 4);
    TermStyle style = colored(TERM_TRUE);
    DrawStrip strips[2] = {{.label = "one", .panels = {{.image = a}}, .count = 1},
                           {.label = "two", .panels = {{.image = b}}, .count = 1}};
    draw_strips(out, &style, strips, 2);
    draw_diff(out, &style, "diff", NULL, &a, &b);
}

static void drawing_survives_no_memory(void **state) {
    (void)state;
    Out out;
    out_init(&out);
    uint64_t before = mem_bytes(), calls = mem_calls();
    draw_some(&out);
    assert_false(out.failed);
    out_free(&out);
    calls = mem_calls() - calls;
    assert_true(calls >= 4);
    for (uint64_t n = 1; n <= calls; n++) {
        mem_fail_at(n);
        draw_some(&out);
        mem_fail_at(0);
        assert_true(out.failed);
        out_free(&out);
        assert_int_equal(mem_bytes(), before);
    }
}

static void tables(void **state) {
    (void)state;
    Table table;
    table_begin(&table, "task", ">time", "why");
    table_cell(&table, "00d62c1b");
    table_fmt(&table, "%.1f ms", 12.5);
    table_colored(&table, "\033[31m", "a → b, and then much more");
    table_cell(&table, "x");
    table_cell(&table, "3 s");
    table_cell(&table, "");
    Out out;
    out_init(&out);
    table_write(&table, &out, 0, false);
    expect(&out, "task         time  why\n"
                 "00d62c1b  12.5 ms  a → b, and then much more\n"
                 "x             3 s\n");
    table_write(&table, &out, 30, true);
    expect(&out, "\033[1mtask\033[0m         \033[1mtime\033[0m  \033[1mwhy\033[0m\n"
                 "00d62c1b  12.5 ms  \033[31ma → b, and…\033[0m\n"
                 "x             3 s\n");
    table_free(&table);

    uint64_t before = mem_bytes();
    for (uint64_t n = 1; n < 8; n++) {
        table_init(&table);
        mem_fail_at(n);
        table_columns(&table, "");
        for (int i = 0; i < 200; i++) {
            table_cell(&table, "some text");
        }
        mem_fail_at(0);
        table_write(&table, &out, 0, false);
        assert_int_equal(out.failed, table.failed || table.texts.failed);
        if (n == 1) {
            assert_true(out.failed);
        }
        out_free(&out);
        table_free(&table);
        assert_int_equal(mem_bytes(), before);
    }
}

static void progress_lines(void **state) {
    (void)state;
    Progress progress;
    FILE *file = tmpfile();
    assert_non_null(file);
    progress_start(&progress, file, "run", "tasks", 400);
    assert_null(progress.stream); /* no terminal, no drawing */
    progress_add(&progress, 100);
    char line[200];
    progress.utf8 = false;
    progress_line(&progress, 10, 60, line, sizeof line);
    assert_string_equal(line, "run  ###------------   25%  100/400 tasks  10.0/s  30s left");
    progress_line(&progress, 10, 30, line, sizeof line);
    assert_string_equal(line, "run   25%  100/400 tasks  10.0/s  30s left");
    progress.utf8 = true;
    progress.total = 150;
    progress_line(&progress, 8000, 52, line, sizeof line);
    assert_string_equal(line, "run  ███▎    67%  100/150 tasks  0.01/s  1h06m left");
    progress.total = 0;
    progress_line(&progress, 1e-3, 60, line, sizeof line);
    assert_string_equal(line, "run  100 tasks  100k/s");
    progress_end(&progress);
    fseek(file, 0, SEEK_END);
    assert_int_equal(ftell(file), 0);
    fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(style_follows_environment),
        cmocka_unit_test(palettes),
        cmocka_unit_test(colorblind_colors_stay_apart),
        cmocka_unit_test(pairs_without_color),
        cmocka_unit_test(narrow_terminals),
        cmocka_unit_test(huge_and_empty_images),
        cmocka_unit_test(diffs),
        cmocka_unit_test(overlays),
        cmocka_unit_test(colors),
        cmocka_unit_test(drawing_survives_no_memory),
        cmocka_unit_test(tables),
        cmocka_unit_test(progress_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

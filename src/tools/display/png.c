/* The canvas that paints pixels and stores them with libpng. */
#include "base/alloc.h"
#include "base/utf8.h"
#include "tools/display/font.h"
#include "tools/display/picture.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

enum { SCALE = 2, MAX_PIXELS = 64 * 1000 * 1000 };

typedef struct PngCanvas {
    Canvas canvas;
    Rgb *pixels;
    int w, h; /* in pixels, not units */
} PngCanvas;

static void fill(PngCanvas *png, int x, int y, int w, int h, Rgb color) {
    int right = x + w < png->w ? x + w : png->w, bottom = y + h < png->h ? y + h : png->h;
    for (int r = y < 0 ? 0 : y; r < bottom; r++) {
        for (int c = x < 0 ? 0 : x; c < right; c++) {
            png->pixels[(size_t)r * (size_t)png->w + (size_t)c] = color;
        }
    }
}

static void paint_rect(Canvas *canvas, int x, int y, int w, int h, Rgb color) {
    fill((PngCanvas *)canvas, x * SCALE, y * SCALE, w * SCALE, h * SCALE, color);
}

static void paint_text(Canvas *canvas, int x, int y, PictureText kind, const char *text) {
    static const Rgb colors[] = {
        [TEXT_TITLE] = {0x24, 0x29, 0x2F}, [TEXT_LABEL] = {0x24, 0x29, 0x2F},
        [TEXT_PLAIN] = {0x6E, 0x77, 0x81}, [TEXT_GOOD] = {0x1A, 0x7F, 0x37},
        [TEXT_BAD] = {0xCF, 0x22, 0x2E},   [TEXT_DARK] = {0, 0, 0},
        [TEXT_LIGHT] = {0xFF, 0xFF, 0xFF},
    };
    PngCanvas *png = (PngCanvas *)canvas;
    bool in_cell = kind == TEXT_DARK || kind == TEXT_LIGHT;
    int dot = kind == TEXT_TITLE ? SCALE + 1 : in_cell ? 1 : SCALE; /* pixels per dot of the font */
    dot = in_cell && strlen(text) == 1 ? SCALE : dot;
    int advance =
        in_cell ? FONT_ADVANCE * dot : (kind == TEXT_TITLE ? PICTURE_TITLE_CHAR : PICTURE_CHAR) * SCALE;
    int left = x * SCALE, top = y * SCALE - FONT_HEIGHT * dot;
    if (in_cell) {
        left -= ((int)strlen(text) * advance - dot) / 2;
        top += SCALE / 2;
    }
    const char *end = text + strlen(text);
    for (uint32_t code; text < end; left += advance) {
        size_t used = utf8_decode(text, end, &code);
        const uint8_t *glyph = font_glyph(used ? code : 0);
        for (int r = 0; r < FONT_HEIGHT; r++) {
            for (int c = 0; c < FONT_WIDTH; c++) {
                if (glyph[r] >> (FONT_WIDTH - 1 - c) & 1) {
                    fill(png, left + c * dot, top + r * dot, dot, dot, colors[kind]);
                }
            }
        }
        text += used ? used : 1;
    }
}

static void take_bytes(png_structp png, png_bytep bytes, png_size_t count) {
    Out *out = png_get_io_ptr(png);
    out_bytes(out, bytes, count);
    if (out->failed) {
        png_error(png, MEM_NONE);
    }
}

static void flush_nothing(png_structp png) {
    (void)png;
}

static png_voidp take_memory(png_structp png, png_alloc_size_t bytes) {
    (void)png;
    return mem_alloc(bytes);
}

static void give_memory(png_structp png, png_voidp block) {
    (void)png;
    mem_free(block);
}

/* libpng reports errors by a jump to here; it must not print. */
static void jump_back(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static bool encode(Out *out, const PngCanvas *canvas) {
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, NULL, jump_back, ignore_warning, NULL,
                                                take_memory, give_memory);
    if (!png) {
        return false;
    }
    png_infop info = png_create_info_struct(png);
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, out, take_bytes, flush_nothing);
    png_set_IHDR(png, info, (png_uint_32)canvas->w, (png_uint_32)canvas->h, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    /* rows repeat: the best filter for flat squares */
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_set_text(png, info,
                 &(png_text){.compression = PNG_TEXT_COMPRESSION_NONE, .key = "Software", .text = OUT_MARK},
                 1);
    png_write_info(png, info);
    for (int r = 0; r < canvas->h; r++) {
        png_write_row(png, (png_const_bytep)(canvas->pixels + (size_t)r * (size_t)canvas->w));
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool picture_to_png(Out *out, const Picture *picture, char *why, size_t why_size) {
    _Static_assert(sizeof(Rgb) == 3, "rows of Rgb are handed to libpng as they are");
    int width, height;
    picture_measure(picture, &width, &height);
    if ((int64_t)width * height > MAX_PIXELS / (SCALE * SCALE)) {
        snprintf(why, why_size, "a picture of %d x %d is too large for PNG; SVG has no limit", width * SCALE,
                 height * SCALE);
        return false;
    }
    PngCanvas canvas = {
        .canvas = {.rect = paint_rect, .text = paint_text}, .w = width * SCALE, .h = height * SCALE};
    canvas.pixels = mem_array((size_t)canvas.w * (size_t)canvas.h, sizeof(Rgb));
    bool ok = canvas.pixels != NULL;
    if (ok) {
        memset(canvas.pixels, 0xFF, (size_t)canvas.w * (size_t)canvas.h * sizeof(Rgb));
        picture_draw(picture, &canvas.canvas);
        ok = encode(out, &canvas);
    }
    mem_free(canvas.pixels);
    if (!ok) {
        snprintf(why, why_size, MEM_NONE);
    }
    return ok;
}

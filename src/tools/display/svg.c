/* The canvas that writes SVG. Consecutive rectangles of one color become one path. */
#include "tools/display/picture.h"

#include <string.h>

typedef struct SvgCanvas {
    Canvas canvas;
    Out *out;
    Rgb color;
    bool open; /* a path is being written */
} SvgCanvas;

static void close_path(SvgCanvas *svg) {
    if (svg->open) {
        out_str(svg->out, "\"/>\n");
    }
    svg->open = false;
}

static void svg_rect(Canvas *canvas, int x, int y, int w, int h, Rgb color) {
    SvgCanvas *svg = (SvgCanvas *)canvas;
    if (svg->open && memcmp(&svg->color, &color, sizeof color) != 0) {
        close_path(svg);
    }
    if (!svg->open) {
        out_fmt(svg->out, "<path fill=\"#%02x%02x%02x\" d=\"", color.r, color.g, color.b);
        svg->color = color;
        svg->open = true;
    }
    out_fmt(svg->out, "M%d %dh%dv%dh-%dz", x, y, w, h, w);
}

static void svg_text(Canvas *canvas, int x, int y, PictureText kind, const char *text) {
    static const char *const classes[] = {
        [TEXT_TITLE] = "t", [TEXT_LABEL] = "l", [TEXT_PLAIN] = "p",   [TEXT_GOOD] = "p g",
        [TEXT_BAD] = "p b", [TEXT_DARK] = "n",  [TEXT_LIGHT] = "n w",
    };
    SvgCanvas *svg = (SvgCanvas *)canvas;
    if (!*text) {
        return;
    }
    close_path(svg);
    out_fmt(svg->out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", classes[kind], x, y);
    out_xml(svg->out, text);
    out_str(svg->out, "</text>\n");
}

void picture_to_svg(Out *out, const Picture *picture) {
    int width, height;
    picture_measure(picture, &width, &height);
    out_fmt(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "role=\"img\">\n<desc>" OUT_MARK "</desc>\n",
            width, height, width, height);
    if (picture->title) {
        out_str(out, "<title>");
        out_xml(out, picture->title);
        out_str(out, "</title>\n");
    }
    out_str(out, "<style>\n"
                 "text{font:12px ui-sans-serif,system-ui,\"DejaVu Sans\",Arial,sans-serif;fill:#24292f}\n"
                 ".t{font-size:16px;font-weight:600}.l{font-weight:600}.p{fill:#6e7781}.g{fill:#1a7f37}.b{"
                 "fill:#cf222e}\n"
                 ".n{font:10px ui-monospace,\"DejaVu Sans "
                 "Mono\",monospace;text-anchor:middle;fill:#000}.n.w{fill:#fff}\n"
                 "path{shape-rendering:crispEdges}\n"
                 "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.p{fill:#9198a1}.g{fill:#3fb950}.b{"
                 "fill:#ff7b72}\n"
                 ".n{fill:#000}}\n"
                 "</style>\n");
    SvgCanvas svg = {.canvas = {.rect = svg_rect, .text = svg_text}, .out = out};
    picture_draw(picture, &svg.canvas);
    close_path(&svg);
    out_str(out, "</svg>\n");
}

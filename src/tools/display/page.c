/* Writes the head, data and scripts of a page; see page.h. */
#include "tools/display/page.h"

#include "tools/display/marks.h"

static void write_palettes(Json *json) {
    json_key(json, "palettes");
    json_begin_object(json);
    for (int i = 0; palette_at(i); i++) {
        const Palette *palette = palette_at(i);
        json_key(json, palette->name);
        json_begin_object(json);
        json_key(json, "colors");
        json_begin_array(json);
        char hex[8];
        for (int c = 0; c < PALETTE_COLORS; c++) {
            Rgb rgb = palette->rgb[c];
            snprintf(hex, sizeof hex, "#%02x%02x%02x", rgb.r, rgb.g, rgb.b);
            json_text(json, hex);
        }
        json_end_array(json);
        snprintf(hex, sizeof hex, "#%02x%02x%02x", palette->line.r, palette->line.g, palette->line.b);
        json_kv_string(json, "line", hex);
        json_end_object(json);
    }
    json_end_object(json);
}

/* The content policy enforces the promise of html.h: the browser refuses to fetch anything from elsewhere. */
static void begin(Page *page, const char *sources, const char *title, const char *summary,
                  const Palette *palette, Asset css, Asset body) {
    Out *out = page->out;
    out_fmt(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<!-- " OUT_MARK " -->\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
            "'unsafe-inline'; "
            "script-src %s%s%s; img-src data:%s\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>",
            page->nonce ? "'nonce-" : "'unsafe-inline", page->nonce ? page->nonce : "", "'", sources);
    out_xml(out, title);
    out_fmt(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n%s", asset_text(ASSET_PAGE_CSS),
            asset_text(css), asset_text(body));
    out_str(out, "<script id=\"data\" type=\"application/json\">\n");
    json_begin_object(&page->json);
    json_kv_string(&page->json, "title", title);
    page_text(page, "summary", summary);
    json_kv_string(&page->json, "palette", (palette ? palette : palette_default())->name);
    write_palettes(&page->json);
}

void page_begin(Page *page, Out *out, const char *title, const char *summary, const Palette *palette,
                Asset css, Asset body, Asset script) {
    *page = (Page){.json = json_on(out, 0), .out = out, .script = asset_text(script)};
    begin(page, "", title, summary, palette, css, body);
}

void page_begin_live(Page *page, Out *out, const char *nonce, const char *title, const char *summary,
                     const Palette *palette, Asset css, Asset body, Asset script) {
    *page = (Page){.json = json_on(out, 0), .out = out, .script = asset_text(script), .nonce = nonce};
    begin(page, "; connect-src 'self'; base-uri 'none'; form-action 'none'", title, summary, palette, css,
          body);
}

void page_end(Page *page) {
    json_end_object(&page->json);
    out_fmt(page->out, "\n</script>\n<script%s%s%s>\n%s%s</script>\n</body>\n</html>\n",
            page->nonce ? " nonce=\"" : "", page->nonce ? page->nonce : "", page->nonce ? "\"" : "",
            asset_text(ASSET_GRID_JS), page->script);
}

void page_grid(Page *page, const char *key, const Image *image) {
    page_json_grid(&page->json, key, image);
}

void page_json_grid(Json *json, const char *key, const Image *image) {
    json_key(json, key);
    if (!image->cells) {
        json_none(json);
        return;
    }
    json_raw(json, "\"");
    if (!image_is_empty(image)) {
        for (int32_t r = 0; r < image->h; r++) {
            if (r) {
                out_char(json->out, '|');
            }
            for (int32_t c = 0; c < image->w; c++) {
                int value = image->cells[(size_t)r * (size_t)image->w + (size_t)c];
                out_char(json->out, palette_has(value) ? (char)('0' + value) : '?');
            }
        }
    }
    out_char(json->out, '"');
}

void page_text(Page *page, const char *key, const char *text) {
    if (text && *text) {
        json_kv_string(&page->json, key, text);
    }
}

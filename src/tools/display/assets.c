/* Embeds the page assets with the assembler's .incbin, so that they stay readable files and need no
 * conversion. Paths are relative to the project's root, where everything is compiled. */
#include "tools/display/assets.h"

#define EMBED(symbol, file)                                                           \
    __asm__(".pushsection .rodata\n"                                                  \
            ".globl " #symbol "\n.hidden " #symbol "\n" #symbol ":\n"                 \
            ".incbin \"src/tools/display/assets/" file "\"\n.byte 0\n.popsection\n"); \
    extern const char symbol[] __attribute__((visibility("hidden")));

EMBED(asset_page_css, "page.css")
EMBED(asset_grid_js, "grid.js")
EMBED(asset_gallery_css, "gallery.css")
EMBED(asset_gallery_html, "gallery.html")
EMBED(asset_gallery_js, "gallery.js")
EMBED(asset_trace_css, "trace.css")
EMBED(asset_trace_html, "trace.html")
EMBED(asset_trace_js, "trace.js")
EMBED(asset_profile_css, "profile.css")
EMBED(asset_profile_html, "profile.html")
EMBED(asset_profile_js, "profile.js")
EMBED(asset_serve_css, "serve.css")
EMBED(asset_serve_html, "serve.html")
EMBED(asset_serve_js, "serve.js")
EMBED(asset_net_css, "net.css")
EMBED(asset_net_html, "net.html")
EMBED(asset_net_js, "net.js")

const char *asset_text(Asset asset) {
    static const char *const texts[] = {
        [ASSET_PAGE_CSS] = asset_page_css,       [ASSET_GRID_JS] = asset_grid_js,
        [ASSET_GALLERY_CSS] = asset_gallery_css, [ASSET_GALLERY_HTML] = asset_gallery_html,
        [ASSET_GALLERY_JS] = asset_gallery_js,   [ASSET_TRACE_CSS] = asset_trace_css,
        [ASSET_TRACE_HTML] = asset_trace_html,   [ASSET_TRACE_JS] = asset_trace_js,
        [ASSET_PROFILE_CSS] = asset_profile_css, [ASSET_PROFILE_HTML] = asset_profile_html,
        [ASSET_PROFILE_JS] = asset_profile_js,   [ASSET_SERVE_CSS] = asset_serve_css,
        [ASSET_SERVE_HTML] = asset_serve_html,   [ASSET_SERVE_JS] = asset_serve_js,
        [ASSET_NET_CSS] = asset_net_css,         [ASSET_NET_HTML] = asset_net_html,
        [ASSET_NET_JS] = asset_net_js,
    };
    return texts[asset];
}

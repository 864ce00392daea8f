/* The files of src/tools/display/assets, embedded as texts in the program. */
#ifndef BATT_TOOLS_DISPLAY_ASSETS_H
#define BATT_TOOLS_DISPLAY_ASSETS_H

typedef enum Asset {
    ASSET_PAGE_CSS,
    ASSET_GRID_JS,
    ASSET_GALLERY_CSS,
    ASSET_GALLERY_HTML,
    ASSET_GALLERY_JS,
    ASSET_TRACE_CSS,
    ASSET_TRACE_HTML,
    ASSET_TRACE_JS,
    ASSET_PROFILE_CSS,
    ASSET_PROFILE_HTML,
    ASSET_PROFILE_JS,
    ASSET_SERVE_CSS,
    ASSET_SERVE_HTML,
    ASSET_SERVE_JS,
    ASSET_NET_CSS,
    ASSET_NET_HTML,
    ASSET_NET_JS,
} Asset;

const char *asset_text(Asset asset);

#endif

/* Compares images, and lays patches over them; see marks.h. */
#include "tools/display/marks.h"

#include "base/alloc.h"

#include <string.h>

bool image_is_empty(const Image *image) {
    return !image->cells || image->h <= 0 || image->w <= 0;
}

static int32_t height(const Image *image) {
    return image_is_empty(image) ? 0 : image->h;
}

static int32_t width(const Image *image) {
    return image_is_empty(image) ? 0 : image->w;
}

MarksDiff marks_diff(const Image *expected, const Image *got, uint8_t *marks) {
    int32_t eh = height(expected), ew = width(expected), gh = height(got), gw = width(got);
    MarksDiff diff = {.same_size = eh == gh && ew == gw};
    for (int32_t r = 0; r < gh; r++) {
        for (int32_t c = 0; c < gw; c++) {
            bool both = r < eh && c < ew;
            int64_t at = (int64_t)r * gw + c;
            bool wrong = !both || got->cells[at] != expected->cells[(int64_t)r * ew + c];
            diff.cells += both;
            diff.wrong += both && wrong;
            if (marks) {
                marks[at] = wrong ? MARK_WRONG : MARK_NONE;
            }
        }
    }
    return diff;
}

MarksDiff marks_compare(const Image *expected, const Image *got) {
    return marks_diff(expected, got, NULL);
}

static bool reachable(const Image *base, const OverlayCell *cell) {
    return cell->row >= -OVERLAY_REACH && cell->col >= -OVERLAY_REACH &&
           cell->row < height(base) + OVERLAY_REACH && cell->col < width(base) + OVERLAY_REACH;
}

bool overlay_make(Overlay *overlay, const Image *base, const OverlayCell *cells, size_t count) {
    *overlay = (Overlay){0};
    int32_t bh = height(base), bw = width(base);
    int32_t top = 0, left = 0, bottom = bh, right = bw;
    bool grouped = false;
    for (size_t i = 0; i < count; i++) {
        const OverlayCell *cell = &cells[i];
        grouped = grouped || cell->group;
        if (!reachable(base, cell)) {
            overlay->beyond++;
            continue;
        }
        top = cell->row < top ? cell->row : top;
        left = cell->col < left ? cell->col : left;
        bottom = cell->row >= bottom ? cell->row + 1 : bottom;
        right = cell->col >= right ? cell->col + 1 : right;
    }
    int32_t h = bottom - top, w = right - left;
    if (h <= 0 || w <= 0) {
        return true;
    }
    overlay->cells = mem_array((size_t)h, (size_t)w);
    overlay->marks = mem_array((size_t)h, (size_t)w);
    overlay->groups = grouped ? mem_zalloc((size_t)h * (size_t)w, sizeof *overlay->groups) : NULL;
    if (!overlay->cells || !overlay->marks || (grouped && !overlay->groups)) {
        overlay_free(overlay);
        return false;
    }
    size_t area = (size_t)h * (size_t)w;
    memset(overlay->cells, 0, area);
    memset(overlay->marks, MARK_VOID, area);
    for (int32_t r = 0; r < bh; r++) {
        size_t to = (size_t)(r - top) * (size_t)w + (size_t)-left;
        memcpy(overlay->cells + to, base->cells + (size_t)r * (size_t)bw, (size_t)bw);
        memset(overlay->marks + to, MARK_DIM, (size_t)bw);
    }
    for (size_t i = 0; i < count; i++) {
        const OverlayCell *cell = &cells[i];
        if (!reachable(base, cell)) {
            continue;
        }
        size_t at = (size_t)(cell->row - top) * (size_t)w + (size_t)(cell->col - left);
        overlay->marks[at] = MARK_LIT;
        if (grouped) {
            overlay->groups[at] = cell->group;
        }
        if (cell->color != OVERLAY_KEEP) {
            overlay->cells[at] = (int8_t)(cell->color < INT8_MIN   ? INT8_MIN
                                          : cell->color > INT8_MAX ? INT8_MAX
                                                                   : cell->color);
        }
    }
    overlay->image = (Image){.h = h, .w = w, .cells = overlay->cells};
    overlay->top = top;
    overlay->left = left;
    return true;
}

void overlay_free(Overlay *overlay) {
    mem_free(overlay->cells);
    mem_free(overlay->marks);
    mem_free(overlay->groups);
    *overlay = (Overlay){0};
}

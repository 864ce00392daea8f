/* Reading one grid; nearly all bytes of ARC data are in grids. See scan.h.
 *
 * Two spellings cover the public files: "0,0,0" and "0, 0, 0". A row is first tried as one of them, with only
 * digits and separators; anything unusual is left to the careful path, which also reports the errors. */
#include "base/check.h"
#include "data/tasks/scan.h"
#include "data/tasks/task.h"

#include <string.h>

static bool cell_error(Scanner *reader, const uint8_t *at) {
    if (at >= reader->end) {
        return scan_fail(reader, at, "the file ends inside a grid");
    }
    if (*at == '-') {
        return scan_fail(reader, at, "cell is outside 0..9");
    }
    if (*at < '0' || *at > '9') {
        return scan_fail(reader, at, "cell must be an integer, found %s", scan_what(reader, at));
    }
    uint8_t after = at[1];
    if (after >= '0' && after <= '9') {
        return scan_fail(reader, at, *at == '0' ? "malformed number" : "cell is outside 0..9");
    }
    if (after == '.' || after == 'e' || after == 'E') {
        return scan_fail(reader, at, "cell is not an integer");
    }
    return scan_fail(reader, at + 1, "expected ',' or ']' after a cell, found %s", scan_what(reader, at + 1));
}

/* Reads the rest of a row after its '[', in any legal spelling. */
static bool careful_row(Scanner *reader, int8_t *cells, int32_t *width) {
    int32_t w = 0;
    for (;;) {
        uint8_t digit = (uint8_t)(scan_peek(reader) - '0');
        const uint8_t *at = reader->next;
        if (digit > 9) {
            return w == 0 && *at == ']' ? scan_fail(reader, at, "row is empty") : cell_error(reader, at);
        }
        if (w == reader->max_side) {
            return scan_fail(reader, at, "row is longer than %d cells", reader->max_side);
        }
        reader->next++;
        cells[w++] = (int8_t)digit;
        uint8_t separator = scan_peek(reader);
        if (separator == ']') {
            reader->next++;
            *width = w;
            return true;
        }
        if (separator != ',') {
            return reader->next == at + 1 ? cell_error(reader, at)
                                          : scan_fail(reader, reader->next, "expected ',' or ']', found %s",
                                                      scan_what(reader, reader->next));
        }
        reader->next++;
    }
}

/* Reads a row in a common spelling; returns its width, or 0 to leave it to careful_row. */
static inline int32_t quick_row(const uint8_t *p, int8_t *cells, int32_t max, const uint8_t **after) {
    const uint8_t stride = p[1] == ',' && p[2] == ' ' ? 3 : 2;
    for (int32_t w = 0; w < max; w++, p += stride) {
        uint8_t digit = (uint8_t)(*p - '0');
        if (digit > 9) {
            return 0;
        }
        cells[w] = (int8_t)digit;
        if (p[1] != ',' || (stride == 3 && p[2] != ' ')) {
            *after = p + 2;
            return p[1] == ']' ? w + 1 : 0;
        }
    }
    return 0;
}

static bool read_row(Scanner *reader, int8_t *cells, int32_t *width) {
    const uint8_t *after;
    int32_t w = quick_row(reader->next, cells, reader->max_side, &after);
    if (w == 0) {
        return careful_row(reader, cells, width);
    }
    reader->next = after;
    *width = w;
    return true;
}

/* Room for one more row, whatever its width, after `used` cells that are not committed yet. */
static int8_t *make_room(Slab *slab, int8_t *cells, size_t used) {
    size_t wanted = used + TASK_MAX_SIDE;
    if ((size_t)(slab->end - slab->next) >= wanted) {
        return cells;
    }
    int8_t *larger = (int8_t *)slab_reserve(slab, 2 * wanted);
    if (larger != NULL) {
        memcpy(larger, cells, used);
    }
    return larger;
}

bool scan_grid(Scanner *reader, Slab *slab, Image *grid) {
    const uint8_t *grid_at = (scan_peek(reader), reader->next);
    int8_t *cells = (int8_t *)slab_reserve(slab, ARC_SIDE * ARC_SIDE + TASK_MAX_SIDE);
    if (cells == NULL) {
        return scan_fail_memory(reader);
    }
    if (!scan_open(reader, '[', "a grid")) {
        return false;
    }
    int32_t h = 0, w = 0;
    bool first = true, more;
    for (;;) {
        if (!scan_next_item(reader, &first, &more)) {
            return false;
        }
        if (!more) {
            break;
        }
        const uint8_t *row_at = reader->next;
        if (h == reader->max_side) {
            return scan_fail(reader, row_at, "grid has more than %d rows", reader->max_side);
        }
        int32_t width = 0;
        if ((cells = make_room(slab, cells, (size_t)(h * w))) == NULL) {
            return scan_fail_memory(reader);
        }
        if (!scan_open(reader, '[', "a row") || !read_row(reader, cells + h * w, &width)) {
            return false;
        }
        if (h > 0 && width != w) {
            return scan_fail(reader, row_at, "ragged grid: row %d has %d cells, the rows above have %d",
                             h + 1, width, w);
        }
        w = width;
        h++;
    }
    if (h == 0) {
        return scan_fail(reader, grid_at, "grid is empty");
    }
    *grid = (Image){.h = h, .w = w, .cells = cells};
    ASSERT(h <= reader->max_side && w >= 1 && w <= reader->max_side, "%d x %d, at most %d", h, w,
           reader->max_side);
    slab_commit(slab, (size_t)(h * w));
    return true;
}

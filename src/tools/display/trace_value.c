/* Chooses how to show a value; see trace_value.h. */
#include "tools/display/trace_value.h"

#include "base/alloc.h"
#include "engine/eval/eval.h"
#include "engine/eval/explain.h"
#include "engine/language/print.h"
#include "engine/language/value_text.h"

#include <string.h>

enum {
    SHORT_TEXT = 160,      /* bytes of a value in words */
    MAX_CELLS = 1 << 20,   /* in all patches of a picture */
    MAX_VALUE_PARTS = 4096 /* a container with more elements is counted, not written out */
};

static bool is_picture(Val v) {
    return v.kind == VAL_GRID8 && v.n > 0 && v.w > 0;
}

/* Whether a container holds only patches (objects, a tuple of indices), and at least one; *cells: how many
 * cells they have. */
static bool holds_patches(Val v, size_t *cells) {
    *cells = 0;
    if ((v.kind != VAL_SET && v.kind != VAL_TUPLE) || v.n == 0 || v.n > UINT16_MAX) {
        return false;
    }
    for (uint32_t k = 0; k < v.n; k++) {
        Val part = val_at(v, k);
        if (!val_is_keys(part)) {
            return false;
        }
        *cells += part.n;
    }
    return true;
}

static bool holds_grids(Val v) {
    if ((v.kind != VAL_SET && v.kind != VAL_TUPLE) || v.n == 0) {
        return false;
    }
    for (uint32_t k = 0; k < v.n; k++) {
        if (!is_picture(val_at(v, k))) {
            return false;
        }
    }
    return true;
}

static size_t put_cells(OverlayCell *cells, Val patch, uint16_t group) {
    for (uint32_t k = 0; k < patch.n; k++) {
        unsigned kind = patch.kind;
        cells[k] = (OverlayCell){
            key_row(kind, patch.k[k]), key_col(kind, patch.k[k]),
            kind == VAL_INDICES ? (int16_t)OVERLAY_KEEP : (int16_t)key_color(kind, patch.k[k]), group};
    }
    return patch.n;
}

static bool draw_patches(TraceValue *view, Val value, size_t n_cells, Image input) {
    OverlayCell *cells = mem_array(n_cells, sizeof *cells);
    size_t at = 0;
    if (cells == NULL) {
        return false;
    }
    if (val_is_keys(value)) {
        at = put_cells(cells, value, 0);
    } else {
        for (uint32_t k = 0; k < value.n; k++) {
            at += put_cells(cells + at, val_at(value, k), (uint16_t)(k + 1));
        }
    }
    bool good = overlay_make(&view->overlay, &input, cells, at);
    mem_free(cells);
    if (good && view->overlay.image.cells != NULL) {
        const Overlay *o = &view->overlay;
        view->panels[view->panel_count++] =
            (DrawPanel){.image = o->image, .marks = o->marks, .groups = o->groups};
    }
    if (good && view->overlay.beyond > 0) {
        out_fmt(&view->text, ", %lld of them too far outside to draw", (long long)view->overlay.beyond);
    }
    return good;
}

static void count(Out *out, size_t n, const char *one, const char *more) {
    out_fmt(out, "%zu %s", n, n == 1 ? one : more);
}

static bool show_patches(TraceValue *view, Val value, size_t cells, Image input) {
    bool indices = (val_is_keys(value) ? value : val_at(value, 0)).kind == VAL_INDICES;
    if (!val_is_keys(value)) {
        count(&view->text, value.n, indices ? "patch" : "object", indices ? "patches" : "objects");
        out_str(&view->text, ", ");
    }
    count(&view->text, cells, indices ? "index" : "cell", indices ? "indices" : "cells");
    return cells > MAX_CELLS || draw_patches(view, value, cells, input);
}

static void show_grids(TraceValue *view, Val value) {
    for (uint32_t k = 0; k < value.n && view->panel_count < TRACE_MAX_PANELS; k++) {
        view->panels[view->panel_count++] =
            (DrawPanel){.joint = JOINT_GAP, .image = eval_image(val_at(value, k))};
    }
    count(&view->text, value.n, "grid", "grids");
    if (value.n > TRACE_MAX_PANELS) {
        out_fmt(&view->text, ", the first %d of them drawn", TRACE_MAX_PANELS);
    }
}

static void show_text(TraceValue *view, Val value, bool truth) {
    Out text;
    if (val_is_container(value) && val_len(value) > MAX_VALUE_PARTS) {
        out_fmt(&view->text, "%u elements", val_len(value));
        return;
    }
    out_init(&text);
    (truth ? text_value_bool : text_value)(&text, value);
    text_elided(&view->text, text.data, text.len, SHORT_TEXT);
    view->text.failed |= text.failed;
    out_free(&text);
}

/* Rows of numbers may be a grid; rows of places or of cells are not. */
static bool may_be_grid(Types *types, Mode mode, TypeId type) {
    switch ((TypeKind)types_at(types, type)->kind) {
    case TYPE_ANY:
    case TYPE_GRID:
    case TYPE_ELEMENT:
    case TYPE_PIECE:
    case TYPE_CONTAINER:
        return true;
    case TYPE_TUPLE: {
        TypeKind row = (TypeKind)types_at(types, types_element(types, mode, type))->kind;
        return row == TYPE_ANY || row == TYPE_TUPLE || row == TYPE_CONTAINER;
    }
    default:
        return false;
    }
}

TraceUse trace_use(Types *types, Mode mode, TypeId type) {
    unsigned kinds = types_at(types, type)->kinds;
    return (TraceUse){.truth = types_is_truth(types, type),
                      .grid = may_be_grid(types, mode, type),
                      .grids = (kinds & (KIND_TUPLE | KIND_SET)) != 0 &&
                               may_be_grid(types, mode, types_element(types, mode, type))};
}

bool trace_value_make(TraceValue *view, Val value, TraceUse use, Image input) {
    size_t cells = val_is_keys(value) ? value.n : 0;
    bool good = true;
    *view = (TraceValue){0};
    out_init(&view->text);
    if (use.grid && is_picture(value)) {
        view->panels[view->panel_count++] = (DrawPanel){.image = eval_image(value)};
    } else if (val_is_keys(value) || holds_patches(value, &cells)) {
        good = show_patches(view, value, cells, input);
    } else if (use.grids && holds_grids(value)) {
        show_grids(view, value);
    } else {
        show_text(view, value, use.truth);
    }
    if (!good || view->text.failed) {
        trace_value_free(view);
        return false;
    }
    return true;
}

void trace_value_free(TraceValue *view) {
    overlay_free(&view->overlay);
    out_free(&view->text);
    *view = (TraceValue){0};
}

void trace_write_why(Out *out, Types *types, const Program *p, const Val *slots, uint32_t slot) {
    uint32_t first = prog_op_slot(p, 0);
    Val v = slots[slot];
    for (uint32_t k = 0; slot >= first && k < p->ops[slot - first].nargs; k++) {
        uint32_t arg = p->args[p->ops[slot - first].first + k];
        if (val_failed(slots[arg])) {
            print_slot(out, p, arg);
            out_str(out, " has no value");
            return;
        }
    }
    out_str(out, reason_name((Reason)v.w));
    if (v.n != 0) {
        out_fmt(out, " in %s", prim_table[v.n - 1].name);
    }
    size_t before = out->len;
    if (slot >= first) {
        explain_op(out, types, p, &p->ops[slot - first], slots, v);
    }
    if (out->len == before) {
        out_fmt(out, ": %s", explain_reason((Reason)v.w));
    }
    if (v.n != 0 && v.w < FAIL_STEPS) {
        out_fmt(out, "; %s(%s)", prim_table[v.n - 1].name, prim_table[v.n - 1].signature);
    }
}

void trace_write_source(Out *out, const Program *p, uint32_t slot) {
    uint32_t first = prog_op_slot(p, 0);
    if (slot < first) { /* the result is a parameter or a constant */
        out_str(out, "O = ");
        print_slot(out, p, slot);
        return;
    }
    print_slot(out, p, slot);
    out_str(out, " = ");
    print_call(out, p, slot - first);
}

/* Reading the samples of a task, and the plain triples (row, column, color) of the dialect.
 *
 * Primitives that read samples are written call by call, as the specification defines them: the functions
 * they are given do the work, and in safe mode every inner call has its own default. */
#include "engine/arcdsl/container_build.h"

/* ---- cells and triples ---- */

static Val triple(Ctx *ctx, Val i, Val j, Val c) {
    Val *items = val_buffer(ctx, 3);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    items[0] = i;
    items[1] = j;
    items[2] = c;
    return val_tuple(ctx, items, 3);
}

static bool fits32(int64_t x) {
    return x == (int32_t)x;
}

Val prim_astriple(Ctx *ctx, const Val *a) {
    if (a[0].kind == VAL_INT && a[1].kind == VAL_INT && a[2].kind == VAL_INT && fits32(a[0].i) &&
        fits32(a[1].i) && fits32(a[2].i)) {
        return val_triple32((int32_t)a[0].i, (int32_t)a[1].i, (int32_t)a[2].i);
    }
    return triple(ctx, a[0], a[1], a[2]);
}

Val prim_ascell(Ctx *ctx, const Val *a) {
    if (a[0].kind == VAL_PAIR && a[1].kind == VAL_INT && fits32(a[1].i)) {
        return val_triple32(a[0].a, a[0].b, (int32_t)a[1].i);
    }
    if (!val_is_tuple(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    return val_len(a[0]) >= 2 ? triple(ctx, val_at(a[0], 0), val_at(a[0], 1), a[1]) : val_fail(FAIL_RANGE);
}

Val prim_toij(Ctx *ctx, const Val *a) {
    if (a[0].kind == VAL_TRIPLE || a[0].kind == VAL_PAIR) {
        return val_pair32(a[0].a, a[0].b);
    }
    if (!val_is_tuple(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    return val_len(a[0]) >= 2 ? val_tuple2(ctx, val_at(a[0], 0), val_at(a[0], 1)) : val_fail(FAIL_RANGE);
}

Val prim_celltuple(Ctx *ctx, const Val *a) {
    if (!val_is_container(a[0]) || !val_is_container(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t na = val_len(a[0]), nb = val_len(a[1]), n = na < nb ? na : nb;
    Val *items = val_buffer(ctx, n);
    if (items == NULL || !ctx_charge(ctx, n / 16)) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        Val place = val_at(a[0], k);
        if (!val_is_tuple(place) || val_len(place) != 2) {
            return val_fail(FAIL_TYPE);
        }
        items[k] = prim_ascell(ctx, (Val[]){place, val_at(a[1], k)});
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_tuple(ctx, items, n);
}

/* Ragged tuples of rows count as grids here, and so does (). */
Val prim_is_no_grid(Ctx *ctx, const Val *a) {
    Val x = a[0];
    if (val_is_grid(x)) {
        return val_bool(false);
    }
    if (x.kind != VAL_TUPLE) {
        return val_bool(true);
    }
    if (!ctx_charge(ctx, x.n / 32)) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < x.n; k++) {
        if (!val_is_ints(x.v[k])) {
            return val_bool(true);
        }
    }
    return val_bool(false);
}

/* ---- samples ---- */

/* The two parts of a sample; false: it is not a pair. */
static bool sample(Val e, Val *input, Val *output) {
    if (!val_is_tuple(e) || val_len(e) != 2) {
        return false;
    }
    *input = val_at(e, 0);
    *output = val_at(e, 1);
    return true;
}

Val prim_dedupe_pair_tuple(Ctx *ctx, const Val *a) {
    if (!val_is_container(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(a[0]), kept = 0;
    Val *items = val_buffer(ctx, n);
    if (items == NULL || !ctx_charge(ctx, n / 16)) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        Val e = val_at(a[0], k), input, output;
        if (!sample(e, &input, &output)) {
            return val_fail(FAIL_TYPE);
        }
        if (!ctx_check_time_at(ctx, k) || !val_check_time(ctx, input, output)) {
            return val_fail_budget(ctx);
        }
        if (!val_eq_direct(input, output)) {
            items[kept++] = e;
        }
    }
    return val_tuple(ctx, items, kept);
}

/* The findings of a function in all inputs (part: first) or all outputs (part: second), in order of first
 * appearance. */
static Val findings(Ctx *ctx, Val samples, Val f, PrimId part) {
    return prim1(ctx, P_dedupe, prim2(ctx, P_mapply_t, f, prim2(ctx, P_apply, val_prim(part), samples)));
}

Val prim_c_iz(Ctx *ctx, const Val *a) {
    Val in = findings(ctx, a[0], a[1], P_first);
    return prim2(ctx, P_difference_tuple, in, findings(ctx, a[0], a[1], P_second));
}

Val prim_c_zo(Ctx *ctx, const Val *a) {
    Val in = findings(ctx, a[0], a[1], P_first);
    return prim2(ctx, P_difference_tuple, findings(ctx, a[0], a[1], P_second), in);
}

Val prim_c_iz_n(Ctx *ctx, const Val *a) {
    Val color = prim2(ctx, P_c_iz, a[0], a[1]);
    return val_failed(color) ? color : call1(ctx, a[2], color);
}

Val prim_c_zo_n(Ctx *ctx, const Val *a) {
    Val color = prim2(ctx, P_c_zo, a[0], a[1]);
    return val_failed(color) ? color : call1(ctx, a[2], color);
}

Val prim_a_mr(Ctx *ctx, const Val *a) {
    if (!val_is_container(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    for (int64_t turn = 0; turn < 8; turn++) {
        bool fits = true;
        for (uint32_t k = 0, n = val_len(a[0]); k < n && fits; k++) {
            CtxMark mark = ctx_mark(ctx);
            Val input, output;
            if (!sample(val_at(a[0], k), &input, &output)) {
                return val_fail(FAIL_TYPE);
            }
            Val turned = prim2(ctx, P_mir_rot_t, input, val_int(turn));
            if (val_failed(turned)) {
                return turned;
            }
            fits = val_eq(turned, output);
            ctx_release(ctx, mark);
        }
        if (fits) {
            return val_int(turn);
        }
    }
    return val_atom(ATOM_NONE);
}

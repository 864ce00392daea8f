/* Turning pieces, and layers of them, into a program. */
#include "search/strategies/stack.h"

Ref stack_piece_ref(Stack *s, uint32_t piece, Ref dims, Ref *refs) {
    Builder *b = &s->grow.search->builder;
    const Piece *p = &s->pieces[piece];
    Ref at = grow_ref(&s->grow, p->entry, refs);
    if (p->home) {
        at = build_op(b, OP_PRIM, P_stamp_home, &at, 1, 0, "", 0);
    }
    if (p->color) {
        Ref args[2] = {at, build_const(b, val_int(p->color))};
        at = build_op(b, OP_PRIM, P_stamp_paint, args, 2, 0, "", 0);
    }
    if (grow_is_sized(&s->grow, p->entry)) {
        return at;
    }
    Ref paste[2] = {at, dims};
    return build_op(b, OP_PRIM, P_stamp_paste, paste, 2, 0, "", 0);
}

Program *stack_program(Stack *s, const Layer *layers, unsigned n) {
    Builder *b = &s->grow.search->builder;
    Ref *refs = grow_refs(&s->grow);
    if (refs == NULL) {
        return NULL;
    }
    Ref dims = grow_size_ref(&s->grow, refs);
    Ref canvas[2] = {build_const(b, val_int(-1)), dims};
    Ref at = build_op(b, OP_PRIM, P_canvas, canvas, 2, 0, "", 0);
    for (unsigned k = 0; k < n; k++) {
        Ref lay[3] = {at, stack_piece_ref(s, layers[k].piece, dims, refs),
                      build_const(b, val_int(layers[k].how))};
        at = build_op(b, OP_PRIM, P_stamp_lay, lay, 3, 0, "", 0);
    }
    quota_free(&s->grow.search->kept, refs);
    return search_finish(s->grow.search, at);
}

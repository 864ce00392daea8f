/* Primitives of one's own as idioms, which enumeration puts together with the others. */
#include "base/alloc.h"
#include "engine/language/build.h"
#include "engine/language/signature.h"
#include "tools/api/own.h"

#include <stdio.h>
#include <string.h>

enum { TRUTH = 1u << 31 }; /* a parameter that is T or F, not a hole */

/* Types of signatures as types of idioms, as arguments and as results. */
static const struct {
    const char *name;
    uint32_t takes, gives;
} types[] = {
#define ONE(name) 1u << IDIOM_##name
    {"grid", ONE(grid), ONE(grid)},
    {"int", ONE(int) | ONE(color), ONE(int)},
    {"color", ONE(color), ONE(color)},
    {"bool", TRUTH, 0},
    {"indices", ONE(indices), ONE(indices)},
    {"object", ONE(object), ONE(object)},
    {"objects", ONE(objects), ONE(objects)},
    {"patch", ONE(indices) | ONE(object), ONE(indices) | ONE(object)},
    {"pair", ONE(pair), ONE(pair)},
#undef ONE
};

static int type_at(const char *text, size_t length) {
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        if (strlen(types[k].name) == length && memcmp(types[k].name, text, length) == 0) {
            return (int)k;
        }
    }
    return -1;
}

typedef struct Shape { /* of a signature */
    uint32_t takes[PRIM_MAX_ARITY], gives;
    unsigned arity, holes, truths;
} Shape;

/* False: search cannot make such an argument, or use such a result; *at is the type, *end where it ends. */
static bool read_shape(const char *signature, Shape *shape, const char **at, const char **end) {
    SignatureParam param;
    const char *rest = signature;
    *shape = (Shape){0};
    while (signature_next(&rest, &param)) {
        int type = type_at(param.type, param.type_length);
        *at = param.type;
        *end = param.type + param.type_length;
        if (type < 0 || shape->arity == PRIM_MAX_ARITY) {
            return false;
        }
        shape->takes[shape->arity++] = types[type].takes;
        shape->truths += types[type].takes == TRUTH;
        shape->holes += types[type].takes != TRUTH;
    }
    int result = type_at(rest, strlen(rest));
    *at = rest;
    *end = rest + strlen(rest);
    shape->gives = result >= 0 ? types[result].gives : 0;
    return shape->gives != 0;
}

bool own_idioms_fit(const char *name, const char *signature, unsigned price, char *why, size_t size) {
    Shape shape;
    const char *at, *end;
    if (price > IDIOM_MAX_COST) {
        snprintf(why, size, "the price is 1 to %d bits, or 0: search does not use the primitive",
                 IDIOM_MAX_COST);
        return false;
    }
    if (!read_shape(signature, &shape, &at, &end)) {
        snprintf(why, size,
                 "%s: search has no %s the type %.*s, only %sgrid, int, color, indices, object, "
                 "objects, patch and pair; leave out the price",
                 name, *end == '\0' ? "use for a result of" : "arguments of", (int)(end - at), at,
                 *end == '\0' ? "" : "bool, ");
        return false;
    }
    if (shape.holes > IDIOM_HOLES) {
        snprintf(why, size, "%s: search fills at most %d arguments that are not bool; leave out the price",
                 name, IDIOM_HOLES);
        return false;
    }
    return true;
}

/* The call with these truth values, a bit for each. */
static bool add_idiom(IdiomSet *idioms, Builder *b, const OwnPrim *prim, const Shape *shape, uint32_t gives,
                      unsigned truths) {
    Idiom idiom = {.gives = gives, .own = true};
    Ref args[1 + PRIM_MAX_ARITY];
    build_start(b);
    args[0] = build_const(b, own_value(prim));
    for (unsigned k = 0; k < shape->arity; k++) {
        if (shape->takes[k] == TRUTH) {
            args[1 + k] = build_const(b, val_bool(truths & 1));
            truths >>= 1;
        } else {
            args[1 + k] = REF_PARAM | idiom.holes;
            idiom.takes[idiom.holes++] = shape->takes[k];
        }
    }
    unsigned cost = prim->price + shape->truths;
    idiom.cost = (uint8_t)(cost < IDIOM_MAX_COST ? cost : IDIOM_MAX_COST);
    Ref call = build_op(b, OP_VALUE, 0, args, 1 + shape->arity, 0, "", 0);
    idiom.body = build_finish(b, "", 0, MODE_CORE, 3, call);
    return idiom.body != NULL && idioms_add(idioms, idiom);
}

bool own_idioms(const batt_context *c, IdiomSet *idioms) {
    const OwnPrims *own = own_prims(c);
    const uint32_t number = 1u << IDIOM_int;
    Builder b;
    bool good = true;
    build_init(&b);
    for (uint32_t k = 0; own != NULL && k < own->count && good; k++) {
        const OwnPrim *prim = own->items[k];
        Shape shape;
        const char *at, *end;
        if (prim->gone || prim->price == 0 || !read_shape(prim->signature, &shape, &at, &end)) {
            continue;
        }
        for (unsigned truths = 0; truths < 1u << shape.truths && good; truths++) {
            good = add_idiom(idioms, &b, prim, &shape, shape.gives, truths) &&
                   (shape.gives != number || /* which may be a color */
                    add_idiom(idioms, &b, prim, &shape, 1u << IDIOM_color, truths));
        }
    }
    build_free(&b);
    return good;
}

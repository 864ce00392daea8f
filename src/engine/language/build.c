/* From scratch memory to one immutable block; see build.h. */
#include "engine/language/build.h"

#include "base/alloc.h"
#include "engine/language/hash.h"

#include <string.h>

void build_init(Builder *b) {
    *b = (Builder){0};
}

void build_free(Builder *b) {
    mem_free(b->ops);
    mem_free(b->names);
    mem_free(b->args);
    mem_free(b->consts);
    map_free(&b->const_map);
    mem_free(b->hashes);
    mem_free(b->slots);
    build_init(b);
}

void build_start(Builder *b) {
    map_clear(&b->const_map);
    b->nops = b->nargs = b->nconsts = 0;
    b->failed = false;
}

/* Room for `need` items in an array that doubles. */
static bool reserve(Builder *b, void **array, uint32_t *room, uint32_t need, size_t size) {
    if (need <= *room) {
        return true;
    }
    uint32_t more = *room ? *room : 64;
    while (more < need) {
        more *= 2;
    }
    ASSERT(more >= need && (more & (more - 1)) == 0, "room %u for %u", more, need);
    void *grown = mem_grow(*array, more, size);
    if (grown == NULL) {
        b->failed = true;
        return false;
    }
    *array = grown;
    *room = more;
    return true;
}
#define RESERVE(b, array, room, need) reserve(b, (void **)&(b)->array, &(b)->room, need, sizeof *(b)->array)

Ref build_const(Builder *b, Val value) {
    ASSERT(!val_failed(value), "reason %u", value.w);
    ASSERT(b->nconsts <= b->consts_room, "%u constants, room for %u", b->nconsts, b->consts_room);
    b->failed |= !map_reserve(&b->const_map, 1, 64);
    if (b->failed || !RESERVE(b, consts, consts_room, b->nconsts + 1)) {
        return REF_CONST;
    }
    uint64_t hash = val_hash(value, 0);
    uint32_t at = map_start(&b->const_map, hash);
    for (uint32_t k; (k = map_next(&b->const_map, hash, &at)) != MAP_NONE;) {
        if (val_eq(b->consts[k], value)) {
            return REF_CONST | k;
        }
    }
    map_put(&b->const_map, hash, at, b->nconsts);
    b->consts[b->nconsts] = value;
    return REF_CONST | b->nconsts++;
}

Ref build_op(Builder *b, OpKind kind, uint32_t prim, const Ref *args, uint32_t n, uint32_t line,
             const char *name, size_t name_length) {
    ASSERT(n <= BUILD_MAX_ARGS && kind <= OP_SET, "kind %u, %u arguments", kind, n);
    for (uint32_t k = 0; CHECKED && k < n && !b->failed; k++) {
        ASSERT(REF_KIND(args[k]) != REF_OP || REF_INDEX(args[k]) < b->nops, "argument %u is op %u of %u", k,
               REF_INDEX(args[k]), b->nops);
        ASSERT(REF_KIND(args[k]) != REF_CONST || REF_INDEX(args[k]) < b->nconsts,
               "argument %u is constant %u of %u", k, REF_INDEX(args[k]), b->nconsts);
    }
    uint32_t room = b->ops_room;
    if (b->nops == BUILD_MAX_OPS) {
        b->failed = true;
    }
    if (b->failed || !RESERVE(b, args, args_room, b->nargs + n) ||
        !reserve(b, (void **)&b->names, &room, b->nops + 1, sizeof *b->names) ||
        !RESERVE(b, ops, ops_room, b->nops + 1)) {
        return REF_OP;
    }
    if (n != 0) {
        memcpy(b->args + b->nargs, args, n * sizeof *args);
    }
    b->ops[b->nops] = (Op){(uint8_t)kind, (uint8_t)n, (uint16_t)prim, b->nargs, line};
    b->names[b->nops] = (BuildName){name, (uint32_t)name_length};
    b->nargs += n;
    return REF_OP | b->nops++;
}

Ref build_inline(Builder *b, const Program *p, const Ref *params) {
    ASSERT(prog_wrong(p) == NULL, "%s: %s", p->name, prog_wrong(p));
    Ref args[BUILD_MAX_ARGS];
    uint32_t n = p->nparams;
    if (!RESERVE(b, slots, slots_room, prog_slots(p))) {
        return REF_CONST;
    }
    for (uint32_t k = 0; k < p->nparams; k++) {
        b->slots[k] = params[k];
    }
    for (uint32_t k = 0; k < p->nconsts; k++) {
        b->slots[n++] = build_const(b, p->consts[k]);
    }
    for (uint32_t k = 0; k < p->nops; k++) {
        const Op *op = &p->ops[k];
        for (uint32_t x = 0; x < op->nargs; x++) {
            args[x] = b->slots[p->args[op->first + x]];
        }
        b->slots[n++] = build_op(b, (OpKind)op->kind, op->prim, args, op->nargs, 0, "", 0);
    }
    return b->slots[p->result];
}

void build_name(Builder *b, Ref op, const char *name, size_t name_length) {
    if (REF_KIND(op) == REF_OP && REF_INDEX(op) < b->nops) {
        b->names[REF_INDEX(op)] = (BuildName){name, (uint32_t)name_length};
    }
}

static uint32_t slot_of(const Builder *b, unsigned nparams, Ref ref) {
    ASSERT(REF_KIND(ref) != REF_PARAM || nparams != 0, "parameter %u of none", REF_INDEX(ref));
    switch (REF_KIND(ref)) {
    case REF_PARAM:
        return nparams == 1 ? 0 : REF_INDEX(ref);
    case REF_CONST:
        return nparams + REF_INDEX(ref);
    default:
        return nparams + b->nconsts + REF_INDEX(ref);
    }
}

static char *take(char **cursor, size_t bytes) {
    char *block = *cursor;
    *cursor += (bytes + 15) & ~(size_t)15;
    return block;
}

static const char *copy_text(char **text, const char *from, size_t length) {
    char *to = *text;
    if (length != 0) {
        memcpy(to, from, length);
    }
    to[length] = '\0';
    *text += length + 1;
    return to;
}

static Program *assemble(Builder *b, const char *name, size_t name_length, Mode mode, unsigned nparams,
                         Ref result) {
    if (b->failed) {
        return NULL;
    }
    size_t text = name_length + 1 + 1, values = 0; /* the function's name, and one "" for all nameless ops */
    for (uint32_t k = 0; k < b->nops; k++) {
        text += b->names[k].length ? b->names[k].length + 1 : 0;
    }
    for (uint32_t k = 0; k < b->nconsts; k++) {
        values += val_deep_size(b->consts[k]);
    }
    size_t arrays = sizeof(Program) + b->nops * (sizeof(Op) + sizeof(char *)) + b->nargs * sizeof(uint32_t) +
                    b->nconsts * sizeof(Val) + 5 * 16;
    char *cursor = mem_alloc(arrays + values + text);
    if (cursor == NULL) {
        return NULL;
    }
    Program *p = (Program *)take(&cursor, sizeof *p);
    Val *consts = (Val *)take(&cursor, b->nconsts * sizeof *consts);
    Op *ops = (Op *)take(&cursor, b->nops * sizeof *ops);
    const char **names = (const char **)take(&cursor, b->nops * sizeof *names);
    uint32_t *args = (uint32_t *)take(&cursor, b->nargs * sizeof *args);
    for (uint32_t k = 0; k < b->nconsts; k++) {
        consts[k] = val_deep_copy(b->consts[k], &cursor);
    }
    const char *nameless = copy_text(&cursor, "", 0);
    *p = (Program){.name = copy_text(&cursor, name, name_length),
                   .mode = (uint8_t)mode,
                   .nparams = (uint8_t)nparams,
                   .nconsts = b->nconsts,
                   .nops = b->nops,
                   .nargs = b->nargs,
                   .result = slot_of(b, nparams, result),
                   .consts = consts,
                   .ops = ops,
                   .args = args,
                   .names = names};
    for (uint32_t k = 0; k < b->nops; k++) {
        ops[k] = b->ops[k];
        names[k] = b->names[k].length ? copy_text(&cursor, b->names[k].text, b->names[k].length) : nameless;
    }
    for (uint32_t k = 0; k < b->nargs; k++) {
        args[k] = slot_of(b, nparams, b->args[k]);
    }
    ASSERT(prog_wrong(p) == NULL, "%s: %s", p->name, prog_wrong(p));
    return p;
}

Program *build_finish(Builder *b, const char *name, size_t name_length, Mode mode, unsigned nparams,
                      Ref result) {
    Program *p = RESERVE(b, hashes, hashes_room, nparams + b->nconsts + b->nops)
                     ? assemble(b, name, name_length, mode, nparams, result)
                     : NULL;
    if (p != NULL) {
        p->hash = prog_hash(p, b->hashes);
    }
    return p;
}

Program *build_finish_hashed(Builder *b, const char *name, size_t name_length, Mode mode, unsigned nparams,
                             Ref result, ProgHash hash) {
    Program *p = assemble(b, name, name_length, mode, nparams, result);
    if (p != NULL) {
        p->hash = hash;
    }
    return p;
}

#ifdef BATT_CHECKED
const char *prog_wrong(const Program *p) {
    uint32_t first = p->nparams + p->nconsts;
    if (p->nparams != 0 && p->nparams != 1 && p->nparams != 3) {
        return "neither none, one nor three parameters";
    }
    if (p->nops > BUILD_MAX_OPS || p->result >= prog_slots(p)) {
        return "too many ops, or a result beyond the slots";
    }
    for (uint32_t k = 0; k < p->nconsts; k++) {
        if (val_failed(p->consts[k]) || val_wrong(p->consts[k]) != NULL) {
            return "a constant that has failed, or is not in its one form";
        }
    }
    for (uint32_t k = 0; k < p->nops; k++) {
        const Op *op = &p->ops[k];
        if (op->kind > OP_SET || (uint64_t)op->first + op->nargs > p->nargs) {
            return "an op of no kind, or arguments beyond those there are";
        }
        for (uint32_t x = 0; x < op->nargs; x++) {
            if (p->args[op->first + x] >= first + k) {
                return "an op that reads a slot which is not filled before it";
            }
        }
    }
    return NULL;
}
#endif

void prog_free(Program *program) {
    mem_free(program);
}

/* A copy with the ops that `wanted` marks, in their order; result and arguments are renumbered. */
static Program *rebuild(const Program *p, const uint8_t *wanted, Mode mode) {
    ASSERT(prog_wrong(p) == NULL, "%s: %s", p->name, prog_wrong(p));
    Builder b;
    build_init(&b);
    build_start(&b);
    uint32_t slots = prog_slots(p), first = p->nparams + p->nconsts;
    Ref *refs = mem_array(slots ? slots : 1, sizeof *refs), args[BUILD_MAX_ARGS];
    if (refs == NULL) {
        return NULL;
    }
    for (uint32_t k = 0; k < p->nparams; k++) {
        refs[k] = REF_PARAM | (p->nparams == 1 ? PARAM_I : k);
    }
    for (uint32_t k = 0; k < p->nconsts; k++) {
        uint32_t slot = p->nparams + k;
        refs[slot] = wanted == NULL || wanted[slot] ? build_const(&b, p->consts[k]) : REF_CONST;
    }
    for (uint32_t k = 0; k < p->nops; k++) {
        const Op *op = &p->ops[k];
        if (wanted == NULL || wanted[first + k]) {
            for (uint32_t a = 0; a < op->nargs; a++) {
                args[a] = refs[p->args[op->first + a]];
            }
            refs[first + k] =
                build_op(&b, op->kind, op->prim, args, op->nargs, op->line, p->names[k], strlen(p->names[k]));
        }
    }
    Program *copy = build_finish(&b, p->name, strlen(p->name), mode, p->nparams, refs[p->result]);
    mem_free(refs);
    build_free(&b);
    return copy;
}

Program *prog_strip(const Program *p) {
    ASSERT(prog_wrong(p) == NULL, "%s: %s", p->name, prog_wrong(p));
    uint32_t slots = prog_slots(p), first = p->nparams + p->nconsts;
    uint8_t *wanted = mem_zalloc(slots ? slots : 1, 1);
    if (wanted == NULL) {
        return NULL;
    }
    wanted[p->result] = 1;
    for (uint32_t k = p->nops; k-- > 0;) {
        for (uint32_t a = 0; wanted[first + k] && a < p->ops[k].nargs; a++) {
            wanted[p->args[p->ops[k].first + a]] = 1;
        }
    }
    Program *copy = rebuild(p, wanted, (Mode)p->mode);
    mem_free(wanted);
    return copy;
}

Program *prog_with_mode(const Program *p, Mode mode) {
    return rebuild(p, NULL, mode);
}

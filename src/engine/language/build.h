/* Putting a program together, call by call.
 *
 * A Builder is scratch memory that is reused: the parser, mutation and search all make their programs here.
 * While a program is being built a slot is a Ref, because slot numbers are known only at the end;
 * build_finish turns Refs into slots and returns one heap block. Failed allocations are remembered, so only
 * the result of build_finish must be checked. */
#ifndef BATT_ENGINE_LANGUAGE_BUILD_H
#define BATT_ENGINE_LANGUAGE_BUILD_H

#include "base/hash_map.h"
#include "engine/language/program.h"

typedef uint32_t Ref; /* two bits of kind, then a number */
enum { REF_PARAM = 0u, REF_CONST = 1u << 30 };
#define REF_OP (2u << 30)
#define REF_KIND(ref) ((ref)&3u << 30)
#define REF_INDEX(ref) ((ref) & ~(3u << 30))

/* Parameters: as Refs they have these numbers, whether the program has one parameter or three. */
typedef enum Param { PARAM_S, PARAM_I, PARAM_C } Param;

enum { BUILD_MAX_OPS = 1 << 20, BUILD_MAX_ARGS = 255 };

typedef struct BuildName {
    const char *text; /* borrowed until build_finish */
    uint32_t length;
} BuildName;

typedef struct Builder {
    Op *ops;
    BuildName *names;
    Ref *args;
    Val *consts;
    HashMap const_map; /* constants, by their hashes */
    ProgHash *hashes;  /* scratch of prog_hash */
    Ref *slots;        /* scratch of build_inline */
    uint32_t nops, nargs, nconsts;
    uint32_t ops_room, args_room, consts_room, hashes_room, slots_room;
    bool failed;
} Builder;

void build_init(Builder *builder);
void build_free(Builder *builder);
void build_start(Builder *builder);
/* The value is borrowed until build_finish; equal constants share a slot. */
Ref build_const(Builder *builder, Val value);
/* args must not point into the builder's own memory. n <= BUILD_MAX_ARGS. */
Ref build_op(Builder *builder, OpKind kind, uint32_t prim, const Ref *args, uint32_t n, uint32_t line,
             const char *name, size_t name_length);
/* A call of a primitive that no line of a text stands for. */
static inline Ref build_call(Builder *builder, uint32_t prim, const Ref *args, uint32_t n) {
    return build_op(builder, OP_PRIM, prim, args, n, 0, "", 0);
}
/* Appends the calls of a program with these refs as its parameters; returns its result. */
Ref build_inline(Builder *builder, const Program *program, const Ref *params);
void build_name(Builder *builder, Ref op, const char *name, size_t name_length);
/* nparams: 0, 1 (I) or 3. NULL: out of memory. */
Program *build_finish(Builder *builder, const char *name, size_t name_length, Mode mode, unsigned nparams,
                      Ref result);

/* The same where the hash is known: that of the program that these calls were cut out of has been made. */
Program *build_finish_hashed(Builder *builder, const char *name, size_t name_length, Mode mode,
                             unsigned nparams, Ref result, ProgHash hash);

/* A copy without the ops that the result does not need; it computes the same. NULL: out of memory. */
Program *prog_strip(const Program *program);
/* A copy that runs in another mode (and so has another hash). */
Program *prog_with_mode(const Program *program, Mode mode);

#endif

/* What the files behind include/batt.h share.
 *
 * An Arena is reference-counted memory: what a call made new, moved out of the context's scratch arena in
 * one piece, while older arenas that it points into are kept alive. Any thread may change the count; the
 * memory itself never changes. */
#ifndef BATT_TOOLS_API_API_INTERNAL_H
#define BATT_TOOLS_API_API_INTERNAL_H

#include "base/out.h"
#include "batt.h"
#include "data/tasks/task.h"
#include "engine/language/parse.h"
#include "engine/primitives/prim.h"

#include <stdatomic.h>

typedef struct Arena Arena;
typedef struct OwnTable OwnTable; /* own.h */

struct batt_value {
    Val value;
    Arena *arena;           /* owner of the memory that it points to; NULL: it points nowhere */
    _Atomic uint32_t count; /* of a separate handle; one inside its arena uses the arena's count */
    /* of a failed value: the primitive of one's own in which it failed, in its own memory; NULL: in none */
    char *where;
};

struct Arena {
    _Atomic uint32_t count;
    uint32_t n_kept;
    Arena **kept;             /* older arenas that this one points into */
    Arena *next;              /* while it is being freed */
    const char *bytes, *end;  /* its own memory, after the struct */
    size_t held;              /* bytes: its own and those of all it keeps */
    bool host;                /* there are functions from outside in it, or in what it keeps */
    void (*drop)(void *user); /* called for the function from outside that lives here */
    void *user;
    batt_value own; /* the handle of the call's result */
};

typedef struct ArenaList { /* what a result may point into */
    Arena **items;
    size_t count, room;
} ArenaList;

struct batt_context {
    Ctx ctx; /* first: functions from outside find their context by it */
    Lang *lang;
    Out error, file, fault_text;
    batt_fault fault;
    bool safe, busy;
    /* numbers for closures made here: the next one, and the end of the block */
    uint32_t closure, closures_end;
    /* during a call: arenas of its arguments, and of what functions from outside returned */
    ArenaList borrowed;
    OwnTable *own;    /* primitives that were registered; NULL: none */
    Arena *own_arena; /* holds them */
    Out own_message;  /* of the last one that failed */
};

struct batt_programs {
    ProgList list;
    _Atomic(char *) *texts; /* canonical, one per program; NULL until asked for */
    char (*hashes)[33];
    size_t error_count;
    batt_fault *faults;
    size_t n_faults;
    Out errors;       /* all of them with their lines */
    Arena *own_arena; /* holds the primitives of one's own that they may use; NULL: there are none */
};

typedef struct LoadedTasks { /* what several selections share */
    _Atomic uint32_t count;
    TaskSet *set;
    batt_fault *faults;
    size_t n_faults;
} LoadedTasks;

struct batt_tasks {
    LoadedTasks **loaded;
    size_t n_loaded;
    const Task **tasks;
    size_t n_tasks;
};

/* ---- context.c ---- */

/* Every function that is given a context starts with this: false if it is NULL or busy. */
bool api_begin(batt_context *context);
/* All return NULL, for `return api_...`. */
void *api_fault(batt_context *context, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void *api_fault_at(batt_context *context, int code, const char *file, uint32_t line, uint32_t column,
                   const char *text);
void *api_no_memory(batt_context *context);
/* Takes the text out of *out, which is empty then; NULL, with the fault set, if it is incomplete. */
char *api_text(batt_context *context, Out *out);

/* The canonical text of a program, made at the first call, in any thread; "" without memory. */
const char *api_program_text(_Atomic(char *) *text, const Program *program);

/* ---- arena.c ---- */

bool arena_list_add(ArenaList *arenas, Arena *arena); /* takes a reference; NULL is fine; false: no memory */
void arena_list_clear(ArenaList *arenas);
/* A handle for a value of the context's evaluation, or for one made of `borrowed`; NULL: no memory. copy:
 * nothing is shared, because something else (a program) owns part of it. */
batt_value *arena_make_handle(batt_context *context, Val value, bool copy);
/* A handle for a part of a value, which shares its arena. */
batt_value *arena_part(const batt_value *whole, Val part);
void arena_retain(Arena *arena); /* NULL is fine, here and in arena_release */
void arena_release(Arena *arena);
/* An arena without memory of its own, for something that functions from outside live in; NULL: no memory. */
Arena *arena_around(void *user, void (*drop)(void *user));
/* An arena of its own for a function from outside. */
batt_value *arena_host(batt_context *context, unsigned arity, HostFn call, void *host, void (*drop)(void *));

/* ---- evaluate.c ---- */

/* Notes the name of the primitive of one's own in which a value failed; returns the value. */
batt_value *api_failed_in(batt_value *value, const char *name);

uint32_t api_closure(batt_context *context); /* a number that no other closure has */
/* A handle for a constant of a program, which may be a primitive of one's own. NULL with the fault set. */
batt_value *api_named(batt_context *context, Val value);
/* The context evaluates between these two, beginning with empty scratch memory and a fresh budget. */
void api_evaluate(batt_context *context, int mode);
batt_value *api_evaluated(batt_context *context, Val value, bool copy);
/* An explanation as text of its own; frees `out`. NULL with the fault set. */
char *api_explained(batt_context *context, Out *out, bool good);

/* ---- tasks.c ---- */

const Task *api_task(batt_context *context, const batt_tasks *tasks, size_t k); /* NULL with the fault set */

#endif

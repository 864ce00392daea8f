/* Puts the example tasks and solver files into the library with the assembler's .incbin: no generated arrays
 * to compile, and no tool beyond the compiler. embedded_list.h (written by scripts/embed) names the files;
 * make rebuilds this object when one of them changes. */
#include "data/tasks/embedded.h"

#define BYTES_OF(symbol, path)                                                 \
    __asm__(".pushsection .rodata\n"                                           \
            ".globl " symbol "\n.hidden " symbol "\n.balign 16\n" symbol ":\n" \
            ".incbin \"" path "\"\n.byte 0\n.popsection\n");

#define TASK(index, name, path, size)       \
    BYTES_OF("embedded_task_" #index, path) \
    extern const char embedded_task_##index[];
#define SOLVER(index, name, path, size)       \
    BYTES_OF("embedded_solver_" #index, path) \
    extern const char embedded_solver_##index[];
#include "embedded_list.h"
#undef TASK
#undef SOLVER

/* Each table ends in an empty entry, so that it is an array even without files. */
static const EmbeddedFile tasks[] = {
#define TASK(index, name, path, size) {name, embedded_task_##index, size},
#define SOLVER(index, name, path, size)
#include "embedded_list.h"
#undef TASK
#undef SOLVER
    {NULL, NULL, 0}};

static const EmbeddedFile solvers[] = {
#define TASK(index, name, path, size)
#define SOLVER(index, name, path, size) {name, embedded_solver_##index, size},
#include "embedded_list.h"
#undef TASK
#undef SOLVER
    {NULL, NULL, 0}};

const EmbeddedFile *embedded_tasks(size_t *count) {
    *count = sizeof tasks / sizeof *tasks - 1;
    return tasks;
}

const EmbeddedFile *embedded_solvers(size_t *count) {
    *count = sizeof solvers / sizeof *solvers - 1;
    return solvers;
}

/* The start of the static binary: calls the build of batt for the best instruction set that this machine has.
 *
 * `make static` compiles batt once per level and makes all symbols of each local but its main, which gets a
 * name of its own. BATT_LEVEL=x86-64 (or another level) in the environment asks for a lower one, for tests
 * and for comparing speeds. */
#include <stdlib.h>
#include <string.h>

/* SQLite could load extensions, which batt never asks for; the linker, told to --wrap=dlopen, takes this. The
 * C library's function in a static binary would want that very library when it runs, of which the linker
 * warns. */
void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode) {
    (void)file, (void)mode;
    return NULL;
}

#ifdef HAVE_base
int batt_base(int argc, char **argv);

int main(int argc, char **argv) {
    return batt_base(argc, argv);
}
#else
int batt_x86_64(int argc, char **argv);
int batt_x86_64_v3(int argc, char **argv);
int batt_x86_64_v4(int argc, char **argv);

typedef struct Level {
    const char *name;
    int (*start)(int argc, char **argv);
} Level;

static const Level levels[] = {/* the best first */
                               {"x86-64-v4", batt_x86_64_v4},
                               {"x86-64-v3", batt_x86_64_v3},
                               {"x86-64", batt_x86_64}};
enum { LEVELS = sizeof levels / sizeof *levels };

/* By features: the compiler's names for whole levels are newer than the compilers we build with. */
static int best(void) {
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2");
    int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    return v4 ? 0 : v3 ? 1 : 2;
}

int main(int argc, char **argv) {
    const char *wanted = getenv("BATT_LEVEL");
    int level = best();
    for (int k = level; wanted != NULL && k < LEVELS; k++) /* never one that the machine does not have */
        level = strcmp(wanted, levels[k].name) == 0 ? k : level;
    return levels[level].start(argc, argv);
}
#endif

/* Launchers and the plugin; see launcher.h. */
#include "backends/ranks/launcher.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static uint32_t number_in(const char *name) {
    const char *text = getenv(name);
    char *end = NULL;
    errno = 0;
    unsigned long n = text != NULL ? strtoul(text, &end, 10) : 0;
    return text != NULL && end != text && *end == '\0' && errno == 0 && n <= UINT32_MAX ? (uint32_t)n : 0;
}

/* Slurm's variables alone prove nothing: a batch script has them too. srun launches ranks only if it also
 * gives them a way to find each other. */
Launcher launcher_look(void) {
    static const struct {
        const char *sign, *count;
    } known[] = {
        {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE"}, /* mpirun of Open MPI */
        {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},            /* srun --mpi=pmix */
        {"PMI_SIZE", "PMI_SIZE"},                         /* mpirun of MPICH and its kin */
        {"PMI_FD", "SLURM_STEP_NUM_TASKS"},               /* srun --mpi=pmi2 */
        {"PMI_RANK", "SLURM_STEP_NUM_TASKS"},
    };
    const char *wanted = getenv("BATT_RANKS");
    if (wanted != NULL && strcmp(wanted, "0") == 0) {
        return (Launcher){0};
    }
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (getenv(known[k].sign) != NULL) {
            return (Launcher){known[k].sign, number_in(known[k].count)};
        }
    }
    return (Launcher){0};
}

static const RanksTransport *load(const char *path, char why[RANKS_WHY_BYTES]) {
#ifdef BATT_NO_PLUGINS
    snprintf(why, RANKS_WHY_BYTES, "this batt is one static file and cannot load %.300s", path);
    return NULL;
#else
    /* Open MPI loads components of its own that expect its symbols to be global. */
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    const RanksTransport *transport = handle != NULL ? dlsym(handle, "batt_transport") : NULL;
    if (transport == NULL) {
        snprintf(why, RANKS_WHY_BYTES, "%s", dlerror());
    } else if (transport->version != RANKS_TRANSPORT_VERSION) {
        snprintf(why, RANKS_WHY_BYTES, "%.300s is of another version of batt", path);
        transport = NULL;
    }
    return transport;
#endif
}

const RanksTransport *launcher_transport(char why[RANKS_WHY_BYTES]) {
    static const char *const places[] = {"", "../lib/batt/"};
    char self[PATH_BYTES], path[PATH_BYTES + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL) {
        slash[1] = '\0';
    }
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        snprintf(path, sizeof path, "%s%sbatt-mpi.so", self, places[k]);
        if (access(path, F_OK) == 0) {
            return load(path, why);
        }
    }
    snprintf(why, RANKS_WHY_BYTES,
             "batt-mpi.so, which reaches the other ranks, is not beside batt or in ../lib/batt: build it "
             "with 'make MPI=1' (Debian: libopenmpi-dev)");
    return NULL;
}

/* Loads OpenCL; see cl.h. */
#include "backends/opencl/cl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef BATT_NO_PLUGINS
bool cl_load(Cl *cl, char *why, size_t room) {
    memset(cl, 0, sizeof *cl);
    snprintf(why, room, "this batt is one static file and cannot load libOpenCL.so.1");
    return false;
}
#else
bool cl_load(Cl *cl, char *why, size_t room) {
    memset(cl, 0, sizeof *cl);
    cl->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (cl->library == NULL) {
        const char *reason = dlerror();
        snprintf(why, room, "OpenCL is not installed (%.200s)", reason != NULL ? reason : "libOpenCL.so.1");
        return false;
    }
    const char *missing = NULL;
#define CL_FUNCTION(name, result, parameters)                                     \
    {                                                                             \
        void *found = dlsym(cl->library, "cl" #name);                             \
        memcpy(&cl->name, &found, sizeof found); /* ISO C has no cast for this */ \
        missing = found == NULL && missing == NULL ? "cl" #name : missing;        \
    }
#include "backends/opencl/cl_functions.def"
#undef CL_FUNCTION
    if (missing != NULL) {
        snprintf(why, room, "libOpenCL.so.1 is older than OpenCL 1.2: it has no %s", missing);
    }
    return missing == NULL;
}
#endif

const char *cl_error_name(int32_t code) {
    static const struct {
        int32_t code;
        const char *name;
    } names[] = {
        {CL_DEVICE_NOT_FOUND_, "device not found"},
        {CL_DEVICE_NOT_AVAILABLE_, "device not available"},
        {-3, "compiler not available"},
        {CL_OUT_OF_MEMORY_ON_DEVICE_, "no memory for the object"},
        {CL_OUT_OF_RESOURCES_, "out of resources"},
        {CL_OUT_OF_HOST_MEMORY_, "out of host memory"},
        {-11, "build failure"},
        {-30, "invalid value"},
        {-33, "invalid device"},
        {CL_INVALID_CONTEXT_, "invalid context"},
        {CL_INVALID_QUEUE_, "invalid queue"},
        {-38, "invalid memory object"},
        {-45, "invalid program executable"},
        {-46, "invalid kernel name"},
        {-48, "invalid kernel"},
        {-49, "invalid argument index"},
        {-51, "invalid argument size"},
        {-52, "invalid kernel arguments"},
        {-54, "invalid work-group size"},
        {-55, "invalid work-item size"},
        {-61, "invalid buffer size"},
        {CL_NO_PLATFORM_, "no driver is installed"},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (names[k].code == code) {
            return names[k].name;
        }
    }
    return "";
}

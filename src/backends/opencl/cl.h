/* The part of OpenCL 1.2 that batt uses, declared here, so that building needs neither its headers nor its
 * library.
 *
 * cl_functions.def lists the functions; cl_load looks them up in libOpenCL.so.1 when a device is asked for.
 */
#ifndef BATT_BACKENDS_DEVICES_CL_H
#define BATT_BACKENDS_DEVICES_CL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ClPlatformOf *ClPlatform;
typedef struct ClDeviceOf *ClDevice;
typedef struct ClContextOf *ClContext;
typedef struct ClQueueOf *ClQueue;
typedef struct ClMemOf *ClMem;
typedef struct ClProgramOf *ClProgram;
typedef struct ClKernelOf *ClKernel;
typedef struct ClEventOf *ClEvent;

/* Numbers of the standard. */
enum {
    CL_SUCCESS_ = 0,
    CL_DEVICE_NOT_FOUND_ = -1,
    CL_DEVICE_NOT_AVAILABLE_ = -2,
    CL_OUT_OF_MEMORY_ON_DEVICE_ = -4,
    CL_OUT_OF_RESOURCES_ = -5,
    CL_OUT_OF_HOST_MEMORY_ = -6,
    CL_INVALID_CONTEXT_ = -34,
    CL_INVALID_QUEUE_ = -36,
    CL_NO_PLATFORM_ = -1001, /* of the loader: no driver is installed */
};
enum { CL_TYPE_CPU_ = 2, CL_TYPE_GPU_ = 4 };
#define CL_TYPE_ALL_ UINT64_C(0xffffffff)
enum {
    CL_PLATFORM_VERSION_ = 0x0901,
    CL_PLATFORM_NAME_ = 0x0902,
    CL_DEVICE_TYPE_ = 0x1000,
    CL_DEVICE_UNITS_ = 0x1002,
    CL_DEVICE_MAX_GROUP_ = 0x1004,
    CL_DEVICE_MHZ_ = 0x100C,
    CL_DEVICE_MAX_ALLOC_ = 0x1010,
    CL_DEVICE_MEMORY_ = 0x101F,
    CL_DEVICE_LOCAL_MEMORY_ = 0x1023,
    CL_DEVICE_LITTLE_ENDIAN_ = 0x1026,
    CL_DEVICE_AVAILABLE_ = 0x1027,
    CL_DEVICE_COMPILER_ = 0x1028,
    CL_DEVICE_NAME_ = 0x102B,
    CL_DRIVER_VERSION_ = 0x102D,
    CL_DEVICE_VERSION_ = 0x102F,
    CL_MEM_READ_WRITE_ = 1,
    CL_BUILD_LOG_ = 0x1183,
    CL_KERNEL_MAX_GROUP_ = 0x11B0,
};

typedef struct Cl {
    void *library;
#define CL_FUNCTION(name, result, parameters) result(*name) parameters;
#include "backends/opencl/cl_functions.def"
#undef CL_FUNCTION
} Cl;

/* False: `why` says the reason. The library stays loaded until the process ends: drivers have threads and
 * exit handlers of their own, which do not survive its unloading. */
bool cl_load(Cl *cl, char *why, size_t room);
const char *cl_error_name(int32_t code); /* "out of resources"; "" for numbers that are not in the standard */

#endif

/* What all kernels share. OpenCL C 1.2; with cuda.h before it, CUDA; with tests/device/plain.h, C.
 *
 * Integers only. A work-group does one piece of work, its LANES work-items in turn take every LANES-th part of each
 * loop, and what they find is put together in a total order: so any number of lanes gives the same bytes. */
#ifndef LANES
#define LANES 64
#endif
#if LANES > 1
#define MEET() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define LANE ((uint)get_local_id(0))
#else /* one lane meets nobody */
#define MEET()
#define LANE 0u
#endif
#define GROUP ((uint)get_group_id(0))
#ifndef KERNEL
#define KERNEL kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))
#endif

#ifndef GLOBAL
#define GLOBAL global
#define LOCAL local  /* what is pointed to */
#define SHARED local /* what is defined */
#endif
#ifndef CELL
#define CELL char /* eight bits with a sign */
#endif

typedef struct Job { /* TableRow of device_queue.c; places count from the start of the device's memory */
    ulong block[4], args, result, scratch;
    uint number[10], first, groups;
} Job;

/* The job that a work-group belongs to; `first` ascends. */
static GLOBAL const Job *job_of(GLOBAL const uchar *mem, ulong table, uint jobs, uint group) {
    GLOBAL const Job *rows = (GLOBAL const Job *)(mem + table);
    uint low = 0, high = jobs;
    while (high - low > 1) {
        uint middle = (low + high) / 2;
        if (rows[middle].first <= group) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &rows[low];
}

/* The least of what the lanes have, for all of them. */
static ulong group_min(ulong mine, LOCAL ulong *room) {
    room[LANE] = mine;
    MEET();
    for (uint n = LANES / 2; n > 0; n /= 2) {
        if (LANE < n && room[LANE + n] < room[LANE]) {
            room[LANE] = room[LANE + n];
        }
        MEET();
    }
    mine = room[0];
    MEET();
    return mine;
}

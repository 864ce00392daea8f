/* Saves the input of a job on which a device and the CPU differ.
 *
 * The file is a line of text, which says what follows and how many bytes of it, and then those bytes:
 * the arguments, the blocks, the CPU's result, and the device's. docs/devices.md describes it. */
#include "backends/devices/backend_internal.h"
#include "base/alloc.h"
#include "base/out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t n) {
    size_t k = 0;
    while (k < n && a[k] == b[k]) {
        k++;
    }
    return k;
}

static void write_job(Out *out, const BackendJob *job, const char *device, const void *other) {
    out_fmt(out, "batt device difference, " OUT_MARK " " BATT_VERSION_TEXT ": op %s device \"%s\" numbers",
            backend_op_names[job->op->id], device);
    for (unsigned k = 0; k < BACKEND_NUMBERS; k++) {
        out_fmt(out, " %u", job->numbers[k]);
    }
    out_fmt(out, " args %zu blocks", job->arg_bytes);
    for (unsigned k = 0; k < BACKEND_MAX_BLOCKS; k++) {
        out_fmt(out, " %zu", job->blocks[k] != NULL ? job->blocks[k]->size : 0);
    }
    out_fmt(out, " results %zu\n", job->result_bytes);
    out_bytes(out, job->args, job->arg_bytes);
    for (unsigned k = 0; k < BACKEND_MAX_BLOCKS; k++) {
        if (job->blocks[k] != NULL) {
            out_bytes(out, job->blocks[k]->bytes, job->blocks[k]->size);
        }
    }
    out_bytes(out, job->result, job->result_bytes);
    out_bytes(out, other, job->result_bytes);
}

void backend_save_mismatch(Backend *b, const BackendJob *job, const char *device, const void *other,
                           char *text, size_t room) {
    Out out;
    char name[300], why[300] = MEM_NONE;
    bool saved = false;
    out_init(&out);
    write_job(&out, job, device, other);
    const char *folders[] = {".", getenv("TMPDIR"), "/tmp"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders && !saved && !out.failed; k++) {
        if (folders[k] != NULL) {
            snprintf(name, sizeof name, "%.200s/batt-device-%s-%ld-%llu.bin", folders[k],
                     backend_op_names[job->op->id], (long)getpid(), (unsigned long long)b->differences);
            saved = out_save(&out, name, why, sizeof why);
        }
    }
    out_free(&out);
    size_t at = first_difference(job->result, other, job->result_bytes);
    if (saved) {
        snprintf(text, room, "its result is wrong from byte %zu of %zu on; the job is kept in %s", at,
                 job->result_bytes, name);
    } else {
        snprintf(text, room, "its result is wrong from byte %zu of %zu on; the job cannot be kept: %s", at,
                 job->result_bytes, why);
    }
}

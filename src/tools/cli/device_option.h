/* --device for the commands that have bulk operations (backends/devices/backend.h).
 *
 *     typedef struct Options { ...; const char *device; } Options;
 *     DEVICE_OPTION(Options),                               in its table
 *
 *     Backend *accel = NULL;
 *     int code = device_attach(cli, opt->device, &accel);   EXIT_BAD: it cannot be had, which was said
 *     ... device_text(out, accel) or device_json(&json, accel) in the report ...
 *     return device_detach(cli, accel, code);               EXIT_SHORT if the device failed on the way */
#ifndef BATT_TOOLS_CLI_DEVICE_OPTION_H
#define BATT_TOOLS_CLI_DEVICE_OPTION_H

#include "backends/devices/backend.h"
#include "base/json.h"
#include "tools/cli/cli.h"

#define DEVICE_OPTION(T)                                                                                     \
    CLI_TEXT(                                                                                                \
        T, device, 0, "device", "WHERE", "cpu",                                                              \
        "who does bulk operations: cpu; auto, a GPU where it is faster, looked for after 10 s of processor " \
        "time or those of auto:SECONDS; opencl, opencl:N or opencl:N,M, these devices and nobody else; "     \
        "see batt devices")

/* `accel` stays NULL for cpu. */
int device_attach(Cli *cli, const char *text, Backend **backend);
/* Closes it. The exit code: `code`, or EXIT_SHORT after a message if a device that was asked for failed. */
int device_detach(const Cli *cli, Backend *backend, int code);
void device_text(struct Out *out, Backend *backend); /* a line of a summary; nothing for cpu */
void device_json(Json *json, Backend *backend);      /* "device": {..} */

#endif

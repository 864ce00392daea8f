/* --device for the commands that have batched operations (backends/devices/backend.h).
 *
 *     typedef struct Options { ...; const char *device; } Options;
 *     DEVICE_OPTION(Options),                               in its table
 *
 *     Backend *backend = NULL;
 *     int code = device_attach(cli, opt->device, &backend);   EXIT_BAD: not available, which was reported
 *     ... device_text(out, backend) or device_json(&json, backend) in the report ...
 *     return device_detach(cli, backend, code);               EXIT_SHORT if the device failed on the way */
#ifndef BATT_TOOLS_CLI_DEVICE_OPTION_H
#define BATT_TOOLS_CLI_DEVICE_OPTION_H

#include "backends/devices/backend.h"
#include "base/json.h"
#include "tools/cli/cli.h"

#define DEVICE_OPTION(T)                                                                                    \
    CLI_GROUP("devices"), CLI_TEXT(T, device, 0, "device", "WHERE", "cpu",                                  \
                                   "backend for batched operations: cpu; auto: a GPU where it is faster, "  \
                                   "queried after 10 s of CPU time (auto:SECONDS: after SECONDS); opencl, " \
                                   "opencl:N or opencl:N,M: exactly these devices; see batt devices")

/* `backend` stays NULL for cpu. */
int device_attach(Cli *cli, const char *text, Backend **backend);
/* Closes it. The exit code: `code`, or EXIT_SHORT after a message if a device that was asked for failed. */
int device_detach(const Cli *cli, Backend *backend, int code);
void device_text(struct Out *out, Backend *backend); /* a line of a summary; nothing for cpu */
void device_json(Json *json, Backend *backend);      /* "device": {..} */

#endif

/* The commands of the library (batt_command): those that need no web server, and do not measure batt itself.
 */
#include "tools/cli/cli.h"

#define BATT_LIBRARY_COMMANDS
#define COMMAND(name, group, summary) extern const CliCommand cmd_##name;
#include "tools/cli/commands.def"
#undef COMMAND

const CliEntry cli_commands[] = {
#define COMMAND(name, group, summary) {#name, group, summary, &cmd_##name},
#include "tools/cli/commands.def"
#undef COMMAND
    {NULL, NULL, NULL, NULL}};

/* The table of commands, of the rows of commands.def that whoever includes this wants. Included once by the
 * binary and once by the library. */
#ifndef BATT_TOOLS_CLI_COMMANDS_TABLE_H
#define BATT_TOOLS_CLI_COMMANDS_TABLE_H

#include "tools/cli/cli.h"

#define COMMAND(name, group, summary) extern const CliCommand cmd_##name;
#include "tools/cli/commands.def"
#undef COMMAND

const CliEntry cli_commands[] = {
#define COMMAND(name, group, summary) {#name, group, summary, &cmd_##name},
#include "tools/cli/commands.def"
#undef COMMAND
    {NULL, NULL, NULL, NULL}};

#endif

/* The commands of the binary: all of them. */
#include "tools/cli/cli.h"

#define COMMAND(name, group, summary) extern const CliCommand cmd_##name;
#include "tools/cli/commands.def"
#undef COMMAND

const CliEntry cli_commands[] = {
#define COMMAND(name, group, summary) {#name, group, summary, &cmd_##name},
#include "tools/cli/commands.def"
#undef COMMAND
    {NULL, NULL, NULL, NULL}};

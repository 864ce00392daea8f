/* --without PART, for commands that search. */
#ifndef BATT_CLI_PARTS_OPTION_H
#define BATT_CLI_PARTS_OPTION_H

#include "cli/cli.h"

/* Adds the parts of these names to a bit set; false after an error message. */
bool parts_without(const Cli *cli, const CliList *names, uint32_t *set);

#endif

/* The commands of the binary: all of them. */
#include "tools/cli/commands_table.h"

/* The commands of the library (batt_command): those that need no web server, and do not measure batt itself.
 */
#define BATT_LIBRARY_COMMANDS
#include "tools/cli/commands_table.h"

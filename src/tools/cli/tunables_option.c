/* Reads --set, and lists what can be set; see tunables_option.h. */
#include "tools/cli/tunables_option.h"

#include "tools/display/table.h"

bool tunables_read(const Cli *cli, const CliList *settings, Tunables *tunables) {
    char why[256];
    *tunables = tunables_default;
    for (size_t k = 0; k < settings->count; k++) {
        if (!tunables_set(tunables, settings->items[k], why, sizeof why)) {
            cli_error(cli, "--set %s", why);
            return false;
        }
    }
    return true;
}

void tunables_list(Out *out, const TermStyle *style) {
    Table table;
    table_begin(&table, "tunable", ">default", ">min", ">max", "meaning");
    for (const TunableRow *row = tunable_rows; row->name != NULL; row++) {
        table_colored(&table, term_attr(style, ATTR_NAME), row->name);
        table_fmt(&table, "%.10g", row->value);
        table_fmt(&table, "%.10g", row->min);
        table_fmt(&table, "%.10g", row->max);
        table_cell(&table, row->text);
    }
    table_write(&table, out, 0, style->color);
    table_free(&table);
}

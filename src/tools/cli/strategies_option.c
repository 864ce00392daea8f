/* Finds strategies of search by name, and lists them; see strategies_option.h. */
#include "tools/cli/strategies_option.h"

#include "search/schedule/strategies.h"
#include "tools/display/table.h"

#include <stdio.h>
#include <string.h>

bool strategies_without(const Cli *cli, const CliList *names, uint32_t *set) {
    char words[256] = "";
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        size_t at = strlen(words);
        snprintf(words + at, sizeof words - at, "%s%s", p ? "|" : "", strategy_names[p]);
    }
    for (size_t k = 0; k < names->count; k++) {
        int strategy = cli_word(cli, "strategy", names->items[k], words);
        if (strategy < 0) {
            return false;
        }
        *set |= 1u << strategy;
    }
    return true;
}

void strategies_list(Out *out, const TermStyle *style) {
    Table table;
    table_begin(&table, "strategy", ">max cells", "what it looks for");
    for (const StrategyRow *row = strategy_table; row < strategy_table + STRATEGY_COUNT; row++) {
        table_colored(&table, term_attr(style, ATTR_NAME), row->name);
        if (row->max_cells > 0) {
            table_fmt(&table, "%u", row->max_cells);
        } else {
            table_cell(&table, "any");
        }
        table_cell(&table, row->text);
    }
    table_write(&table, out, 0, style->color);
    table_free(&table);
}

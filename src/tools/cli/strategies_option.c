/* Finds strategies by name; see strategies_option.h. */
#include "tools/cli/strategies_option.h"

#include "search/schedule/search.h"

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

/* Finds parts of search by name; see parts_option.h. */
#include "tools/cli/parts_option.h"

#include "search/schedule/search.h"

#include <stdio.h>
#include <string.h>

bool parts_without(const Cli *cli, const CliList *names, uint32_t *set) {
    char words[256] = "";
    for (unsigned p = 0; p < PART_COUNT; p++) {
        size_t at = strlen(words);
        snprintf(words + at, sizeof words - at, "%s%s", p ? "|" : "", search_part_names[p]);
    }
    for (size_t k = 0; k < names->count; k++) {
        int part = cli_word(cli, "part", names->items[k], words);
        if (part < 0) {
            return false;
        }
        *set |= 1u << part;
    }
    return true;
}

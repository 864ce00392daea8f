# The house rules that a script can check: who includes whom, and what may not stand in the tree.
set -eu

order=(core dsl lang exec task evolve search store prof accel view cli)
bad=0
declare -A rank
for i in "${!order[@]}"; do rank[${order[$i]}]=$i; done

while IFS=: read -r file _ line; do
    folder=${file#src/}
    folder=${folder%%/*}
    target=$(sed -n 's|.*"\([a-z]*\)/.*|\1|p' <<<"$line")
    if [ -z "$target" ] || [ -z "${rank[$target]:-}" ]; then continue; fi
    if [ "${rank[$target]}" -gt "${rank[$folder]}" ]; then
        echo "$file includes $target/, which lies below $folder/: $line"
        bad=1
    fi
done < <(grep -rnE '^ *#include "' src)

# The heap is reached through core/alloc.h alone.
if grep -rnE '\b(malloc|calloc|realloc|strdup|strndup|free)\(' src --include='*.c' --include='*.h' |
    grep -v '^src/core/alloc\.' | grep -vE '^[^:]*:[0-9]*: *(/?\*|//)'; then
    echo "the heap is used past core/alloc.h"
    bad=1
fi

exit $bad

# The house rules that a script can check: who includes whom, and who may use the heap.
set -eu

order="core dsl prims features patterns stamps scenes lang exec ranks task net evolve search store prof display api serve cli"
order="core dsl prims features patterns stamps scenes lang exec accel ranks task net evolve search store prof display api serve cli"
bad=0

grep -rnE '^ *#include "[a-z]+/' src | awk -F '[/:"]' -v order="$order" '
    BEGIN { n = split(order, names, " "); for (i = 1; i <= n; i++) rank[names[i]] = i }
    {
        match($0, /#include "[a-z]+/)
        target = substr($0, RSTART + 10, RLENGTH - 10)
        if (rank[target] > rank[$2]) { print $0 ": " target "/ lies below " $2 "/"; bad = 1 }
    }
    END { exit bad }' || bad=1

# What others allocate for us (scandir, jansson) is theirs to define; what we allocate goes through core/alloc.h.
if grep -rnE '\b(malloc|calloc|realloc|strdup|strndup|asprintf)\(' src --include='*.c' --include='*.h' |
    grep -v '^src/core/alloc\.' | grep -vE '^[^:]*:[0-9]*: *(/?\*|//)'; then
    echo "the heap is used past core/alloc.h"
    bad=1
fi

# Files that comments send the reader to exist.
for name in $(grep -rhoE "\b(${order// /|})/[a-z_0-9]+\.(c|h|def)\b" src include | sort -u); do
    [ -e "src/$name" ] || { echo "src/$name is named and does not exist"; bad=1; }
done

# The drawing in the documentation is of these sources.
drawn=$(awk '/^<!-- end of layers -->/ { inside = 0 } inside && NF { print } /^<!-- layers:/ { inside = 1 }' docs/architecture.md)
if [ "$drawn" != "$(scripts/include-graph)" ]; then
    echo "docs/architecture.md draws other layers than the sources have: make docs"
    bad=1
fi

exit $bad

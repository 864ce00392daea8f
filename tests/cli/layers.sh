# The architecture rules that a script can check: which folder may include which, and which may use the heap.
set -eu

# A folder includes only itself and folders before it. docs/architecture.md explains the order.
order="base
    engine/value engine/primitives engine/language engine/arcdsl engine/features engine/patterns engine/stamps engine/scenes engine/eval
    data/tasks data/submission data/synth data/store
    backends/devices backends/opencl backends/ranks backends/plugins
    search/run search/net search/evolution search/schedule search/learning search/strategies search/session search/persistence
    tools/devices tools/profiler tools/display tools/api tools/serve tools/cli tools/bench"
order=$(echo $order)
bad=0

for folder in src/base src/*/*/; do
    folder=${folder#src/} folder=${folder%/}
    case " $order src/base " in
    *" $folder "*) ;;
    *) echo "src/$folder is in no layer of tests/cli/layers.sh"; bad=1 ;;
    esac
done

grep -rnE '^ *#include "[a-z]+/' src | awk -v order="$order" '
    function folder(path, words) {
        split(path, words, "/")
        return words[1] == "base" ? "base" : words[1] "/" words[2]
    }
    BEGIN { n = split(order, names, " "); for (i = 1; i <= n; i++) rank[names[i]] = i }
    {
        match($0, /#include "[^"]*/)
        target = folder(substr($0, RSTART + 10, RLENGTH - 10))
        from = folder(substr($0, 5))
        if (rank[target] > rank[from]) { print $0 ": " target "/ comes after " from "/"; bad = 1 }
    }
    END { exit bad }' || bad=1

# Strategies are given a Search, and see nothing of what the scheduler keeps: neither they nor what they include.
seen='search|strategies|candidates|intermediates|quota|seen|tunables'
if grep -rnE '#include "search/schedule/' src/search/strategies src/search/learning | grep -vE "/($seen)\.h\"" ||
    grep -nE '#include "search/schedule/.*\.h"' src/search/schedule/*.h | grep -E "^[^:]*/($seen)\.h:" | grep -vE "/($seen)\.h\""; then
    echo "a strategy sees more of the search than search/schedule/search.h"
    bad=1
fi

# What others allocate for us (scandir, jansson) is theirs to define; what we allocate goes through base/alloc.h.
if grep -rnE '\b(malloc|calloc|realloc|strdup|strndup|asprintf)\(' src --include='*.c' --include='*.h' |
    grep -vE '^src/(base/alloc\.|backends/plugins/)' | grep -vE '^[^:]*:[0-9]*: *(/?\*|//)'; then
    echo "the heap is used past base/alloc.h"
    bad=1
fi

# Files that comments send the reader to exist.
for name in $(grep -rhoE "\b(base|(engine|data|backends|search|tools)/[a-z]+)/[a-z_0-9]+\.(c|h|def)\b" src include | sort -u); do
    [ -e "src/$name" ] || { echo "src/$name is named and does not exist"; bad=1; }
done

# The drawing in the documentation is of these sources.
drawn=$(awk '/^<!-- end of layers -->/ { inside = 0 } inside && NF { print } /^<!-- layers:/ { inside = 1 }' docs/architecture.md)
if [ "$drawn" != "$(scripts/include-graph)" ]; then
    echo "docs/architecture.md draws other layers than the sources have: make docs"
    bad=1
fi

exit $bad

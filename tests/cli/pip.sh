#!/bin/bash
# pip install . from the root and from python/, with nothing but the compiler and without the network.
set -eu
. tests/words.sh
python=${PYTHON:-/usr/bin/python3}
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "installed once, from the release build"; exit 77; }
for module in pip setuptools wheel; do
    "$python" -c "import $module" 2>/dev/null || { echo "skipped: no $module for $python"; exit 77; }
done
[ -e "$BATT_BUILD/python/batt/_batt.abi3.so" ] || { echo "skipped: no header of Python (python3-dev)"; exit 77; }
for place in . ./python; do
    target=$TMP/installed$(echo "$place" | tr -cd a-z)
    BATT_BUILD=$BATT_BUILD "$python" -m pip install -q --no-build-isolation --no-deps --no-index --no-cache-dir \
        --target "$target" "$place" >"$TMP/log" 2>&1 || { tail -n 30 "$TMP/log"; fail "pip install $place"; }
    (cd "$TMP" && PYTHONPATH=$target "$python" -c '
import batt, batt.dsl
assert batt.__file__.startswith("'"$TMP"'"), batt.__file__
assert batt.dsl.vmirror(((1, 2),)) == ((2, 1),) and len(batt.load()) > 10
') || fail "what pip installed from $place does not work"
    find "$target/batt" -name '*.abi3.so' | grep -q . || fail "not built for the stable ABI"
    [ -e "$target/batt/py.typed" ] && [ -e "$target/batt/dsl/__init__.pyi" ] || fail "no type stubs"
done
rm -rf python/build python/batt.egg-info

#!/bin/bash
# pip install . from a checkout and from the source distribution, with nothing but the compiler and without the network.
set -eu
. tests/words.sh
python=${PYTHON:-/usr/bin/python3}
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "installed once, from the release build"; exit 77; }
for module in pip setuptools wheel; do
    "$python" -c "import $module" 2>/dev/null || { echo "skipped: no $module for $python"; exit 77; }
done
[ -e "$BATT_BUILD/python/batt/_batt.abi3.so" ] || { echo "skipped: no header of Python (python3-dev)"; exit 77; }
# The source distribution holds all that building it takes: it is unpacked where there is no checkout.
mkdir "$TMP/sdist"
"$python" -c 'import setuptools.build_meta as b, sys; b.build_sdist(sys.argv[1])' "$TMP/sdist" >"$TMP/log" 2>&1 || { tail -n 30 "$TMP/log"; fail "no sdist"; }
tar -xzf "$TMP"/sdist/batt-*.tar.gz -C "$TMP/sdist"
unpacked=$(find "$TMP/sdist" -mindepth 1 -maxdepth 1 -type d)
install() { # PLACE TARGET VARIABLE=VALUE...
    place=$1 target=$2
    shift 2
    env "$@" "$python" -m pip install -q --no-build-isolation --no-deps --no-index --no-cache-dir --target "$target" "$place" >"$TMP/log" 2>&1 ||
        { tail -n 30 "$TMP/log"; fail "pip install $place"; }
}
# From the checkout with the library of this build; from the sdist all of it, without optimization, because this is about packaging.
install . "$TMP/one" BATT_MARCH=native BATT_BUILD="$BATT_BUILD"
install "$unpacked" "$TMP/two" CFLAGS=-O0
for target in "$TMP/one" "$TMP/two"; do
    (cd "$TMP" && PYTHONPATH=$target "$python" -c '
import batt, batt.dsl
assert batt.__file__.startswith("'"$TMP"'"), batt.__file__
assert batt.dsl.vmirror(((1, 2),)) == ((2, 1),) and len(batt.load()) > 10
') || fail "what pip installed in $target does not work"
    find "$target/batt" -name '*.abi3.so' | grep -q . || fail "not built for the stable ABI"
    [ -e "$target/batt/py.typed" ] && [ -e "$target/batt/dsl/__init__.pyi" ] || fail "no type stubs"
done
rm -rf build/lib build/bdist.* build/temp.* python/batt.egg-info

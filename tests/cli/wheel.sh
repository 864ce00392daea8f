#!/bin/bash
# make wheel: built for other machines, judged by auditwheel, and at work in a fresh environment that has no compiler and none of
# the libraries' headers. Long, as it compiles the library anew: only where BATT_TEST_WHEEL is set, or the wheel is there already.
set -eu
. tests/words.sh
python=${PYTHON:-/usr/bin/python3}
[ -z "${BATT_TEST_QUICK:-}" ] || { echo "tested once, from the release build"; exit 77; }
"$python" -c 'import venv, ensurepip, wheel' 2>/dev/null || { echo "skipped: no venv or wheel for $python"; exit 77; }
wheel=$(ls "$BATT_BUILD"/wheel/*.whl 2>/dev/null | head -n 1)
if [ -n "${BATT_TEST_WHEEL:-}" ] || { [ -n "$wheel" ] && [ -n "$(find include src python -newer "$wheel" -name '*.[ch]' | head -n 1)" ]; }; then
    make -s BUILD="$BATT_BUILD" wheel >"$TMP/log" 2>&1 || { tail -n 20 "$TMP/log"; fail "make wheel"; }
    wheel=$(ls "$BATT_BUILD"/wheel/*.whl)
fi
[ -n "$wheel" ] || { echo "skipped: no wheel below $BATT_BUILD/wheel; make wheel, or set BATT_TEST_WHEEL=1"; exit 77; }
case $wheel in
*-cp311-abi3-manylinux_*_x86_64.whl) ;;
*) fail "not for the stable ABI of many Linuxes: $wheel" ;;
esac
"$python" -m venv "$TMP/fresh"
"$TMP/fresh/bin/pip" install -q --no-index --no-deps "$wheel"
# Nothing of the system's compilers can be found, and the extension needs the C library alone.
(cd "$TMP" && PATH=$TMP/fresh/bin "$TMP/fresh/bin/python" - <<'PYTHON'
import shutil, subprocess, batt, batt.dsl
assert shutil.which("cc") is None and shutil.which("gcc") is None
assert batt.has("store") and batt.has("png")
tasks = batt.load()
assert batt.run(batt.solvers(), tasks).solved == len(tasks)
found = batt.solve(tasks[:2], steps=3000, store="found.batt", progress=False)
assert len(found) == 2 and tasks[0].png().startswith(b"\x89PNG") and batt.dsl.vmirror(((1, 2),)) == ((2, 1),)
PYTHON
) || fail "the wheel does not work"
extension=$(find "$TMP/fresh" -name '_batt*.so')
! readelf -d "$extension" | grep -E 'NEEDED.*(sqlite|png|jansson|libz)' || fail "the wheel needs libraries of this machine"

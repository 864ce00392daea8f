#!/bin/bash
# make wheel: built for other machines, checked by auditwheel, and used in a fresh environment without a compiler; the
# extension needs only the C library. Compiled without optimization here, because the test is about packaging.
set -eu
. tests/words.sh
python=${PYTHON:-/usr/bin/python3}
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "tested once, from the release build"; exit 77; }
"$python" -c 'import venv, ensurepip, wheel' 2>/dev/null || { echo "skipped: no venv or wheel for $python"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: made for x86-64"; exit 77; }
folder=$BATT_BUILD/quick
status=0
CFLAGS=-O0 make -s BUILD="$folder" PYTHON="$python" wheel >"$TMP/log" 2>&1 || status=$?
if [ $status -ne 0 ] && grep -q 'no auditwheel' "$TMP/log"; then
    echo "skipped: no auditwheel, and none can be installed"
    exit 77
fi
[ $status -eq 0 ] || { tail -n 20 "$TMP/log"; fail "make wheel"; }
wheel=$(ls "$folder"/wheel/*.whl)
case $wheel in
*-cp310-abi3-manylinux_2_28_x86_64.whl) ;;
*) fail "not for Python 3.10 and up on glibc 2.28 and up: $wheel" ;;
esac

# auditwheel took no library in, and the extension needs the C library alone.
"$python" -m venv "$TMP/fresh"
"$TMP/fresh/bin/pip" install -q --no-index --no-deps "$wheel"
[ -z "$(find "$TMP/fresh" -name 'batt.libs')" ] || fail "the wheel carries shared libraries"
extension=$(find "$TMP/fresh" -name '_batt*.so')
for library in $(readelf -d "$extension" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
    case $library in
    libc.so.6 | libm.so.6 | libpthread.so.0 | ld-linux-x86-64.so.2) ;;
    *) fail "the wheel needs $library" ;;
    esac
done

# No compiler can be found, and everything works.
(cd "$TMP" && PATH=$TMP/fresh/bin "$TMP/fresh/bin/python" - <<'PYTHON'
import shutil, batt, batt.dsl
assert shutil.which("cc") is None and shutil.which("gcc") is None
assert batt.load()[0].png().startswith(b"\x89PNG")
tasks = batt.load()
assert batt.run(batt.solvers(), tasks).solved == len(tasks)
found = batt.solve(tasks[:2], steps=3000, store="found.batt", progress=False)
assert len(found) == 2 and tasks[0].png().startswith(b"\x89PNG") and batt.dsl.vmirror(((1, 2),)) == ((2, 1),)
PYTHON
) || fail "the wheel does not work"

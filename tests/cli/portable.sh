#!/bin/bash
# The portable binary (make portable): it needs the C library alone, of 2.28 or later, and loads OpenCL where it is.
# scripts/check-portable names the one with all levels of the instruction set, and a root of Debian 11 with glibc 2.31, in
# which the same is done as an ordinary user; else one is linked from what is built, and runs here.
set -u
. tests/words.sh
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "skipped: nothing to learn under a sanitizer"; exit 77; }
case $BATT_BUILD in /*) fakes=$BATT_BUILD/device ;; *) fakes=$PWD/$BATT_BUILD/device ;; esac
portable=${BATT_PORTABLE:-} root=${BATT_OLD_ROOT:-}
if [ -z "$portable" ]; then
    scripts/static --portable --here "$BATT_BUILD" "$TMP/portable" >"$TMP/make" 2>&1 || { cat "$TMP/make"; fail "scripts/static"; }
    ! grep -i 'warning' "$TMP/make" || fail "linking warns"
    portable=$TMP/portable
fi
needed=$(readelf -dW "$portable" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
[ "$needed" = "libc.so.6 libdl.so.2 libm.so.6 libpthread.so.0 " ] || fail "the portable binary wants $needed"
young=$(readelf -W --dyn-syms "$portable" | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | awk -F. '$2 > 31')
[ -z "$young" ] || fail "the portable binary wants $young"
hardened "$portable"
readelf -SW "$portable" | grep -q '\.symtab' && fail "the binary is not stripped"

# Where it runs: $run COMMAND..., with the binary and the fake OpenCL below $place.
work=$TMP/work place=$TMP/work
if [ -n "$root" ]; then
    work=$root/tmp/portable place=/tmp/portable
    rm -rf "$work"
fi
mkdir -p "$work/fake"
cp "$portable" "$work/batt"
[ -z "$root" ] || chown -R 65534:65534 "$work"
if [ -n "$root" ]; then # the fake library, too, with old names
    # shellcheck disable=SC2086 # CC may hold arguments
    "${PYTHON:-python3}" python/old_glibc.py ${CC:-cc} >"$TMP/names"
    objects=
    for object in "$BATT_BUILD"/obj/tests/device/*.o; do
        objcopy --redefine-syms="$TMP/names" "$object" "$TMP/$(basename "$object")"
        objects="$objects $TMP/$(basename "$object")"
    done
    # shellcheck disable=SC2086 # a list of files
    ${CC:-cc} -shared -o "$work/fake/libOpenCL.so.1" $objects
else
    cp "$fakes/libOpenCL.so.1" "$work/fake/"
fi
run() {
    if [ -n "$root" ]; then
        chroot --userspec=65534:65534 "$root" env HOME=/tmp "$@"
    else
        "$@"
    fi
}
fake() { run env FAKE_OPENCL_DEVICES=2 LD_LIBRARY_PATH="$place/fake" "$place/batt" "$@"; }

run "$place/batt" -V | grep -q '^batt ' || fail "the portable binary does not start"
run "$place/batt" run -q >"$TMP/out" || { cat "$TMP/out"; fail "the example tasks"; }
fake devices | grep -q '^opencl:1 *fake 1' || fail "the portable binary does not load OpenCL"
fake devices --selftest >"$TMP/out" || { cat "$TMP/out"; fail "the selftest"; }
answers() { # NAME COMMAND...: its answers
    "${@:2}" --json | python3 -c 'import json, sys; print([(r["id"], r.get("answers"), r.get("solved")) for r in json.load(sys.stdin)["results"]])' >"$TMP/$1"
}
for command in 'run --all' 'solve --steps 100000 -n 4 --without library'; do
    # shellcheck disable=SC2086 # several words
    {
        answers plain "$BATT" $command
        answers portable fake $command --device opencl:0,1
    }
    [ -s "$TMP/plain" ] || fail "batt $command says nothing"
    cmp "$TMP/plain" "$TMP/portable" || fail "batt $command answers otherwise"
done
[ -z "$root" ] || rm -rf "$work"
echo ok

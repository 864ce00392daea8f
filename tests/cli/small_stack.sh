# A process with a very small stack limit works like any other.
set -eu
. tests/words.sh
case ${BATT_BUILD:-} in
*asan*) echo 'skipped: the sanitizer itself needs a stack'; exit 77 ;;
esac
nested='power(rbind(compose, increment), 800)(increment)(0)'
limited() { # KIB ARGUMENTS...: without an environment, which is on the stack, too; where it is large, not even ls starts
    local kib=$1
    shift
    env -i bash -c 'ulimit -s "$0" && exec "$@"' "$kib" "$BATT" "$@"
}
for kib in 16 32 64 80 128 1024; do
    [ "$(limited $kib eval "$nested")" = 801 ] || fail "eval with $kib KiB"
    limited $kib run -j 2 --json >"$TMP/out" || fail "run with $kib KiB"
    grep -q '"tasks": 48' "$TMP/out" || fail "run with $kib KiB: $(head -c 300 "$TMP/out")"
    for command in 'show 8c5f9c65' 'trace 8c5f9c65' 'prims objects' 'profile batch' 'help' \
        "synth -n 2 -o $TMP/made$kib" 'solve --steps 20000 --id 8c5f9c65'; do
        status=0
        # shellcheck disable=SC2086 # words of a command
        limited $kib $command >"$TMP/out" 2>&1 || status=$?
        [ $status -le 1 ] || { tail -3 "$TMP/out"; fail "$command with $kib KiB: exit code $status"; }
    done
done

# Where a thread with a larger stack cannot be had, it says so.
status=0
(ulimit -s 64 && ulimit -v 12000 && exec "$BATT" eval '1') >"$TMP/out" 2>&1 || status=$?
case $(cat "$TMP/out") in
*'the stack limit is below'*) [ $status -eq 2 ] || fail "exit code $status without a stack" ;;
*'cannot'* | *'error while loading'*) ;; # not even the libraries fit
*) fail "no word about the stack: $(cat "$TMP/out")" ;;
esac

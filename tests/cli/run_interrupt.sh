# Ctrl-C: what was done is reported, as text and as JSON, and the exit code says that the run is not complete.
set -eu
. tests/words.sh
cd "$TMP"
# A program that takes its time, and whose work depends on the input. With all steps at once (--first-steps 0), a few
# hundred copies that differ take minutes.
cat >slow.py <<'PROGRAM'
def solve_slow(I):
    x1 = height(I)
    x2 = interval(x1, 900, ONE)
    x3 = product(x2, x2)
    x4 = apply(size, x3)
    x5 = merge(x3)
    x6 = size(x4)
    x7 = size(x5)
    x8 = add(x6, x7)
    O = canvas(x8, UNITY)
    return O
PROGRAM
for n in $(seq 300); do sed "s/slow/slow_$n/; s/900/$((600 + n))/" slow.py; done >many.py
interrupt() { # SIGNAL ARGUMENTS...: after half a second; later where a busy machine has done nothing by then
    local signal=$1 pid status wait
    shift
    for wait in 0.5 1 2 4; do
        status=0
        "$BATT" run --all --first-steps 0 -j 2 -s many.py "$@" >out 2>err &
        pid=$!
        sleep $wait
        kill -"$signal" $pid || fail "the run was over before it could be interrupted"
        wait $pid || status=$?
        if grep -qE '^interrupted after [1-9]|"id":' out; then break; fi
    done
    [ $status -eq 130 ] || { cat err; fail "exit code $status after $signal"; }
}
interrupt INT
grep -qE '^interrupted after [0-9]+ of 48 tasks' out || fail "nothing says that the run was interrupted"
grep -q '^samples ' out || fail "no summary"
interrupt INT --json --submission left.json --gallery left.html
python3 - <<'CHECK' || fail "the JSON of an interrupted run"
import json
r = json.load(open("out"))
assert r["interrupted"] and r["tasks"] == 48 and 0 < len(r["results"]) < 48, len(r["results"])
assert r["samples"] == 192
assert len(json.load(open("left.json"))) == 48
CHECK
grep -q '</html>' left.html || fail "the gallery is not complete"
interrupt TERM --json
python3 -c 'import json; assert json.load(open("out"))["interrupted"]' || fail "the JSON after SIGTERM"

#!/bin/bash
# The static binary, and docs/kaggle.md from upload to submission: in an empty folder as its root, as a user without rights.
# scripts/check-static names the one with all levels of the instruction set; else one is linked from what is built.
set -u
. tests/words.sh
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "skipped: nothing to learn under a sanitizer"; exit 77; }
static=${BATT_STATIC:-}
if [ -z "$static" ]; then
    scripts/static --here "$BATT_BUILD" "$TMP/static" >"$TMP/make" 2>&1 || { cat "$TMP/make"; fail "scripts/static"; }
    ! grep -i 'warning' "$TMP/make" || fail "linking warns"
    static=$TMP/static
fi
docs=$PWD/docs/kaggle.md
file "$static" 2>/dev/null | grep -q 'dynamically' && fail "the binary is not static"
readelf -lW "$static" | grep -q INTERP && fail "the binary wants a loader"
hardened "$static" static
readelf -SW "$static" | grep -q '\.symtab' && fail "the binary is not stripped"
bad 'the static binary has none' "$static" serve
[ "$(id -u)" -eq 0 ] || { echo "skipped: chroot needs root"; exit 77; }

# A root with nothing in it but the binary, the challenges and a place to write.
cd "$TMP" || exit 2
mkdir -p root/kaggle/input/batt root/kaggle/input/arc-prize-2025 root/kaggle/working
cp "$static" root/kaggle/input/batt/batt
"$BATT" synth -n 30 --seed 4 -o root/kaggle/input/arc-prize-2025/arc-agi_test_challenges.json >/dev/null || fail "no challenges"
python3 - <<'P'
import json
path = "root/kaggle/input/arc-prize-2025/arc-agi_test_challenges.json"
tasks = json.load(open(path))
json.dump({k: [t["output"] for t in v["test"]] for k, v in tasks.items()}, open("solutions.json", "w"))
for v in tasks.values():
    for t in v["test"]: del t["output"]
json.dump(tasks, open(path, "w"))
P
cp root/kaggle/input/batt/batt root/kaggle/working/batt && chmod 755 root/kaggle/working/batt # cell 1
nobody=65534:65534 # by number: an empty root has no list of users
chmod 711 "$TMP" root && chown -R $nobody root/kaggle/working
as_nobody() { chroot --userspec=$nobody root "$@"; }
as_nobody /kaggle/working/batt -V | grep -q '^batt ' || fail "the binary does not start in an empty root"

# Cell 2, as the document has it, with a shorter time.
line=$(sed -n '/batt solve --time 11h/,/challenges.json$/p' "$docs" | tr -d '\\\n' | sed 's/.*batt solve/solve/; s/--time 11h/--time 5s/')
[ -n "$line" ] || fail "docs/kaggle.md has no cell with batt solve"
line=${line//submission.json//kaggle/working/submission.json}
line=${line//found.batt//kaggle/working/found.batt}
start=$(date +%s%N)
status=0
# shellcheck disable=SC2086
as_nobody /kaggle/working/batt $line >out 2>err || status=$?
took=$((($(date +%s%N) - start) / 1000000))
[ $status -le 1 ] || { cat err; fail "exit code $status: batt $line"; }
! idle || [ $took -le 6500 ] || fail "five seconds took $took ms"
"$BATT" score root/kaggle/working/submission.json solutions.json >out || { cat out; fail "the form of the submission is wrong"; }
grep -qE 'outputs +[1-9][0-9]* of 30 right' out || { cat out; fail "nothing right in the submission"; }

# The levels give the same answers.
[ -n "${BATT_STATIC:-}" ] || { echo ok; exit 0; }
for level in x86-64 x86-64-v3 x86-64-v4; do
    BATT_LEVEL=$level "$static" solve --steps 300000 -n 6 --json --progress off |
        python3 -c 'import json, sys; print([(r["id"], r["answers"]) for r in json.load(sys.stdin)["results"]])' >$level.txt
    cmp -s x86-64.txt $level.txt || fail "$level answers otherwise"
done
echo ok

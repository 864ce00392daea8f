#!/bin/bash
# Scored collections of the Python pipeline: run finds the tasks in the paths and lists scores that changed; import
# keeps task, score and speed, names links that lead nowhere and counts doubles; import, export, import gives the same
# store.
set -eu

. tests/words.sh
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
dump() { # STORE: everything in it, in one order
    "$BATT" store export "$1"
    "$BATT" store records "$1" -n 0 --json
}
count() { sed -n "s/.*$1=\([0-9]*\).*/\1/p" "$TMP/counts"; }

files=${BATT_TEST_QUICK:+300}
mkdir "$TMP/there" "$TMP/back"
python3 tests/generate_python.py collection "$BATT" 3 "${files:-3000}" "$TMP/there" 8c5f9c65 92eac448 0badcafe >"$TMP/counts"
"$BATT" store import "$TMP/first.batt" "$TMP/there/solver_dir" "$TMP/there/differ_dir" --json >"$TMP/out" 2>"$TMP/err"
grep -q "\"records\": $(count links)," "$TMP/out" || fail "not $(count links) records: $(cat "$TMP/out")"
[ "$(grep -c 'solve_.*\.py"' "$TMP/out")" -eq "$(count dangling)" ] || fail "not $(count dangling) links that lead nowhere"
doubles=$(sed -n 's/.*"doubles": \([0-9]*\).*/\1/p' "$TMP/out")
[ "$doubles" -ge "$(count doubles)" ] || fail "$doubles doubles, and $(count doubles) were written"
wants 0 "broken links" "$BATT" store import "$TMP/again.batt" "$TMP/there/solver_dir" "$TMP/there/differ_dir"
[ "$(count dangling)" -eq 0 ] || grep -q 'broken link' "$TMP/err" || fail "no link is named"
[ "$(dump "$TMP/first.batt" | md5sum)" = "$(dump "$TMP/again.batt" | md5sum)" ] || fail "two imports differ"

"$BATT" store export "$TMP/first.batt" --layout solver_dir "$TMP/back" >"$TMP/out"
for kind in solver differ; do
    [ -n "$(find "$TMP/back/${kind}_dir" -type l)" ] || fail "no links in ${kind}_dir"
    [ -z "$(find "$TMP/back/${kind}_dir" -type l ! -exec test -e {} \; -print)" ] || fail "exported links that lead nowhere"
done
find "$TMP/back/solver_dir" -type l | grep -qE '/solver_dir/solve_8c5f9c65/[0-9]+/[0-9]+/[0-9a-f]{32}\.py$' || fail "another layout"
"$BATT" store import "$TMP/second.batt" "$TMP/back/solver_dir" "$TMP/back/differ_dir" >/dev/null
dump "$TMP/first.batt" >"$TMP/a"
dump "$TMP/second.batt" >"$TMP/b"
cmp "$TMP/a" "$TMP/b" || fail "import, export, import gives another store"
wants 0 sound "$BATT" store check "$TMP/second.batt"
"$BATT" store export "$TMP/first.batt" -o "$TMP/one.py" >/dev/null
"$BATT" store import "$TMP/third.batt" "$TMP/one.py" >/dev/null
dump "$TMP/third.batt" | cmp - "$TMP/a" || fail "the solver file of a store loses records"
"$BATT" store merge "$TMP/fourth.batt" "$TMP/first.batt" "$TMP/second.batt" >/dev/null
dump "$TMP/fourth.batt" | cmp - "$TMP/a" || fail "merging loses records"
"$BATT" store prune "$TMP/fourth.batt" -k 1 >/dev/null
dump "$TMP/fourth.batt" | cmp - "$TMP/a" || fail "pruning drops programs with records"
bad "exists; --force adds" "$BATT" store export "$TMP/first.batt" --layout solver_dir "$TMP/back"
"$BATT" store export "$TMP/first.batt" --layout solver_dir "$TMP/back" 8c5f9c65 --force >/dev/null
bad "writes folders" "$BATT" store export "$TMP/first.batt" --layout solver_dir
bad "does not apply" "$BATT" store import "$TMP/x.batt" --layout solver_dir "$TMP/there/solver_dir"

# What batt found itself goes there as well: 4 right samples, and the time.
cat >"$TMP/found.py" <<'END'
# result: task=0badcafe score=3000 train=3/3 test=1/1 guard=0/0 steps=5 time_ns=50000000 outputs=00000000000000ff
def solve_0badcafe(I):
    O = dmirror(I)
    return O
END
mkdir "$TMP/found"
"$BATT" store import "$TMP/found.batt" "$TMP/found.py" >/dev/null
"$BATT" store export "$TMP/found.batt" --layout solver_dir "$TMP/found" >/dev/null
[ -n "$(find "$TMP/found/solver_dir/solve_0badcafe/4000/13" -name "*.py")" ] || fail "$(find "$TMP/found")" # 11 - ln 0.05 = 13.99

# batt run: the task is in the path; parameters as old and new files have them.
mkdir -p "$TMP/c/solver_md5"
place() { # TASK SCORE MD5
    mkdir -p "$TMP/c/solver_dir/solve_$1/$2/10"
    ln -s "../../../../solver_md5/$3.py" "$TMP/c/solver_dir/solve_$1/$2/10/$3.py"
}
right='    x1 = f_ofcolor(I, FIVE)\n    x2 = product(x1, x1)\n    x3 = fork(connect, first, last)\n    x4 = apply(x3, x2)\n    x5 = mfilter_f(x4, hline_i)\n    O = underfill(I, EIGHT, x5)\n    return O\n'
for parameters in "S, I" "S, I, C" "S, I, C, log_path"; do
    printf "from dsl import *\n\n\ndef solve(%s):\n$right" "$parameters" >"$TMP/one.py"
    md5=$(md5sum <"$TMP/one.py" | cut -c1-32)
    mv "$TMP/one.py" "$TMP/c/solver_md5/$md5.py"
    place 8c5f9c65 4000 "$md5"
done
wants 0 "^on record   3 of 3 scores confirmed" "$BATT" run -s "$TMP/c/solver_dir" --id 8c5f9c65
printf 'from dsl import *\n\n\ndef solve_92eac448(I):\n    O = identity(I)\n    return O\n' >"$TMP/c/solver_md5/0123456789abcdef.py"
place 92eac448 4000 0123456789abcdef
place 8c5f9c65 3000 "$md5"
place 8c5f9c65 3999 "$md5"
place 8c5f9c65 4000 00000000000000000000000000000000
wants 1 "92eac448  solve_92eac448_01234567: recorded score 4000, now 0" "$BATT" run -s "$TMP/c/solver_dir" --id 8c5f9c65,92eac448
grep -q ": recorded score 3000, now 4000" "$TMP/out" || fail "a score that is too low is not listed"
grep -q ": recorded score 3999, now 4000" "$TMP/out" || fail "a score with a part from differs is not listed"
grep -q "on record   3 of 6 scores" "$TMP/out" || fail "$(cat "$TMP/out")"
grep -q "00000000000000000000000000000000.py: broken link" "$TMP/err" || fail "the link is not named"
"$BATT" run -s "$TMP/c/solver_dir" --id 92eac448 --json 2>/dev/null | grep -q '"recorded": 4000' || fail "no recorded score in JSON"
"$BATT" run -s "$TMP/c/solver_dir" --all -q --id 8c5f9c65 >/dev/null 2>&1 || fail "--all does not take a collection"

# Over I alone: arc-dsl's, unless it calls what only the dialect has.
printf 'def solve(I):\n    O = rot90(I)\n    return O\n' >"$TMP/c/solver_md5/plain.py"
printf 'def solve(I):\n    x1 = apply(p_g, I)\n    O = hmirror_t(I)\n    return O\n' >"$TMP/c/solver_md5/older.py"
place 0badcafe 10 plain
place 0badcafe 20 older
"$BATT" store import "$TMP/forms.batt" "$TMP/c/solver_dir/solve_0badcafe" >/dev/null
"$BATT" store export "$TMP/forms.batt" --mode core | grep -q 'O = rot90(I)' || fail "a plain solver is not arc-dsl's"
"$BATT" store export "$TMP/forms.batt" --mode batt | grep -q 'O = hmirror_t(I)' || fail "an older solver is not in the dialect"
wants 0 sound "$BATT" store check "$TMP/forms.batt"
rm -r "$TMP/c/solver_dir/solve_0badcafe"

# Folders that an export could not name are on no record.
for place in solve_.. solve_. solve_0badcafe; do
    mkdir -p "$TMP/odd/solver_dir/$place/4000/10"
    cp "$TMP/c/solver_md5/plain.py" "$TMP/odd/solver_dir/$place/4000/10"
done
"$BATT" store import "$TMP/odd.batt" "$TMP/odd/solver_dir" --json | grep -q '"records": 1,' || fail "odd names are on record"
"$BATT" store export "$TMP/odd.batt" --layout solver_dir "$TMP/odd_back" | grep -q 'links: 1,' || fail "an export stops at odd names"

# A file that cannot be read as a program: nothing is imported, and the file and line are named.
printf 'def solve(S, I):\n    O = rot9(I)\n    return O\n' >"$TMP/c/solver_md5/bad.py"
place 92eac448 1000 bad
bad "bad.py:2:9: error: unknown primitive 'rot9'" "$BATT" store import "$TMP/none.batt" "$TMP/c/solver_dir"
[ ! -e "$TMP/none.batt" ] || fail "a store was made"
wants 1 "collection: 6 scores" "$BATT" store import --partial "$TMP/none.batt" "$TMP/c/solver_dir"

# 100,000 files in at most 10 s.
if idle; then
    mkdir "$TMP/large"
    python3 tests/generate_python.py collection "$BATT" 7 100000 "$TMP/large" >/dev/null
    start=$(date +%s%N)
    "$BATT" store import "$TMP/large.batt" "$TMP/large/solver_dir" "$TMP/large/differ_dir" >/dev/null 2>&1
    ms=$((($(date +%s%N) - start) / 1000000))
    echo "100,000 files imported in $ms ms"
    [ $ms -le 10000 ] || fail "more than 10 s"
    rm -rf "$TMP/large"
fi

#!/bin/bash
# docs/from-python.md: every command on the page runs, in a folder with the files that it is about.
set -eu

. tests/words.sh
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
page=$PWD/docs/from-python.md
root=$PWD
mkdir "$TMP/home"
cd "$TMP/home"
mkdir -p data/training
python3 - <<'END'
import json
for n, task in enumerate(("0badcafe", "00c0ffee")):
    grids = [[[k, 2, 3 + n], [4, 5, k], [1, k, 9]] for k in range(5)]
    turn = (lambda g: [list(column) for column in zip(*g)]) if n == 0 else (lambda g: g[::-1])
    pairs = [{"input": g, "output": turn(g)} for g in grids]
    json.dump({"train": pairs[:4], "test": pairs[4:]}, open("data/training/%s.json" % task, "w"))
END
printf 'from dsl import *\ndef solve_0badcafe(S, I):\n    O = dmirror_t(I)\n    return O\ndef solve_00c0ffee(S, I, C):\n    x1 = hmirror_t(I)\n    O = identity(x1)\n    return O\n' >solvers.py
"$BATT" card --freeze -s solvers.py --scored --python batt.py >/dev/null
python3 "$root/tests/generate_python.py" collection "$BATT" 5 20 . 0badcafe 00c0ffee >/dev/null
# differs as they are in differ_dir: over S, I, C, with a pair as their result
rm -rf differ_dir/* differ_md5/*
mkdir -p differ_dir/solve_0badcafe/4000/10
printf 'from dsl import *\ndef differ(S, I, C):\n    x1 = difference_tuple(I, C)\n    x2 = size_t(x1)\n    x3 = multiply(x2, HUNDRED)\n    x4 = subtract(THOUSAND, x3)\n    O = astuple(x4, x2)\n    return O\n' >differ_md5/0123456789abcdef0123456789abcdef.py
ln -s ../../../../differ_md5/0123456789abcdef0123456789abcdef.py differ_dir/solve_0badcafe/4000/10/
mkdir -p solver_dir/solve_0badcafe/5000/12
printf 'from dsl import *\ndef solve(S, I):\n    O = dmirror_t(I)\n    return O\n' >solver_md5/fedcba9876543210.py
ln -s ../../../../solver_md5/fedcba9876543210.py solver_dir/solve_0badcafe/5000/12/
mkdir folder

PATH=$(dirname "$BATT"):$PATH
ln -s "$BATT" "$TMP/batt" 2>/dev/null || true
PATH=$TMP:$PATH
# Commands stand in the second column of the table and in indented lines.
{
    sed -n 's/^| .* | `\(batt [^`]*\)` |$/\1/p' "$page"
    sed -n 's/^ \{4,\}\(batt .*\)$/\1/p' "$page"
} >"$TMP/commands"
[ "$(wc -l <"$TMP/commands")" -ge 20 ] || fail "only $(wc -l <"$TMP/commands") commands on the page"
while IFS= read -r command; do
    status=0
    # shellcheck disable=SC2086
    $command >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
    [ $status -le 1 ] || { cat "$TMP/err"; fail "exit code $status: $command"; }
    [ -s "$TMP/out" ] || { cat "$TMP/err"; fail "no output: $command"; }
    case $command in
    "batt run --battery batt.py data/training") grep -q '2 of 2 solved' "$TMP/out" || fail "$command: $(cat "$TMP/out")" ;;
    "batt run -s solver_dir data/training") grep -q '0badcafe *solved' "$TMP/out" || fail "$command: $(cat "$TMP/out")" ;;
    "batt run -s solvers.py data/training") grep -q '2 of 2 solved' "$TMP/out" || fail "$command: $(cat "$TMP/out")" ;;
    "batt store records"*) grep -q '5000 *12 .*fedcba9876543210' "$TMP/out" || fail "$command: $(cat "$TMP/out")" ;;
    esac
done <"$TMP/commands"
[ -L folder/solver_dir/solve_0badcafe/5000/12/fedcba9876543210.py ] || fail "the export does not have the solver"
[ -s generated_call.py ] || fail "no _call module"
grep -q 'differ' scored.py || fail "no differs in the card"

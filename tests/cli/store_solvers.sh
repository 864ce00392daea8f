#!/bin/bash
# Solver files into a store and out again: the same bytes after the second time, and Python can load them.
set -eu
. tests/words.sh
cd "$TMP"
cat >first.py <<'PY'
from dsl import *
from constants import *


def solve_00d62c1b(I):
    x1 = objects(I, T, F, F)
    x2 = colorfilter(x1, ZERO)
    x3 = rbind(bordering, I)
    x4 = compose(flip, x3)
    x5 = mfilter(x2, x4)
    O = fill(I, FOUR, x5)
    return O


# result: task=74dd1130 score=4000 train=4/4 test=1/1 guard=8/8 steps=12 time_ns=345 outputs=00000000000000ff
# lineage: parents=0123456789abcdef0123456789abcdef mutation=replace hmirror by dmirror
def anything(I):
    O = dmirror(I)
    return O
PY
mkdir -p more/deep
printf 'def solve_ab(S, I, C):\n    O = canvas(BLACK, TWO_BY_TWO)\n    return O\n' >more/deep/x.py
printf 'not a solver file\n' >more/notes.txt
printf 'x1 = hmirror(I)\nO = vmirror(x1)\n' >more/bare.py

"$BATT" store import s.batt first.py more >out
grep -q '^files: 3, functions: 4, new programs: 4, results: 1$' out || fail "import said: $(cat out)"
"$BATT" store import s.batt first.py more --json | grep -q '"new_programs": 0' || fail "importing twice makes new programs"
"$BATT" store export s.batt >one.py
"$BATT" store import t.batt one.py >out
"$BATT" store export t.batt -o two.py >out
grep -q '^functions: 4, written to two.py$' out || fail "export said: $(cat out)"
cmp one.py two.py || fail "the round trip changed the file"
"$BATT" store check t.batt | grep -q '^sound$' || fail "not sound"
for part in 'def solve_00d62c1b(I):' 'def solve_74dd1130(I):' 'def solve_ab(S, I, C):' 'def solve_bare(I):' \
    '# lineage: parents=0123456789abcdef0123456789abcdef mutation=replace hmirror by dmirror'; do
    grep -qF "$part" one.py || fail "no '$part' in the export"
done

# Only the best: what arc-dsl's own loop over tasks expects.
"$BATT" store export s.batt -k 1 >best.py
[ "$(grep -c ^def best.py)" -eq 1 ] || fail "the best of one task is one function"

if command -v python3 >/dev/null; then # with stand-ins for arc-dsl: the text itself must be Python
    : >dsl.py
    : >constants.py
    python3 -c 'import one; assert callable(one.solve_00d62c1b) and callable(one.solve_ab)' || fail "Python cannot load it"
else
    echo "python3 is not installed: loading the export was not tried"
fi

# Errors: nothing is imported, unless the rest is asked for.
printf 'def solve_x(I):\n    O = hmirorr(I)\n    return O\ndef solve_y(I):\n    O = rot270(I)\n    return O\n' >bad.py
status=0
"$BATT" store import u.batt bad.py >out 2>&1 || status=$?
[ $status -eq 2 ] || fail "errors in a solver file: exit code $status"
grep -q 'bad.py:2:9: error' out || fail "no place in: $(cat out)"
[ ! -e u.batt ] || fail "a store was made though nothing was imported"
status=0
"$BATT" store import u.batt bad.py --partial >out 2>&1 || status=$?
[ $status -eq 1 ] || fail "--partial: exit code $status"
"$BATT" store stats u.batt --json | grep -q '"programs": 1' || fail "--partial did not import the rest"

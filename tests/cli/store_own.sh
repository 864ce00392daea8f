#!/bin/bash
# Programs in a store that use primitives which this process does not have: kept, shown, exported, and skipped where
# they would run, with a count.
set -eu
. tests/words.sh
cd "$TMP"
without='which this process does not have'

cat >given.py <<'END'
from dsl import *
from constants import *


# result: task=8c5f9c65 score=3000 train=3/3 test=1/1 guard=0/0 steps=12 time_ns=90 outputs=00000000000000aa
# primitives: put_first rare
# lineage: parents= mutation=by hand
def solve_8c5f9c65(I):
    x1 = put_first(I, THREE)
    x2 = lbind(rare, x1)
    O = x2(x1)
    return O


# result: task=8c5f9c65 score=1000 train=1/3 test=0/1 guard=0/0 steps=3 time_ns=90 outputs=00000000000000ab
# lineage: parents= mutation=by hand
def solve_8c5f9c65_2(I):
    O = vmirror(I)
    return O
END
says() { # COMMAND...: exit code 0, and which primitives are missing, once
    "$@" >out 2>err || fail "$*: $(cat err)"
    [ "$(grep -c "put_first, rare, $without" err)" -eq 1 ] || fail "$*: $(cat err)"
}

says "$BATT" store import own.batt given.py
grep -q '^files: 1, functions: 2, new programs: 2, results: 2$' out || fail "$(cat out)"
says "$BATT" store best own.batt
grep -q '^8c5f9c65  *1000.0 ' out || fail "$(cat out)"
says "$BATT" store best own.batt --text
grep -q '^    x2 = lbind(rare, x1)$' out || fail "$(cat out)"
says "$BATT" store list own.batt --json
[ "$(tr -d ' \n' <out | grep -c '"lacks":\["put_first","rare"\]')" -eq 1 ] || fail "$(cat out)"
says "$BATT" store export own.batt
sed 1d out | cmp - given.py || fail 'the export differs'
wants 0 '^sound$' "$BATT" store check own.batt
key=$("$BATT" store list own.batt --json 2>/dev/null | sed -n 's/.*"program": "\(.*\)",/\1/p' | head -n 1)
wants 0 'by hand' "$BATT" store lineage own.batt "$key"
wants 0 'new programs: 2' "$BATT" store merge merged.batt own.batt
wants 0 '^sound$' "$BATT" store check merged.batt

# Skipped where it would run.
skipped="1 program skipped: it uses put_first, rare, $without"
wants 0 "$skipped" "$BATT" learn --store own.batt -o idioms
"$BATT" evolve --store own.batt --generations 1 --id 8c5f9c65 >out 2>err || [ $? -eq 1 ] || fail "$(cat err)"
grep -q "$skipped" err || fail "$(cat err)"
cp merged.batt solve.batt
"$BATT" solve --store solve.batt --steps 2000 --id 8c5f9c65 >out 2>err || [ $? -eq 1 ] || fail "$(cat err)"
grep -q "$skipped" err || fail "$(cat err)"
"$BATT" store export merged.batt 2>/dev/null | sed 1d | cmp - given.py || fail 'lost in a merge'

# A name that the comments do not declare is a mistake.
sed '/^# primitives/s/rare/other/' given.py >wrong.py
bad "unknown name 'rare'" "$BATT" store import wrong.batt wrong.py
[ ! -e wrong.batt ] || fail 'a store with a part of the programs'
wants 1 "unknown primitive 'put_first'" "$BATT" run -s given.py --id 8c5f9c65

# Its text is checked like any other: a damaged one is found.
if sqlite3=$(command -v sqlite3); then
    "$sqlite3" merged.batt "update programs set text = replace(text, 'put_first', 'put_worst')"
    wants 1 'its text has another hash' "$BATT" store check merged.batt
fi

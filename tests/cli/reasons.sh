#!/bin/bash
# Reasons of failures: which argument was wrong and why; values are drawn by their type; verdicts appear only where
# something ran.
set -u
root=$PWD
. tests/words.sh
cd "$TMP" || exit 2
says() { # PATTERN COMMAND...
    local pattern=$1
    shift
    "$@" >out 2>&1
    grep -qE -- "$pattern" out || { cat out; fail "no '$pattern': $*"; }
}

says "type in fill, line 1: argument 1 'grid' is 3 \(int\), expected grid" "$BATT" eval 'fill(3, 4, 5)'
says 'arity in add, line 1: it wants 2 arguments \(a, b\) and is given 1' "$BATT" eval 'add(1)'
says 'arity in add, line 1: it wants 2 arguments \(a, b\); apply called it' "$BATT" eval 'apply(add, (1, 2))'
says 'empty in first, line 1: an empty container' "$BATT" eval 'first(())'
says "\"why\": \"argument 1 'grid' is 3 \(int\), expected grid\"" "$BATT" eval --json 'fill(3, 4, 5)'
printf 'def solve_fa2e3f8c(I):\n    x1 = first(I)\n    O = fill(x1, ZERO, THREE)\n    return O\n' >f.py
says "type in fill: argument 3 'patch' is 3 \(int\), expected patch \(fa2e3f8c, line 3\)" "$BATT" run -s f.py
says "failed: type in fill: argument 3 'patch' is 3 \(int\), expected patch" "$BATT" trace f.py fa2e3f8c
says "fill wants 'patch' to be patch, not int" "$BATT" lint f.py

# The README's own example: pairs of places are no grids of two rows.
"$BATT" trace 8c5f9c65 >out
grep -A1 'x2 = product(x1, x1)' out | grep -q '((1, 0), (1, 0))' || fail "places are not written as places"
! grep -A3 'x2 = product' out | grep -q 'grids' || fail "pairs of places are called grids"

# A gallery of tasks that nothing ran on has no verdicts; one of a run has.
"$BATT" show --gallery shown.html >/dev/null && ! grep -q '"status":"no program"' shown.html || fail "a verdict without a run"
"$BATT" run -q --gallery ran.html >/dev/null && grep -q '"status":"solved"' ran.html || fail "no verdict of a run"

# A store: short names, one scale.
"$BATT" solve -q -n 2 --steps 200000 --store s.batt >/dev/null
says '^0cd24527 +1000\.0 .* [0-9a-f]{8} *$' "$BATT" store best s.batt
says '^# 0cd24527: score 1000\.0 of 1000, 3 of 3 training pairs' "$BATT" store best s.batt --text

# A full disk says so.
mkdir small
if mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
    head -c 100k /dev/zero >small/filler 2>/dev/null
    status=0
    "$BATT" evolve -q -n 1 --generations 1 --store small/s.batt >out 2>&1 || status=$?
    umount small
    grep -q 'no space left' out || { cat out; fail "a full disk is not called full"; }
    ! grep -q 'cannot read' out || { cat out; fail "a full disk is called unreadable"; }
    [ $status -ne 0 ] || fail "exit code 0 on a full disk"
else
    echo "no right to mount: a full disk was not tried"
fi
cd "$root" || exit 2
echo ok

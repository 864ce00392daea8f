#!/bin/bash
# batt store import, killed at random moments: the store is as before or has the whole import, and is sound.
# (Writers that commit all the time are killed in the unit tests.)
set -eu
. tests/words.sh
cd "$TMP"
kills=15
[ -z "${BATT_TEST_QUICK:-}" ] || kills=3
awk 'BEGIN {
    split("vmirror hmirror dmirror cmirror rot90 rot180 rot270 trim compress tophalf", call, " ")
    for (n = 0; n < 10000; n++)
        printf "def f%d(I):\n    x1 = %s(I)\n    x2 = %s(x1)\n    x3 = %s(x2)\n    O = %s(x3)\n    return O\n", n,
            call[int(n / 1000) + 1], call[int(n / 100) % 10 + 1], call[int(n / 10) % 10 + 1], call[n % 10 + 1]
}' >large.py
printf 'def first(I):\n    O = identity(I)\n    return O\n' >small.py
# How long an import takes here, in milliseconds: the kills are spread over that time and a bit more.
start=$(date +%s%N)
"$BATT" store import s.batt small.py large.py >/dev/null
span=$((($(date +%s%N) - start) / 1000000 + 1))
whole=0 none=0
for _ in $(seq $kills); do
    rm -f s.batt s.batt-*
    "$BATT" store import s.batt small.py >/dev/null
    "$BATT" store import s.batt large.py >/dev/null &
    sleep "$(awk -v ms=$((RANDOM % (span + span / 2))) 'BEGIN { print ms / 1000 }')"
    kill -9 $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    "$BATT" store check s.batt >out || fail "after a kill: $(cat out)"
    programs=$("$BATT" store stats s.batt --json | sed -n 's/.*"programs": \([0-9]*\).*/\1/p')
    case $programs in
    1) none=$((none + 1)) ;;
    10001) whole=$((whole + 1)) ;;
    *) fail "a part of the import is there: $programs programs" ;;
    esac
done
echo "$kills kills: $none before the commit, $whole after it"

# Two imports at once.
rm -f s.batt s.batt-*
"$BATT" store import s.batt large.py >/dev/null &
"$BATT" store import s.batt small.py >/dev/null
wait $! || fail "one of two imports failed"
"$BATT" store stats s.batt --json | grep -q '"programs": 10001' || fail "two imports at once lost something"

#!/bin/bash
# A store of 100,000 programs: `best` answers in 50 ms from start to exit, whatever is asked.
set -eu
. tests/words.sh
needs_idle
cd "$TMP"
awk 'BEGIN {
    split("vmirror hmirror dmirror cmirror rot90 rot180 rot270 trim compress tophalf", call, " ")
    for (n = 0; n < 100000; n++) {
        printf "# result: task=%08x score=%d train=%d/3 test=0/1 guard=0/0 steps=%d time_ns=%d outputs=%016x\n",
            n % 400 * 10007, n * 7919 % 3001, n % 4, n % 97, n % 9973, n
        printf "def f(I):\n    x1 = %s(I)\n    x2 = %s(x1)\n    x3 = %s(x2)\n    x4 = %s(x3)\n    O = %s(x4)\n    return O\n",
            call[int(n / 10000) + 1], call[int(n / 1000) % 10 + 1], call[int(n / 100) % 10 + 1],
            call[int(n / 10) % 10 + 1], call[n % 10 + 1]
    }
}' >in.py
start=$(date +%s%N)
"$BATT" store import s.batt in.py >out
grep -q 'new programs: 100000, results: 100000' out || fail "import said: $(cat out)"
echo "import: $((($(date +%s%N) - start) / 1000000)) ms"

# The fastest of some tries; and where a busy machine gives us no 50 ms in one piece, the processor time counts.
fastest() { # ARGUMENTS...
    local wall=1000000 cpu=1000000 took
    TIMEFORMAT='%3R %3U %3S'
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        took=$({ time "$BATT" store "$@" >out; } 2>&1 | awk '{ print int($1 * 1000), int(($2 + $3) * 1000) }')
        [ "${took% *}" -ge "$wall" ] || wall=${took% *}
        [ "${took#* }" -ge "$cpu" ] || cpu=${took#* }
    done
    echo "batt store $*: $wall ms, processor $cpu ms, $(wc -l <out) lines"
    [ "$wall" -le 50 ] || [ "$cpu" -le 50 ] || fail "slower than 50 ms: batt store $*"
}
fastest best s.batt -k 1
fastest best s.batt 00027170 -k 10
fastest best s.batt --json -k 1
[ "$("$BATT" store best s.batt | wc -l)" -eq 401 ] || fail "one row for each of 400 tasks, and the heading"

#!/bin/bash
# Wall-clock limits of batt solve: --time holds for all tasks together, the submission exists at any moment, progress is
# printed without a terminal.
set -u
. tests/words.sh
cd "$TMP" || exit 2
"$BATT" solve --steps 100000 -n 2 -q --progress off >/dev/null 2>err
[ ! -s err ] || fail "--progress off is not silent"
for bad in "--time 0" "--time-per-task 0" "--time 5s --steps 10"; do
    status=0
    # shellcheck disable=SC2086
    "$BATT" solve $bad >/dev/null 2>&1 || status=$?
    [ $status -eq 2 ] || fail "$bad: exit code $status"
done
status=0
"$BATT" evolve --time 0 >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || fail "evolve --time 0: exit code $status"
idle || { echo "options are refused; times are judged on an idle machine (make check-idle)"; exit 0; }
answered() { python3 -c 'import json, sys; s = json.load(open(sys.argv[1])); print(len(s), sum(v[0]["attempt_1"] != [[0, 0], [0, 0]] for v in s.values()))' "$1"; }

start=$(date +%s%N)
status=0
"$BATT" solve --time 4s -q --without library --submission s.json >out 2>err || status=$?
took=$((($(date +%s%N) - start) / 1000000))
[ $status -le 1 ] || { cat err; fail "exit code $status"; }
[ $took -le 4500 ] || fail "--time 4s took $took ms"
read -r tasks some <<<"$(answered s.json)"
[ "$tasks" -eq 48 ] && [ "$some" -ge 10 ] || fail "$some answers to $tasks tasks in the submission"

# Four times as many workers as a small machine has processors: all tasks are reached all the same.
"$BATT" solve --time 4s -j 8 --max-memory 64M -q --submission many.json >out 2>err
read -r tasks some <<<"$(answered many.json)"
[ "$some" -ge 36 ] || { cat out; fail "--time 4s with 8 workers: $some answers to $tasks tasks"; }

# A search of one hour is killed: the last answers are there, and lines have told how far it was.
"$BATT" solve --time 1h -q -j 1 --without library --submission k.json >/dev/null 2>err &
pid=$!
for _ in $(seq 100); do
    sleep 0.1
    [ ! -s k.json ] || break
done
read -r tasks some <<<"$(answered k.json)"
[ "$tasks" -eq 48 ] || fail "no submission at the start"
for _ in $(seq 60); do
    sleep 1
    read -r _ some <<<"$(answered k.json)"
    [ "$some" -eq 0 ] || ! grep -q left err || break
done
kill -KILL $pid
wait $pid 2>/dev/null
[ "$some" -gt 0 ] || fail "no answer reached the file while the search went on"
grep -qE '^solving: [0-9]+ of 48 tasks.*, (5[0-9]m[0-9]+s|1h00m) left$' err || { cat err; fail "no plain line of progress"; }

"$BATT" evolve --time 12s -n 2 -q --progress plain 2>err >/dev/null
grep -qE 'generations.*[0-9]s left' err || { cat err; fail "evolve does not say how much time is left"; }
echo ok

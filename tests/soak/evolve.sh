#!/bin/bash
# Evolution for ten minutes (SOAK_TIME=seconds for another time): memory stays bounded, the store stays sound, and the
# run can be resumed. Prints the resident memory at each tenth of the time.
set -eu

time=${SOAK_TIME:-600}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$BATT" evolve --store "$folder/soak.batt" --time "${time}s" --seed 1 --json >"$folder/figures" &
pid=$!
first=0
last=0
for tenth in 1 2 3 4 5 6 7 8 9; do
    sleep "$(awk "BEGIN { print $time / 10 }")"
    last=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
    echo "after $((time * tenth / 10)) s: $((last / 1024)) MB resident"
    [ $tenth -ne 3 ] || first=$last
done
wait $pid
grep -E '"(solved|fits|generation|evaluations|evaluations_per_s)"' "$folder/figures"
"$BATT" store check "$folder/soak.batt"
"$BATT" evolve --store "$folder/soak.batt" --time 1s --seed 1 --json | grep -q '"resumed": true'
# Populations are of fixed size; what grows is the length of their programs, a little.
if [ $((last * 4)) -gt $((first * 5)) ]; then
    echo "memory grew from $first to $last kB" >&2
    exit 1
fi

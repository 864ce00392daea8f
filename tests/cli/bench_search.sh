#!/bin/bash
# batt bench search: the curve, what is saved and read back, what was gained and lost, choices of tasks, messages.
set -eu
. tests/words.sh
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "skipped: the same searches run once, from the release build"; exit 77; }
root=$PWD
cd "$TMP"
bench() { "$BATT" bench search "$@" 2>/dev/null; }
# Everything but times.
outcomes() { grep -E '^(set|run|task)' "$1" | awk -F'\t' -v OFS='\t' '$1 == "task" {$5 = $6 = ""} {print}'; }

# By steps the outcomes are the same on any number of threads, and more steps solve more.
for jobs in 1 4; do
    bench --steps 20000,200000 --sample 16 --seed 3 -j $jobs --save j$jobs.tsv >text$jobs
    outcomes j$jobs.tsv >o$jobs
done
cmp o1 o4 || fail 'outcomes depend on the number of threads'
[ "$(grep -c '^task' o1)" -eq 32 ] || fail 'not two runs of sixteen tasks'
grep -q '	+' o1 || fail 'nothing was right'
python3 - j1.tsv text1 <<'END' || fail 'the table does not say what the file holds'
import sys
runs = []
for line in open(sys.argv[1]):
    f = line.rstrip('\n').split('\t')
    if f[0] == 'run':
        runs.append([f[3], 0, 0, 0])
    if f[0] == 'task':
        for k in range(6, len(f), 3):
            for a in range(3):
                runs[-1][1 + a] += any(x[0] == '+' for x in f[k:k + a + 1])
told = [l.split() for l in open(sys.argv[2]) if l.startswith('examples') and len(l.split()) == 18]
told = [[t[1]] + [int(x) for x in t[5:8]] for t in told]
assert told == runs, (told, runs)
assert runs[1][2] > runs[0][2], runs
END

# It solves what batt solve solves.
bench --steps 100000 --json -j 2 >bench.json
"$BATT" solve --without library --steps 100000 --json -j 2 >solve.json || [ $? -eq 1 ]
python3 - bench.json solve.json <<'END' || fail 'batt solve solves something else'
import json, sys
b, s = (json.load(open(f)) for f in sys.argv[1:])
assert b['search'][0]['outputs_correct_by_attempt'] == s['outputs_correct_by_attempt'], (b['search'][0], s['outputs_correct_by_attempt'])
assert sum(h['outputs'] for h in b['search'][0]['halves']) == s['outputs']
END

# Gains and losses by id: a task that was wrong and one that was right in the old file.
gained=$(awk -F'\t' '$1 == "run" {n++} n == 2 && $1 == "task" && $7 ~ /^\+/ {print $2; exit}' j1.tsv)
lost=$(awk -F'\t' '$1 == "run" {n++} n == 2 && $1 == "task" && $7 !~ /^\+/ && $8 !~ /^\+/ {print $2; exit}' j1.tsv)
awk -F'\t' -v OFS='\t' -v g="$gained" -v l="$lost" '$1 == "task" && $2 == g {$7 = $8 = $9 = "."}
    $1 == "task" && $2 == l {$7 = "+cells:1.00:" $4} {print}' j1.tsv >old.tsv
wants 0 "gained:.* $gained" "$BATT" bench search --report j1.tsv --against old.tsv
wants 0 "lost:.* $lost" "$BATT" bench search --report j1.tsv --against old.tsv
wants 0 '^\| examples \| 200000 steps \| both \| 16 \|.*\| 1 \| 1 \| 1.000 \|$' "$BATT" bench search --report j1.tsv --against old.tsv
wants 0 '^\| examples \| 200000 steps \| both \| 16 \|.*\| 0 \| 0 \| 1.000 \|$' "$BATT" bench search --report j1.tsv --against j4.tsv
wants 0 "gained:.* $gained" "$BATT" bench search --steps 200000 --sample 16 --seed 3 --against old.tsv

# The outcomes that are kept in the tree can be reported and compared with.
wants 0 '^\| arc1-training \|' "$BATT" bench search --report "$root/bench/outcomes.tsv" --against "$root/bench/outcomes.tsv"

# Who found how many tasks, counted from the files: once for a task, over runs, tests and files, in halves.
sed 's/^\(set\|run\)\texamples/\1\tothers/' j1.tsv >others.tsv
"$BATT" bench search --report j1.tsv j4.tsv others.tsv >finders
"$BATT" bench search --report --json j1.tsv j4.tsv others.tsv >finders.json
python3 - j1.tsv finders finders.json <<'END' || fail 'finders are not those of the file'
import json, sys
found = {}
for line in open(sys.argv[1]):
    f = line.rstrip('\n').split('\t')
    for k in range(6, len(f), 3) if f[0] == 'task' else []:
        right = [x for x in f[k:k + 2] if x[0] == '+']
        if right:
            found.setdefault(right[0][1:].split(':')[0], set()).add((f[1], f[2]))
found = {who: [sum(h == x for _, h in tasks) for x in '12'] for who, tasks in found.items()}
lines = open(sys.argv[2]).read().split('| first found by | tasks | first half | second | examples | others |\n')[1]
told = {}
for line in lines.split('\n\n')[0].splitlines()[1:]:
    who, tasks, first, second, examples, others = line.strip('| ').split(' | ')
    told[who] = [int(x) for x in examples.split(' + ')]
    assert examples == others and [2 * x for x in told[who]] == [int(first), int(second)], line
    assert int(tasks) == int(first) + int(second), line
assert {who: x for who, x in told.items() if sum(x)} == found and found, (told, found)
data = json.load(open(sys.argv[3]))['first_found_by']
assert {who: x['sets']['others'] for who, x in data.items()} == told, data
assert all(x['halves'] == [2 * y for y in told[who]] and x['tasks'] == 2 * sum(told[who]) for who, x in data.items())
END

# What two runs of one build differ in; parts alone.
wants 0 'run 2 .* 0 +0 +1.000$' "$BATT" bench search --steps 20000 --sample 4 --repeat 2
wants 0 'only cells' "$BATT" bench search --steps 20000 --sample 8 --solo 50000 --save solo.tsv
wants 0 '^\| examples \|.*\| cells \|.*[0-9]+ \| [0-9]+ \|$' "$BATT" bench search --report solo.tsv
if bench --steps 20000 --sample 4 --without cells --json | grep -q '"cells": {"right": [1-9]'; then fail 'a part that is left out found something'; fi

wants 0 '--set trusted=30' "$BATT" bench search --steps 2000 --sample 1 --set trusted=30
wants 2 '--set' "$BATT" bench search --steps 2000 --set nosuch=1

# Choices: halves are those of the whole set, ids come from a file.
[ "$(bench --steps 1000 --half 1 --json | grep -c .)" -gt 0 ] || fail 'no half'
bench --steps 1000 --half 1 --save h1.tsv >/dev/null
bench --steps 1000 --half 2 --save h2.tsv >/dev/null
[ "$(grep -c '^task' h1.tsv)" -eq 24 ] && [ "$(grep -c '^task' h2.tsv)" -eq 24 ] || fail 'the halves are not halves'
[ "$(awk -F'\t' '$1 == "task" {print $2}' h1.tsv | tail -1)" \< "$(awk -F'\t' '$1 == "task" {print $2}' h2.tsv | head -1)" ] || fail 'the halves are not in order'
printf '# two of them\n%s %s # no more\n' "$gained" "$lost" >ids
bench --steps 1000 --ids ids --save two.tsv >/dev/null
[ "$(grep -c '^task' two.tsv)" -eq 2 ] || fail '--ids did not choose two'
echo nosuch >>ids
wants 2 'ids: no such task in the sets given: nosuch' "$BATT" bench search --steps 1000 --ids ids

# By time, with and without sharing; Ctrl-C keeps what was measured.
wants 0 'examples +0.01 s' "$BATT" bench search --budgets 10ms --sample 4 --own-time --save t.tsv
grep -q '	own	whole$' t.tsv || fail 'not by its own time'
"$BATT" bench search --budgets 100ms,20s --own-time -j 1 --save cut.tsv >cut.text 2>/dev/null &
pid=$!
for _ in $(seq 600); do
    if grep -q 'whole$' cut.tsv 2>/dev/null; then break; fi
    sleep 0.1
done
kill -INT $pid
got=0
wait $pid || got=$?
[ $got -eq 130 ] || fail "interrupted: exit code $got"
grep -q '20 s (cut)' cut.text || fail 'nothing is told about the run that was cut'
[ "$(awk '/^run/ {n++} n == 1 && /^task/' cut.tsv | wc -l)" -eq 48 ] || fail 'the first run was not kept'

# What is wrong is said.
wants 2 'a time such as 300ms' "$BATT" bench search --budgets 1s,quick
wants 2 'number of steps' "$BATT" bench search --steps 10,x
wants 2 'nosuch.tsv' "$BATT" bench search --report nosuch.tsv
wants 2 '--report needs files' "$BATT" bench search --report
wants 2 'two sets are named' "$BATT" bench search --steps 10 "$root/examples/tasks" "$root/examples/tasks/"
sed '12s/+[a-z]*:/+nobody:/;12s/	\.	/	nobody	/' j1.tsv >bad.tsv
cmp -s bad.tsv j1.tsv && fail 'the bad file is good'
wants 2 'bad.tsv:12: an answer is' "$BATT" bench search --report bad.tsv
sed '11s/^task\t\([^\t]*\)\t[12]/task\t\1\t0/' j1.tsv >bad.tsv
wants 2 'bad.tsv:11: a half is 1 or 2' "$BATT" bench search --report bad.tsv
echo hello >bad.tsv
wants 2 'bad.tsv:1: not a file written by batt bench search --save' "$BATT" bench search --report bad.tsv

#!/bin/bash
# batt card and batt run --battery: a frozen battery answers what its programs answer, the text is the same for the same
# seed and loads as an ordinary program, and a file that is no battery is rejected.
set -eu

. tests/words.sh
refused() { # refused MESSAGE ARGS...
    local message=$1 status=0
    shift
    "$BATT" "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
    [ $status -eq 2 ] || fail "exit code $status instead of 2: $*"
    grep -qF -- "$message" "$TMP/err" || fail "$* said: $(cat "$TMP/err")"
}
verdicts() { "$BATT" run "$@" --json -j 2 | grep -E '"(tasks_solved|samples_correct|samples|outputs_correct)"' || true; }

"$BATT" card --freeze -o "$TMP/all.py" --json >"$TMP/figures"
for key in programs calls_before calls_after sharing load_s generate_s phases wall_s unaccounted_s; do
    grep -q "\"$key\"" "$TMP/figures" || fail "no $key in the figures"
done
[ "$(grep -c '# output solve_' "$TMP/all.py")" -ge 40 ] || fail "fewer than 40 outputs are marked"
"$BATT" lint "$TMP/all.py" >/dev/null || fail "the battery is no ordinary program"

[ -n "$(verdicts --all)" ] || fail "batt run --json has other keys"
[ "$(verdicts --all)" = "$(verdicts --battery "$TMP/all.py")" ] || fail "the battery has other verdicts"
[ "$(verdicts --all)" = "$(verdicts --battery "$TMP/all.py" --no-share)" ] || fail "merging changes verdicts"

# Two names for one output, and results that are no calls.
cat >"$TMP/odd.py" <<'END'
def solve_same(I):
    return I
def solve_first(I):
    x1 = rot90(I)
    O = rot90(x1)
    return O
def solve_second(I):
    x7 = rot90(I)
    x8 = rot90(x7)
    return x8
def solve_dialect(S, I, C):
    O = hmirror_t(I)
    return O
END
"$BATT" card --freeze -s "$TMP/odd.py" -o "$TMP/odd_battery.py" >"$TMP/out"
grep -q '^5 calls, 3 after merging' "$TMP/out" || fail "$(cat "$TMP/out")"
grep -qE '# output solve_(first; solve_second|second; solve_first)' "$TMP/odd_battery.py" || fail "$(cat "$TMP/odd_battery.py")"
grep -q 'identity(I)  # output solve_same' "$TMP/odd_battery.py" || fail "a result that is no call has no line"
grep -q '^def batt_samples(S, I, C):' "$TMP/odd_battery.py" || fail "no function for the dialect"
"$BATT" run --battery "$TMP/odd_battery.py" -q >/dev/null || [ $? -eq 1 ] || fail "the odd battery does not run"

# The seed decides.
"$BATT" card -n 32 --seed 5 -o "$TMP/a.py" >/dev/null
"$BATT" card -n 32 --seed 5 -o "$TMP/b.py" >/dev/null
"$BATT" card -n 32 --seed 6 -o "$TMP/c.py" >/dev/null
cmp "$TMP/a.py" "$TMP/b.py" || fail "equal seeds, different batteries"
! cmp -s "$TMP/a.py" "$TMP/c.py" || fail "different seeds, equal batteries"
grep -qE '# output solve_[0-9a-f]+: [a-z]+' "$TMP/a.py" || fail "nothing was mutated"
"$BATT" run --battery "$TMP/a.py" -q >/dev/null || [ $? -eq 1 ] || fail "a mutated battery does not run"

printf 'def batt(I):\n    x1 = rot90(I)\n    return x1\n' >"$TMP/none.py"
refused "no line is marked as an output" run --battery "$TMP/none.py"
printf 'def batt(I):\n    x1 = rot90(I)  # output ?\n    return x1\n' >"$TMP/nameless.py"
refused "names a program" run --battery "$TMP/nameless.py"
printf 'def batt(I):\n    x1 = rot9(I)  # output a\n    return x1\n' >"$TMP/wrong.py"
refused "rot9" run --battery "$TMP/wrong.py"
printf 'def batt(I):\n    x1 = rot90(I)\n    return x1  # output a\n' >"$TMP/elsewhere.py"
refused "no value" run --battery "$TMP/elsewhere.py"
printf 'def batt(I):\n    try:\n        x1 = rot90(I)\n    except Exception:\n        x1 = I\n    x2 = rot90(x1)  # output a\n    return x2\n' >"$TMP/caught.py"
refused "caught.py:2:5: error: 'try' is not part of the language: keep the call alone, and drop this line" run --battery "$TMP/caught.py"
refused "No such file" run --battery "$TMP/missing.py"
refused "-o" card --json
refused "--battery cannot be combined with" run --battery "$TMP/a.py" -s "$TMP/odd.py"

# Equal calls are one call, in whatever order programs make their closures.
printf 'def solve_a(I):\n    x1 = lbind(lbind, shift)\n    x2 = compose(size, first)\n    x3 = partition(I)\n    x4 = apply(x1, x3)\n    x5 = apply(x2, x3)\n    O = size(x5)\n    return O\n' >"$TMP/orders.py"
printf 'def solve_b(I):\n    x2 = compose(size, first)\n    x1 = lbind(lbind, shift)\n    x3 = partition(I)\n    x4 = apply(x1, x3)\n    x5 = rapply(x4, ORIGIN)\n    x6 = apply(x2, x3)\n    x7 = size(x6)\n    x8 = merge(x5)\n    x9 = paint(I, x8)\n    O = fill(x9, x7, x8)\n    return O\n' >>"$TMP/orders.py"
for solvers in "$TMP/orders.py" solvers/found; do
    "$BATT" card --freeze -s "$solvers" -o "$TMP/merged.py" >/dev/null
    twice=$(sed -n 's/^ *x[0-9]* = //p' "$TMP/merged.py" | sed 's/ *#.*//' | sort | uniq -d)
    [ -z "$twice" ] || fail "calls that stand twice in a battery: $twice"
done

# Differs in a battery: answers are scored, with any number of threads, and the nearest program stands for a task.
"$BATT" card --scored -n 16 -o "$TMP/scored.py" >"$TMP/out"
grep -q 'and 6 differs' "$TMP/out" || fail "$(cat "$TMP/out")"
grep -q '^def batt_differs(S, I, C):' "$TMP/scored.py" || fail "no function for the differs"
[ "$(grep -c '# differ differ_' "$TMP/scored.py")" -eq 6 ] || fail "$(grep differ "$TMP/scored.py")"
for jobs in 1 3; do
    { "$BATT" run --battery "$TMP/scored.py" -j $jobs --json || [ $? -eq 1 ]; } | grep -E '"(id|program|solved|score)":' >"$TMP/$jobs.json"
done
cmp "$TMP/1.json" "$TMP/3.json" || fail "threads change scores"
grep -q '"score": 1000' "$TMP/1.json" || fail "no exact answer scores 1000"
grep -qE '"score": [1-9][0-9]{1,2},' "$TMP/1.json" || fail "no answer is near"
"$BATT" run --battery "$TMP/scored.py" 2>/dev/null >"$TMP/out" || [ $? -eq 1 ]
grep -q 'score  nearest' "$TMP/out" || fail "the report has no scores: $(head -3 "$TMP/out")"
# Only the battery's own differs count: one that gives 7 to everything gives every wrong answer 7.
cat >"$TMP/seven.py" <<'END'
def batt(I):
    x1 = rot90(I)  # output solve_turned
    O = (x1,)
    return O


def batt_differs(S, I, C):
    x1 = identity(SEVEN)  # differ seven
    O = (x1,)
    return O
END
"$BATT" run --battery "$TMP/seven.py" --json -n 5 >"$TMP/out" 2>/dev/null || [ $? -eq 1 ]
grep -q '"score": 7,' "$TMP/out" || fail "$(grep score "$TMP/out")"
sed 's/(S, I, C)/(I)/' "$TMP/seven.py" >"$TMP/bad_differ.py"
refused "a differ has the parameters (S, I, C); seven does not" run --battery "$TMP/bad_differ.py"
refused "a differ has the parameters" card --differs "$TMP/odd.py"
"$BATT" profile batch --battery "$TMP/scored.py" -n 3 >/dev/null 2>"$TMP/err" || [ $? -eq 1 ]
grep -q 'differs of the battery are not profiled' "$TMP/err" || fail "$(cat "$TMP/err")"

# Threads change nothing; a profile is of one.
"$BATT" card -s solvers/found --seed 3 -j 1 -o "$TMP/one.py" >/dev/null
"$BATT" card -s solvers/found --seed 3 -j 4 -o "$TMP/four.py" >/dev/null
cmp "$TMP/one.py" "$TMP/four.py" || fail "threads change the battery"
refused "cannot be combined with -j" card --profile timing -j 2

# With a store nothing is done twice, until sources or options change.
mkdir "$TMP/sources"
cp "$TMP/orders.py" "$TMP/sources/a.py"
unchanged() { # unchanged true|false [OPTION...]
    wanted=$1
    shift
    "$BATT" card -s "$TMP/sources" --store "$TMP/cards.batt" -o "$TMP/kept.py" --json "$@" >"$TMP/out" || fail "card --store"
    grep -q "\"unchanged\": $wanted" "$TMP/out" || fail "unchanged is not $wanted: $(cat "$TMP/out")"
}
unchanged false
cp "$TMP/kept.py" "$TMP/before.py"
unchanged true
cmp "$TMP/kept.py" "$TMP/before.py" || fail "the store gives another battery"
unchanged false --seed 2
unchanged true --seed 2
unchanged false --scored
cp "$TMP/odd.py" "$TMP/sources/b.py"
unchanged false
unchanged true
"$BATT" store check "$TMP/cards.batt" >/dev/null || fail "the store with cards is not sound"

# ---- more programs than two levels of tuples hold (200 x 200): once a buffer overflowed ----
awk 'BEGIN { for (n = 0; n < 40500; n++) printf "def many_%d(I):\n    O = canvas(%d, UNITY)\n    return O\n", n, n % 900 }' >"$TMP/forty.py"
"$BATT" card --freeze -s "$TMP/forty.py" -o "$TMP/forty_card.py" >"$TMP/out" || fail "a card of 40500 programs"
grep -q '^40500 programs' "$TMP/out" || fail "programs are missing: $(cat "$TMP/out")"
"$BATT" run -q --battery "$TMP/forty_card.py" --id 8c5f9c65 >"$TMP/out" 2>&1 || [ $? -eq 1 ] || fail "the card cannot be run: $(cat "$TMP/out")"

#!/bin/bash
# Output files: checked before the work begins, never replacing an input or a file that batt did not write, rescued at
# the end.
set -u
. tests/words.sh
cd "$TMP" || exit 2
refused() { # PATTERN COMMAND...: exit code 2, and the message says so
    local pattern=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    [ $status -eq 2 ] || { cat err; fail "exit code $status, not 2: $*"; }
    grep -qE "$pattern" err || { cat err; fail "no '$pattern': $*"; }
}

# ---- files of others stay ----
printf 'def solve_mine(I):\n    O = rot90(I)\n    return O\n' >mine.py
cp mine.py kept.py
refused "unknown option '-s'" "$BATT" synth -n 2 -o made -s mine.py
refused 'not written by batt; --force' "$BATT" synth -n 2 -o made --solvers-out mine.py
refused 'not written by batt; --force' "$BATT" card --freeze -n 2 -o mine.py
refused 'not written by batt; --force' "$BATT" learn -o mine.py
refused 'not written by batt; --force' "$BATT" run -q --submission mine.py
refused 'not written by batt; --force' "$BATT" run -q --gallery mine.py
refused 'not written by batt; --force' "$BATT" show --svg mine.py 92eac448
refused 'not written by batt; --force' "$BATT" show --png mine.py 92eac448
refused 'not written by batt; --force' "$BATT" trace --html mine.py 92eac448
refused 'not written by batt; --force' "$BATT" run -q --profile timing --profile-out mine.py
cp mine.py mine.json
refused 'not written by batt; --force' "$BATT" profile batch --repeat 1 -o mine.json
mkdir others && cp mine.py others/
refused 'not written by batt; --force' "$BATT" synth -n 2 -o others
refused 'not written by batt; --force' "$BATT" solve -n 1 --steps 1000 --found others
cmp -s mine.py kept.py && cmp -s others/mine.py kept.py || fail "a file was written over"
[ ! -e made ] || fail "work began before the files were looked at"
"$BATT" card --freeze -n 2 -o mine.py --force >/dev/null || fail "--force does not replace"
grep -q 'written by batt card' mine.py || fail "--force left the file as it was"

# ---- its own files are replaced, whatever their kind ----
again() { # COMMAND...: twice
    local status
    for _ in 1 2; do
        status=0
        "$@" >out 2>err || status=$?
        [ $status -le 1 ] || { cat err; fail "does not know its own file: $*"; }
    done
}
again "$BATT" synth -n 2 -o made --solvers-out made.py
again "$BATT" synth -n 2 -o many.json
again "$BATT" card --freeze -n 2 -o battery.py
again "$BATT" learn -o steps.txt
again "$BATT" run -q --submission s.json --gallery g.html
again "$BATT" show --svg t.svg --png t.png 92eac448
again "$BATT" trace --html t.html 92eac448
again "$BATT" solve -n 1 --steps 200000 --found found --submission s2.json
for kind in p.json p.csv p.folded p.collapsedstack.txt p.speedscope.json p.callgrind p.html; do
    again "$BATT" profile batch --repeat 1 -n 2 -o $kind
done
again "$BATT" run -q -n 2 --profile trace --profile-out p.trace.json
"$BATT" store import f.batt made.py >/dev/null || fail "no store"
again "$BATT" store export f.batt -o export.py

# ---- no output is an input, not even with --force, by another name either ----
printf '{"train":[{"input":[[1]],"output":[[1]]}],"test":[{"input":[[1]]}]}' >task.json
ln -s task.json link.json
cp battery.py b.py
refused '[-]-submission would overwrite an input .an argument' "$BATT" run --force -q -s made.py --submission task.json task.json
refused 'would overwrite an input' "$BATT" run --force -q -s made.py --submission link.json task.json
refused 'would overwrite an input' "$BATT" card --force -s b.py -o b.py
refused 'would overwrite an input' "$BATT" solve --force -n 1 --steps 9 -s found --found found
refused 'would be written twice' "$BATT" show --svg new --png new 92eac448

# ---- errors come early ----
for option in "--submission /nonexistent/x.json" "--submission ." "--found /nonexistent/a/b" "--store /nonexistent/x"; do
    # shellcheck disable=SC2086
    refused 'cannot be written' timeout 20 "$BATT" solve --time-per-task 60s $option
    [ ! -s out ] || fail "solve worked before it looked at $option"
done
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod 555 locked
    refused 'cannot be written: Permission denied' "$BATT" run -q --gallery locked/g.html
fi

# ---- what fails at the end is rescued: the folder goes away while the command works ----
mkdir gone
mkfifo pipe
"$BATT" run -q --submission gone/s.json pipe -s made.py >out 2>err &
pid=$!
exec 3>pipe
rmdir gone
cat many.json >&3
exec 3>&-
status=0
wait $pid || status=$?
[ $status -eq 1 ] || { cat err; fail "a lost file ends with $status"; }
grep -q 'saved to ./rescued-s.json' err || { cat err; fail "no word about the rescue"; }
grep -q attempt_1 rescued-s.json || fail "nothing rescued"

# ---- temporary files of a killed process go with the next run that writes the name, others stay ----
sh -c 'exit 0' &
gone=$!
wait $gone
mkdir tidy
for name in t.svg."$gone"-0.tmp t.svg."$gone"-12.tmp t.svg.$$-0.tmp t.svg."$gone"-0.tmpx t.svg."$gone".tmp other.svg."$gone"-0.tmp; do
    echo half >tidy/"$name"
    touch -d '2 minutes ago' tidy/"$name"
done
echo half >tidy/t.svg."$gone"-1.tmp # not old
"$BATT" show --svg tidy/t.svg 92eac448 >/dev/null || fail "show beside temporary files"
[ ! -e tidy/t.svg.$gone-0.tmp ] && [ ! -e tidy/t.svg.$gone-12.tmp ] && [ "$(ls tidy | wc -l)" -eq 6 ] || fail "swept: $(ls tidy)"
mkdir sweptfound && echo half >sweptfound/x.py."$gone"-0.tmp && touch -d '2 minutes ago' sweptfound/x.py."$gone"-0.tmp
"$BATT" solve -n 1 --steps 1000 --found sweptfound >/dev/null 2>err || [ $? -eq 1 ] || { cat err; fail "a stale file is in the way of --found"; }
[ ! -e sweptfound/x.py."$gone"-0.tmp ] || fail "a stale file stays in a folder"

# ---- a full disk behind standard output: one exit code, one message, the cause ----
while read -r line; do
    status=0
    # shellcheck disable=SC2086
    "$BATT" $line >/dev/full 2>err || status=$?
    [ $status -eq 1 ] || { cat err; fail "batt $line > /dev/full: exit code $status"; }
    grep -q 'cannot write to standard output: No space left on device' err || { cat err; fail "batt $line: no cause"; }
    [ "$(grep -c 'annot' err)" -eq 1 ] || { cat err; fail "batt $line: said twice"; }
done <<'L'
run
run -q
run --json
show 92eac448
show --list
trace 92eac448
solve -n 1 --steps 100000
evolve --generations 1 -n 1
profile batch --repeat 1 -n 2
eval 1
lint made.py
prims
prims objects
score s.json
synth --list
card --freeze -n 2
learn
store stats f.batt
store list f.batt
help
run --help
-V
--version
L
[ "$("$BATT" -V)" = "$("$BATT" --version)" ] || fail "-V is not --version"
echo ok

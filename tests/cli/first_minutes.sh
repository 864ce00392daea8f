# What a newcomer tries first works without data, without options and in any folder.
set -eu
. tests/words.sh
escape=$(printf '\033')
cd "$TMP"
good() { "$BATT" "$@" >out 2>err || { cat err; fail "batt $*: exit code $?"; }; [ -s out ] || fail "batt $*: no output"; }
good
good help
good run
good show
good trace
good synth --count 10 -o mine --solvers-out mine.py
good run -s mine.py mine
good show --list mine
good run --gallery gallery.html
[ ! -s err ] || fail "a sound run says something on standard error: $(cat err)"

# `make run` ends with a page that is there, and with three commands of which those without a task work as they stand.
mkdir shown
(cd "$OLDPWD" && scripts/demo "$BATT" "$TMP/shown") >demo || fail "scripts/demo: exit code $?"
page=$(sed -n 's|^Open file://\([^ ]*\) .*|\1|p' demo)
[ -s "$page" ] || fail "make run names no page: $(tail -n 8 demo)"
grep -q '48 of 48 solved' demo && grep -q 'def solve_ff1ddb3a' demo || fail "make run shows no results: $(cat demo)"
[ "$(sed -n '/^Next:/,$p' demo | grep -c "^  $BATT [a-z]")" -eq 3 ] || fail "make run does not name three commands"
good trace ff1ddb3a

# A terminal gets color, pictures of solved tasks, the programs, and at the end the summary and the page.
if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    echo 'skipped: no terminal can be made with script(1) here'
    exit 77
fi
script -qec "stty cols 120; env -u NO_COLOR TERM=xterm-256color '$BATT' run --gallery gallery.html" /dev/null </dev/null >terminal
grep -q "$escape\[48;5;" terminal || fail "nothing is drawn on a terminal"
[ "$(grep -c 'return O' terminal)" -eq 3 ] || fail "not three programs"
tail -n 12 terminal | grep -q '48 of 48 solved' || fail "the summary is not at the end"
tail -n 2 terminal | grep -q 'gallery.html' || fail "the page is not named at the end"

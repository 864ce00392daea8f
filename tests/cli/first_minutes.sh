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

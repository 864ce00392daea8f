# The pages that commands write, in a real browser: the gallery of a run, the gallery of tasks, the trace of a program.
# Skipped, saying so, where there is no Chromium.
set -eu
. tests/words.sh
find_browser
expect() { # PAGE PATTERN...
    local page=$1 pattern
    shift
    browse --dump-dom "file://$TMP/$page" >"$TMP/dom" || fail "the browser could not open $page: $(tail -n 3 "$TMP/browser.log")"
    for pattern in 'data-ready="yes"' "$@"; do
        grep -q -- "$pattern" "$TMP/dom" || fail "$page: no $pattern"
    done
}
cd "$TMP"

# A run in which most is solved, one answer is wrong and one program fails.
printf 'def solve_92eac448(I):\n    O = identity(I)\n    return O\ndef solve_a729ef36(I):\n    x1 = first(ZERO)\n    O = fill(I, ZERO, x1)\n    return O\n' >two.py
"$BATT" run -q -s two.py --gallery run.html >/dev/null || [ $? -eq 1 ]
expect run.html '48 of 48 tasks<'
expect 'run.html#status=wrong' '>1 of 48 tasks<' '92eac448'
expect 'run.html#task=a729ef36' 'failed: type in first, line 5' 'first(ZERO)'
expect 'run.html#task=92eac448' 'cells wrong'

"$BATT" show --gallery tasks.html >/dev/null
expect tasks.html '48 of 48 tasks<' 'fa2e3f8c'

"$BATT" trace 92eac448 --html trace.html >/dev/null
expect trace.html '>step 1 of 8<' '1 object, 16 cells'
expect 'trace.html#sample=4&step=8' '>step 8 of 8<' 'paint(I, x7)' 'cells changed from I<' 'title="8: sky"'
"$BATT" trace two.py:solve_a729ef36 --html failed.html >/dev/null || [ $? -eq 1 ]
expect 'failed.html#step=1' 'type in first'
expect 'failed.html#step=2' 'x1 has no value'

"$BATT" net 8be6661a --steps 12 --html net.html >/dev/null || [ $? -eq 1 ]
expect net.html 'class="kl"' 'class="rec"' 'loss = code + 10 grids' 'step 11'
expect 'net.html#at=0' 'step 0'
browse --screenshot="$TMP/shot.png" "file://$TMP/trace.html#step=8" >/dev/null || fail "no screenshot"
[ "$(wc -c <"$TMP/shot.png")" -gt 5000 ] || fail "the screenshot is empty"

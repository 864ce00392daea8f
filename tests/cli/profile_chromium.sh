#!/bin/bash
# The profile's page in a real browser: it draws, zooms, sorts, searches and filters.
# Skipped, saying so, where there is no Chromium.
set -eu
: "${TMP:?}" "${BATT:?}"
. tests/words.sh
find_browser
window=1300,1400
expect() { # PAGE PATTERN...
    local page=$1 pattern
    shift
    browse --dump-dom "file://$TMP/$page" >"$TMP/dom" || fail "the browser could not open $page: $(tail -n 3 "$TMP/browser.log")"
    for pattern in 'data-ready="yes"' "$@"; do
        grep -q -- "$pattern" "$TMP/dom" || fail "$page: no $pattern; saw $(grep -o 'data-saw="[^"]*"' "$TMP/dom")"
    done
}
play() { # PAGE NAME SCRIPT: a copy of the page with a visitor
    cp "$TMP/$1" "$TMP/$2"
    cat >>"$TMP/$2" <<PLAY
<script>
const saw = [];
const click = (place) => place.dispatchEvent(new MouseEvent('click', { bubbles: true }));
const type = (text) => { \$('query').value = text; \$('query').dispatchEvent(new Event('input')); };
const rows = () => [...document.querySelectorAll('#table tbody tr')];
const first = () => rows()[0].cells[0].textContent;
const heading = (key) => document.querySelector('#table th[data-key="' + key + '"]');
const sort = (key) => click(heading(key).firstChild);
const frame = (name) => document.querySelector('#flame .frame[data-name="' + name + '"]');
const say = (truth, word) => saw.push(truth ? word : 'NOT-' + word);
$3
document.body.dataset.saw = saw.join(' ');
</script>
PLAY
}

# Two endless tasks among the built-in ones give the page outliers.
mkdir "$TMP/tasks"
for k in $(seq -w 0 19); do
    echo '{"train":[{"input":[[1,2],[3,4]],"output":[[0,1],[1,0]]}],"test":[{"input":[[2,0],[0,2]]}]}' >"$TMP/tasks/t$k.json"
    if [ "$k" -lt 18 ]; then
        printf 'def solve_t%s(I):\n    x1 = objects(I, T, F, F)\n    x2 = merge(x1)\n    x3 = fill(I, TWO, x2)\n    O = rot90(x3)\n    return O\n' "$k" >>"$TMP/s.py"
    else
        printf 'def solve_t%s(I):\n    x1 = interval(ZERO, 900, ONE)\n    x2 = lbind(apply, increment)\n    x3 = power(x2, 900)\n    O = x3(x1)\n    return O\n' "$k" >>"$TMP/s.py"
    fi
done
"$BATT" profile batch -s "$TMP/s.py" --repeat 3 --max-steps 100000 -o "$TMP/p.html" -o "$TMP/p.json" "$TMP/tasks" >/dev/null
"$BATT" profile compare "$TMP/p.json" "$TMP/p.json" -o "$TMP/both.html" >/dev/null

expect p.html '<canvas' 'data-focus="batt"' 'out of steps' 'id="outliers-section"'
expect 'p.html#without=1' 'data-name="objects"'
expect 'p.html#q=obj' '1 found'
expect both.html 'all evaluations' '0.0 %'
play p.html visit.html "
say(\$('phases').children.length >= 3, 'phases');
say(rows().length >= 4, 'rows');
sort('name'); const a = first();
sort('name'); const b = first();
say(a < b && heading('name').getAttribute('aria-sort') === 'descending', 'sorted');
sort('calls');
const calls = rows().map((row) => +row.cells[1].textContent);
say(calls.every((n, k) => k === 0 || calls[k - 1] >= n), 'bycalls');
type('apply');
say(\$('found').textContent.startsWith('1 found'), 'found');
say(document.querySelectorAll('#flame .frame.hit').length > 0 && rows().length === 1, 'searched');
type('');
const whole = +\$('flame').dataset.frames, wide = frame('apply').offsetWidth;
click(frame('apply'));
say(\$('flame').dataset.focus === 'apply' && frame('apply').offsetWidth >= wide, 'zoomed');
click(\$('reset'));
say(\$('flame').dataset.focus === 'batt' && +\$('flame').dataset.frames === whole, 'reset');
const share = () => rows().find((row) => row.cells[0].textContent === 'objects').cells[6].textContent;
const before = share();
click(\$('filter'));
say(share() !== before && !rows().some((row) => row.cells[0].textContent === 'increment'), 'filtered');
say(document.querySelectorAll('#slowest article').length === 12, 'slowest');
say(document.querySelectorAll('#legend li').length === data.phases.length, 'legend');
say(['flame', 'table', 'slowest'].every((id) => \$('answer').compareDocumentPosition(\$(id)) & 4) && /takes [0-9]+ %.*times as fast/.test(\$('answer').textContent), 'first');
click(\$('filter'));
click(\$('bytask'));
say(frame('t19') && +\$('flame').dataset.frames > whole, 'bytask');
frame('t19').dispatchEvent(new MouseEvent('mouseenter'));
say(/^t19: .*%.*self/.test(\$('hover').textContent), 'hover');"
expect visit.html 'data-saw="phases rows sorted bycalls found searched zoomed reset filtered slowest legend first bytask hover"'

# What is on the screen is not blank: the picture is larger than an empty page could be.
browse --screenshot="$TMP/shot.png" "file://$TMP/p.html" >/dev/null || fail 'no screenshot'
[ "$(stat -c %s "$TMP/shot.png")" -gt 30000 ] || fail 'the screenshot is almost empty'
echo 'the page works in' "$browser"

#!/bin/bash
# The pages in a real browser: does the script run, do filters and keys work, are grids really painted?
# Skipped, saying so, where there is no Chromium.
set -eu
: "${TMP:?}" "${BATT:?}"
helper=$(dirname "$BATT")/unit/test_display_pages

. tests/words.sh
find_browser
if [ ! -x "$helper" ]; then
    echo "skipped: $helper is not built"
    exit 77
fi

# expect PAGE PATTERN...: the finished document contains every pattern
expect() {
    local page=$1 pattern
    shift
    browse --dump-dom "file://$TMP/$page" >"$TMP/dom" || fail "the browser could not open $page: $(tail -n 3 "$TMP/browser.log")"
    for pattern in 'data-ready="yes"' "$@"; do
        grep -q -- "$pattern" "$TMP/dom" || fail "$page: no $pattern; count: $(grep -o 'id="count"[^<]*<' "$TMP/dom")"
    done
}

# paints PAGE COLOR MIN: a screenshot shows at least so many pixels of a color
paints() {
    local count
    rm -f "$TMP/shot.png"
    browse --screenshot="$TMP/shot.png" "file://$TMP/$1" >/dev/null || fail "no screenshot of $1"
    count=$("$helper" pixels "$TMP/shot.png" "$2")
    [ "$count" -ge "$3" ] || fail "$1: $count pixels of color $2, expected at least $3"
}

"$helper" pages "$TMP"

# ---- the gallery: counts follow the filters in the address ----
count() { printf 'id="count"[^>]*>%s tasks<' "$1"; }
expect gallery.html "$(count '4 of 4')" 'sample &lt;gallery&gt;' '<canvas'
expect 'gallery.html#status=solved' "$(count '1 of 4')"
expect 'gallery.html#status=wrong&size=grows' "$(count '1 of 4')"
expect 'gallery.html#status=wrong&size=same' "$(count '0 of 4')" 'No task fits'
expect 'gallery.html#q=HMIRROR%20training' "$(count '1 of 4')"
if [ -z "${BATT_TEST_QUICK:-}" ]; then
    expect 'gallery.html#status=unsolved' "$(count '3 of 4')"
    expect 'gallery.html#size=shrinks' "$(count '1 of 4')"
    expect 'gallery.html#colors=4' "$(count '4 of 4')"
    expect 'gallery.html#colors=6-10' "$(count '0 of 4')"
fi
expect 'gallery.html#task=half' '<dialog[^>]*open' '1 of 4 cells wrong'
expect 'gallery.html#task=grows' 'wrong size: expected 4x4, got 2x2'
expect 'gallery.html#task=fails' '&lt;/script&gt;&lt;b&gt;&amp;'
expect thousand.html "$(count '1000 of 1000')"

# ---- keys: played by a script added to a copy of the page, which notes what it saw ----
play() { # PAGE NAME SCRIPT
    cp "$TMP/$1" "$TMP/$2"
    cat >>"$TMP/$2" <<PLAY
<script>
const key = (name) => (document.activeElement || document.body).dispatchEvent(
  new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
const saw = [];
$3
document.body.dataset.saw = saw.join(' ');
</script>
PLAY
}
play gallery.html keys.html "
key('j'); key('j'); saw.push(document.activeElement.task.id);
key('k'); saw.push(document.activeElement.task.id);
key('Enter'); saw.push(document.getElementById('detail-title').textContent);
key('ArrowRight'); saw.push(document.getElementById('detail-title').textContent);
document.getElementById('detail').close();
key('p'); saw.push(look.palette); key('d'); saw.push(look.digits);
key('/'); saw.push(document.activeElement.id);"
expect keys.html 'data-saw="grows same same grows classic true query"'

# ---- the trace ----
expect trace.html '>step 1 of 3<' 'objects · 900 ns' '3 objects'
expect 'trace.html#sample=2&step=4' '>step 4 of 4<' 'failed: argument 2 is not a cell' 'no output'
play trace.html steps.html "
const place = () => saw.push(sample + 1 + ':' + (step + 1));
key('ArrowRight'); place(); key('ArrowDown'); place(); key('End'); place(); key('ArrowRight'); place();
key('ArrowUp'); place(); key('Home'); place();"
expect steps.html 'data-saw="1:2 2:2 2:4 2:4 1:3 1:1"'

# ---- what is on the screen: grid colors of the palette named, the red of wrong cells ----
paints gallery.html 1254ce 500
paints gallery.html e00020 20
paints 'trace.html#step=2' 0074d9 500
paints picture.svg 0074d9 500

if command -v python3 >/dev/null; then
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$TMP/picture.svg" ||
        fail 'picture.svg is not well-formed'
fi
echo 'pages work in' "$browser"

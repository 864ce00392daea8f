# batt show: the terminal at several widths, pictures, lists, and what can be named.
set -eu
. tests/words.sh
escape=$(printf '\033')
tasks=$PWD/examples/tasks
cd "$TMP"

# ---- the examples, by id and by file, with sizes ----
wants 0 '^train 1  10x8 .* 10x8' "$BATT" show 92eac448
cp out by_id
wants 0 '^test 1  8x9' "$BATT" show "$tasks/92eac448.json"
cmp out by_id || fail "the id and the file show different things"
wants 0 '^92eac448 ' "$BATT" show 92eac448 "$tasks"
[ "$(grep -c 'training pairs' out)" -eq 1 ] || fail "an id does not choose among the files"
wants 0 'training pairs' "$BATT" show
[ "$(grep -c 'training pairs' out)" -ge 2 ] || fail "without arguments there is little to see"
wants 2 "no task 'nope'" "$BATT" show nope
wants 2 'nope.json: No such file' "$BATT" show nope.json

# ---- color: only where asked for or on a terminal; NO_COLOR; palettes; digits ----
if grep -q "$escape" by_id; then fail "color without a terminal"; fi
"$BATT" show 92eac448 --color always >colored
grep -q "$escape\[48;5;" colored || fail "no color in spite of --color always"
if grep -q 2 <(sed "s/$escape\[[0-9;]*m//g" colored | sed -n '4,10p'); then fail "digits without --digits"; fi
"$BATT" show 92eac448 --color always --digits | sed "s/$escape\[[0-9;]*m//g" | sed -n '4,10p' | grep -q 2 || fail "no digits"
"$BATT" show 92eac448 --color always --palette colorblind | cmp -s - colored && fail "the palette changes nothing"
wants 2 "palette" "$BATT" show --palette gray

# ---- it fits: no line is wider than the terminal ----
for width in 20 33 80 132; do
    for id in 92eac448 8c5f9c65; do
        COLUMNS=$width "$BATT" show $id >narrow
        [ "$(sed 1d narrow | awk '{ gsub(/→|↓/, ">"); if (length > w) w = length } END { print w }')" -le $((width < 24 ? 24 : width)) ] ||
            fail "$id is too wide for $width columns"
    done
done
COLUMNS=132 "$BATT" show 92eac448 | grep -q 'train 1 .*train 2' || fail "pairs do not stand side by side"

# ---- on a real terminal, where there is a program that makes one ----
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "stty cols 100; env -u NO_COLOR TERM=xterm-256color '$BATT' show 92eac448" /dev/null </dev/null >terminal
    grep -q "$escape\[48;5;" terminal || fail "no color on a terminal"
    script -qec "NO_COLOR=1 TERM=xterm-256color '$BATT' show 92eac448" /dev/null </dev/null >terminal
    if grep -q "$escape\[48;5;" terminal; then fail "color in spite of NO_COLOR"; fi
fi

# ---- pictures and pages ----
wants 0 'task.svg' "$BATT" show 92eac448 --svg task.svg --png task.png --gallery task.html
python3 - <<'CHECK' || fail "pictures"
import xml.dom.minidom, zlib, struct
svg = xml.dom.minidom.parse("task.svg").documentElement
assert svg.tagName == "svg"
png = open("task.png", "rb").read()
assert png[:8] == b"\x89PNG\r\n\x1a\n" and png[-8:-4] == b"IEND"
width, height = struct.unpack(">II", png[16:24])
assert width > 200 and height > 200, (width, height)
page = open("task.html").read()
assert page.rstrip().endswith("</html>") and "92eac448" in page and "http" not in page.split("<script", 1)[1].split("w3.org")[0]
CHECK
wants 0 'two.svg' "$BATT" show 92eac448 fa2e3f8c --svg two.svg
grep -q '92eac448 train 1' two.svg || fail "with several tasks the labels do not say which"
wants 2 'nowhere/x.svg' "$BATT" show 92eac448 --svg nowhere/x.svg

# ---- facts ----
wants 0 '^92eac448 +3 +1 +10x11 +10x11 +4  stays' "$BATT" show --list
grep -q '^48 tasks; hash of the data: [0-9a-f]\{16\}' out || fail "no number of tasks"
"$BATT" show --json --filter 'colors<=3' >facts.json
python3 -c 'import json; r = json.load(open("facts.json"))["results"]; assert r and all(t["colors"] <= 3 for t in r)' || fail "facts"

# ---- a task whose outputs are not known ----
printf '{"t":{"train":[{"input":[[1,2]],"output":[[2,1]]}],"test":[{"input":[[3,4]]}]}}' >unknown.json
wants 0 'test 1  1x2 .* \?' "$BATT" show unknown.json

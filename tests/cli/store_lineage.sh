#!/bin/bash
# batt store lineage: ancestors with what changed and what it did to the score, as text, graph, page and JSON.
set -eu
. tests/words.sh
cd "$TMP"
result() { echo "# result: task=$1 score=$2 train=$3/2 test=0/1 guard=0/0 steps=5 time_ns=9 outputs=0000000000000000"; }
key() { "$BATT" store list s.batt --text --json | python3 -c "
import json, sys
rows = json.load(sys.stdin)
rows = rows if isinstance(rows, list) else next(v for v in rows.values() if isinstance(v, list))
print(next(r['program'] for r in rows if '$1' in r['text']))"; }
{
    result one 800 0
    printf 'def a(I):\n    x1 = rot90(I)\n    O = hmirror(x1)\n    return O\n'
    result one 1000 1
    printf 'def b(I):\n    O = cmirror(I)\n    return O\n'
} >one.py
"$BATT" store import s.batt one.py >/dev/null
a=$(key hmirror) b=$(key cmirror)
gone=0123456789abcdef0123456789abcdef
{
    result one 1400 1
    echo "# lineage: parents=$a mutation=<swap>"
    printf 'def c(I):\n    x1 = rot90(I)\n    O = vmirror(x1)\n    return O\n'
} >two.py
"$BATT" store import s.batt two.py >/dev/null
c=$(key vmirror)
{
    result one 2000 2
    echo "# lineage: parents=$c,$b mutation=cross"
    printf 'def d(I):\n    x1 = rot180(I)\n    O = vmirror(x1)\n    return O\n'
    result other 1000 1
    printf 'def d2(I):\n    x1 = rot180(I)\n    O = vmirror(x1)\n    return O\n'
    result third 900 1
    echo "# lineage: parents=$gone mutation=insert"
    printf 'def e(I):\n    O = dmirror(I)\n    return O\n'
} >three.py
"$BATT" store import s.batt three.py >/dev/null
d=$(key rot180) e=$(key dmirror)

wants 0 "^${d:0:8}  1000.0 \(training 2/2, test 0/1\), 2 calls$" "$BATT" store lineage s.batt one
grep -qx "  by cross of ${c:0:8} and ${b:0:8}: +300.0" out || fail "the step of two parents: $(cat out)"
grep -qx -e '  -     x1 = rot90(I)' out && grep -qx '  +     x1 = rot180(I)' out || fail "what changed: $(cat out)"
grep -qx "  ${b:0:8}  500.0 (training 1/2, test 0/1), 1 call" out || fail "the second parent: $(cat out)"
grep -qx "  by <swap> of ${a:0:8}: +300.0" out || fail "the step before: $(cat out)"
[ "$(grep -c "^ *[0-9a-f]\{8\}  " out)" -eq 4 ] || fail "four programs"
"$BATT" store lineage s.batt "${d:0:6}" >again
cmp out again || fail "a program by its hash has other scores"
wants 0 "${gone:0:8}  no longer in the store$" "$BATT" store lineage s.batt "$e"
wants 0 "\"$c\" -> \"$d\" \[label=\"cross \+300.0\"\];" "$BATT" store lineage s.batt one --dot
wants 0 '"gain": 300.000' "$BATT" store lineage s.batt one --json
python3 -c "
import json
d = json.load(open('out'))
assert d['task'] == 'one' and [x['generation'] for x in d['ancestors']] == [0, 1, 1, 2], d
assert d['ancestors'][0]['parents'] == ['$c', '$b']"
"$BATT" store lineage s.batt one --html page.html
python3 - <<'P' || fail "the page"
import html.parser
class Check(html.parser.HTMLParser):
    depth, sections = 0, 0
    def handle_starttag(self, tag, attributes):
        self.sections += tag == "section"
        self.depth += tag not in ("meta", "br")
    def handle_endtag(self, tag):
        self.depth -= 1
check, text = Check(), open("page.html").read()
check.feed(text)
assert check.depth == 0 and check.sections == 4 and "&lt;swap&gt;" in text and "<swap>" not in text
P
if command -v dot >/dev/null; then
    "$BATT" store lineage s.batt one --dot | dot -Tsvg >/dev/null || fail "dot refuses the graph"
fi
wants 1 "neither the beginning of" "$BATT" store lineage s.batt nowhere
wants 2 'needs one program' "$BATT" store lineage s.batt
wants 2 'cannot be combined' "$BATT" store lineage s.batt one --dot --json
wants 2 'does not apply' "$BATT" store stats s.batt --dot

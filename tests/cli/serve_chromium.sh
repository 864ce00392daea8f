#!/bin/bash
# The page of batt serve in a real browser: tasks listed, steps drawn, errors at their places, candidates arriving, completion.
set -eu
. tests/words.sh
find_browser
export TESTS=$PWD/tests
cd "$TMP"
start_server --store kept.batt
# Two lines of a program typed with completion, a mistake marked where it is and mended, a search watched, its find kept.
python3 - "$browser" "$(cat address)" <<'P' || fail "in the browser: $(tail -n 3 "$TMP/browser.log")"
import os, sys
sys.path.insert(0, os.environ["TESTS"])
sys.dont_write_bytecode = True
from browser import Browser
folder = os.environ["TMP"]
with Browser(sys.argv[1], folder) as page:
    page.open(sys.argv[2] + "#task=92eac448")
    page.until("document.body.dataset.ready")
    assert page.ask("document.body.dataset.right") == "0/4" and page.ask("$('task').textContent") == "Task 92eac448"
    assert page.ask("document.querySelector('#drawing img').naturalWidth") > 100
    assert page.ask("document.querySelector('[aria-current=true]').textContent") == "92eac448"

    # Completion: the second one, chosen by keys, with what it does; a new line keeps the indentation.
    page.ask("$('program').value = ''")
    page.click("#program")
    page.type("def solve(I):"), page.key("Enter"), page.type("x1 = hmirr")
    page.until("!$('completion').hidden")
    assert page.ask("$('completion').innerText").startswith("hmirror("), page.ask("$('completion').innerText")
    page.key("Tab"), page.type("(I)"), page.key("Enter")
    page.type("O = rot"), page.until("$('completion').children.length > 1")
    wanted = page.ask("$('completion').children[1].dataset.name")
    page.key("ArrowDown"), page.key("Enter")
    assert page.ask("$('program').value") == f"def solve(I):\n    x1 = hmirror(I)\n    O = {wanted}", page.ask("$('program').value")
    page.type("(x1)"), page.key("Enter"), page.type("return O")
    page.until(f"$('steps').children.length === 2 && $('steps').innerText.includes('O = {wanted}(x1)')")
    page.until("$('steps').querySelectorAll('img').length === 2")

    # An error at its place, what was drawn before it paler, until it is mended.
    page.ask("$('program').value = 'def solve(I):'")
    page.key("End"), page.key("Enter"), page.type("O = vmiror(I)"), page.key("Enter"), page.type("return O")
    page.until("document.querySelector('#behind mark')?.textContent === 'vmiror'")
    page.until("document.body.classList.contains('stale')")
    assert "line 2, column 9: unknown primitive 'vmiror', did you mean 'vmirror'?" in page.ask("$('errors').innerText"), page.ask("$('errors').innerText")
    page.ask("$('program').value = 'def solve(I):\\n    O = hmirror(I)\\n    return O\\n'")
    page.click("#program"), page.type(" ")
    page.until("$('errors').children.length === 0 && !document.body.classList.contains('stale')")

    # A search: candidates arrive, one that fits is looked at and kept.
    page.click("#search")
    page.until("document.body.dataset.search === 'running'")
    page.until("$('candidates').children.length > 0")
    page.until("document.body.dataset.search === 'over'")
    assert page.ask("document.querySelector('#candidates .badge').className") == "badge good"
    page.click("#candidates button")
    page.until("document.body.dataset.right === '4/4'")
    page.click("#keep")
    page.until("$('status').textContent === 'kept in the store'")
    page.picture(folder + "/shot.png")
    assert page.complaints == [], page.complaints
P
[ "$(wc -c <"$TMP/shot.png")" -gt 20000 ] || fail "the screenshot is empty"
kill -INT $server
wait $server || true
"$BATT" store best kept.batt | grep -q 92eac448 || fail "what was kept is not in the store: $("$BATT" store best kept.batt)"

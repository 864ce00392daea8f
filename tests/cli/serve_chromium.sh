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
    assert page.ask("document.querySelector('#drawing canvas').width") > 100
    assert page.ask("document.querySelector('[aria-current=true]').textContent") == "92eac448"
    assert page.ask("document.querySelectorAll('#tasks canvas').length") == 96  # two thumbnails for each task

    # Filters: what is solved (nothing yet), small tasks, few colors.
    def choose(field, value):
        page.ask(f"$('{field}').value = '{value}'; $('{field}').dispatchEvent(new Event('input'))")
        return page.ask("document.querySelectorAll('#tasks button').length")
    assert choose("solved", "yes") == 0 and choose("solved", "no") == 48 and choose("solved", "") == 48
    small = choose("size", "10")
    assert 0 < small < 48, small
    assert sum(choose("count", range) for range in ("1-3", "4-5", "6-10")) == small
    choose("size", ""), choose("count", "")

    # An answer drawn with keys: color, move, paint, fill, undo, copy; resized; compared; Escape leaves.
    grid = lambda: page.ask("answer().grid.map((row) => row.join('')).join('|')")
    page.ask("$('canvas').focus()")
    for key in ("3", " ", "ArrowDown", "4", " ", "u"):
        page.ask(f"$('canvas').dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}}))")
    assert grid() == "3" + grid()[1:] and "4" not in grid(), grid()
    page.click("#fill"), page.ask("put(1, 1)")
    assert set(grid()) == {"3", "4", "|"} and grid().count("3") == 1, grid()
    page.click("#check")
    assert "cells wrong" in page.ask("$('judged').textContent"), page.ask("$('judged').textContent")
    page.ask("$('rows').value = 2; $('columns').value = 3; $('rows').dispatchEvent(new Event('change'))")
    assert grid() == "344|444", grid()
    page.click("#check")
    assert page.ask("$('judged').textContent") == "Wrong size: 2x3."
    page.click("#copy")
    assert grid() == page.ask("state.grids.test[0].input")
    page.ask("change(() => parseGrid(state.grids.test[0].output)), $('check').click()")
    assert page.ask("$('judged').textContent") == "Right."
    page.ask("$('canvas').focus()"), page.key("Escape")
    assert page.ask("document.activeElement === document.body")

    # A dropped file becomes the task that is shown.
    page.ask("addFiles([new File([JSON.stringify({train: [{input: [[1, 2]], output: [[2, 1]]}], test: [{input: [[3, 4]]}]})], 'mine.json')])")
    page.until("$('task').textContent === 'Task mine' && $('rows').value === '1'")
    page.ask("choose('92eac448')")
    page.until("$('task').textContent === 'Task 92eac448'")

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
    page.until("!!document.querySelector('#candidates canvas')")
    progress = page.ask("$('progress').textContent")
    assert " s CPU, " in progress and progress.endswith(" s wall clock"), progress
    page.until("!!document.querySelector('#tasks .solved')")
    assert page.ask("document.querySelector('#candidates .badge').className") == "badge good"
    page.click("#candidates button")
    page.until("document.body.dataset.right === '4/4'")
    page.click("#keep")
    page.until("$('status').textContent === 'kept in the store'")
    page.picture(folder + "/shot.png")
    assert page.complaints == [], page.complaints

    # What axe-core finds, where it is installed (pip install axe-core-python): nothing serious.
    try:
        import axe_core_python
    except ImportError:
        print("no axe-core-python: accessibility is not checked")
    else:
        with open(os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js")) as file:
            page.call("Runtime.evaluate", expression=file.read())
        found = page.call("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression="axe.run().then((r) => "
                          "r.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => v.id + ' ' + v.nodes[0].html))")
        assert found["result"]["value"] == [], found
P
[ "$(wc -c <"$TMP/shot.png")" -gt 20000 ] || fail "the screenshot is empty"
kill -INT $server
wait $server || true
"$BATT" store best kept.batt | grep -q 92eac448 || fail "what was kept is not in the store: $("$BATT" store best kept.batt)"

#!/bin/bash
# batt store: what its subcommands print, which files it refuses, and that it leaves those unchanged.
set -eu
. tests/words.sh
cd "$TMP"
{
    n=0
    for task in 00d62c1b 4c4377d9; do
        for call in vmirror hmirror dmirror cmirror rot90; do
            n=$((n + 1))
            echo "# result: task=$task score=$((n * 300)) train=$((n / 4))/3 test=0/1 guard=0/0 steps=$n time_ns=$((n * 777)) outputs=0000000000000000"
            printf 'def f(I):\n    x1 = upscale(I, TWO)\n    O = %s(x1)\n    return O\n' "$call"
        done
    done
} >in.py
wants 0 '^files: 1, functions: 10, new programs: 5, results: 10$' "$BATT" store import s.batt in.py
wants 0 '^programs +5' "$BATT" store stats s.batt
wants 0 '"solved_train": 0' "$BATT" store stats s.batt --json
wants 0 '^4c4377d9 +1000\.0 +2/3' "$BATT" store best s.batt
[ "$(wc -l <out)" -eq 3 ] || fail "a heading and the best of two tasks"
wants 0 '^00d62c1b +500\.0' "$BATT" store best s.batt 00d62c1b -k 2
[ "$(wc -l <out)" -eq 3 ] || fail "a heading and the two best"
wants 1 "task 'nosuch'" "$BATT" store best s.batt nosuch
wants 0 '"place": 3' "$BATT" store best s.batt --json -k 3
wants 0 'O = rot90\(x1\)' "$BATT" store best s.batt --text
[ "$("$BATT" store list s.batt | wc -l)" -eq 11 ] || fail "list shows ten rows and a heading"
wants 0 'the first 3; -n 0 lists all' "$BATT" store list s.batt -n 3
[ "$("$BATT" store list s.batt --score 700 --json | grep -c '"task"')" -eq 4 ] || fail "list --score"
wants 0 'no results' "$BATT" store list s.batt --calls 1
wants 0 'no results' "$BATT" store list s.batt --solved
wants 0 'no results' "$BATT" store list s.batt --mode batt
wants 0 '^dropped: results 8, differs 0, programs 4,' "$BATT" store prune s.batt -k 1
wants 0 '^sound$' "$BATT" store check s.batt
wants 0 '"sound": true' "$BATT" store check s.batt --json

# Mistakes on the line.
wants 2 'missing argument' "$BATT" store
wants 2 'missing argument' "$BATT" store stats
wants 2 "did you mean 'stats'" "$BATT" store stat s.batt
wants 2 'missing option: -k K' "$BATT" store prune s.batt
wants 2 'does not apply' "$BATT" store stats s.batt -k 3
wants 2 "unexpected argument 'x'" "$BATT" store check s.batt x
wants 2 'missing argument: solver files' "$BATT" store import s.batt
wants 2 'needs -o' "$BATT" store export s.batt --json

# Files that are no store, or no more: refused by every word, with the reason, and not changed by a byte.
printf 'hello' >text.batt
printf 'SQLite format 3\0 and nothing else' >short.batt
head -c 20000 s.batt >cut.batt
cp s.batt inside.batt
printf 'garbage garbage garbage garbage' | dd of=inside.batt bs=1 seek=8192 conv=notrunc 2>/dev/null
mkdir folder.batt
for case in 'text.batt:not a batt store' 'short.batt:not a batt store' 'cut.batt:damaged' 'missing.batt:no such store' \
    'folder.batt:a folder'; do
    file=${case%%:*} reason=${case#*:}
    [ ! -f "$file" ] || cp "$file" before
    for word in stats best list export check 'prune -k 1'; do
        # shellcheck disable=SC2086
        wants 2 "$file: .*$reason" "$BATT" store ${word%% *} "$file" ${word#"${word%% *}"}
    done
    [ "$file" = missing.batt ] || wants 2 "$file: .*$reason" "$BATT" store import "$file" in.py
    [ ! -f "$file" ] || cmp "$file" before || fail "$file was changed"
done
[ ! -e missing.batt ] || fail "looking for a store made one"
cp inside.batt before
wants 2 'inside.batt: damaged' "$BATT" store prune inside.batt -k 1
wants 2 'inside.batt: damaged' "$BATT" store import inside.batt in.py
wants 1 '^problems: [0-9]+$' "$BATT" store check inside.batt
wants 1 '"sound": false' "$BATT" store check inside.batt --json
cmp inside.batt before || fail "a damaged store was changed"
ls ./*-wal ./*-shm >/dev/null 2>&1 && fail "side files were left behind: $(ls)"

# An empty file becomes a store when something is put into it, and only then.
: >empty.batt
wants 2 'empty' "$BATT" store stats empty.batt
wants 0 'functions: 10' "$BATT" store import empty.batt in.py
wants 0 '^sound$' "$BATT" store check empty.batt

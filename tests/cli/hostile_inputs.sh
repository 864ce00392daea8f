# Odd inputs for every command that reads a file or a text: an answer, exit code 0, 1 or 2 as the input deserves, a
# message on what is wrong, and never a crash or a hang.
set -eu

. tests/words.sh

cd "$TMP"
mkdir folder
printf 'x\n' >folder/notes.txt
: >empty
printf 'def f(I):\n    O = rot90(I)\n    return O' >good.py
head -c 20000 /dev/urandom >binary
printf 'def f(I):\n    O = rot\0090(I)\n    return O\n' >nul
printf 'def f\xff(I):\n    O = rot90(I)\n    return O\n' >utf8
printf '\xef\xbb\xbf\xc3\x28\xed\xa0\x80' >utf8_more
head -c 22 good.py >"cut"
long=${BATT_TEST_QUICK:+300000}
long=${long:-10000000}
head -c "$long" /dev/zero | tr '\0' 'a' >long_line
{ printf 'def f(I):\n    O = '; head -c "$long" /dev/zero | tr '\0' '1'; printf '\n    return O\n'; } >long_number
nest() { head -c 100000 /dev/zero | tr '\0' "$1"; }
{ nest '('; printf 'I'; nest ')'; } >nested
{ printf 'def f(I):\n    O = '; for _ in $(seq 2000); do printf 'rot90(%.0s' {1..50}; done; printf 'I'; nest ')'
  printf '\n    return O\n'; } >calls
{ printf '{"train": '; nest '['; nest ']'; printf '}'; } >nested.json
printf '{"train": [{"input": [[0, 1], [2]], "output": [[0]]}], "test": []}' >ragged.json
printf '{"train": [{"input": [[0, 1e999]], "output": [[99999999999999999999]]}], "test": []}' >numbers.json
printf 'a\tb\tc\td\te\n\t\t\n\xff\t!\n' >odd.tsv
printf 'SQLite format 3\0not really' >fake.db
: >unreadable
chmod 000 unreadable
inputs="empty binary nul utf8 utf8_more cut long_line long_number nested calls nested.json ragged.json numbers.json odd.tsv fake.db folder missing"
[ "$(id -u)" -eq 0 ] || inputs="$inputs unreadable"

# try COMMAND...: ends by itself, with an exit code of ours; code 2 says why in a few clean lines
try() {
    local status=0
    timeout 60 "$BATT" "$@" >out 2>err </dev/null || status=$?
    case $status in
    0 | 1) ;;
    2)
        [ -s err ] || [ -s out ] || fail "batt $*: exit code 2 without a word"
        [ "$(wc -c <err)" -lt 100000 ] || fail "batt $*: a message without end"
        if LC_ALL=C grep -q "$(printf '\033')" err out; then fail "batt $*: control characters in the message"; fi
        ;;
    *) fail "batt $*: exit code $status: $(head -c 400 err)" ;;
    esac
    last=$status
}

# refuse COMMAND...: the same, and the code must be 2
refuse() {
    try "$@"
    [ "$last" -eq 2 ] || fail "batt $*: exit code $last instead of 2"
}

for input in $inputs; do
    try lint "$input"
    [ "$input" = empty ] || [ "$input" = folder ] || [ "$last" -ne 0 ] || fail "lint has nothing against $input"
    [ "$input" = empty ] || refuse eval --program "$input" --grid '((0,1),(1,0))'
    try eval --vectors "$input"
    try run -s "$input"
    try run -s good.py "$input"
    try show "$input"
    try trace "$input"
    try score "$input"
    try solve --max-steps 1000 "$input"
    try store check "$input"
    try store import store.db "$input"
    try evolve --generations 1 --children 10 --id 8c5f9c65 -s "$input"
    try evolve --generations 1 --children 10 --id nobody --store "$input"
    try profile dsl "$input"
    try profile lines "$input" "$input"
    try profile compare "$input" "$input"
    try card "$input"
    try learn "$input"
done
for input in binary nul utf8 nested calls long_line nested.json; do
    refuse show "$input"
    refuse lint "$input"
done

# the same as arguments, as far as the system lets them be that long
big=$(head -c 100000 long_line)
deep=$(head -c 60000 nested)
for text in "$big" "$deep" "$(printf 'rot90(\xff)')" "$(printf 'a\033[2J')" '' ' ' '(' ')' 'add(1, 2' "'" '"""' '\'; do
    refuse eval "$text"
    refuse eval --grid "$text" 'I'
    try prims "$text"
    try help "$text"
    try "$text"
    refuse run --jobs "$text"
    refuse eval --max-steps "$text" 1
    refuse eval --timeout "$text" 1
    refuse eval --mode "$text" 1
done
for number in -1 0x 99999999999999999999 1e400 nan '1 2'; do
    refuse eval --max-steps "$number" 1
    refuse eval --max-memory "$number" 1
    refuse run --jobs "$number"
done

# without an environment, without streams, with a full disk: any exit code of ours, but no signal
survive() {
    local status=0
    "$@" || status=$?
    [ "$status" -lt 128 ] || [ "$status" -eq 130 ] || fail "$*: exit code $status"
}
for command in run show trace solve evolve profile eval lint prims score synth card learn store bench help; do
    for argument in --help '' good.py; do
        survive env -i timeout 60 "$BATT" "$command" "$argument" >out 2>err </dev/null
        survive env -i TERM= HOME= COLUMNS=0 timeout 60 "$BATT" "$command" "$argument" >out 2>err </dev/null
        survive timeout 60 "$BATT" "$command" "$argument" <&- >&- 2>&-
        survive timeout 60 "$BATT" "$command" "$argument" >/dev/full 2>err </dev/null
    done
done

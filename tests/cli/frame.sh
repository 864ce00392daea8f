# The frame of the command line: help, versions, mistakes, exit codes, and documents that match the tables.
set -eu

. tests/words.sh

wants 0 '^find programs' "$BATT"
wants 0 '^find programs' "$BATT" --help
wants 0 '^batt [0-9]+\.[0-9]+\.[0-9]+$' "$BATT" --version
wants 0 '^commit    [0-9a-z-]+, [0-9]{4}-[0-9]{2}-[0-9]{2}$' "$BATT" --version
wants 0 '^features  ' "$BATT" --version
wants 0 'usage: batt help' "$BATT" help help
wants 0 'usage: batt help' "$BATT" help --help
wants 2 "unknown command 'hepl'; did you mean 'help'" "$BATT" hepl
wants 2 "unknown command" "$BATT" "$(printf 'a\033[31mb')"
if grep -q "$(printf '\033')" "$TMP/out" "$TMP/err"; then fail "an escape sequence came through"; fi
wants 2 "did you mean '--examples'" "$BATT" help --exampels
wants 2 "unexpected argument 'b'" "$BATT" help help b
wants 2 "unknown command" "$BATT" help nonsense
[ "$("$BATT" help --exampels --maan 2>&1 | grep -c unknown)" -eq 2 ] || fail "only one of two errors was reported"

# Every command explains itself: usage, the common options, examples, and then the others by group.
commands=$("$BATT" | sed -n '/^first steps/q; s/^  \([a-z]*\) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 20 ] || fail "not all commands are in the overview: $commands"
for command in $commands; do
    wants 0 "usage: batt $command" "$BATT" "$command" --help
    order=$(grep -oE '^(usage|common options|options|examples|in every command)' "$TMP/out" | tr '\n' ' ')
    case $order in
    'usage options examples ' | 'usage common options examples in every command ') ;;
    *) fail "batt $command --help is in the order: $order" ;;
    esac
    wants 2 "unknown option '--no-such-option'" "$BATT" "$command" --no-such-option
done

# Subcommands are a list in the help and in the man page: a term, and a text that is indented where it goes on.
wants 0 '^  merge FILE STORE\.\.\.  *merges other stores' "$BATT" store --help
wants 0 "^ {26}(not )?a store" "$BATT" store --help
"$BATT" help --man store | grep -A1 '^\.B merge FILE STORE' | grep -q '^merges other stores' || fail "no list in the man page"

# No color where there is no terminal, color where it is asked for.
if "$BATT" help | grep -q "$(printf '\033')"; then fail "color without a terminal"; fi
"$BATT" help --color always | grep -q "$(printf '\033')" || fail "no color in spite of --color always"

# Output that cannot be written is an error, a reader that leaves is none.
if [ -e /dev/full ]; then wants 1 'cannot write' bash -c "'$BATT' help >/dev/full"; fi
"$BATT" help --man | head -n 1 >/dev/null

# The man page can be read, and the completion completes.
scripts/share "$BATT" "$TMP/share"
grep -q '^\.SH' "$TMP/share/man/man1/batt.1" || fail "no man page"
for page in batt batt-solve batt-store batt-help; do
    for section in NAME SYNOPSIS DESCRIPTION FILES 'EXIT STATUS' 'SEE ALSO'; do
        grep -q "^\.SH $section" "$TMP/share/man/man1/$page.1" || fail "$page(1) has no $section"
    done
    grep -qE '^\.TH [A-Z\\-]+ 1 "[0-9]{4}-[0-9]{2}-[0-9]{2}"' "$TMP/share/man/man1/$page.1" || fail "$page(1) has no date"
    if command -v man >/dev/null; then
        MANROFFSEQ='' man --warnings -l "$TMP/share/man/man1/$page.1" >"$TMP/man" 2>"$TMP/err" || fail "man does not read $page: $(cat "$TMP/err")"
        [ ! -s "$TMP/err" ] || fail "man warns: $(head "$TMP/err")"
    fi
done
mkdir "$TMP/completions"
find "$TMP/share" -type f -path '*completions*' -exec cp {} "$TMP/completions" \;
cd "$TMP"
if command -v zsh >/dev/null; then
    zsh -n completions/_batt || fail "zsh does not read its completion"
    zsh -fc 'autoload -U compinit && compinit -u -D; fpath=(completions $fpath); autoload -Uz _batt; whence -w _batt' | grep -q function || fail "zsh does not load its completion"
    # In a shell of its own, with the key that people press; that takes a terminal.
    ! script -qec true /dev/null </dev/null >/dev/null 2>&1 || zsh -f >"$TMP/zsh" 2>&1 <<'Z' || { cat -v "$TMP/zsh"; fail "zsh does not complete"; }
zmodload zsh/zpty
zpty -b shell zsh -f -i
seen=
until_seen() { # PATTERN
    repeat 100; do
        while zpty -r -t shell part; do seen+=$part; done
        [[ $seen == *$~1* ]] && return
        sleep 0.05
    done
    print -r -- "no $1 in: $seen"
    exit 1
}
zpty -w shell "fpath=($PWD/completions \$fpath); autoload -U compinit; compinit -u -D; print ready"
until_seen $'ready\r\n'
for line in 'so:solve' 'solve --subm:--submission' 'solve --progress pl:plain'; do
    seen=
    zpty -w -n shell "batt ${line%%:*}"$'\t'
    until_seen "${line##*:}"
    zpty -w -n shell $'\x15'
done
zpty -d shell
Z
fi
if command -v fish >/dev/null; then
    fish --no-config -c 'source completions/batt.fish; complete -C "batt solve --sub"' | grep -q -- '--submission' || fail "fish does not complete an option"
    fish --no-config -c 'source completions/batt.fish; complete -C "batt so"' | grep -q '^solve' || fail "fish does not complete a command"
    fish --no-config -c 'source completions/batt.fish; complete -C "batt solve --progress p"' | grep -q '^plain' || fail "fish does not complete a word"
fi

complete_line() {
    bash -c '. completions/batt
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _batt
        echo "${COMPREPLY[*]}"' bash "$@"
}
[ "$(complete_line batt hel)" = help ] || fail "completion of commands"
[ "$(complete_line batt help --exa)" = --examples ] || fail "completion of options"
[ "$(complete_line batt help --color n)" = never ] || fail "completion of words"
PATH=$(dirname "$BATT"):$PATH
[[ " $(complete_line batt prims vmir) " == *" vmirror "* ]] || fail "completion of primitives"
[ "$(complete_line batt help tuna)" = tunables ] || fail "completion of topics"
[ "$(complete_line batt run --id 0cd2)" = 0cd24527 ] || fail "completion of ids"
echo '{"train":[{"input":[[1]],"output":[[2]]}],"test":[{"input":[[3]]}]}' >mine.json
[ "$(complete_line batt run mine.json --id m)" = mine ] || fail "completion of ids in files"

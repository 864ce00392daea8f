#!/bin/bash
# Whatever the bytes, the parser answers with a message and exit code 2.
set -eu
. tests/words.sh
bad() { # NAME: the file $TMP/NAME must be refused, with its name in the message
    local got=0
    "$BATT" eval --program "$TMP/$1" --grid '((1,),)' >"$TMP/out" 2>"$TMP/err" || got=$?
    [ "$got" = 2 ] || fail "$1: exit code $got: $(head -c 600 "$TMP/err")"
    grep -q "$1" "$TMP/err" || fail "$1 is not named: $(head -c 600 "$TMP/err")"
    [ "$(wc -c <"$TMP/err")" -lt 2000000 ] || fail "$1: too much is said"
    got=0
    "$BATT" lint "$TMP/$1" >"$TMP/out" 2>"$TMP/err" || got=$?
    [ "$got" = 2 ] || fail "lint $1: exit code $got"
}
repeat() { # TEXT TIMES
    yes "$1" | head -n "$2" | tr -d '\n'
}

printf 'def f(I):\n    O = rot90(' >"$TMP/truncated"
bad truncated
printf 'def f(I):\n    O = rot90(I\0)\n    return O\n' >"$TMP/nul"
bad nul
printf 'def f(I):\n    O = rot90(I)  # \xff\xfe\n    return O\n' >"$TMP/latin"
bad latin
head -c 200000 /dev/urandom >"$TMP/binary"
bad binary
cp "$BATT" "$TMP/elf"
bad elf
{ printf 'def f(I):\n    O = '; repeat '(' 100000; printf '\n    return O\n'; } >"$TMP/deep"
bad deep
grep -q 'nested deeper than' "$TMP/out"
{ printf 'def f(I):\n    O = '; repeat 'first(' 100000; printf 'I\n    return O\n'; } >"$TMP/calls"
bad calls
{ printf 'def f(I):\n    O = frist('; repeat 'aaaaaaaaaa, ' 900000; printf 'I)\n    return O\n'; } >"$TMP/wide"
bad wide
{ printf 'def f(I):\n    O = ('; repeat '0, ' 3500000; printf ')\n    return O\n'; } >"$TMP/many"
bad many
{ printf 'def '; repeat 'x' 10000000; printf '(I):\n    return J\n'; } >"$TMP/name"
bad name
{ printf '"""'; repeat 'x\n' 100000; } >"$TMP/docstring"
bad docstring
{ printf 'def f(I):\n'; repeat '        ' 100000; printf 'return J\n'; } >"$TMP/indent"
bad indent
printf '\xef\xbb\xbf\xef\xbb\xbfdef f(I):\n  return I\n' >"$TMP/boms"
bad boms
: >"$TMP/empty"
"$BATT" eval --program "$TMP/empty" --grid '((1,),)' 2>"$TMP/err" && fail "an empty file ran"
grep -q 'has no function' "$TMP/err"

# and through the command line itself
for text in '(' ')' '{' '"' "'" \\ '=' 'x =' '= 1' 'def' 'return' ';' '' ' ' '#' $'\xff' 'first(' 'first(1' ',' '()()(' '1 2' '@' 'a.b' \
    'x: int' 'if 1' 'lambda: 1' '[1]' '{1: 2}' '*x' 'first(*x)' '99999999999999999999' '1.5' '0x10' '1_000' '-' '--1' '- -1' 'x := 1'; do
    got=0
    "$BATT" eval -- "$text" >"$TMP/out" 2>"$TMP/err" || got=$?
    case $got in
    0 | 1 | 2) ;;
    *) fail "'$text': exit code $got" ;;
    esac
    [ $got = 0 ] || [ -s "$TMP/err" ] || fail "'$text': no message"
done

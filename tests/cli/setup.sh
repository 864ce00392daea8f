# The set-up script: silent when nothing is missing, exact about what is, and never installing without being able to.
set -eu
. tests/words.sh

[ -z "$(sh scripts/setup --check build)" ] || fail "set-up speaks although nothing is missing"

# A machine with nothing but a shell.
mkdir "$TMP/bare"
for tool in sh cat id env; do ln -s "$(command -v $tool)" "$TMP/bare/$tool"; done
status=0
PATH=$TMP/bare "$TMP/bare/sh" scripts/setup build test all >"$TMP/out" 2>&1 || status=$?
[ $status -eq 2 ] || fail "exit code $status on a machine without a package manager"
for package in gcc pkg-config libsqlite3-dev libxxhash-dev libpng-dev libjansson-dev libcmocka-dev clang; do
    grep -q -- "$package" "$TMP/out" || fail "$package is not named: $(cat "$TMP/out")"
done

# The same with apt-get, but without root or sudo: one line to copy.
printf '#!/bin/sh\necho touched >>%s\n' "$TMP/apt" >"$TMP/bare/apt-get"
printf '#!/bin/sh\necho 1000\n' >"$TMP/id"
rm "$TMP/bare/id"
mv "$TMP/id" "$TMP/bare/id"
chmod +x "$TMP/bare/apt-get" "$TMP/bare/id"
status=0
PATH=$TMP/bare "$TMP/bare/sh" scripts/setup build >"$TMP/out" 2>&1 || status=$?
[ $status -eq 2 ] || fail "exit code $status without root"
grep -q 'apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev' "$TMP/out" || fail "no line to copy"
[ ! -e "$TMP/apt" ] || fail "apt-get was called without root"

# As root it updates once and installs twice: what is needed, and what would be nice to have.
printf '#!/bin/sh\necho 0\n' >"$TMP/bare/id"
PATH=$TMP/bare "$TMP/bare/sh" scripts/setup build >"$TMP/out" 2>&1
[ "$(grep -c touched "$TMP/apt")" -eq 3 ] || fail "apt-get was not called three times"

# A browser is a wish: where it cannot be had, the rest is set up all the same.
printf '#!/bin/sh\ncase $* in *chromium*) exit 1 ;; esac\n' >"$TMP/bare/apt-get"
PATH=$TMP/bare "$TMP/bare/sh" scripts/setup build test >"$TMP/out" 2>&1 || fail "no set-up without a browser"
grep -q 'are skipped: chromium' "$TMP/out" || fail "a missing browser is not named: $(cat "$TMP/out")"

status=0
sh scripts/setup nonsense >/dev/null 2>&1 || status=$?
[ $status -eq 2 ] || fail "nonsense was accepted"

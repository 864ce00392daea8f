#!/bin/bash
# make release, in a clone with another version: what it makes and what it refuses.
set -eu
. tests/words.sh
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT

command -v git >/dev/null && git rev-parse HEAD >/dev/null 2>&1 || { echo "skipped: not in a clone"; exit 77; }

git clone -q . "$TMP/clone"
# What is at hand counts, committed or not.
for file in Makefile scripts/release CHANGELOG.md pyproject.toml; do cp "$file" "$TMP/clone/$file"; done
cd "$TMP/clone"
save() { git -c user.name=x -c user.email=x@example.invalid commit -qam "$1" || true; }
sed -i 's/^VERSION := .*/VERSION := 9.8.7/' Makefile
save version
refused() { # WORDS
    status=0
    CFLAGS=-O0 make -s release >"$TMP/log" 2>&1 || status=$?
    [ $status -ne 0 ] || fail "released although: $1"
    grep -q "$1" "$TMP/log" || fail "not said: $1: $(cat "$TMP/log")"
    [ ! -e build/release/batt-9.8.7.tar.gz ] || fail "a tarball although: $1"
}
refused "first heading of CHANGELOG.md is .*, not '## 9.8.7'"
sed -i '0,/^## /s//## 9.8.7\n\n## /' CHANGELOG.md
refused "pyproject.toml has another version"
sed -i 's/^version = .*/version = "9.8.7"/' pyproject.toml
refused "not committed"
save heading
CFLAGS=-O0 make -s release >"$TMP/log" 2>&1 || fail "$(cat "$TMP/log")"
tar -tzf build/release/batt-9.8.7.tar.gz | grep -q '^batt-9.8.7/src/engine/value/value.c$' || fail "no sources in the tarball"
(cd build/release && sha256sum -c --quiet batt-9.8.7.tar.gz.sha256) || fail "another checksum"
grep -q '^git tag -a v9.8.7 ' "$TMP/log" || fail "no command to tag: $(cat "$TMP/log")"

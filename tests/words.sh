# Functions that command-line tests share; sourced from the project's root.
fail() { echo "FAILED: $*"; exit 1; }

# Before what is judged by a clock, and so means something on an idle machine only (make check-idle).
idle() { [ -n "${BATT_TEST_IDLE:-}" ]; }
needs_idle() {
    idle || {
        echo 'skipped: needs an idle machine (make check-idle)'
        exit 77
    }
}

wants() { # STATUS PATTERN COMMAND...
    local wanted=$1 pattern=$2 status=0
    shift 2
    "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
    [ $status -eq "$wanted" ] || { cat "$TMP/err"; fail "$*: exit code $status, expected $wanted"; }
    cat "$TMP/out" "$TMP/err" | grep -qE -- "$pattern" || { head -n 40 "$TMP/out" "$TMP/err"; fail "$*: no '$pattern'"; }
}

bad() { # WANTED-TEXT COMMAND...: exits with 2 and says why
    local want=$1 status=0
    shift
    "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
    [ $status -eq 2 ] || fail "exit $status instead of 2: $*"
    grep -q -- "$want" "$TMP/err" || fail "no '$want' from $*: $(cat "$TMP/err")"
}

# batt serve ARGUMENTS... in the background until the test ends: its address is in ./address, what it says in ./err. Skips
# the test where batt was built without a server.
start_server() {
    "$BATT" serve "$@" >address 2>err &
    server=$!
    trap 'kill $server 2>/dev/null || true' EXIT
    for _ in $(seq 100); do
        [ ! -s address ] || return 0
        kill -0 $server 2>/dev/null || break
        sleep 0.1
    done
    if grep -q 'built without a server' err; then
        local status=0
        wait $server || status=$?
        [ $status -eq 2 ] || fail "exit code $status of a build that cannot serve"
        echo "skipped: this build has no server (libmicrohttpd-dev)"
        exit 77
    fi
    fail "batt serve gives no address: $(cat err)"
}

# What is installed, packaged or static is hardened: FILE is position-independent, its tables are read-only once it runs
# and all its symbols are bound by then, stacks and copies are watched, and (x86-64) jumps land where they may. A static
# file has no dynamic symbols to look at.
hardened() { # FILE [static]
    local file=$1 kind=${2:-}
    readelf -hW "$file" | grep -q 'Type: *DYN' || fail "$file is not position-independent"
    readelf -lW "$file" | grep -q GNU_RELRO || fail "$file: no RELRO"
    readelf -dW "$file" | grep -qE 'BIND_NOW|FLAGS_1.*NOW' || fail "$file: not bound at start"
    ! readelf -lW "$file" | grep GNU_STACK | grep -q E || fail "$file: an executable stack"
    if [ "$kind" = static ]; then
        grep -qa 'stack smashing detected' "$file" || fail "$file: no stack protector"
        grep -qa 'buffer overflow detected' "$file" || fail "$file: no checked copies"
    else
        readelf -W --dyn-syms "$file" | grep -q __stack_chk_fail || fail "$file: no stack protector"
        readelf -W --dyn-syms "$file" | grep -qE '__(memcpy|snprintf|fprintf|memset)_chk' || fail "$file: no checked copies"
    fi
    [ "$(uname -m)" != x86_64 ] || ! command -v objdump >/dev/null ||
        [ "$(objdump -d "$file" | grep -c endbr64)" -gt 100 ] || fail "$file: no marks for jumps"
}

# For tests in a real browser: $browser, or the test is skipped. No function here may have a browser's name,
# which `command -v` would find.
find_browser() {
    local name
    for name in chromium chromium-browser google-chrome google-chrome-stable; do
        if command -v "$name" >/dev/null; then
            browser=$name
            return
        fi
    done
    echo 'skipped: no chromium, chromium-browser or google-chrome on this machine'
    exit 77
}
browse() { # OPTION... PAGE: in a window of the size $window
    HOME=$TMP timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --user-data-dir="$TMP/profile" --virtual-time-budget=8000 --window-size="${window:-1200,900}" "$@" 2>"$TMP/browser.log"
}

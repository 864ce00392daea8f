# Shared by the tests of ranks: mpirun as tests may use it, and answers without times.
# shellcheck shell=bash
ranks_or_skip() {
    if ! command -v mpirun >/dev/null; then
        echo 'skipped: mpirun is not installed (openmpi-bin)'
        exit 77
    fi
    if [ ! -d /sys/devices/system/cpu ]; then
        echo 'skipped: without /sys, as in a bare chroot, Open MPI does not outlive a rank that is killed'
        exit 77
    fi
    if [ ! -e "$(dirname "$BATT")/batt-mpi.so" ]; then
        echo 'skipped: batt-mpi.so is not built here (make MPI=1)'
        exit 77
    fi
}

launch() { # RANKS MPIRUN-OPTIONS... -- COMMAND...
    local n=$1 options=()
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    [ "$(id -u)" -ne 0 ] || options+=(--allow-run-as-root)
    timeout 100 mpirun --oversubscribe "${options[@]}" -n "$n" "$@"
}

# Everything of a JSON report that does not depend on time, place or number of threads.
answers() {
    python3 -c '
import json, sys
left_out = ("ranks", "profile", "phases", "statistics", "values_per_s", "time_s", "jobs", "resumed", "tasks_resumed", "evaluations_per_s")
def plain(x):
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items() if not k.endswith("_s") and k not in left_out}
    return [plain(v) for v in x] if isinstance(x, list) else x
json.dump(plain(json.load(sys.stdin)), sys.stdout, indent=0, sort_keys=True)'
}

# What evolution has bred, without the work it took: a run that goes on elsewhere does some of it again.
bred() { sed '/"generations"/d;/"candidates"/d;/"distinct"/d;/"evaluations"/d;/"improved"/d'; }

kill_rank() { # RANK AFTER-SECONDS
    local p
    sleep "$2"
    for p in $(process_of "$1"); do
        kill -9 "$p" || true
    done
}

# Kills a rank that is past the start of MPI, of which no launcher recovers: it counts the processor time of the rank, not
# the clock, so that a busy machine changes nothing. A rank that has ended before is let be.
kill_working_rank() { # RANK PROCESSOR-SECONDS
    local p ticks _
    for _ in $(seq 600); do
        p=$(process_of "$1")
        ticks=$([ -z "$p" ] || sed 's/.*) //' "/proc/$p/stat" 2>/dev/null | awk '{ print $12 + $13 }')
        if [ -n "$ticks" ] && awk -v t="$ticks" -v s="$2" -v hz="$(getconf CLK_TCK)" 'BEGIN { exit t < s * hz }'; then
            kill -9 "$p" || true
            return
        fi
        sleep 0.1
    done
}

# The Nth of a fixed series of random moments.
moment() { # N FIRST LAST
    python3 -c "import random; print(random.Random($1).uniform($2, $3))"
}

# The process of a rank among those that work in this folder.
process_of() { # RANK
    local p
    for p in $(pgrep -x batt); do
        if [ "$(readlink "/proc/$p/cwd")" = "$PWD" ] &&
            tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1"; then
            echo "$p"
        fi
    done
}

#!/bin/bash
# Ranks on several hosts: network namespaces with names and addresses of their own, reached through a launch agent instead of ssh.
set -eu
. tests/words.sh
. tests/ranks.sh
ranks_or_skip
net=batt$$
clean() {
    ip netns del "${net}a" 2>/dev/null || true
    ip netns del "${net}b" 2>/dev/null || true
}
trap clean EXIT
if [ "$(id -u)" -ne 0 ] || ! ip netns add "${net}a" 2>/dev/null || ! ip netns add "${net}b" 2>/dev/null ||
    ! ip link add "${net}x" netns "${net}a" type veth peer name "${net}y" netns "${net}b" 2>/dev/null ||
    ! ip netns exec "${net}a" unshare --uts true 2>/dev/null; then
    echo 'skipped: network namespaces cannot be made or entered here'
    exit 77
fi
ip -n "${net}a" addr add 10.99.77.1/24 dev "${net}x"
ip -n "${net}b" addr add 10.99.77.2/24 dev "${net}y"
for end in a:x b:y; do
    ip -n "$net${end%:*}" link set "$net${end#*:}" up
    ip -n "$net${end%:*}" link set lo up
done
cd "$TMP"
cat >agent <<EOF
#!/bin/sh
# HOST COMMAND...: what ssh would do.
host=\$1
shift
case \$host in *.1) space=${net}a ;; *) space=${net}b ;; esac
exec ip netns exec \$space unshare --uts sh -c 'hostname \$0; shift 0; exec sh -c "\$*"' "\$space" "\$@"
EOF
chmod +x agent
cat >both <<EOF
# COMMAND...: one rank on each host.
. "$OLDPWD/tests/ranks.sh"
cd "$TMP"
hostname ${net}a
launch 2 --enable-recovery --host 10.99.77.1:1,10.99.77.2:1 --mca plm_rsh_agent "$TMP/agent" --mca btl self,tcp \
    --mca btl_tcp_if_include 10.99.77.0/24 --mca oob_tcp_if_include 10.99.77.0/24 -- "\$@"
EOF
both() { ip netns exec "${net}a" unshare --uts bash "$TMP/both" "$@"; }

splits='1 4'
[ -z "${BATT_TEST_QUICK:-}" ] || splits=4
for split in $splits; do
    "$BATT" solve --without library --split $split --steps 60000 -j1 --json | answers >one
    both "$BATT" solve --without library --split $split --steps 60000 -j1 --json >ranks.json 2>err || fail "two hosts: $(cat err)"
    answers <ranks.json | cmp - one || fail "two hosts give other answers (--split $split): $(cat err)"
    python3 -c 'import json, sys; sys.exit(min(r["units"] for r in json.load(open("ranks.json"))["ranks"]) < 1)' || fail 'one host did nothing'
done

# A host dies: the other one goes on, with the same result.
"$BATT" evolve --generations 60 --count 12 -j1 --json | answers | bred >one
export BATT_RANKS_PATIENCE=2
both "$BATT" evolve --generations 60 --count 12 -j1 --json >ranks.json 2>err &
job=$!
kill_working_rank 1 0.8
wait $job || fail "evolution did not go on: $(cat err)"
answers <ranks.json | bred | cmp - one || fail "evolution differs without the host that is gone: $(cat err)"

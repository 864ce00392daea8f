#!/bin/bash
# Several ranks under mpirun give the results of one process, however work is distributed and whichever rank is stopped;
# without the plugin no work is done N times.
set -eu
. tests/words.sh
. tests/ranks.sh

# Needs no MPI: a launcher's variables and no plugin.
mkdir "$TMP/bare"
cp "$BATT" "$TMP/bare/batt"
cd "$TMP"
wants 2 "make MPI=1" env OMPI_COMM_WORLD_SIZE=2 bare/batt run
wants 2 "make MPI=1" env PMIX_RANK=0 SLURM_STEP_NUM_TASKS=4 bare/batt solve
wants 2 'runs in one process' env PMI_SIZE=2 bare/batt store check x
wants 2 'needs several ranks' bare/batt evolve --islands --generations 1
env OMPI_COMM_WORLD_SIZE=1 bare/batt run -q >out || fail 'one rank is refused'
env OMPI_COMM_WORLD_SIZE=2 BATT_RANKS=0 bare/batt run -q >out || fail 'BATT_RANKS=0 does not help'
ldd "$BATT" | grep -q mpi && fail 'batt is linked to MPI'
ranks_or_skip
cd "$TMP"
numbers='2 4'
[ -z "${BATT_TEST_QUICK:-}" ] || numbers=2

# The same answers.
"$BATT" solve --steps 60000 -j1 --json | answers >one
for n in $numbers; do
    launch $n -- "$BATT" solve --steps 60000 -j1 --json >ranks.json || [ $? -eq 1 ]
    answers <ranks.json | cmp - one || fail "solve on $n ranks differs"
    grep -q '"gone"' ranks.json || fail 'nothing is said of ranks'
done
"$BATT" solve --without library --split 4 --steps 200000 --count 6 -j1 --json | answers >one
for n in $numbers; do
    launch $n -- "$BATT" solve --without library --split 4 --steps 200000 --count 6 -j1 --json >ranks.json || [ $? -eq 1 ]
    answers <ranks.json | cmp - one || fail "solve in subsearches on $n ranks differs"
done
# A single task, of noise: no subsearch has an answer that makes the others needless.
python3 - >noise.json <<'P'
import json, random
r = random.Random(1)
noise = lambda: [[r.randrange(10) for _ in range(7)] for _ in range(7)]
pairs = [{"input": noise(), "output": noise()} for _ in range(4)]
print(json.dumps({"train": pairs[:3], "test": pairs[3:]}))
P
shared='' # where a rank starts late the other one may have done all: then with more work
for steps in 4000000 16000000 64000000; do
    "$BATT" solve --without library --split 4 --steps $steps -j1 --json noise.json | answers >one
    launch 2 -- "$BATT" solve --without library --split 4 --steps $steps -j1 --json noise.json >ranks.json || [ $? -eq 1 ]
    answers <ranks.json | cmp - one || fail 'one task on 2 ranks differs'
    if python3 -c 'import json, sys; sys.exit(min(r["units"] for r in json.load(open("ranks.json"))["ranks"]) < 1)'; then
        shared=yes
        break
    fi
done
[ -n "$shared" ] || fail 'one task was searched by one rank'
"$BATT" run --json | answers >one
launch 2 -- "$BATT" run --json --profile timing --profile-out p.json | answers | cmp - one || fail 'run on 2 ranks differs'
"$BATT" profile batch --from p.json | grep -q 'measured by *rank 0 *rank 1' || fail 'no column for each rank'
"$BATT" profile batch --from p.json | grep -q '^network' || fail 'no row for waiting'
"$BATT" evolve --generations 5 --count 9 --json | answers >one
launch 2 -- "$BATT" evolve --generations 2 --count 9 --store split.batt -q >out
launch 2 -- "$BATT" evolve --generations 5 --count 9 --json >ranks.json
answers <ranks.json | cmp - one || fail 'evolve on 2 ranks differs'
"$BATT" evolve --generations 5 --count 9 --json --store alone.batt | answers | bred >one
launch 2 -- "$BATT" evolve --generations 5 --count 9 --json --store split.batt | answers | bred | cmp - one || fail 'evolve that goes on differs'

# Islands: every rank has a store, rank 0's has all in the end.
launch 2 -- "$BATT" evolve --islands --exchange 2 --generations 4 --count 6 --store isle.batt -q >out
"$BATT" store check isle.batt >out || fail 'the merged store is damaged'
"$BATT" store stats isle.batt | grep -q '^runs *2$' || fail 'not both islands are in the store'
"$BATT" store merge isle.batt isle.batt.rank1 | grep -q 'programs: 0, results: 0' || fail 'something of an island is missing'

rm isle.batt # with fewer ranks, what others have left is taken up
mv isle.batt.rank1 isle.batt.rank2
launch 2 -- "$BATT" evolve --islands --generations 1 --count 6 --store isle.batt -q >out
"$BATT" store merge isle.batt isle.batt.rank2 | grep -q 'programs: 0, results: 0' || fail 'the store of a rank that is no more is forgotten'

# Ranks that do not have the same are refused.
cat >odd.sh <<'EOF'
exec "$BATT" solve -j1 --count $((3 + OMPI_COMM_WORLD_RANK)) --steps 1000
EOF
got=0
launch 2 -- bash odd.sh >out 2>&1 || got=$?
[ $got -eq 2 ] || fail "ranks with other tasks: exit code $got"
grep -q 'rank 1 has other tasks.*(data [0-9a-f]*.* here, data [0-9a-f]*.* there)' out || fail "it is not said which rank differs, and in what: $(cat out)"
got=0
launch 2 -- env BATT_RANKS_PATIENCE=soon "$BATT" run -q >out 2>&1 || got=$?
[ $got -eq 2 ] || fail "a patience that is no number: exit code $got"
grep -q "BATT_RANKS_PATIENCE is 'soon'" out || fail 'it is not said that the patience is no number'

# Ctrl-C at the launcher ends all soon, and what was found is kept.
launch 2 -- "$BATT" solve --steps 100000000 -j1 -q --store stop.batt >out 2>err &
sleep 2.5
begin=$(date +%s%N)
for p in $(pgrep -x mpirun); do
    [ "$(readlink "/proc/$p/cwd")" != "$PWD" ] || kill -INT "$p"
done
wait $! || true
! idle || [ $(($(date +%s%N) - begin)) -lt 2000000000 ] || fail 'Ctrl-C takes more than two seconds'
[ -z "$(process_of 0)$(process_of 1)" ] || fail 'a rank lives on'
"$BATT" store check stop.batt >out || fail 'stopped: the store is damaged'

"""The commands that documents show, as shell scripts: one per document, for tests/cli/docs_run.sh.

    doc_commands.py commands DOCUMENT...    a script on standard output; unknown commands are an error
    doc_commands.py python DOCUMENT         its Python blocks, as one script
    doc_commands.py links DOCUMENT...       links to files that do not exist
    doc_commands.py data FOLDER             challenges and solutions files made of the tasks in FOLDER/data/training

Commands stand in blocks that are indented by four columns or fenced as sh; other fences are output or code. A comment after
"  # " is dropped, a line that ends in a backslash goes on.
"""
import json
import os
import re
import shlex
import sys

# What cannot run in a scratch folder, and why. Everything else that a document shows must run.
NOT_RUN = [
    (r"make\b", "builds or tests the project; tests/cli/docs.sh looks for the target"),
    (r"(tests/run|ONLY=\S+ tests/run|scripts/)", "tests and measures the project itself"),
    (r"export PATH=", "the test has a path of its own"),
    (r"pip install", "tests/cli/pip.sh installs the package"),
    (r"python -m build", "needs the package build; tests/cli/pip.sh makes the source distribution"),
    (r"apt-get", "needs root"),
    (r"(mpirun|srun) ", "needs a launcher and other machines; tests/cli/ranks.sh and ranks_hosts.sh"),
    (r"!", "cells of a notebook; tests/cli/kaggle.sh runs them"),
    (r"batt serve\b", "serves until it is stopped; tests/cli/serve.sh"),
    (r"batt solve --device opencl", "needs this device; tests/cli/devices.sh"),
    (r"batt devices --(measure|selftest)", "takes a minute under PoCL; tests/cli/devices.sh"),
    (r"#SBATCH", "an option of Slurm"),
]
# Budgets are those of a real run; here a moment has to do, counted in steps where that is possible.
SHORTER = [(r"(batt evolve .*)--time \S+", r"\1--generations 2"), (r"--time \S+", "--time 1s"), (r"--time-per-task \S+", "--steps 20000"),
           (r"--budgets \S+", "--steps 20000")]
# Exit code 1 of these says that a task is unsolved, which is no fault of the document.
MAY_FALL_SHORT = ("run", "solve", "evolve", "score", "trace")


def blocks(path):
    """(kind, lines) of every block of code; kind is "sh" where it is indented."""
    block, kind, fence, before = [], "", None, ""
    for line in open(path, encoding="utf-8").read().split("\n") + [""]:
        if fence is not None:
            if line.startswith("```"):
                yield fence, block
                block, fence = [], None
            else:
                block.append(line)
        elif line.startswith("```"):
            fence = line[3:].strip()
        elif line.startswith("    ") and (block or not before.strip()):
            block.append(line[4:])
        elif block:
            yield "sh", block
            block = []
        before = line


def commands(path):
    for kind, lines in blocks(path):
        if kind != "sh":
            continue
        whole = ""
        for line in lines:
            line = re.sub(r"\s+# .*$", "", line.rstrip())
            if line.endswith("\\"):
                whole += line[:-1]
                continue
            whole += line
            if whole.strip():
                yield whole.strip()
            whole = ""


def script(paths):
    bad = 0
    for path in paths:
        for command in commands(path):
            if any(re.match(pattern, command) for pattern, _ in NOT_RUN):
                continue
            if re.match(r"[A-Z]+=\S+$", command):
                print("export", command)
                continue
            if not command.startswith("batt "):
                print(f"{path}: not a command of batt, and not in NOT_RUN of tests/doc_commands.py: {command}", file=sys.stderr)
                bad = 1
                continue
            for pattern, short in SHORTER:
                command = re.sub(pattern, short, command)
            limit = 1 if command.split()[1] in MAY_FALL_SHORT else 0
            print(f"check {limit} {shlex.quote(path)} {shlex.quote(command)} <<'END'\n{command}\nEND")
    return bad


def links(paths):
    bad = 0
    for path in paths:
        text = re.sub(r"```.*?```", "", open(path, encoding="utf-8").read(), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            there = os.path.join(os.path.dirname(path), file) if file else path
            if not os.path.exists(there):
                print(f"{path}: no file {target}")
                bad = 1
            elif anchor:
                heads = re.findall(r"^#+ (.*)$", open(there, encoding="utf-8").read(), re.M)
                if anchor not in [re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads]:
                    print(f"{path}: no heading {target}")
                    bad = 1
    return bad


def data(folder):
    challenges, solutions = {}, {}
    tasks = os.path.join(folder, "data", "training")
    for name in sorted(os.listdir(tasks)):
        task = json.load(open(os.path.join(tasks, name)))
        challenges[name[:-5]] = {"train": task["train"], "test": [{"input": pair["input"]} for pair in task["test"]]}
        solutions[name[:-5]] = [pair["output"] for pair in task["test"]]
    for name in ("arc-agi_test_challenges", "arc-agi_training_challenges", "challenges"):
        json.dump(challenges, open(os.path.join(folder, name + ".json"), "w"))
    json.dump(solutions, open(os.path.join(folder, "arc-agi_training_solutions.json"), "w"))
    return 0


def main():
    what, paths = sys.argv[1], sys.argv[2:]
    if what == "python":
        print("\n".join(line for kind, lines in blocks(paths[0]) if kind == "python" for line in lines))
        return 0
    return {"commands": script, "links": links, "data": lambda given: data(given[0])}[what](paths)


if __name__ == "__main__":
    sys.exit(main())

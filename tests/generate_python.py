#!/usr/bin/env python3
"""Writes files as users of the Python pipeline have them: generated batteries and scored collections.

    generate_python.py module BATT SEED STEPS OUT.py [guarded|bare|mixed] [vector]
        OUT.py and OUT_call.py, and OUT_plain.py: the same steps as one solver, without guards
    generate_python.py collection BATT SEED FILES FOLDER [TASK...]
        solver_md5, solver_dir, differ_md5 and differ_dir in FOLDER, some links dangling, some programs there twice;
        prints what it wrote as NAME=COUNT

Programs are random: most calls get arguments of the types that they want, the others fail and need their guards.
"""
import hashlib
import json
import os
import random
import subprocess
import sys

CONSTANTS = ["ZERO", "ONE", "TWO", "THREE", "FIVE", "NEG_ONE", "F0", "F1", "L1", "R0", "R5", "A1", "BLUE", "RED", "T", "F"]
PAIRS = ["DOWN", "RIGHT", "ORIGIN", "UNITY", "TWO_BY_TWO"]


def split(text):
    """At the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([{<") - (c in ")]}>" and text[k - 1] != "-")
        if c == "," and depth == 0:
            parts.append(text[start:k])
            start = k + 1
    return [p.strip() for p in parts + [text[start:]] if p.strip()]


class Primitives:
    def __init__(self, batt):
        rows = json.loads(subprocess.run([batt, "prims", "--json"], check=True, capture_output=True).stdout)["primitives"]
        self.all = []
        for row in rows:
            if "dialect" not in row["from"] or row["symbols"]:
                continue
            head, _, result = row["signature"].rpartition("->")
            types = [p.partition(":")[2].strip() for p in split(head)]
            if len(types) == row["arity"]:
                self.all.append((row["name"], types, result.strip()))


class Steps:
    """Random steps t1, t2, .. over S, I, C; costly ones are left out."""

    COSTLY = {"power", "upscale", "hupscale", "vupscale", "canvas", "interval", "product", "prapply", "repeat", "papply",
              "upscale_t", "upscale_f", "exp", "multiply", "mpapply", "hconcat", "vconcat", "occurrences"}

    def __init__(self, prims, rng):
        self.rng = rng
        self.prims = [p for p in prims.all if p[0] not in self.COSTLY]
        self.one = [p[0] for p in self.prims if len(p[1]) == 1]
        self.made = {"grid": ["I", "C"], "samples": ["S"]}
        self.lines = []  # (name, function, [arguments])

    def argument(self, kind):
        r = self.rng
        if r.random() < 0.1:
            return r.choice(["I", "S", "C", "t%d" % r.randint(1, len(self.lines)) if self.lines else "I"])
        if kind.startswith("fn") or "->" in kind:
            return r.choice(self.one)
        if kind in ("int", "num", "bool", "color"):
            made = self.made.get(kind, []) + self.made.get("int", [])
            return r.choice(made[-20:]) if made and r.random() < 0.4 else r.choice(CONSTANTS)
        if kind == "pair":
            return r.choice(PAIRS)
        for name in (kind, "grid"):
            if self.made.get(name):
                return r.choice(self.made[name][-30:] + self.made[name][:2])
        return "I"

    def step(self):
        r, name = self.rng, "t%d" % (len(self.lines) + 1)
        functions = self.made.get("fn", [])
        if functions and r.random() < 0.05:
            self.lines.append((name, r.choice(functions[-10:]), [self.argument("grid")]))
            return name
        prim, types, result = r.choice(self.prims)
        self.lines.append((name, prim, [self.argument(t) for t in types]))
        self.made.setdefault("fn" if "->" in result or result.startswith("fn") else result, []).append(name)
        return name


def write_module(prims, seed, steps, out, guards, vector):
    rng = random.Random(seed)
    s = Steps(prims, rng)
    body, plain, calls = ["    s = []", "    o = []"], [], {}
    last = None

    def emit(name, function, arguments):
        text = "%s = %s(%s)" % (name, function, ", ".join(arguments))
        plain.append(text)
        calls[int(name[1:])] = ", ".join([function] + arguments)
        if rng.random() < 0.02:
            body.append("    # Pre-mutate: %s = %s(%s)" % (name, function, ", ".join(["I"] * len(arguments))))
        if guards == "bare" or (guards == "mixed" and rng.random() < 0.3):
            body.append("    " + text)
        else:
            body.extend(["    try:", "        " + text, "    except (TypeError, AttributeError, ValueError):",
                         "        %s = _get_safe_default(%s)" % (name, function)])

    while len(s.lines) < steps:
        if vector and rng.random() < 0.01 and len(s.lines) + 4 <= steps:
            first = len(s.lines) + 1
            names = ["t%d" % (first + k) for k in range(4)]
            body.append("    %s = batch_process_samples_gpu(S)" % ", ".join(names))
            parts = [("apply", ["first", "S"]), ("apply", ["second", "S"]), ("mapply", ["p_g", names[0]]), ("mapply", ["p_g", names[1]])]
            for name, (function, arguments) in zip(names, parts):
                s.lines.append((name, function, arguments))
                plain.append("%s = %s(%s)" % (name, function, ", ".join(arguments)))
                calls[int(name[1:])] = ", ".join([function] + arguments)
            continue
        name = s.step()
        emit(name, s.lines[-1][1], s.lines[-1][2])
        number = len(s.lines)
        if number % 20 == 0:
            last = "%08x" % rng.randrange(1 << 32)
            body.append("    o.append((%d, %s, '%s', %s))" % (number, rng.random() < 0.5, last, name))
        elif last and number % 20 == 10:
            differ = "differ_" + hashlib.md5(name.encode()).hexdigest() if rng.random() < 0.7 else "iz_%d" % number
            body.append("    s.append((%d, '%s', '%s', %s))" % (number, last if rng.random() < 0.8 else "None", differ, name))
    body.append("    return o, s")
    head = ["# Generated by tests/generate_python.py", "from dsl import *", "from safe_dsl import _get_safe_default"]
    if vector:
        head += ["from gpu_env import GPUEnv as Env", "from batt_gpu import batch_process_samples_gpu"]
    with open(out, "w") as f:
        f.write("\n".join(head + ["", "", "def batt(task_id, S, I, C, log_path):"] + body) + "\n")
    with open(out[:-3] + "_call.py", "w") as f:
        f.write("t_call = {%s}\n" % ", ".join("%d: %r" % item for item in sorted(calls.items())))
    with open(out[:-3] + "_plain.py", "w") as f:
        f.write("def solve_plain(S, I, C):\n    %s\n    return t%d\n" % ("\n    ".join(plain), steps))


PARAMETERS = ["I", "S, I", "S, I, C", "S, I, C, log", "I, task_id"]


def random_solver(prims, rng, name):
    s = Steps(prims, rng)
    parameters = rng.choice(PARAMETERS)
    if "S" not in parameters:
        s.made["samples"] = ["I"]
    if "C" not in parameters:
        s.made["grid"] = ["I"]
    for _ in range(rng.randint(1, 8)):
        s.step()
    lines = []
    for t, function, arguments in s.lines:
        arguments = [a if a in parameters.split(", ") or a not in "SC" else "I" for a in arguments]
        lines.append("    %s = %s(%s)" % (t, function, ", ".join(arguments)))
    lines[-1] = lines[-1].replace("t%d =" % len(s.lines), "O =", 1)
    return "from dsl import *\n\n\ndef %s(%s):\n%s\n    return O\n" % (name, parameters, "\n".join(lines))


def write_collection(prims, seed, files, folder, tasks):
    rng = random.Random(seed)
    tasks = tasks or ["%08x" % rng.randrange(1 << 32) for _ in range(max(files // 50, 3))]
    counts = {"links": 0, "dangling": 0, "doubles": 0, "programs": 0}
    texts = {}
    links = set()

    def link(kind, task, md5):
        score, speed = rng.choice([1000, 2000, 3000, 4000, rng.randint(0, 4000)]), rng.randint(0, 25)
        if (kind, task, md5) in links:
            return False
        links.add((kind, task, md5))
        place = os.path.join(folder, kind + "_dir", "solve_" + task, str(score), str(speed))
        os.makedirs(place, exist_ok=True)
        os.symlink("../../../../%s_md5/%s.py" % (kind, md5), os.path.join(place, md5 + ".py"))
        return True

    for kind in ("solver", "differ"):
        os.makedirs(os.path.join(folder, kind + "_md5"), exist_ok=True)
        os.makedirs(os.path.join(folder, kind + "_dir"), exist_ok=True)
    while counts["links"] < files:
        kind = "differ" if rng.random() < 0.2 else "solver"
        task = rng.choice(tasks)
        if rng.random() < 0.02:
            counts["dangling"] += link(kind, task, hashlib.md5(b"%d" % rng.randrange(1 << 60)).hexdigest())
            continue
        text = random_solver(prims, rng, rng.choice(["solve", "solve", "solve_" + task]))
        if kind == "differ":
            text = text.replace("def solve", "def differ", 1)
        versions = [text]
        if rng.random() < 0.05:
            versions.append(text.replace("    return O", "    # again\n    return O"))
            counts["doubles"] += 1
        for version in versions:
            md5 = hashlib.md5(version.encode()).hexdigest()
            if md5 not in texts:
                texts[md5] = kind
                with open(os.path.join(folder, kind + "_md5", md5 + ".py"), "w") as f:
                    f.write(version)
            for other in [task] + ([rng.choice(tasks)] if rng.random() < 0.1 else []):
                counts["links"] += link(texts[md5], other, md5)
    counts["programs"] = len(texts)
    print(" ".join("%s=%d" % item for item in counts.items()))


def main():
    what, batt, seed, count, out = sys.argv[1:6]
    rest = sys.argv[6:]
    prims = Primitives(batt)
    if what == "module":
        write_module(prims, int(seed), int(count), out, rest[0] if rest else "guarded", "vector" in rest)
    else:
        write_collection(prims, int(seed), int(count), out, rest)


main()

#!/bin/bash
# The shared library from Python, through ctypes.
set -eu
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
[ -z "${BATT_TEST_SLOW:-}" ] || { echo "a sanitized library cannot be loaded into python"; exit 77; }
LIBRARY=$BATT_BUILD/libbatt.so python3 - <<'PYTHON'
import ctypes, os

lib = ctypes.CDLL(os.path.abspath(os.environ["LIBRARY"]))
P, S, Z = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
for name, result, params in [
    ("batt_open", P, []), ("batt_close", None, [P]), ("batt_error", S, [P]),
    ("batt_parse", P, [P, S, Z, ctypes.c_int]), ("batt_programs_free", None, [P]),
    ("batt_programs_count", Z, [P]), ("batt_programs_name", S, [P, Z]), ("batt_programs_hash", S, [P, Z]),
    ("batt_programs_errors", S, [P]), ("batt_eval", P, [P, S, ctypes.c_int]),
    ("batt_run", P, [P, P, Z, S, ctypes.c_int, ctypes.c_int]),
    ("batt_run_text", P, [P, P, Z, S, S, S]), ("batt_value_kind", ctypes.c_int, [P]),
    ("batt_value_int", ctypes.c_int64, [P]), ("batt_value_size", Z, [P]), ("batt_value_at", P, [P, Z]),
    ("batt_value_text", Z, [P, S, Z]), ("batt_release", None, [P]), ("batt_value_reason", S, [P]), ("batt_value_line", ctypes.c_int, [P]),
]:
    function = getattr(lib, name)
    function.restype, function.argtypes = result, params

def text(value):
    buffer = ctypes.create_string_buffer(1000)
    lib.batt_value_text(value, buffer, 1000)
    lib.batt_release(value)
    return buffer.value

batt = lib.batt_open()
source = b"def turn(I):\n    O = rot90(I)\n    return O\ndef both(S, I, C):\n    x1 = size(S)\n    return x1\n"
programs = lib.batt_parse(batt, source, len(source), -1)
assert lib.batt_programs_count(programs) == 2
assert lib.batt_programs_name(programs, 0) == b"turn"
assert len(lib.batt_programs_hash(programs, 0)) == 32
assert lib.batt_programs_errors(programs) == b""
assert text(lib.batt_run(batt, programs, 0, bytes([1, 2, 3, 4]), 2, 2)) == b"((3, 1), (4, 2))"
assert lib.batt_run(batt, programs, 7, bytes(4), 2, 2) is None and b"no program 7" in lib.batt_error(batt)
pairs = b"((((1,),), ((2,),)), (((3,),), ((4,),)))"
assert lib.batt_value_int(lib.batt_run_text(batt, programs, 1, b"((1,),)", pairs, None)) == 2
value = lib.batt_eval(batt, b"first(5)", 0)
assert lib.batt_value_kind(value) == 0 and lib.batt_value_reason(value) == b"type" and lib.batt_value_line(value) == 1
value = lib.batt_eval(batt, b"{(1, 2), 7}", 0)
assert lib.batt_value_size(value) == 2 and text(lib.batt_value_at(value, 1)) == b"(1, 2)"
assert lib.batt_value_at(value, 2) is None
assert lib.batt_eval(batt, b"frist(5)", 0) is None and b"did you mean 'first'" in lib.batt_error(batt)
lib.batt_programs_free(programs)
lib.batt_close(batt)
PYTHON

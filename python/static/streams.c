/* The standard streams under names of our own, for archives that go into the wheel.
 *
 * A distribution compiles its archives for programs, not for shared libraries: they may call functions of the
 * C library, but reach its variables only from a program. The only ones that SQLite, libpng, zlib and jansson
 * use are these three; setup.py renames them in copies of the archives. */
#include <stdio.h>

FILE *batt_stdin, *batt_stdout, *batt_stderr;

__attribute__((constructor)) static void take_streams(void) {
    batt_stdin = stdin;
    batt_stdout = stdout;
    batt_stderr = stderr;
}

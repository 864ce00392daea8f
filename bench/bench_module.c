/* Measures how fast generated Python batteries are read: CPU time from the file to the checked steps, and on
 * to the solvers cut out of them, the best of 20 rounds. bench_module FILE.py...   (tests/generate_python.py
 * module writes such files) */
#include "base/clock.h"
#include "engine/language/module.h"
#include "search/evolution/python_battery.h"

#include <stdio.h>
#include <stdlib.h>

static double milliseconds(void) {
    return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-6;
}

static void need(bool good, const char *why) {
    if (!good) {
        fprintf(stderr, "bench_module: %s\n", why);
        exit(2);
    }
}

int main(int argc, char **argv) {
    enum { ROUNDS = 20 };
    need(argc > 1, "name generated batteries");
    for (int k = 1; k < argc; k++) {
        double steps = 1e9, solvers = 1e9;
        size_t n_steps = 0, n_solvers = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Source source;
            Module module;
            PythonBattery battery;
            ProgList list = {0};
            Diags diags;
            char why[200];
            diags_init(&diags);
            double start = milliseconds();
            Lang *lang = lang_open();
            need(lang != NULL, "out of memory");
            need(source_read(&source, argv[k], why, sizeof why), why);
            need(lang_parse_module(lang, &source, &module, &diags) && diags.errors == 0, "not a battery");
            double taken = milliseconds() - start;
            steps = taken < steps ? taken : steps;
            n_steps = module.program->nops;
            module_free(&module);
            start = milliseconds();
            need(python_battery_read(lang, &source, &list, &battery, &diags), "out of memory");
            taken = milliseconds() - start;
            solvers = taken < solvers ? taken : solvers;
            n_solvers = list.count;
            python_battery_free(&battery);
            progs_free(&list);
            diags_free(&diags);
            source_free(&source);
            lang_close(lang);
        }
        printf("module %s: %zu steps in %.1f ms; with %zu solvers cut out %.1f ms\n", argv[k], n_steps, steps,
               n_solvers, solvers);
    }
    return 0;
}

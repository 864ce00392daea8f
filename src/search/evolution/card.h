/* The card: many programs, some of them mutated, as one battery written in the language itself.
 *
 *     # written by batt card
 *     # batt-card: programs=3 mutated=1 differs=0 calls=12 merged=9
 *     def batt(I):
 *         x1 = objects(I, T, F, T)
 *         x2 = argmax(x1, size)
 *         x3 = fill(I, FOUR, x2)  # output solve_00d62c1b: color
 *         O = (x3, ...)
 *         return O
 *
 * The second line has the figures: programs, how many of them were mutated, differs, calls before and after
 * merging. It is for the store; running a card does not need it.
 *
 * Every call appears once. A line that computes a program's result says so in its comment: `#
 * output NAME`, with `: MUTATION` if it was changed, and with further names after `;`. The text is
 * an ordinary program, whose value is the tuple of all outputs; reading it as a battery gives the
 * programs back under their names.
 *
 * Differs (search/evolution/differs.h) may come with them, merged in a function of their own,
 * batt_differs(S, I, C), on lines marked `# differ NAME`: a run of the battery then also scores how
 * close every answer comes. */
#ifndef BATT_SEARCH_EVOLUTION_CARD_H
#define BATT_SEARCH_EVOLUTION_CARD_H

#include "engine/eval/battery.h"
#include "engine/eval/pool.h"
#include "engine/language/parse.h"
#include "search/evolution/mutate.h"

#define CARD_OUTPUT_MARK "# output "
#define CARD_DIFFER_MARK "# differ "

typedef struct CardOptions {
    uint64_t seed;
    uint32_t count;          /* programs to pick; 0: all */
    bool freeze;             /* no mutation */
    const ProgList *differs; /* to write with them; may be NULL */
    size_t n_own_differs;    /* of them, the first: built-in ones, which give numbers */
    Pool *pool;              /* whose workers mutate */
    const Stop *stop;        /* asks to give up; may be NULL */
} CardOptions;

typedef struct Card {
    uint32_t programs, differs;
    Statistics statistics; /* MUTATED, and the work done in the context */
    uint64_t calls_before, calls_after;
} Card;

/* Picks, mutates and merges programs, and appends the text: one function for programs over I, one for those
 * over S, I, C, one for differs. The text does not depend on the number of workers. False: out of memory, or
 * stopped. */
bool card_write(Out *out, const CardOptions *options, const Program *const *programs, size_t n_programs,
                Card *card);

/* The figures of a card's text (no other statistics). False: it has none, as cards of older versions. */
bool card_figures(const char *text, Card *card);

/* Appends the programs of a battery's text to `programs`, and its differs to `differs`. Findings go to diags.
 * False: out of memory. */
bool card_read(Lang *lang, const Source *source, ProgList *programs, ProgList *differs, Diags *diags);

#endif

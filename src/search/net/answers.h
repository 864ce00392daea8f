/* Answers of a net: what each step makes of the tests, and how far each answer can be trusted.
 *
 * Every step gives two candidates (a grid for each test): one from its own logits, one from running
 * means of all steps. A candidate's score says how sure its cells are; scores of equal candidates
 * add up as probabilities do, and the two with the best totals are the answers. Later runs from
 * other seeds may add to the same totals. */
#ifndef BATT_SEARCH_NET_ANSWERS_H
#define BATT_SEARCH_NET_ANSWERS_H

#include "base/image.h"
#include "search/net/engine_table.h"

enum { NET_ANSWERS_MAX = 1024 }; /* different ones that are kept; the least trusted make room */

typedef struct NetAnswer {
    uint64_t hash;
    double total;   /* logarithm */
    uint32_t count; /* times it was given */
    uint32_t first; /* step that gave it first */
} NetAnswer;

typedef struct NetAnswers {
    const NetShape *shape;
    NetAnswer *answers; /* in the order they came */
    int8_t *cells;      /* of answer k from k * room on: for each test rows, columns, and cells (colors, not
                           numbers) */
    size_t room;
    uint32_t count, distinct; /* kept; and all there ever were */
    uint32_t slots[2];        /* numbers of the two answers, equal at first */
    int8_t *work;             /* a candidate while it is made */
} NetAnswers;

typedef struct NetMeans {            /* of one run */
    double *logits, *rows, *columns; /* of the tests' outputs: [test][color][row][column], [test][row], .. */
} NetMeans;

bool net_answers_open(NetAnswers *answers, const NetShape *shape); /* false: no memory */
void net_answers_close(NetAnswers *answers);
size_t net_answers_bytes(const NetShape *shape);

bool net_means_open(NetMeans *means, const NetShape *shape);
void net_means_close(NetMeans *means);
size_t net_means_numbers(const NetShape *shape); /* doubles, in one block from `logits` on */

typedef struct NetScores { /* of the two candidates of a step */
    double sample, mean;
    uint32_t sample_answer, mean_answer; /* their numbers */
} NetScores;
/* Takes the outputs of step t. */
NetScores net_answers_add(NetAnswers *answers, NetMeans *means, const NetMemory *mem, const NetOutput *out,
                          size_t t);
/* Adds totals of another run. */
void net_answers_pool(NetAnswers *to, const NetAnswers *from);

/* The grid of answer k for a test; valid until the next change. */
Image net_answer_grid(const NetAnswers *answers, uint32_t k, uint32_t test);
/* The numbers of the best answers by their totals, at most `max`; returns how many. */
uint32_t net_answers_best(const NetAnswers *answers, uint32_t *numbers, uint32_t max);

/* The number of answers that are given (one grid per test); UINT32_MAX: they are not among them. */
uint32_t net_answers_find(const NetAnswers *answers, const Image *grids);
/* The place of an answer by totals, from 1. */
uint32_t net_answers_place(const NetAnswers *answers, uint32_t number);
/* The logarithm of the sum over all totals: the reference for an answer's share. */
double net_answers_all(const NetAnswers *answers);

#endif

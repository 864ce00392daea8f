/* Candidates and their totals; see answers.h. */
#include "search/net/answers.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- memory ---- */

static size_t room_of(const NetShape *shape) {
    return shape->n_test * (2 + (size_t)shape->rows * shape->columns);
}

size_t net_answers_bytes(const NetShape *shape) {
    return NET_ANSWERS_MAX * (sizeof(NetAnswer) + room_of(shape)) + room_of(shape);
}

bool net_answers_open(NetAnswers *answers, const NetShape *shape) {
    *answers = (NetAnswers){.shape = shape, .room = room_of(shape)};
    answers->answers = mem_array(NET_ANSWERS_MAX, sizeof *answers->answers);
    answers->cells = mem_zalloc(NET_ANSWERS_MAX, answers->room);
    answers->work = mem_zalloc(1, answers->room);
    if (answers->answers == NULL || answers->cells == NULL || answers->work == NULL) {
        net_answers_close(answers);
        return false;
    }
    return true;
}

void net_answers_close(NetAnswers *answers) {
    mem_free(answers->answers);
    mem_free(answers->cells);
    mem_free(answers->work);
    *answers = (NetAnswers){0};
}

static size_t logits_of_test(const NetShape *shape) {
    return (size_t)(shape->colors + 1) * shape->rows * shape->columns;
}

size_t net_means_numbers(const NetShape *shape) {
    return shape->n_test * (logits_of_test(shape) + shape->rows + shape->columns);
}

bool net_means_open(NetMeans *means, const NetShape *shape) {
    means->logits = mem_zalloc(net_means_numbers(shape), sizeof *means->logits);
    means->rows = means->logits != NULL ? means->logits + shape->n_test * logits_of_test(shape) : NULL;
    means->columns = means->logits != NULL ? means->rows + (size_t)shape->n_test * shape->rows : NULL;
    return means->logits != NULL;
}

void net_means_close(NetMeans *means) {
    mem_free(means->logits);
    *means = (NetMeans){0};
}

/* ---- making a candidate ---- */

typedef struct Segment {
    size_t begin, length;
} Segment;

/* The first segment with the largest sum inside less outside; lengths from `min` to `max`. */
static Segment best_segment(const double *scores, size_t frame, size_t min, size_t max) {
    double total = 0, best = -HUGE_VAL;
    Segment found = {0, min};
    for (size_t k = 0; k < frame; k++) {
        total += scores[k];
    }
    for (size_t length = min; length <= max; length++) {
        for (size_t begin = 0; begin + length <= frame; begin++) {
            double inside = 0;
            for (size_t k = begin; k < begin + length; k++) {
                inside += scores[k];
            }
            if (2 * inside - total > best) {
                best = 2 * inside - total;
                found = (Segment){begin, length};
            }
        }
    }
    return found;
}

/* Writes the grid of a test to `to` (rows, columns, cells); returns its mean uncertainty. */
static double crop(const NetShape *shape, uint32_t test, const double *logits, const double *rows,
                   const double *columns, int8_t *to) {
    NetSize size = shape->examples[shape->n_train + test].size[1];
    size_t plane = (size_t)shape->rows * shape->columns;
    Segment x =
        best_segment(rows, shape->rows, shape->known ? size.h : 1, shape->known ? size.h : shape->rows);
    Segment y = best_segment(columns, shape->columns, shape->known ? size.w : 1,
                             shape->known ? size.w : shape->columns);
    to[0] = (int8_t)(uint8_t)x.length;
    to[1] = (int8_t)(uint8_t)y.length;
    int8_t *cell = to + 2;
    double unsure = 0;
    for (size_t i = 0; i < x.length; i++) {
        for (size_t j = 0; j < y.length; j++) {
            const double *at = logits + (x.begin + i) * shape->columns + y.begin + j;
            size_t best = 0;
            for (size_t color = 1; color <= shape->colors; color++) {
                best = at[color * plane] > at[best * plane] ? color : best;
            }
            double sum = 0;
            for (size_t color = 0; color <= shape->colors; color++) {
                sum += exp(at[color * plane] - at[best * plane]);
            }
            unsure += log(sum);
            *cell++ = (int8_t)shape->palette[best];
        }
    }
    return unsure / (double)(x.length * y.length);
}

/* ---- totals ---- */

static double log_add(double a, double b) {
    double high = a > b ? a : b, low = a > b ? b : a;
    return high == -HUGE_VAL ? high : high + log1p(exp(low - high));
}

/* The number of an answer, which is made if it is new. */
static uint32_t number_of(NetAnswers *answers, const int8_t *cells, uint32_t step) {
    uint64_t hash = XXH3_64bits(cells, answers->room);
    for (uint32_t k = 0; k < answers->count; k++) {
        if (answers->answers[k].hash == hash &&
            memcmp(answers->cells + k * answers->room, cells, answers->room) == 0) {
            return k;
        }
    }
    uint32_t k = answers->count;
    if (k < NET_ANSWERS_MAX) {
        answers->count++;
    } else { /* in place of the least trusted one that is not an answer */
        k = NET_ANSWERS_MAX;
        for (uint32_t i = 0; i < NET_ANSWERS_MAX; i++) {
            bool worse = k == NET_ANSWERS_MAX || answers->answers[i].total < answers->answers[k].total;
            k = worse && i != answers->slots[0] && i != answers->slots[1] ? i : k;
        }
    }
    answers->distinct++;
    answers->answers[k] = (NetAnswer){.hash = hash, .total = -HUGE_VAL, .first = step};
    memcpy(answers->cells + k * answers->room, cells, answers->room);
    return k;
}

static uint32_t add(NetAnswers *answers, const int8_t *cells, double score, uint32_t times, uint32_t step) {
    bool first = answers->count == 0;
    uint32_t k = number_of(answers, cells, step);
    NetAnswer *answer = &answers->answers[k], *all = answers->answers;
    answer->total = log_add(answer->total, score);
    answer->count += times;
    if (first) {
        answers->slots[0] = answers->slots[1] = k;
    } else if (k != answers->slots[0] && answer->total >= all[answers->slots[1]].total) {
        answers->slots[1] = k;
        if (answer->total >= all[answers->slots[0]].total) {
            answers->slots[1] = answers->slots[0];
            answers->slots[0] = k;
        }
    }
    return k;
}

static void mean_with(double *mean, const double *now, size_t n) {
    for (size_t k = 0; k < n; k++) {
        mean[k] = 0.97 * mean[k] + 0.03 * now[k];
    }
}

NetScores net_answers_add(NetAnswers *answers, NetMeans *means, const NetMemory *mem, const NetOutput *out,
                          size_t t) {
    const NetShape *shape = answers->shape;
    size_t logits = logits_of_test(shape), rows = shape->rows, columns = shape->columns;
    double scores[2];
    uint32_t numbers[2];
    for (int mean = 0; mean < 2; mean++) {
        double unsure = 0;
        int8_t *to = answers->work;
        memset(to, 0, answers->room);
        for (uint32_t test = 0; test < shape->n_test; test++) {
            size_t e = shape->n_train + test;
            const double *now[3] = {out->logits + e * mem->outputs + logits, out->rows + (2 * e + 1) * rows,
                                    out->columns + (2 * e + 1) * columns};
            double *kept[3] = {means->logits + test * logits, means->rows + test * rows,
                               means->columns + test * columns};
            if (mean == 1) {
                mean_with(kept[0], now[0], logits);
                mean_with(kept[1], now[1], rows);
                mean_with(kept[2], now[2], columns);
                for (int k = 0; k < 3; k++) {
                    now[k] = kept[k];
                }
            }
            unsure += crop(shape, test, now[0], now[1], now[2], to);
            to += 2 + rows * columns;
        }
        scores[mean] = -10 * unsure / shape->n_test - (t < 150 ? 10 : 0) - (mean == 1 ? 4 : 0);
        numbers[mean] = add(answers, answers->work, scores[mean], 1, (uint32_t)t);
    }
    return (NetScores){scores[0], scores[1], numbers[0], numbers[1]};
}

void net_answers_pool(NetAnswers *to, const NetAnswers *from) {
    for (uint32_t k = 0; k < from->count; k++) {
        const NetAnswer *answer = &from->answers[k];
        add(to, from->cells + k * from->room, answer->total, answer->count, answer->first);
    }
}

Image net_answer_grid(const NetAnswers *answers, uint32_t k, uint32_t test) {
    const NetShape *shape = answers->shape;
    const int8_t *at = answers->cells + k * answers->room + test * (2 + (size_t)shape->rows * shape->columns);
    return (Image){.h = (uint8_t)at[0], .w = (uint8_t)at[1], .cells = at + 2};
}

uint32_t net_answers_best(const NetAnswers *answers, uint32_t *numbers, uint32_t max) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < answers->count; k++) {
        double total = answers->answers[k].total;
        uint32_t at = count < max ? count : max;
        while (at > 0 && answers->answers[numbers[at - 1]].total < total) {
            if (at < max) {
                numbers[at] = numbers[at - 1];
            }
            at--;
        }
        if (at < max) {
            numbers[at] = k;
            count += count < max;
        }
    }
    return count;
}

static bool equal_images(Image a, Image b) {
    return a.h == b.h && a.w == b.w && memcmp(a.cells, b.cells, (size_t)a.h * (size_t)a.w) == 0;
}

uint32_t net_answers_find(const NetAnswers *answers, const Image *grids) {
    for (uint32_t k = 0; k < answers->count; k++) {
        uint32_t test = 0;
        while (test < answers->shape->n_test &&
               equal_images(net_answer_grid(answers, k, test), grids[test])) {
            test++;
        }
        if (test == answers->shape->n_test) {
            return k;
        }
    }
    return UINT32_MAX;
}

uint32_t net_answers_place(const NetAnswers *answers, uint32_t number) {
    uint32_t before = 0;
    for (uint32_t k = 0; k < answers->count; k++) {
        double more = answers->answers[k].total - answers->answers[number].total;
        before += more > 0 || (more == 0 && k < number);
    }
    return before + 1;
}

double net_answers_all(const NetAnswers *answers) {
    double all = -HUGE_VAL;
    for (uint32_t k = 0; k < answers->count; k++) {
        all = log_add(all, answers->answers[k].total);
    }
    return all;
}

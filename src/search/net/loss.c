/* Likelihood of grids, and its gradient; see loss.h. */
#include "search/net/loss.h"

#include <math.h>
#include <string.h>

enum { WEIGHT = 10 }; /* of a nat of the grids beside one of the code */

typedef struct Segments { /* of one axis */
    size_t frame, length;
    bool all; /* lengths compete */
    double heat;
    const double *scores;
    double total;   /* of the scores */
    double log_all; /* logarithm of the sum over all that compete */
} Segments;

size_t net_loss_scratch(const NetShape *shape) {
    size_t cells = (size_t)shape->rows * shape->columns;
    return 4 * cells + 4 * ((size_t)shape->rows + shape->columns + 1);
}

typedef struct LogSum { /* of exponentials, as they come */
    double max_x, sum;
} LogSum;

static void log_add(LogSum *to, double x) {
    if (x <= to->max_x) {
        to->sum += exp(x - to->max_x);
    } else {
        to->sum = to->sum * exp(to->max_x - x) + 1;
        to->max_x = x;
    }
}
static double log_value(const LogSum *of) {
    return of->max_x + log(of->sum);
}

/* Score of the segment from `first` on. */
static double segment_score(const Segments *s, double inside) {
    return s->heat * (2 * inside - s->total);
}

static void segments_open(Segments *s) {
    LogSum all = {-HUGE_VAL, 0};
    s->total = 0;
    for (size_t k = 0; k < s->frame; k++) {
        s->total += s->scores[k];
    }
    for (size_t length = s->all ? 1 : s->length; length <= (s->all ? s->frame : s->length); length++) {
        double inside = 0;
        for (size_t k = 0; k < s->frame; k++) {
            inside += s->scores[k] - (k >= length ? s->scores[k - length] : 0);
            if (k + 1 >= length) {
                log_add(&all, segment_score(s, inside));
            }
        }
    }
    s->log_all = log_value(&all);
}

/* Logarithms of the probabilities of the places of a segment of the known length. */
static void segments_places(const Segments *s, double *to) {
    double inside = 0;
    for (size_t k = 0; k < s->frame; k++) {
        inside += s->scores[k] - (k >= s->length ? s->scores[k - s->length] : 0);
        if (k + 1 >= s->length) {
            to[k + 1 - s->length] = segment_score(s, inside) - s->log_all;
        }
    }
}

/* Gradient of the scores: expectation of being inside under all that compete, less that under `places`.
 * `steps` is scratch of frame + 1 numbers. */
static void segments_back(const Segments *s, const double *places, double *steps, double *gradient) {
    memset(steps, 0, (s->frame + 1) * sizeof *steps);
    double even = 0; /* what all positions get alike */
    for (size_t length = s->all ? 1 : s->length; length <= (s->all ? s->frame : s->length); length++) {
        double inside = 0;
        for (size_t k = 0; k < s->frame; k++) {
            inside += s->scores[k] - (k >= length ? s->scores[k - length] : 0);
            if (k + 1 >= length) {
                double p = exp(segment_score(s, inside) - s->log_all);
                even -= p;
                steps[k + 1 - length] += 2 * p;
                steps[k + 1] -= 2 * p;
            }
        }
    }
    for (size_t k = 0; k + s->length <= s->frame; k++) {
        even += places[k];
        steps[k] -= 2 * places[k];
        steps[k + s->length] += 2 * places[k];
    }
    double at = 0;
    for (size_t k = 0; k < s->frame; k++) {
        at += steps[k];
        gradient[k] += WEIGHT * s->heat * (at + even);
    }
}

typedef struct Grid { /* one grid of an example */
    const NetShape *shape;
    const uint8_t *cells;
    NetSize size;
    size_t heights, widths; /* places */
    double cool;            /* places compete more evenly at first */
    Segments rows, columns;
    const double *logits; /* [color][row][column] */
    /* scratch */
    double *log_sums; /* by cell: of the exponentials of the logits */
    double *places;   /* [row][column]: logarithms, then weights */
    double *by_row, *by_column, *steps;
} Grid;

static void sum_logits(const Grid *g) {
    size_t plane = (size_t)g->shape->rows * g->shape->columns;
    for (size_t k = 0; k < plane; k++) {
        LogSum sum = {-HUGE_VAL, 0};
        for (size_t color = 0; color <= g->shape->colors; color++) {
            log_add(&sum, g->logits[color * plane + k]);
        }
        g->log_sums[k] = log_value(&sum);
    }
}

/* Logarithms of the probabilities of the grid at all places. */
static void find_places(const Grid *g) {
    size_t columns = g->shape->columns, plane = g->shape->rows * columns;
    segments_places(&g->rows, g->by_row);
    segments_places(&g->columns, g->by_column);
    for (size_t x = 0; x < g->heights; x++) {
        for (size_t y = 0; y < g->widths; y++) {
            g->places[x * g->widths + y] = g->by_row[x] + g->by_column[y];
        }
    }
    for (size_t i = 0; i < g->size.h; i++) {
        for (size_t j = 0; j < g->size.w; j++) {
            const double *of = g->logits + g->cells[i * g->size.w + j] * plane;
            for (size_t x = 0; x < g->heights; x++) {
                size_t at = (x + i) * columns + j;
                for (size_t y = 0; y < g->widths; y++) {
                    g->places[x * g->widths + y] += of[at + y] - g->log_sums[at + y];
                }
            }
        }
    }
}

/* The logarithm of the sum over places, which become weights. */
static double weigh_places(const Grid *g) {
    size_t n = g->heights * g->widths;
    LogSum all = {-HUGE_VAL, 0};
    for (size_t k = 0; k < n; k++) {
        log_add(&all, g->cool * g->places[k]);
    }
    double total = log_value(&all);
    for (size_t k = 0; k < n; k++) {
        g->places[k] = exp(g->cool * g->places[k] - total);
    }
    return total / g->cool;
}

static void grid_back(const Grid *g, double *g_logits, double *g_rows, double *g_columns) {
    size_t columns = g->shape->columns, plane = g->shape->rows * columns;
    double *covered = g->log_sums + plane; /* by cell: weight of the places that cover it */
    memset(covered, 0, plane * sizeof *covered);
    memset(g->by_row, 0, g->heights * sizeof *g->by_row);
    memset(g->by_column, 0, g->widths * sizeof *g->by_column);
    for (size_t x = 0; x < g->heights; x++) {
        for (size_t y = 0; y < g->widths; y++) {
            double w = g->places[x * g->widths + y];
            g->by_row[x] += w;
            g->by_column[y] += w;
            if (w < 1e-30) {
                continue;
            }
            for (size_t i = 0; i < g->size.h; i++) {
                for (size_t j = 0; j < g->size.w; j++) {
                    size_t at = (x + i) * columns + y + j;
                    covered[at] += w;
                    g_logits[g->cells[i * g->size.w + j] * plane + at] -= WEIGHT * w;
                }
            }
        }
    }
    for (size_t color = 0; color <= g->shape->colors; color++) {
        for (size_t k = 0; k < plane; k++) {
            if (covered[k] > 0) {
                g_logits[color * plane + k] +=
                    WEIGHT * covered[k] * exp(g->logits[color * plane + k] - g->log_sums[k]);
            }
        }
    }
    segments_back(&g->rows, g->by_row, g->steps, g_rows);
    segments_back(&g->columns, g->by_column, g->steps, g_columns);
}

/* Heads of this grid alone. */
typedef struct GridHeads {
    const double *logits, *rows, *columns;
} GridHeads;

static void grid_open(Grid *g, const NetShape *shape, const GridHeads *heads, const uint8_t *cells,
                      NetSize size, bool uncertain, double ramp, double *scratch) {
    size_t plane = (size_t)shape->rows * shape->columns;
    double heat = uncertain ? pow(0.01, ramp) : 1;
    *g = (Grid){
        .shape = shape,
        .cells = cells,
        .size = size,
        .heights = shape->rows - size.h + 1,
        .widths = shape->columns - size.w + 1,
        .cool = uncertain ? pow(0.1, ramp) : 1,
        .rows =
            {.frame = shape->rows, .length = size.h, .all = uncertain, .heat = heat, .scores = heads->rows},
        .columns = {.frame = shape->columns,
                    .length = size.w,
                    .all = uncertain,
                    .heat = heat,
                    .scores = heads->columns},
        .logits = heads->logits,
    };
    g->log_sums = scratch;
    g->places = scratch + 2 * plane;
    g->by_row = g->places + plane;
    g->by_column = g->by_row + shape->rows;
    g->steps = g->by_column + shape->columns;
    segments_open(&g->rows);
    segments_open(&g->columns);
}

double net_loss(const NetShape *shape, size_t t, size_t e, const NetHeads *heads, const NetHeads *gradients,
                double *scratch) {
    size_t plane = (size_t)shape->rows * shape->columns, colors = (size_t)shape->colors + 1;
    double ramp = t < 100 ? 1 - (double)t / 100 : 0, nats = 0;
    memset(gradients->logits, 0, 2 * colors * plane * sizeof *gradients->logits);
    memset(gradients->rows, 0, 2 * (size_t)shape->rows * sizeof *gradients->rows);
    memset(gradients->columns, 0, 2 * (size_t)shape->columns * sizeof *gradients->columns);
    for (size_t o = 0; o < 2; o++) {
        const NetExample *example = &shape->examples[e];
        if (example->grid[o] == NULL) {
            continue;
        }
        Grid g;
        GridHeads own = {heads->logits + o * colors * plane, heads->rows + o * shape->rows,
                         heads->columns + o * shape->columns};
        grid_open(&g, shape, &own, example->grid[o], example->size[o], net_size_uncertain(shape, o == 1),
                  ramp, scratch);
        sum_logits(&g);
        find_places(&g);
        nats -= weigh_places(&g);
        grid_back(&g, gradients->logits + o * colors * plane, gradients->rows + o * shape->rows,
                  gradients->columns + o * shape->columns);
    }
    return nats;
}

double net_log_likelihood(const NetShape *shape, const double *logits, const double *rows,
                          const double *columns, const uint8_t *grid, NetSize size, double *scratch) {
    Grid g;
    GridHeads heads = {logits, rows, columns};
    grid_open(&g, shape, &heads, grid, size, net_size_uncertain(shape, true), 0, scratch);
    sum_logits(&g);
    find_places(&g);
    return weigh_places(&g);
}

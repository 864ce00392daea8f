/* Listing the beams of a grid, and what is known about each; see beams.h. */
#include "engine/patterns/beams.h"

#include "base/check.h"

#include <string.h>

const BeamSort beam_attributes[BEAM_ATTRIBUTES] = {
#define BEAM_ATTRIBUTE(id, kind_, cost_, text) {.kind = FEATURE_IS_##kind_, .cost = cost_},
#include "engine/patterns/beam_attributes.def"
#undef BEAM_ATTRIBUTE
};
const BeamSort beam_actions[BEAM_ACTIONS] = {
#define BEAM_ACTION(id, cost_, text) {.cost = cost_},
#include "engine/patterns/beam_actions.def"
#undef BEAM_ACTION
};

/* ---- components and multicolor components ---- */

typedef struct BeamGroup {
    int16_t size, top, bottom, left, right, rank;
    ColorCounts colors;
} BeamGroup;

typedef struct BeamGroups {
    BeamGroup component[FEATURE_MAX_CELLS], mcomp[FEATURE_MAX_CELLS];
    int16_t like[N_COLORS]; /* components by color */
    int32_t components;
} BeamGroups;

static void gather(const GridAnalysis *b, const int16_t *label, BeamGroup *groups, int32_t count) {
    for (int32_t g = 0; g < count; g++) {
        groups[g] = (BeamGroup){.top = (int16_t)b->h, .left = (int16_t)b->w, .bottom = -1, .right = -1};
    }
    for (int32_t k = 0; k < b->n; k++) {
        if (label[k] >= 0) {
            BeamGroup *g = &groups[label[k]];
            int16_t i = (int16_t)(k / b->w), j = (int16_t)(k % b->w);
            g->size++;
            g->top = i < g->top ? i : g->top;
            g->bottom = i > g->bottom ? i : g->bottom;
            g->left = j < g->left ? j : g->left;
            g->right = j > g->right ? j : g->right;
            g->colors[b->c[k]]++;
        }
    }
}

static void group(Beams *beams, BeamGroups *to) {
    const GridAnalysis *b = &beams->grid;
    const Connectivity one = {1, 1, false, false, true, false}, mixed = {1, 1, false, true, true, false};
    to->components = analysis_label_linked(b, &one, beams->component);
    gather(b, beams->component, to->component, to->components);
    gather(b, beams->mcomp, to->mcomp, analysis_label_linked(b, &mixed, beams->mcomp));
    int16_t of_size[FEATURE_MAX_CELLS + 1] = {0};
    memset(to->like, 0, sizeof to->like);
    for (int32_t k = 0; k < to->components; k++) {
        of_size[to->component[k].size]++;
        to->like[analysis_most_frequent(to->component[k].colors, -1)]++;
    }
    for (int32_t size = b->n, larger = 0; size > 0; size--) { /* now how many are larger */
        int16_t here = of_size[size];
        of_size[size] = (int16_t)larger;
        larger += here;
    }
    for (int32_t k = 0; k < to->components; k++) {
        to->component[k].rank = of_size[to->component[k].size];
    }
}

/* ---- beams ---- */

/* Is there a door at k for a straight heading? */
static bool is_door(const GridAnalysis *b, int32_t k, int heading) {
    int32_t i = k / b->w, j = k % b->w, di = heading_di(heading), dj = heading_dj(heading);
    int8_t left = analysis_color(b, i - dj, j + di), right = analysis_color(b, i + dj, j - di);
    return b->c[k] == b->background && left >= 0 && left != b->background && right >= 0 &&
           right != b->background && analysis_color(b, i + di, j + dj) == b->background &&
           analysis_color(b, i - di, j - dj) == b->background;
}

/* Lists the beams, or only counts them. */
static int32_t list(const GridAnalysis *b, Beam *to) {
    int32_t n = 0;
    for (int32_t k = 0; k < b->n; k++) {
        for (int heading = 0; heading < BEAM_HEADINGS; heading++) {
            int8_t ahead = analysis_color(b, k / b->w + heading_di(heading), k % b->w + heading_dj(heading));
            bool door = heading < 4 && is_door(b, k, heading);
            if (door || (b->c[k] != b->background && ahead >= 0 && ahead != b->c[k])) {
                if (to != NULL) {
                    to[n] = (Beam){(int16_t)k, (int8_t)heading, door};
                }
                n++;
            }
        }
    }
    return n;
}

typedef struct BeamSight { /* what is seen from a cell in a heading */
    int8_t color, far;
    int32_t cell;
} BeamSight;

/* The first cell from (i, j) on, without it, that is neither background nor of a color; that may be -1: none.
 */
static BeamSight see(const GridAnalysis *b, int32_t i, int32_t j, int32_t di, int32_t dj, int8_t but) {
    for (int32_t steps = 1;; steps++) {
        int8_t c = analysis_color(b, i + steps * di, j + steps * dj);
        if (c < 0) {
            return (BeamSight){-1, 127, -1};
        }
        if (c != b->background && c != but) {
            return (BeamSight){c, analysis_clip(steps), (i + steps * di) * b->w + j + steps * dj};
        }
    }
}

typedef struct Fill {
    const Beams *beams;
    const BeamGroups *groups;
    int32_t at;
} Fill;

static void put(const Fill *f, BeamAttribute attribute, int32_t value) {
    f->beams->attributes[(size_t)attribute * (size_t)f->beams->count + (size_t)f->at] = analysis_clip(value);
}

static void fill_group(const Fill *f, const Beam *beam, int8_t own) {
    const GridAnalysis *b = &f->beams->grid;
    int32_t i = beam->cell / b->w, j = beam->cell % b->w, di = heading_di(beam->heading),
            dj = heading_dj(beam->heading);
    if (beam->door) {
        static const uint8_t none[] = {
            BEAM_SIZE,    BEAM_SIZE_RANK, BEAM_ALONG,           BEAM_OUTER,
            BEAM_CENTRAL, BEAM_FULL,      BEAM_MULTICOLOR_SIZE, BEAM_MULTICOLOR_COLORS};
        for (size_t k = 0; k < sizeof none; k++) {
            put(f, (BeamAttribute)none[k], 0);
        }
        put(f, BEAM_OTHER, -1);
        return;
    }
    const BeamGroup *g = &f->groups->component[f->beams->component[beam->cell]];
    const BeamGroup *mcomp = &f->groups->mcomp[f->beams->mcomp[beam->cell]];
    int32_t h = g->bottom - g->top + 1, w = g->right - g->left + 1, along = 0, colors = 0;
    if (di != 0 &&
        dj != 0) { /* all on the diagonal: as many cells as rows and columns, and its ends are corners */
        int32_t top_j = di == dj ? g->left : g->right;
        along = g->size > 1 && g->size == h && g->size == w && analysis_color(b, g->top, top_j) == own &&
                f->beams->component[g->top * b->w + top_j] == f->beams->component[beam->cell];
        for (int32_t k = 0; k < g->size && along; k++) {
            int32_t cell = (g->top + k) * b->w + (di == dj ? g->left + k : g->right - k);
            along = f->beams->component[cell] == f->beams->component[beam->cell];
        }
    } else {
        int32_t length = di != 0 ? h : w, across = di != 0 ? w : h;
        along = length > across ? 1 : length < across ? -1 : 0;
    }
    bool outer = (di < 0   ? i == g->top
                  : di > 0 ? i == g->bottom
                           : true) &&
                 (dj < 0   ? j == g->left
                  : dj > 0 ? j == g->right
                           : true);
    bool central =
        (di == 0 || dj == 0) && (di != 0 ? j - g->left == g->right - j : i - g->top == g->bottom - i);
    ColorCounts others;
    memcpy(others, mcomp->colors, sizeof others);
    others[own] = 0;
    for (int c = 0; c < N_COLORS; c++) {
        colors += mcomp->colors[c] > 0;
    }
    put(f, BEAM_OTHER, analysis_most_frequent(others, -1));
    put(f, BEAM_SIZE, g->size);
    put(f, BEAM_SIZE_RANK, g->rank);
    put(f, BEAM_ALONG, along);
    put(f, BEAM_OUTER, outer);
    put(f, BEAM_CENTRAL, central);
    put(f, BEAM_FULL, g->size == h * w);
    put(f, BEAM_MULTICOLOR_SIZE, mcomp->size);
    put(f, BEAM_MULTICOLOR_COLORS, colors);
}

static void fill(const Fill *f) {
    const GridAnalysis *b = &f->beams->grid;
    const Beam *beam = &f->beams->list[f->at];
    int32_t i = beam->cell / b->w, j = beam->cell % b->w, di = heading_di(beam->heading),
            dj = heading_dj(beam->heading);
    int left = heading_turned(beam->heading, -1);
    int32_t li = heading_di(left), lj = heading_dj(left), run = 0, around = 0;
    int8_t on_left = analysis_color(b, i + li, j + lj), on_right = analysis_color(b, i - li, j - lj);
    int8_t own = beam->door ? on_left : b->c[beam->cell];
    bool odd_left = on_left >= 0 && on_left != b->background && on_left != own;
    bool odd_right = on_right >= 0 && on_right != b->background && on_right != own;
    BeamSight hit = see(b, i, j, di, dj, -1), back = see(b, i, j, -di, -dj, own);
    int32_t hit_i = hit.cell >= 0 ? hit.cell / b->w : 0, hit_j = hit.cell >= 0 ? hit.cell % b->w : 0;
    BeamSight beyond = hit.cell >= 0 ? see(b, hit_i, hit_j, di, dj, hit.color) : hit;
    int32_t down = di < 0 ? i : di > 0 ? b->h - 1 - i : INT16_MAX;
    int32_t across = dj < 0 ? j : dj > 0 ? b->w - 1 - j : INT16_MAX;
    while (analysis_color(b, i - run * di, j - run * dj) == own) {
        run++;
    }
    for (int heading = 0; heading < BEAM_HEADINGS; heading++) {
        int8_t c = analysis_color(b, i + heading_di(heading), j + heading_dj(heading));
        around += c >= 0 && c != b->background;
    }
    put(f, BEAM_OWN, own);
    put(f, BEAM_AHEAD, analysis_color(b, i + di, j + dj));
    put(f, BEAM_BEHIND, analysis_color(b, i - di, j - dj));
    put(f, BEAM_HIT, hit.color);
    put(f, BEAM_BEYOND, beyond.color);
    put(f, BEAM_BACK, back.color);
    put(f, BEAM_SIDE, odd_left ? on_left : odd_right ? on_right : -1);
    put(f, BEAM_HEADING, beam->heading);
    put(f, BEAM_SLANTED, beam->heading >= 4);
    put(f, BEAM_AXIS, beam->heading < 4 ? beam->heading % 2 : 2 + beam->heading % 2);
    put(f, BEAM_DOOR, beam->door);
    put(f, BEAM_FAR, hit.far);
    put(f, BEAM_TO_EDGE, down < across ? down : across);
    put(f, BEAM_BACK_FAR, back.far);
    put(f, BEAM_SIDES, (on_left == own) + (on_right == own));
    put(f, BEAM_REAR,
        (analysis_color(b, i - di, j - dj) == own) + (analysis_color(b, i - di + li, j - dj + lj) == own) +
            (analysis_color(b, i - di - li, j - dj - lj) == own));
    put(f, BEAM_FRONT,
        (analysis_color(b, i + di + li, j + dj + lj) == own) +
            (analysis_color(b, i + di - li, j + dj - lj) == own));
    put(f, BEAM_RUN, run);
    put(f, BEAM_LIKE, f->groups->like[own]);
    put(f, BEAM_RIM, i == 0 || j == 0 || i == b->h - 1 || j == b->w - 1);
    put(f, BEAM_HIT_SIZE, hit.cell >= 0 ? f->groups->component[f->beams->component[hit.cell]].size : 0);
    put(f, BEAM_HIT_OWN,
        hit.cell >= 0 && !beam->door && f->beams->mcomp[hit.cell] == f->beams->mcomp[beam->cell]);
    put(f, BEAM_AROUND, around);
    fill_group(f, beam, own);
}

Beams *beams_of(Ctx *ctx, Val grid, int background, Reason *why) {
    GridAnalysis b;
    if (!analysis_of(grid, &b, why)) {
        return NULL;
    }
    b.background = (int8_t)(background >= 0    ? background
                            : background == -1 ? b.background
                                               : analysis_most_frequent(b.counts, -1));
    int32_t count = list(&b, NULL);
    Beams *beams = ctx_charge(ctx, (uint64_t)(b.n + 4 * count)) ? ctx_alloc(ctx, sizeof *beams) : NULL;
    if (beams != NULL) {
        *beams = (Beams){.grid = b, .count = count};
        beams->list = ctx_alloc(ctx, (size_t)(count + 1) * sizeof *beams->list);
        beams->attributes = ctx_alloc(ctx, (size_t)(count + 1) * BEAM_ATTRIBUTES);
    }
    CtxMark mark = ctx_mark(ctx);
    BeamGroups *groups = beams != NULL && beams->list != NULL && beams->attributes != NULL
                             ? ctx_alloc(ctx, sizeof *groups)
                             : NULL;
    if (groups == NULL) {
        *why = val_fail_budget(ctx).w;
        return NULL;
    }
    list(&b, beams->list);
    group(beams, groups);
    for (int32_t k = 0; k < count; k++) {
        fill(&(Fill){beams, groups, k});
    }
    ctx_release(ctx, mark);
    return beams;
}

int8_t beam_color(const Beams *beams, int32_t beam, int source) {
    return (int8_t)(source < BEAM_SOURCE
                        ? source
                        : beam_attribute(beams, (BeamAttribute)(source - BEAM_SOURCE), beam));
}

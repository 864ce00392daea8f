/* Following a beam; see beams.h. */
#include "base/check.h"
#include "engine/patterns/beams.h"

#include <string.h>

enum { MAX_WAITING = 64 };

typedef struct BeamWalker {
    int16_t i, j;
    int8_t heading, slips; /* slips: -1 to the left of its heading, 1 to the right, 0 not */
    int8_t color;          /* that it has taken, or BEAM_PAINT */
    int16_t steps;
} BeamWalker;

typedef struct Follow {
    const GridAnalysis *b;
    const BeamAct *act;
    const Beams *beams;
    int8_t own;
    BeamPath *path;
    BeamWalker waiting[MAX_WAITING];
    int32_t count;
} Follow;

void beam_path_open(BeamPath *path) {
    path->n = 0;
    path->used = 0;
    path->looks = 0;
    path->round = 0;
    memset(path->been, 0, sizeof path->been);
}

/* The exception for a color ahead (-1: the edge); -1: none. */
static int exception_for(const Follow *f, int8_t ahead) {
    int found = -1;
    for (int k = 0; k < f->act->n; k++) {
        int at = f->act->at[k];
        bool foreground = ahead >= 0 && ahead != f->b->background;
        bool meets = at < N_COLORS        ? at == ahead
                     : at == BEAM_AT_EDGE ? ahead < 0
                     : at == BEAM_AT_OWN  ? foreground && ahead == f->own
                                          : foreground;
        if (meets && (found < 0 || at < f->act->at[found])) {
            found = k;
        }
    }
    return found;
}

static BeamAction action_for(Follow *f, int8_t ahead) {
    int exception = exception_for(f, ahead);
    if (exception < 0) {
        return ahead == f->b->background ? BEAM_DO_GO : BEAM_DO_STOP;
    }
    f->path->used |= (uint8_t)(1u << exception);
    return (BeamAction)f->act->does[exception];
}

static bool paint(Follow *f, int32_t cell, int8_t color) {
    BeamPath *p = f->path;
    if (p->n == (int32_t)(sizeof p->cell / sizeof *p->cell)) {
        return false;
    }
    p->cell[p->n] = (int16_t)cell;
    p->color[p->n++] = color;
    return true;
}

static bool paint_component(Follow *f, int32_t cell, int8_t color) {
    int16_t which = f->beams->component[cell];
    bool good = true;
    for (int32_t k = 0; k < f->b->n && good && which >= 0; k++) {
        good = f->beams->component[k] != which || paint(f, k, color);
    }
    return good;
}

/* Takes a step in a direction. */
static bool step(Follow *f, BeamWalker *w, int direction, bool paints) {
    w->i = (int16_t)(w->i + heading_di(direction));
    w->j = (int16_t)(w->j + heading_dj(direction));
    w->steps++;
    int every = f->act->every;
    paints = paints && (every <= 0 ? w->steps % 2 == 1 : w->steps % every == 0); /* never 0 */
    return !paints || paint(f, w->i * f->b->w + w->j, w->color);
}

static bool wait(Follow *f, BeamWalker w) {
    if (f->count == MAX_WAITING) {
        return false;
    }
    f->waiting[f->count++] = w;
    return true;
}

/* Goes along a wall. False: it ends, or (*good) is too long. */
static bool slip(Follow *f, BeamWalker *w, bool *good) {
    const GridAnalysis *b = f->b;
    if (!heading_blocked(b, w->i + heading_di(w->heading), w->j + heading_dj(w->heading))) {
        w->slips = 0;
        return true;
    }
    int direction = heading_turned(w->heading, w->slips);
    if (heading_blocked(b, w->i + heading_di(direction), w->j + heading_dj(direction))) {
        return false;
    }
    *good = step(f, w, direction, true);
    return *good;
}

/* Does what is to be done before the cell ahead. False: it ends, or (*good) is too long. */
static bool act(Follow *f, BeamWalker *w, bool *good) {
    int32_t i = w->i + heading_di(w->heading), j = w->j + heading_dj(w->heading);
    int8_t ahead = analysis_color(f->b, i, j);
    BeamAction action = action_for(f, ahead);
    BeamWalker other = *w;
    switch (action) {
    case BEAM_DO_GO:
    case BEAM_DO_PASS:
    case BEAM_DO_TAKE:
        w->color = action == BEAM_DO_TAKE ? ahead : w->color;
        *good = ahead < 0 || step(f, w, w->heading, action == BEAM_DO_GO);
        return *good && ahead >= 0;
    case BEAM_DO_STRIKE:
        *good = ahead < 0 || paint(f, i * f->b->w + j, w->color);
        return false;
    case BEAM_DO_FLOOD:
        *good = ahead < 0 || paint_component(f, i * f->b->w + j, w->color);
        return false;
    case BEAM_DO_TURN_LEFT:
    case BEAM_DO_TURN_RIGHT:
        w->heading = heading_turned(w->heading, action == BEAM_DO_TURN_LEFT ? -1 : 1);
        return true;
    case BEAM_DO_BOUNCE:
        w->heading = heading_bounced(f->b, w->i, w->j, w->heading);
        return true;
    case BEAM_DO_SPLIT:
        other.heading = heading_turned(w->heading, 1);
        w->heading = heading_turned(w->heading, -1);
        *good = wait(f, other);
        return *good;
    case BEAM_DO_SLIP_LEFT:
    case BEAM_DO_SLIP_RIGHT:
        w->slips = action == BEAM_DO_SLIP_LEFT ? -1 : 1;
        return true;
    case BEAM_DO_SLIP:
        other.slips = 1;
        w->slips = -1;
        *good = wait(f, other);
        return *good;
    default:
        return false;
    }
}

/* Whether something stood here with this heading before: then it would only repeat itself. */
static bool been_there(Follow *f, const BeamWalker *w) {
    uint32_t *been = &f->path->been[(w->i * f->b->w + w->j) * BEAM_HEADINGS + w->heading];
    bool before = *been == f->path->round;
    *been = f->path->round;
    return before;
}

bool beam_follow(const Beams *beams, int32_t beam, const BeamAct *how, BeamPath *path) {
    const Beam *start = &beams->list[beam];
    const GridAnalysis *b = &beams->grid;
    ASSERT(how->every != 0 && beam >= 0 && beam < beams->count, "beam %d of %d", beam, beams->count);
    Follow f = {
        .b = b, .act = how, .beams = beams, .own = beam_attribute(beams, BEAM_OWN, beam), .path = path};
    path->n = 0;
    path->used = 0;
    path->round++;
    bool good = !start->door || paint(&f, start->cell, BEAM_PAINT);
    f.waiting[f.count++] = (BeamWalker){
        (int16_t)(start->cell / b->w), (int16_t)(start->cell % b->w), start->heading, 0, BEAM_PAINT, 0};
    while (f.count > 0 && good) {
        BeamWalker w = f.waiting[--f.count];
        bool goes = w.slips != 0 || !been_there(&f, &w);
        while (goes && good && (how->length == 0 || w.steps < how->length)) {
            path->looks++;
            goes = w.slips != 0 ? slip(&f, &w, &good) : act(&f, &w, &good);
            goes = goes && (w.slips != 0 || !been_there(&f, &w));
        }
    }
    return good;
}

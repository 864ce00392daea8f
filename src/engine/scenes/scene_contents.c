/* Attributes of objects that are about what is in them: parts, colors of their own, symmetries. */
#include "base/check.h"
#include "base/flood_fill.h"
#include "engine/scenes/scene.h"

#include <string.h>

static void set(Scene *s, SceneAttribute attribute, int32_t o, int32_t value) {
    s->attributes[attribute][o] = analysis_clip(value);
}

typedef struct Parts {
    const Scene *s;
    bool *seen;
} Parts;

/* What hangs together is of one object and one color. */
INLINE bool enter(void *user, int32_t from, int32_t to) {
    const Parts *p = user;
    return p->s->grid.c[to] == p->s->grid.c[from] && p->s->label[to] == p->s->label[from] &&
           flood_mark(p->seen, from, to);
}

static void fill_parts(Scene *s) {
    const GridAnalysis *b = &s->grid;
    bool seen[FEATURE_MAX_CELLS] = {false};
    int16_t queue[FEATURE_MAX_CELLS];
    int32_t parts[SCENE_MAX_OBJECTS] = {0};
    for (int32_t k = 0; k < b->n; k++) {
        if (s->label[k] >= 0 && b->c[k] != b->background && !seen[k]) {
            parts[s->label[k]]++;
            seen[k] = true;
            queue[0] = (int16_t)k;
            flood_fill(b->h, b->w, FLOOD_CORNERS, queue, 1, enter, &(Parts){s, seen});
        }
    }
    for (int32_t o = 0; o < s->count; o++) {
        set(s, ATTRIBUTE_PARTS, o, parts[o]);
    }
}

static void fill_colors(Scene *s) {
    const GridAnalysis *b = &s->grid;
    uint16_t colors[SCENE_MAX_OBJECTS] = {0};
    int32_t main[SCENE_MAX_OBJECTS] = {0}, holders[N_COLORS] = {0};
    for (int32_t k = 0; k < b->n; k++) {
        int32_t o = s->label[k];
        if (o >= 0 && b->c[k] != b->background) {
            holders[b->c[k]] += !(colors[o] >> b->c[k] & 1);
            colors[o] |= (uint16_t)(1u << b->c[k]);
            main[o] += b->c[k] == s->objects[o].color;
        }
    }
    for (int32_t o = 0; o < s->count; o++) {
        int32_t alone = 0, same = 0;
        for (int32_t c = 0; c < N_COLORS; c++) {
            alone += (colors[o] >> c & 1) && holders[c] == 1;
        }
        for (int32_t p = 0; p < s->count; p++) {
            same += colors[p] == colors[o];
        }
        set(s, ATTRIBUTE_OTHER_FOREGROUND, o, s->objects[o].foreground - main[o]);
        set(s, ATTRIBUTE_OWN_COLORS, o, alone);
        set(s, ATTRIBUTE_SAME_COLORS, o, same);
    }
}

void scene_fill_contents(Scene *s) {
    fill_parts(s);
    fill_colors(s);
    for (int32_t o = 0; o < s->count; o++) {
        int32_t symmetries = 0;
        for (unsigned turn = 1; turn < SCENE_TURNS; turn++) {
            symmetries += scene_same_turned(s, o, turn);
        }
        set(s, ATTRIBUTE_SYMMETRIES, o, symmetries);
        set(s, ATTRIBUTE_AREA, o, scene_height(&s->objects[o]) * scene_width(&s->objects[o]));
    }
}

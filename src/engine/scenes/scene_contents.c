/* Attributes of objects that are about what is in them: parts, colors of their own, symmetries. */
#include "base/check.h"
#include "engine/scenes/scene.h"

#include <string.h>

static void set(Scene *s, SceneAttribute attribute, int32_t o, int32_t value) {
    s->attributes[attribute][o] = analysis_clip(value);
}

/* Marks the cells that hang together with the cell at `start`: of its object and its color. */
static void mark_part(const Scene *s, int32_t start, bool *seen) {
    const GridAnalysis *b = &s->grid;
    int16_t queue[FEATURE_MAX_CELLS];
    int32_t head = 0, tail = 0;
    seen[start] = true;
    queue[tail++] = (int16_t)start;
    while (head < tail) {
        int32_t at = queue[head++], i = at / b->w, j = at % b->w;
        for (int32_t d = 0; d < 9; d++) {
            int32_t x = i + d / 3 - 1, y = j + d % 3 - 1, k = x * b->w + y;
            if (analysis_color(b, x, y) == b->c[start] && s->label[k] == s->label[start] && !seen[k]) {
                seen[k] = true;
                queue[tail++] = (int16_t)k;
            }
        }
    }
}

static void fill_parts(Scene *s) {
    const GridAnalysis *b = &s->grid;
    bool seen[FEATURE_MAX_CELLS] = {false};
    int32_t parts[SCENE_MAX_OBJECTS] = {0};
    for (int32_t k = 0; k < b->n; k++) {
        if (s->label[k] >= 0 && b->c[k] != b->background && !seen[k]) {
            parts[s->label[k]]++;
            mark_part(s, k, seen);
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

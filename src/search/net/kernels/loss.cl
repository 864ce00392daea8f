/* Heads and loss: see search/net/heads.h and search/net/loss.h.
 *
 * In float. Scores of segments enter only by their differences, so the sum of all of them is left out of each: with
 * the 1000 that is taken off outside of grids it would cost digits. */

/* ---- heads ---- */

/* Where the two outputs of a site stand, for input and output grid; true: they are logits. */
INLINE bool head_places(const Here *h, uint site, bool gradient, uint *first, uint *second) {
    global const NdTask *task = h->task;
    uint cell = h->first + site;
    if (h->tensor == ND_TENSOR_ECXY) {
        uint grid = task->outputs / 2;
        *first = (gradient ? task->g_logits : task->logits) + h->slot * task->outputs + task->plane + cell;
        *second = *first + grid;
        return true;
    }
    bool rows = h->tensor == ND_TENSOR_EX;
    uint frame = rows ? task->rows : task->columns;
    uint scores = rows ? (gradient ? task->g_row_scores : task->row_scores)
                       : (gradient ? task->g_column_scores : task->column_scores);
    *first = scores + 2 * h->slot * frame + cell;
    *second = *first + frame;
    return false;
}

KERNEL void net_heads(GIVEN) {
    BEGIN;
    for (uint site = LANE; site < h.count; site += ND_LANES) {
        uint place[2];
        bool logits = head_places(&h, site, false, &place[0], &place[1]);
        uint w = logits ? h.task->head_w : h.task->mask_w, b = logits ? h.task->head_b : h.task->mask_b;
        float x[16], out[2];
        load_stream(&h, ND_BLOCKS, 16, site, x);
        out[0] = (logits ? 100 : 1) * h.m[b];
        out[1] = (logits ? 100 : 1) * h.m[b + 1];
        linear(16, 2, h.m + w, x, out);
        global const float *sizes = h.m + h.task->sizes + h.slot * 4 + (h.tensor == ND_TENSOR_EX ? 0 : 1);
        float outside = logits || h.first + site < fmax(sizes[0], sizes[2]) ? 0.0f : 1000.0f;
        h.m[place[0]] = out[0] - outside;
        h.m[place[1]] = out[1] - outside;
    }
}

KERNEL void net_heads_back(GIVEN) {
    local float x[ND_LANES * 16], g[ND_LANES * 16], of[ND_LANES * 2], both[ND_LANES * 4], one[ND_LANES], room[4 * ND_LANES];
    BEGIN;
    bool logits = h.tensor == ND_TENSOR_ECXY;
    Adding adding = {0, 0, 0};
    float4 of_w = 0, of_b = 0;
    one[LANE] = 1;
    EACH_STRIP
    if (mine) {
        uint place[2];
        float own[16], gradient[16], outputs[4];
        head_places(&h, site, true, &place[0], &place[1]);
        load_stream(&h, ND_BLOCKS, 16, site, own);
        outputs[0] = h.m[place[0]];
        outputs[1] = h.m[place[1]];
        outputs[2] = outputs[3] = 0;
        clear(16, gradient);
        linear_back(2, 16, h.m + (logits ? h.task->head_w : h.task->mask_w), outputs, gradient);
        save(&h, ND_G, 0, 16, site, gradient);
        stage(16, own, x);
        stage(16, gradient, g);
        stage(2, outputs, of);
        stage(4, outputs, both);
    }
    MEET();
    outer(2, 16, of, x, sites, &of_w);
    outer(1, 4, one, both, sites, &of_b);
    adding_products(16, g, x, sites, &adding);
    MEET();
    END_STRIP
    global float *to = h.m + h.t->partial + h.row * h.t->stride + h.t->stride - ND_HEADS;
    outer_end_turned(2, 16, of_w, room, to);
    if (outer_sum(1, room, &of_b)) {
        to[32] = (logits ? 100 : 1) * of_b.x;
        to[33] = (logits ? 100 : 1) * of_b.y;
    }
    adding_end(&h, 16, &adding, false, h.count, room);
}

/* ---- loss ---- */

typedef struct LogSum { /* of exponentials, as they come */
    float max_x, sum;
} LogSum;

INLINE void log_add(LogSum *to, float x) {
    if (x <= to->max_x) {
        to->sum += exp(x - to->max_x);
    } else {
        to->sum = to->sum * exp(to->max_x - x) + 1;
        to->max_x = x;
    }
}
INLINE float log_value(const LogSum *of) {
    return of->max_x + log(of->sum);
}

typedef struct Segments { /* of one axis */
    uint frame, length, shortest, longest; /* those between compete */
    float heat;
    global const float *scores;
} Segments;

#define EACH_SEGMENT(s, length_, inside, last) \
    for (uint length_ = (s)->shortest; length_ <= (s)->longest; length_++) { \
        float inside = 0; \
        for (uint last = 0; last < (s)->frame; last++) { \
            inside += (s)->scores[last] - (last >= length_ ? (s)->scores[last - length_] : 0.0f); \
            if (last + 1 < length_) \
                continue;
#define END_SEGMENT \
        } \
    }

/* Logarithms of the probabilities of the places of a segment of the known length; the sum of all that compete is
 * returned. */
INLINE float segments_places(const Segments *s, global float *to) {
    LogSum all = {-INFINITY, 0};
    EACH_SEGMENT(s, length, inside, last)
    log_add(&all, 2 * s->heat * inside);
    END_SEGMENT
    float total = log_value(&all), inside = 0;
    for (uint k = 0; k < s->frame; k++) {
        inside += s->scores[k] - (k >= s->length ? s->scores[k - s->length] : 0.0f);
        if (k + 1 >= s->length) {
            to[k + 1 - s->length] = 2 * s->heat * inside - total;
        }
    }
    return total;
}
/* Gradient of the scores; `places` are weights now, `steps` is room for frame + 1 numbers. */
INLINE void segments_back(const Segments *s, float total, global const float *places, global float *steps,
                          global float *gradient) {
    float even = 0;
    for (uint k = 0; k <= s->frame; k++) {
        steps[k] = 0;
    }
    EACH_SEGMENT(s, length, inside, last)
    float p = exp(2 * s->heat * inside - total);
    even -= p;
    steps[last + 1 - length] += 2 * p;
    steps[last + 1] -= 2 * p;
    END_SEGMENT
    for (uint k = 0; k + s->length <= s->frame; k++) {
        even += places[k];
        steps[k] -= 2 * places[k];
        steps[k + s->length] += 2 * places[k];
    }
    float at = 0;
    for (uint k = 0; k < s->frame; k++) {
        at += steps[k];
        gradient[k] = 10 * s->heat * (at + even);
    }
}

/* One grid of an example: piece.slot and piece.first. What is known of it goes into the loss, with gradients; what is
 * asked for goes back to the host. */
KERNEL void net_loss(GIVEN) {
    local float totals[3];
    BEGIN;
    global const NdTask *task = h.task;
    uint e = h.slot, o = h.first, grid = task->outputs / 2, plane = task->plane, rows = task->rows, columns = task->columns;
    global const float *logits = h.m + task->logits + e * task->outputs + o * grid;
    global const float *row_scores = h.m + task->row_scores + (2 * e + o) * rows;
    global const float *column_scores = h.m + task->column_scores + (2 * e + o) * columns;
    if (o == 1 && e >= task->n_train) {
        global float *to = back + task->out + ND_TENSORS + 2 * task->n + (e - task->n_train) * (grid + rows + columns);
        for (uint k = LANE; k < grid + rows + columns; k += ND_LANES) {
            to[k] = k < grid ? logits[k] : k < grid + rows ? row_scores[k - grid] : column_scores[k - grid - rows];
        }
        return;
    }
    global const float *size = h.m + task->sizes + e * 4 + o * 2, *target = h.m + task->targets + (2 * e + o) * plane;
    uint height = size[0], width = size[1], heights = rows - height + 1, widths = columns - width + 1;
    bool uncertain = task->uncertain[o];
    float heat = uncertain ? nows[piece.task].heat : 1.0f, cool = uncertain ? nows[piece.task].cool : 1.0f;
    Segments s[2] = {{rows, height, uncertain ? 1 : height, uncertain ? rows : height, heat, row_scores},
                     {columns, width, uncertain ? 1 : width, uncertain ? columns : width, heat, column_scores}};
    global float *sums = h.m + task->loss_room + (2 * e + o) * task->loss_numbers, *places = sums + plane;
    global float *by_row = places + plane, *by_column = by_row + rows, *steps = by_column + columns;
    for (uint k = LANE; k < plane; k += ND_LANES) {
        LogSum sum = {-INFINITY, 0};
        for (uint color = 0; color <= task->colors; color++) {
            log_add(&sum, logits[color * plane + k]);
        }
        sums[k] = log_value(&sum);
    }
    if (LANE < 2) {
        totals[LANE] = segments_places(&s[LANE], LANE == 0 ? by_row : by_column);
    }
    MEET_GLOBAL();
    for (uint k = LANE; k < heights * widths; k += ND_LANES) {
        uint x = k / widths, y = k % widths;
        float sum = by_row[x] + by_column[y];
        for (uint i = 0; i < height; i++) {
            for (uint j = 0; j < width; j++) {
                uint at = (x + i) * columns + y + j;
                sum += logits[(uint)target[i * width + j] * plane + at] - sums[at];
            }
        }
        places[k] = sum;
    }
    MEET_GLOBAL();
    if (LANE == 0) {
        LogSum all = {-INFINITY, 0};
        for (uint k = 0; k < heights * widths; k++) {
            log_add(&all, cool * places[k]);
        }
        totals[2] = log_value(&all);
        back[task->out + ND_TENSORS + 2 * e + o] = -totals[2] / cool;
    }
    MEET_GLOBAL();
    for (uint k = LANE; k < heights * widths; k += ND_LANES) {
        places[k] = exp(cool * places[k] - totals[2]);
    }
    MEET_GLOBAL();
    for (uint k = LANE; k < heights + widths; k += ND_LANES) {
        float sum = 0;
        if (k < heights) {
            for (uint y = 0; y < widths; y++) {
                sum += places[k * widths + y];
            }
            by_row[k] = sum;
        } else {
            for (uint x = 0; x < heights; x++) {
                sum += places[x * widths + k - heights];
            }
            by_column[k - heights] = sum;
        }
    }
    global float *g_logits = h.m + task->g_logits + e * task->outputs + o * grid;
    for (uint k = LANE; k < plane; k += ND_LANES) {
        uint x = k / columns, y = k % columns;
        float covered = 0, of[10];
        for (uint color = 0; color < 10; color++) {
            of[color] = 0;
        }
        int first_row = max((int)x + 1 - (int)height, 0), first_column = max((int)y + 1 - (int)width, 0);
        for (uint px = first_row; px <= x && px < heights; px++) {
            for (uint py = first_column; py <= y && py < widths; py++) {
                float weight = places[px * widths + py];
                covered += weight;
                of[(uint)target[(x - px) * width + y - py]] += weight;
            }
        }
        for (uint color = 0; color <= task->colors; color++) {
            float p = exp(logits[color * plane + k] - sums[k]);
            g_logits[color * plane + k] = 10 * (covered * p - of[color]);
        }
    }
    MEET_GLOBAL();
    if (LANE < 2) {
        uint scores = LANE == 0 ? task->g_row_scores + (2 * e + o) * rows : task->g_column_scores + (2 * e + o) * columns;
        segments_back(&s[LANE], totals[LANE], LANE == 0 ? by_row : by_column, steps + LANE * (rows + 1), h.m + scores);
    }
}

/* Softmax along every set of a tensor's axes.
 *
 * A slice has its logits in an array that is longer by one along each axis: the entry behind the last one of an axis
 * holds the logarithm of the sum of exponentials along it. So for a set of axes the probability of a site is
 * exp(own entry - entry with the places of the set's axes behind the end), and everything is found by going along one
 * axis after the other. On the way back, means of the gradient by these probabilities fill an array of the same form.
 * Numbers never leave their range, however far apart logits are. */

typedef struct Soft { /* places in the array: color, row, column, direction */
    uint at[4];
} Soft;

INLINE uint soft_index(const Here *h, const Soft *s) {
    global const uint *wide = h->t->wide;
    return ((s->at[0] * wide[1] + s->at[1]) * wide[2] + s->at[2]) * wide[3] + s->at[3];
}
INLINE void soft_site(const Here *h, uint site, Soft *to) {
    Coordinates at;
    coordinates_of(h, site, &at);
    to->at[0] = at.c;
    to->at[1] = at.x;
    to->at[2] = at.y;
    to->at[3] = at.d;
}
INLINE uint soft_end(const Here *h, uint axis) {
    return axis == 0 ? h->t->colors : axis == 1 ? h->t->rows : axis == 2 ? h->t->columns : h->t->lanes;
}
constant uint soft_bits[4] = {ND_AXIS_C, ND_AXIS_X, ND_AXIS_Y, ND_AXIS_D};

/* How far from a site the entries behind the end of each axis are; and that of a set of axes. */
typedef struct SoftSteps {
    uint of[4];
} SoftSteps;

INLINE uint soft_stride(const Here *h, uint axis) { /* entries between neighbours along an axis */
    global const uint *wide = h->t->wide;
    return axis == 3 ? 1 : axis == 2 ? wide[3] : axis == 1 ? wide[3] * wide[2] : wide[3] * wide[2] * wide[1];
}
INLINE void soft_steps(const Here *h, const Soft *s, SoftSteps *to) {
    UNROLL for (uint a = 0; a < 4; a++) {
        to->of[a] = (soft_end(h, a) - s->at[a]) * soft_stride(h, a);
    }
}
INLINE uint soft_step(const SoftSteps *steps, uint axes) {
    uint sum = 0;
    UNROLL for (uint a = 0; a < 4; a++) {
        sum += axes & soft_bits[a] ? steps->of[a] : 0;
    }
    return sum;
}

/* Goes to the entry of a set of axes. */
INLINE void soft_along(const Here *h, uint axes, Soft *s) {
    UNROLL for (uint a = 0; a < 4; a++) {
        s->at[a] = axes & soft_bits[a] ? soft_end(h, a) : s->at[a];
    }
}
/* The axes along which an entry is summed. */
INLINE uint soft_summed(const Here *h, const Soft *s) {
    uint axes = 0;
    UNROLL for (uint a = 0; a < 4; a++) {
        axes |= s->at[a] == soft_end(h, a) ? soft_bits[a] : 0;
    }
    return axes;
}

INLINE void soft_put(const Here *h, uint block, uint site, const float *logits) {
    Soft s;
    soft_site(h, site, &s);
    global float *to = slice_of(h, ND_SOFT, block) + 2 * soft_index(h, &s);
    to[0] = logits[0];
    to[1] = logits[1];
}

/* The i-th entry of an array with these lengths. */
INLINE void soft_entry(uint i, const uint *lengths, Soft *to) {
    for (int a = 3; a >= 0; a--) {
        to->at[a] = i % lengths[a];
        i /= lengths[a];
    }
}
/* One axis after the other: directions, colors, rows, columns. `along` has the axis as a constant, and is called with the
 * lengths of the array so far. A slice to a work-group. */
#define EACH_AXIS(along) \
    uint lengths[4] = {h.t->colors, h.t->rows, h.t->columns, h.t->lanes}; \
    along(3, &h, block, lengths); \
    MEET_GLOBAL(); \
    along(0, &h, block, lengths); \
    MEET_GLOBAL(); \
    along(1, &h, block, lengths); \
    MEET_GLOBAL(); \
    along(2, &h, block, lengths); \
    MEET_GLOBAL();

/* Entries of all other axes, for each of the two channels. */
INLINE uint soft_entries(const uint axis, uint *lengths) {
    lengths[axis] = 1;
    return lengths[0] * lengths[1] * lengths[2] * lengths[3] * 2;
}

INLINE void soft_sums_along(const uint axis, const Here *h, uint block, uint *lengths) {
    if ((h->t->axes & soft_bits[axis]) == 0) {
        return;
    }
    global float *all = slice_of(h, ND_SOFT, block);
    uint entries = soft_entries(axis, lengths), stride = 2 * soft_stride(h, axis), n = soft_end(h, axis);
    for (uint i = LANE; i < entries; i += ND_LANES) {
        Soft s;
        soft_entry(i / 2, lengths, &s);
        global float *from = all + 2 * soft_index(h, &s) + i % 2;
        float max_x = from[0];
        for (uint k = 1; k < n; k++) {
            max_x = fmax(max_x, from[k * stride]);
        }
        float sum = exp(from[0] - max_x);
        for (uint k = 1; k < n; k++) {
            sum += exp(from[k * stride] - max_x);
        }
        from[n * stride] = max_x + log(sum);
    }
    lengths[axis] = n + 1;
}
KERNEL void net_soft_sums(GIVEN) {
    BEGIN;
    EACH_AXIS(soft_sums_along)
}

/* x += probabilities times their matrix. */
INLINE void soft_add(const uint channels, const Here *h, uint block, uint site, float *x) {
    global const float *all = slice_of(h, ND_SOFT, block), *w = h->m + h->t->weights[block].soft_out;
    Soft s;
    SoftSteps steps;
    soft_site(h, site, &s);
    soft_steps(h, &s, &steps);
    uint own = 2 * soft_index(h, &s), sets = h->t->soft_sets;
    float logits[2] = {all[own], all[own + 1]};
    for (uint q = 0; q < sets; q++, w += 2 * channels) {
        uint at = own + 2 * soft_step(&steps, h->t->soft_axes[q]);
        float p[2] = {exp(logits[0] - all[at]), exp(logits[1] - all[at + 1])};
        linear(2, channels, w, p, x);
    }
}

/* ---- backward ---- */

/* Means along one axis of the gradient (while no axis is done), or of means along others. */
INLINE void soft_mean(const uint channels, const uint axis, const Here *h, uint block, const Soft *first, uint ch) {
    uint n = soft_end(h, axis), stride = soft_stride(h, axis), index = soft_index(h, first), shift = h->t->shift;
    bool plain = soft_summed(h, first) == 0;
    uint cell = (first->at[0] * h->t->rows + first->at[1]) * h->t->columns + first->at[2];
    uint cells = axis == 2 ? 1 : axis == 1 ? h->t->columns : h->t->rows * h->t->columns; /* from one to the next */
    global const float *logits = slice_of(h, ND_SOFT, block) + 2 * index + ch, *from;
    global float *means = slice_of(h, ND_SOFT_MEANS, 0) + (2 * index + ch) * channels;
    from = plain ? slice_of(h, ND_G, 0) + ((cell * channels) << shift) + first->at[3] : means;
    uint step = !plain ? 2 * stride * channels : axis == 3 ? 1 : (cells * channels) << shift;
    uint apart = plain ? shift : 0;
    float sum[16], total = logits[2 * n * stride];
    clear(channels, sum);
    for (uint k = 0; k < n; k++, from += step) {
        float p = exp(logits[2 * k * stride] - total);
        UNROLL for (uint j = 0; j < channels; j++) {
            sum[j] = fma(p, from[j << apart], sum[j]);
        }
    }
    UNROLL for (uint j = 0; j < channels; j++) {
        means[2 * n * stride * channels + j] = sum[j];
    }
}

INLINE void soft_means_along(const uint axis, const Here *h, uint block, uint *lengths) {
    if ((h->t->axes & soft_bits[axis]) == 0) {
        return;
    }
    uint entries = soft_entries(axis, lengths);
    for (uint i = LANE; i < entries; i += ND_LANES) {
        Soft s;
        soft_entry(i / 2, lengths, &s);
        if (h->t->lanes == 8) {
            soft_mean(8, axis, h, block, &s, i % 2);
        } else {
            soft_mean(16, axis, h, block, &s, i % 2);
        }
    }
    lengths[axis] = soft_end(h, axis) + 1;
}
/* Means for all sets, what is taken off the gradient by them, and the gradient of the matrix: a slice to a group. */
KERNEL void net_soft_means(GIVEN) {
    BEGIN;
    EACH_AXIS(soft_means_along)
    uint channels = h.t->channels, all[4] = {h.t->wide[0], h.t->wide[1], h.t->wide[2], h.t->wide[3]};
    global const float *means = slice_of(&h, ND_SOFT_MEANS, 0), *w = h.m + h.t->weights[block].soft_out;
    global float *taken = slice_of(&h, ND_SOFT_TAKEN, 0);
    for (uint i = LANE; i < 2 * all[0] * all[1] * all[2] * all[3]; i += ND_LANES) {
        Soft s;
        soft_entry(i / 2, all, &s);
        uint axes = soft_summed(&h, &s);
        if (axes != 0) {
            global const float *row = w + (2 * h.t->soft_row[axes] + i % 2) * channels;
            float sum = 0;
            for (uint k = 0; k < channels; k++) {
                sum = fma(row[k], means[i * channels + k], sum);
            }
            taken[i] = sum;
        }
    }
    global float *gradient = partial_of(&h, h.t->weights[block].soft_out);
    for (uint i = LANE; i < h.t->soft_sets * 2 * channels; i += ND_LANES) {
        uint axes = h.t->soft_axes[i / channels / 2], lengths_of[4], entries_of = 1;
        for (uint a = 0; a < 4; a++) {
            lengths_of[a] = axes & soft_bits[a] ? 1 : soft_end(&h, a);
            entries_of *= lengths_of[a];
        }
        float sum = 0;
        for (uint k = 0; k < entries_of; k++) {
            Soft s;
            soft_entry(k, lengths_of, &s);
            soft_along(&h, axes, &s);
            sum += means[(2 * soft_index(&h, &s) + i / channels % 2) * channels + i % channels];
        }
        gradient[i] = sum;
    }
}

/* Gradient of the two logits of a site from that of the stream. */
INLINE void soft_take(const uint channels, const Here *h, uint block, uint site, const float *g, float *to) {
    global const float *all = slice_of(h, ND_SOFT, block), *w = h->m + h->t->weights[block].soft_out;
    global const float *taken = slice_of(h, ND_SOFT_TAKEN, 0);
    Soft s;
    SoftSteps steps;
    soft_site(h, site, &s);
    soft_steps(h, &s, &steps);
    uint own = 2 * soft_index(h, &s), sets = h->t->soft_sets;
    float logits[2] = {all[own], all[own + 1]};
    to[0] = to[1] = 0;
    for (uint q = 0; q < sets; q++, w += 2 * channels) {
        uint at = own + 2 * soft_step(&steps, h->t->soft_axes[q]);
        float of[2] = {-taken[at], -taken[at + 1]};
        linear_back(channels, 2, w, g, of);
        to[0] = fma(exp(logits[0] - all[at]), of[0], to[0]);
        to[1] = fma(exp(logits[1] - all[at + 1]), of[1], to[1]);
    }
}

/* Stacked pieces: covering, and tables of colors; layers.h. */

static uint count_covered(ulong wanted, ulong zero) {
    return (uint)popcount(wanted & ~zero);
}

/* A work-group for each run.
 * block 0: zero, block 1: wrong. args: by run 4 numbers (limit, first and last word, max layers), open cells, goal.
 * number: words, runs. result: by run layers, how it ended, 16 layers. scratch: by run the cells that are open. */
KERNEL void layers_cover(GLOBAL uchar *mem, ulong table, uint jobs, uint stage) {
    (void)stage;
    SHARED ulong room[LANES];
    GLOBAL const Job *job = job_of(mem, table, jobs, GROUP);
    uint words = job->number[0], index = GROUP - job->first, n = 0, end = 2;
    GLOBAL const ulong *all_zero = (GLOBAL const ulong *)(mem + job->block[0]);
    GLOBAL const ulong *all_wrong = (GLOBAL const ulong *)(mem + job->block[1]);
    GLOBAL const uint *run = (GLOBAL const uint *)(mem + job->args + (ulong)index * (16 + 16 * (ulong)words));
    GLOBAL const ulong *given = (GLOBAL const ulong *)(run + 4), *goal = given + words;
    GLOBAL ulong *open = (GLOBAL ulong *)(mem + job->scratch) + (ulong)index * words;
    GLOBAL uint *result = (GLOBAL uint *)(mem + job->result) + (ulong)index * 18;
    for (uint w = LANE; w < words; w += LANES) {
        open[w] = given[w];
    }
    for (uint k = LANE; k < 16; k += LANES) {
        result[2 + k] = 0;
    }
    MEET();
    while (n < run[3] && end == 2) {
        ulong best = ~(ulong)0; /* what the layer does not cover << 32 | piece << 2 | way */
        for (uint p = LANE; p < run[0]; p += LANES) {
            GLOBAL const ulong *zero = all_zero + (ulong)p * words, *wrong = all_wrong + (ulong)p * words;
            ulong opaque = 0, transparent = 0; /* open cells on which it is wrong */
            for (uint w = 0; w < words && (opaque == 0 || transparent == 0); w++) {
                ulong wrongly = wrong[w] & open[w];
                opaque |= wrongly & ~zero[w];
                transparent |= wrongly & zero[w];
            }
            if (opaque != 0 && transparent != 0) {
                continue;
            }
            uint gain = 0, both = 0;
            for (uint w = run[1]; w <= run[2]; w++) {
                ulong wanted = open[w] & goal[w];
                gain += count_covered(wanted, zero[w]);
                both += (uint)popcount(wanted);
            }
            uint gains[3];
            gains[0] = opaque == 0 ? gain : 0;
            gains[1] = transparent == 0 ? both - gain : 0;
            gains[2] = opaque == 0 && transparent == 0 ? both : 0;
            for (uint way = 0; way < 3; way++) {
                ulong key = (ulong)(~gains[way]) << 32 | (p << 2 | way);
                best = gains[way] > 0 && key < best ? key : best;
            }
        }
        best = group_min(best, room);
        uint found = best != ~(ulong)0, layer = (uint)best, way = layer & 3; /* the same for all lanes */
        GLOBAL const ulong *zero = all_zero + (found ? (ulong)(layer >> 2) * words : 0);
        ulong left = 0;
        for (uint w = LANE; w < words && found; w += LANES) {
            ulong opaque = way != 1 ? ~zero[w] : 0, transparent = way != 0 ? zero[w] : 0; /* what it covers */
            ulong still = open[w] & ~(opaque | transparent);
            open[w] = still;
            left |= still & goal[w];
        }
        if (LANE == 0 && found) {
            result[2 + n] = layer;
        }
        MEET();
        uint covered = group_min(left != 0 ? 0 : 1, room) == 1;
        end = !found ? 0 : covered ? 1 : 2;
        n += found;
    }
    if (LANE == 0) {
        result[0] = n;
        result[1] = end;
    }
}

/* Whether a table of at most `rows` rows from the colors of two pieces gives every cell its color. */
static int decides(GLOBAL const CELL *x, GLOBAL const CELL *y, GLOBAL const CELL *right, uint known, uint stride, uint rows) {
    CELL map[100];
    uint met = 0;
    for (uint k = 0; k < 100; k++) {
        map[k] = -1;
    }
    for (uint k = 0; k < known; k++) {
        uint at = (uint)x[k] * 10 + (uint)y[k];
        if (map[at] != right[k]) {
            if (map[at] >= 0 || ++met > rows) {
                return 0;
            }
            map[at] = right[k];
        }
    }
    for (uint k = known; k < stride; k++) {
        if (map[(uint)x[k] * 10 + (uint)y[k]] < 0) {
            return 0;
        }
    }
    return 1;
}

/* A work-group for each y; a lane takes 32 x at a time, whose bits are one word of the result.
 * block 0: cells. block 1: the right colors, then bits of couples by piece. number: pieces, stride, known cells, first y,
 * the one after the last, rows. */
KERNEL void layers_tables(GLOBAL uchar *mem, ulong table, uint jobs, uint stage) {
    (void)stage;
    GLOBAL const Job *job = job_of(mem, table, jobs, GROUP);
    uint words = (job->number[0] + 31) / 32, stride = job->number[1], known = job->number[2];
    uint row = GROUP - job->first, y = job->number[3] + row;
    GLOBAL const CELL *cells = (GLOBAL const CELL *)(mem + job->block[0]);
    GLOBAL const CELL *right = (GLOBAL const CELL *)(mem + job->block[1]);
    GLOBAL const ulong *blind = (GLOBAL const ulong *)(mem + job->block[1] + (known + 7) / 8 * 8);
    GLOBAL uint *hits = (GLOBAL uint *)(mem + job->result) + (ulong)row * words;
    for (uint w = LANE; w < words; w += LANES) {
        uint bits = 0;
        for (uint x = 32 * w; x < 32 * w + 32 && x <= y; x++) {
            ulong both = 0;
            for (uint k = 0; k < 4; k++) {
                both |= blind[4 * (ulong)x + k] & blind[4 * (ulong)y + k];
            }
            if (both == 0 && decides(cells + (ulong)x * stride, cells + (ulong)y * stride, right, known, stride, job->number[5])) {
                bits |= 1u << (x % 32);
            }
        }
        hits[w] = bits;
    }
}

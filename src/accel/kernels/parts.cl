/* Connected parts of a grid, and parts by color: which cells hang together, how many, which colors, which boxes. */
#define NOWHERE 0xffffffffu

/* Lanes link cells at the same time: what they read of each other's work goes through atomics. */
#if LANES > 1
#define PEEK(p) atomic_or((volatile global uint *)(p), 0u)
#define ADD(p, n) atomic_add((volatile global uint *)(p), (uint)(n))
#define OR(p, n) atomic_or((volatile global uint *)(p), (uint)(n))
#define LEAST(p, n) atomic_min((volatile global uint *)(p), (uint)(n))
#define MOST(p, n) atomic_max((volatile global uint *)(p), (uint)(n))
#else
#define PEEK(p) (*(p))
#define ADD(p, n) (*(p) += (n))
#define OR(p, n) (*(p) |= (n))
#define LEAST(p, n) (*(p) = (n) < *(p) ? (n) : *(p))
#define MOST(p, n) (*(p) = (n) > *(p) ? (n) : *(p))
#endif

static uint root_of(global uint *parent, uint k) {
    uint up = PEEK(&parent[k]);
    while (up != k) {
        k = up;
        up = PEEK(&parent[k]);
    }
    return k;
}

/* The earlier root stays one, so that a part is known by its first cell, whoever links first. */
static void tie(global uint *parent, uint a, uint b) {
#if LANES > 1
    while (1) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (a == b) {
            return;
        }
        uint high = a > b ? a : b, low = a > b ? b : a, was = atomic_min((volatile global uint *)&parent[high], low);
        if (was == high) {
            return;
        }
        a = was; /* another lane linked it elsewhere: that has to be linked, too */
        b = low;
    }
#else
    uint x = a, y = b;
    while (parent[x] != x) { /* halving paths on the way */
        parent[x] = parent[parent[x]];
        x = parent[x];
    }
    while (parent[y] != y) {
        parent[y] = parent[parent[y]];
        y = parent[y];
    }
    parent[x > y ? x : y] = x > y ? y : x;
#endif
}

static void try_tie(global const CELL *a, global uint *parent, uint univalued, uint k, uint other) {
    if (PEEK(&parent[other]) != NOWHERE && (!univalued || a[k] == a[other])) {
        tie(parent, k, other);
    }
}

/* The most frequent color, of equals the smallest; by every lane for itself. */
static int most_frequent(global const CELL *cells, uint n) {
    uint count[10];
    int best = 0;
    for (uint c = 0; c < 10; c++) {
        count[c] = 0;
    }
    for (uint k = 0; k < n; k++) {
        count[cells[k]]++;
    }
    for (int c = 1; c < 10; c++) {
        best = count[c] > count[best] ? c : best;
    }
    return best;
}

/* parent: n numbers, then six for each part while they are counted. out: the number of parts, labels, six for each part.
 * flags: 1 one color each, 2 diagonals count, 4 without the most frequent color. by_color: instead of by neighbours. */
static void find_parts(global const CELL *a, uint h, uint w, uint flags, uint by_color, global uint *parent,
                       global ushort *out, local uint *first, local uint *sums) {
    uint n = h * w;
    global uint *rows = parent + n;
    global ushort *labels = out + 1, *part = labels + n;
    int ground = flags & 4 ? most_frequent(a, n) : -1;
    for (uint k = LANE; k < n; k += LANES) {
        parent[k] = a[k] == ground ? NOWHERE : k;
    }
    for (uint c = LANE; c < 10; c += LANES) { /* for parts by color: the first cell of each */
        first[c] = NOWHERE;
        for (uint k = 0; k < n && by_color && first[c] == NOWHERE; k++) {
            first[c] = (uint)a[k] == c ? k : NOWHERE;
        }
    }
    MEET();
    for (uint k = LANE; k < n; k += LANES) {
        uint i = k / w, j = k % w;
        if (PEEK(&parent[k]) == NOWHERE) {
            continue;
        }
        if (by_color) {
            parent[k] = first[a[k]];
            continue;
        }
        if (j > 0) {
            try_tie(a, parent, flags & 1, k, k - 1);
        }
        if (i > 0) {
            try_tie(a, parent, flags & 1, k, k - w);
            if (flags & 2 && j > 0) {
                try_tie(a, parent, flags & 1, k, k - w - 1);
            }
            if (flags & 2 && j + 1 < w) {
                try_tie(a, parent, flags & 1, k, k - w + 1);
            }
        }
    }
    MEET();
    /* number the roots in reading order: each lane has a stretch of cells, and adds up those before it */
    uint stretch = (n + LANES - 1) / LANES, begin = LANE * stretch < n ? LANE * stretch : n;
    uint end = begin + stretch < n ? begin + stretch : n, mine = 0, before = 0, all = 0;
    for (uint k = begin; k < end; k++) {
        mine += parent[k] == k;
    }
    sums[LANE] = mine;
    MEET();
    for (uint lane = 0; lane < LANES; lane++) {
        before += lane < LANE ? sums[lane] : 0;
        all += sums[lane];
    }
    for (uint k = begin; k < end; k++) {
        if (parent[k] == k) {
            labels[k] = (ushort)++before;
        }
    }
    for (uint k = LANE; k < 6 * n; k += LANES) {
        part[k] = 0;
        if (k < 6 * all) {
            rows[k] = k % 6 == 2 || k % 6 == 3 ? NOWHERE : 0; /* size, colors, top, left, bottom, right */
        }
    }
    MEET();
    for (uint k = LANE; k < n; k += LANES) {
        uint i = k / w, j = k % w, root = k;
        if (parent[k] == NOWHERE) {
            labels[k] = 0;
            continue;
        }
        while (parent[root] != root) {
            root = parent[root];
        }
        ushort label = labels[root];
        if (root != k) {
            labels[k] = label;
        }
        global uint *row = rows + 6 * (label - 1);
        ADD(&row[0], 1);
        OR(&row[1], 1u << a[k]);
        LEAST(&row[2], i);
        LEAST(&row[3], j);
        MOST(&row[4], i);
        MOST(&row[5], j);
    }
    MEET();
    for (uint k = LANE; k < 6 * all; k += LANES) {
        part[k] = (ushort)rows[k];
    }
    if (LANE == 0) {
        out[0] = (ushort)all;
    }
}

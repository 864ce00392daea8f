/* Connected parts of a grid, and parts by color: which cells hang together, how many, which colors, which boxes.
 *
 * The earlier root stays one, so that a part is known by its first cell, and parts are numbered by it in reading order,
 * whoever links first. */
#define NOWHERE 0xffffffffu

/* The most frequent color, of equals the smallest; by every lane for itself. */
static int most_frequent(GLOBAL const CELL *cells, uint n) {
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

/* find_parts. parent: n numbers, then six for each part while they are counted. out: the number of parts, labels, six for
 * each part: size, colors, top, left, bottom, right. flags: 1 one color each, 2 diagonals count, 4 without the most
 * frequent color. by_color: parts are colors. first, sums: room for 10 and for a number of each lane. */
#if LANES == 1

static uint root_of(GLOBAL uint *parent, uint k) {
    while (parent[k] != k) { /* halving paths on the way */
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

static void try_tie(GLOBAL const CELL *a, GLOBAL uint *parent, uint univalued, uint k, uint other) {
    if (parent[other] != NOWHERE && (!univalued || a[k] == a[other])) {
        uint x = root_of(parent, k), y = root_of(parent, other);
        parent[x > y ? x : y] = x > y ? y : x;
    }
}

static void tie_neighbors(GLOBAL const CELL *a, uint h, uint w, uint univalued, uint diagonal, GLOBAL uint *parent) {
    uint k = 0;
    for (uint i = 0; i < h; i++) {
        for (uint j = 0; j < w; j++, k++) {
            if (parent[k] == NOWHERE) {
                continue;
            }
            if (j > 0) {
                try_tie(a, parent, univalued, k, k - 1);
            }
            if (i > 0) {
                try_tie(a, parent, univalued, k, k - w);
            }
            if (i > 0 && diagonal && j > 0) {
                try_tie(a, parent, univalued, k, k - w - 1);
            }
            if (i > 0 && diagonal && j + 1 < w) {
                try_tie(a, parent, univalued, k, k - w + 1);
            }
        }
    }
}

static void find_parts(GLOBAL const CELL *a, uint h, uint w, uint flags, uint by_color, GLOBAL uint *parent,
                       GLOBAL ushort *out, LOCAL uint *first, LOCAL uint *sums) {
    uint n = h * w, count = 0, k = 0;
    GLOBAL ushort *labels = out + 1, *part = labels + n;
    int background = flags & 4 ? most_frequent(a, n) : -1;
    for (uint c = 0; c < 10; c++) {
        first[c] = NOWHERE;
    }
    for (uint x = 0; x < n; x++) {
        parent[x] = a[x] == background ? NOWHERE : x;
    }
    if (!by_color) {
        tie_neighbors(a, h, w, flags & 1, flags & 2, parent);
    }
    for (uint i = 0; i < h; i++) {
        for (uint j = 0; j < w; j++, k++) {
            if (parent[k] == NOWHERE) {
                labels[k] = 0;
                continue;
            }
            uint root = by_color ? first[a[k]] : root_of(parent, k); /* an earlier cell, which has its label */
            if (root == k || root == NOWHERE) {
                GLOBAL ushort *fresh = part + 6 * count++;
                first[by_color ? a[k] : 0] = k;
                labels[k] = (ushort)count;
                fresh[0] = fresh[1] = 0;
                fresh[2] = (ushort)i;
                fresh[3] = fresh[5] = (ushort)j;
                root = k;
            }
            ushort label = labels[root];
            GLOBAL ushort *row = part + 6 * (label - 1);
            labels[k] = label;
            row[0]++;
            row[1] |= (ushort)(1u << a[k]);
            row[3] = j < row[3] ? (ushort)j : row[3];
            row[4] = (ushort)i;
            row[5] = j > row[5] ? (ushort)j : row[5];
        }
    }
    for (uint x = 6 * count; x < 6 * n; x++) {
        part[x] = 0;
    }
    sums[LANE] = count; /* of all lanes, as there is one */
    out[0] = (ushort)sums[LANE];
}

#else /* lanes link cells at the same time: what they read of each other's work goes through atomics */

#define PEEK(p) atomic_or((volatile GLOBAL uint *)(p), 0u)
#define ADD(p, n) atomic_add((volatile GLOBAL uint *)(p), (uint)(n))
#define OR(p, n) atomic_or((volatile GLOBAL uint *)(p), (uint)(n))
#define ATOMIC_MIN(p, n) atomic_min((volatile GLOBAL uint *)(p), (uint)(n))
#define ATOMIC_MAX(p, n) atomic_max((volatile GLOBAL uint *)(p), (uint)(n))

static uint root_of(GLOBAL uint *parent, uint k) {
    uint up = PEEK(&parent[k]);
    while (up != k) {
        k = up;
        up = PEEK(&parent[k]);
    }
    return k;
}

static void tie(GLOBAL uint *parent, uint a, uint b) {
    while (1) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (a == b) {
            return;
        }
        uint high = a > b ? a : b, low = a > b ? b : a, was = ATOMIC_MIN(&parent[high], low);
        if (was == high) {
            return;
        }
        a = was; /* another lane linked it elsewhere: that has to be linked, too */
        b = low;
    }
}

static void try_tie(GLOBAL const CELL *a, GLOBAL uint *parent, uint univalued, uint k, uint other) {
    if (PEEK(&parent[other]) != NOWHERE && (!univalued || a[k] == a[other])) {
        tie(parent, k, other);
    }
}

static void find_parts(GLOBAL const CELL *a, uint h, uint w, uint flags, uint by_color, GLOBAL uint *parent,
                       GLOBAL ushort *out, LOCAL uint *first, LOCAL uint *sums) {
    uint n = h * w;
    GLOBAL uint *rows = parent + n;
    GLOBAL ushort *labels = out + 1, *part = labels + n;
    int background = flags & 4 ? most_frequent(a, n) : -1;
    for (uint k = LANE; k < n; k += LANES) {
        parent[k] = a[k] == background ? NOWHERE : k;
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
        GLOBAL uint *row = rows + 6 * (label - 1);
        ADD(&row[0], 1);
        OR(&row[1], 1u << a[k]);
        ATOMIC_MIN(&row[2], i);
        ATOMIC_MIN(&row[3], j);
        ATOMIC_MAX(&row[4], i);
        ATOMIC_MAX(&row[5], j);
    }
    MEET();
    for (uint k = LANE; k < 6 * all; k += LANES) {
        part[k] = (ushort)rows[k];
    }
    if (LANE == 0) {
        out[0] = (ushort)all;
    }
}

#endif

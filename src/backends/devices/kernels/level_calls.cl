/* The kernels: the calls of a level, and judging answers. */

static void call_grid(Call *c, uint op, const Arg *a) {
    if (a[0].form != LEVEL_GRID) {
        left_to_host(c);
        return;
    }
    switch (op) {
    case LEVEL_TOPHALF:
    case LEVEL_BOTTOMHALF:
    case LEVEL_LEFTHALF:
    case LEVEL_RIGHTHALF:
    case LEVEL_TRIM:
        half_grid(c, op, a);
        break;
    case LEVEL_CROP:
        if (a[1].form != LEVEL_PAIR || a[2].form != LEVEL_PAIR) {
            left_to_host(c);
        } else {
            cut(c, a, a[1].a, a[1].b, a[2].a, a[2].b);
        }
        break;
    case LEVEL_REPLACE:
    case LEVEL_SWITCH:
        recolor_grid(c, op, a, a + 1, a + 2);
        break;
    case LEVEL_CELLWISE:
        cellwise(c, a, a + 1, a + 2);
        break;
    case LEVEL_UPSCALE:
    case LEVEL_HUPSCALE:
    case LEVEL_VUPSCALE:
        upscale(c, a, a[1].form == LEVEL_INT ? (op == LEVEL_HUPSCALE ? 1 : a[1].a) : 0, op == LEVEL_VUPSCALE ? 1 : a[1].a);
        break;
    case LEVEL_DOWNSCALE: {
        int f = a[1].form == LEVEL_INT && a[1].a > 0 && a[1].a <= LEVEL_MAX_SIDE ? a[1].a : 0;
        if (f == 0) {
            left_to_host(c);
        } else {
            walk(c, a, (a->h + f - 1) / f, (a->w + f - 1) / f, 0, f * a->w, f);
        }
        break;
    }
    case LEVEL_HCONCAT:
    case LEVEL_VCONCAT:
        join(c, op, a, a + 1);
        break;
    case LEVEL_OFCOLOR:
        ofcolor(c, a, a + 1);
        break;
    case LEVEL_ASINDICES:
        give_box(c, 0, 0, a->h, a->w, 0);
        break;
    case LEVEL_ASOBJECT:
        asobject(c, a);
        break;
    case LEVEL_FILL:
    case LEVEL_UNDERFILL:
        paint_grid(c, op, a, a + 2, a + 1);
        break;
    case LEVEL_COVER:
    case LEVEL_PAINT:
    case LEVEL_UNDERPAINT:
        paint_grid(c, op, a, a + 1, a + 1);
        break;
    case LEVEL_MOSTCOLOR:
    case LEVEL_LEASTCOLOR:
    case LEVEL_COLORCOUNT:
        color_of_grid(c, op, a, a + 1);
        break;
    default:
        turn_grid(c, op, a);
    }
}

/* What is about one patch. */
static void call_patch(Call *c, uint op, const Arg *p) {
    if (!is_patch(p)) {
        left_to_host(c);
        return;
    }
    c->out.steps += p->n >> 6;
    switch (op) {
    case LEVEL_BOX:
        outline(c, p, 0);
        break;
    case LEVEL_INBOX:
        outline(c, p, -1);
        break;
    case LEVEL_OUTBOX:
        outline(c, p, 1);
        break;
    case LEVEL_BACKDROP:
        give_box(c, p->a, p->b, p->h, p->w, 0);
        break;
    case LEVEL_DELTA:
        delta(c, p);
        break;
    default:
        measure_patch(c, op, p);
    }
}

static void call_other(Call *c, uint op, const Arg *a) {
    switch (op) {
    case LEVEL_SUBGRID:
        subgrid(c, a, a + 1);
        break;
    case LEVEL_CANVAS:
        canvas(c, a, a + 1);
        break;
    case LEVEL_SHAPE:
    case LEVEL_HEIGHT:
    case LEVEL_WIDTH:
    case LEVEL_PORTRAIT:
        if (a->form != LEVEL_GRID && !is_patch(a)) {
            left_to_host(c);
        } else {
            c->out.steps += is_patch(a) ? a->n >> 6 : 0;
            measure_piece(c, op, a);
        }
        break;
    case LEVEL_SIZE:
        if (is_patch(a)) {
            give_int(c, (int)a->n);
        } else {
            left_to_host(c);
        }
        break;
    case LEVEL_RECOLOR:
        recolor(c, a, a + 1);
        break;
    case LEVEL_SHIFT:
        shift(c, a, a + 1);
        break;
    case LEVEL_COMBINE:
    case LEVEL_INTERSECTION:
    case LEVEL_DIFFERENCE:
        combine_patches(c, op, a, a + 1);
        break;
    case LEVEL_ADD:
    case LEVEL_SUBTRACT:
    case LEVEL_MULTIPLY:
        arithmetic(c, op, a, a + 1);
        break;
    case LEVEL_FIRST:
    case LEVEL_LAST:
        if (a->form == LEVEL_PAIR) {
            give_int(c, op == LEVEL_FIRST ? a->a : a->b);
        } else {
            left_to_host(c);
        }
        break;
    case LEVEL_ASTUPLE:
        if (a[0].form == LEVEL_INT && a[1].form == LEVEL_INT) {
            give_pair(c, a[0].a, a[1].a);
        } else {
            left_to_host(c);
        }
        break;
    default: /* double, halve, increment, decrement, invert */
        arithmetic(c, op, a, a);
    }
}

static void call_op(Call *c, uint op, const Arg *a) {
    if (op == LEVEL_STAMP_LAY) {
        lay_stamp(c, a, a + 1, a + 2);
    } else if (op == LEVEL_STAMP_TABLE) {
        table_stamp(c, a, a + 1, a + 2);
    } else if (op >= LEVEL_STAMP_PASTE) {
        call_sized_stamp(c, op, a, a + 1, a + 2);
    } else if (op >= LEVEL_STAMP_KEEP) {
        call_one_stamp(c, op, a, a + 1);
    } else if (op >= LEVEL_BOX && op <= LEVEL_RIGHTMOST) {
        call_patch(c, op, a);
    } else if (op == LEVEL_SUBGRID || (op >= LEVEL_CANVAS && op <= LEVEL_PORTRAIT) ||
               (op >= LEVEL_RECOLOR && op <= LEVEL_DIFFERENCE) || op == LEVEL_SIZE || op >= LEVEL_ADD) {
        call_other(c, op, a);
    } else {
        call_grid(c, op, a);
    }
}

/* The calls of `count` nodes from `first` on; each has its samples in work-groups of its own. */
KERNEL void levels_call(GLOBAL uchar *mem, ulong at, uint first, uint count) {
    GLOBAL LevelHead *head = (GLOBAL LevelHead *)(mem + at);
    uint samples = head->samples, groups = (samples + LANES - 1) / LANES;
    uint sample = GROUP % groups * LANES + LANE, index = GROUP / groups;
    if (sample >= samples || index >= count) {
        return;
    }
    GLOBAL const LevelNode *node = (GLOBAL const LevelNode *)(mem + head->nodes) + first + index;
    GLOBAL const LevelValue *constants = (GLOBAL const LevelValue *)(mem + head->constants);
    GLOBAL LevelValue *values = (GLOBAL LevelValue *)(mem + head->values);
    Call c;
    Arg args[4];
    c.mem = mem;
    c.head = head;
    c.prim = node->prim;
    c.kept = node->kept;
    c.out.form = LEVEL_FAIL;
    c.out.prim = 0;
    c.out.steps = 0;
    c.out.a = c.out.b = 0;
    c.out.h = c.out.w = 0;
    c.out.n = 0;
    c.out.at = 0;
    int failed = 0;
    for (int k = 0; k < 4; k++) {
        uint from = node->arg[k];
        args[k] = from & LEVEL_CONSTANT ? constants[from & ~LEVEL_CONSTANT] : values[(ulong)from * samples + sample];
        if (args[k].form == LEVEL_FAIL && !failed) { /* a call with a failed argument is not made */
            failed = 1;
            c.out.a = args[k].a;
            c.out.prim = args[k].prim;
        }
    }
    if (!failed) {
        c.out.steps = 1;
        call_op(&c, node->op, args);
    }
    values[(ulong)node->slot * samples + sample] = c.out;
    ((GLOBAL uint *)(mem + head->status))[(ulong)node->slot * samples + sample] =
        c.out.form != LEVEL_FAIL ? LEVEL_STATUS(c.out.steps, 0, 0) : LEVEL_STATUS(c.out.steps, c.out.prim, c.out.a);
}

/* The answers in `count` slots from `first` on in the list of nodes: a byte of each for every sample. */
KERNEL void levels_judge(GLOBAL uchar *mem, ulong at, uint first, uint count) {
    GLOBAL LevelHead *head = (GLOBAL LevelHead *)(mem + at);
    uint samples = head->samples, groups = (samples + LANES - 1) / LANES;
    uint sample = GROUP % groups * LANES + LANE, index = GROUP / groups;
    if (sample >= samples || index >= count) {
        return;
    }
    GLOBAL const LevelNode *node = (GLOBAL const LevelNode *)(mem + head->nodes) + first + index;
    GLOBAL const LevelValue *got = (GLOBAL const LevelValue *)(mem + head->values) + (ulong)node->slot * samples + sample;
    GLOBAL const LevelValue *expected = (GLOBAL const LevelValue *)(mem + head->expected) + sample;
    uint verdict = got->form == LEVEL_FAIL ? LEVEL_FAILED : LEVEL_RIGHT;
    if (got->form == LEVEL_GRID) {
        GLOBAL const CELL *x = (GLOBAL const CELL *)(mem + got->at), *y = (GLOBAL const CELL *)(mem + expected->at);
        int same = got->h == expected->h && got->w == expected->w;
        for (int k = 0; k < got->h * got->w; k++) {
            verdict = x[k] < 0 || x[k] > 9 ? LEVEL_NOT_GRID : verdict;
            verdict = verdict == LEVEL_RIGHT && same && x[k] != y[k] ? LEVEL_WRONG : verdict;
        }
        verdict = verdict == LEVEL_NOT_GRID           ? LEVEL_NOT_GRID
                  : expected->form != LEVEL_GRID ? LEVEL_UNKNOWN
                  : !same                        ? LEVEL_WRONG_SIZE
                                                 : verdict;
    } else if (verdict != LEVEL_FAILED) {
        verdict = LEVEL_NOT_GRID;
    }
    mem[head->verdicts + (ulong)index * samples + sample] = (uchar)verdict;
}

/* The kernels: the calls of a level, and judging answers. */

static void call_op(Call *c, uint op, const Arg *a) {
    const Arg *b = a + 1, *d = a + 2;
    int h = a->h, w = a->w;
    switch (op) {
        LEVEL_FUNCTIONS(OP_CASE)
        LEVEL_TABLE(OP_CASE, ALIAS_CASE)
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
    c.spare = c.spare_end = 0;
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
        if (c.out.steps > LEVEL_MAX_STEPS) {
            left_to_host(&c);
        }
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

/* The built-in differs, and scoring with them; see differs.h. */
#include "search/evolution/differs.h"

#include "base/alloc.h"
#include "base/check.h"
#include "engine/eval/eval.h"
#include "search/run/run.h"

#include <stdio.h>
#include <string.h>

static const char differs_text[] =
    /* cells that agree, if the sizes do */
    "def differ_cells(S, I, C):\n"
    "    x1 = cellwise(I, C, NEG_ONE)\n"
    "    x2 = f_ofcolor(x1, NEG_ONE)\n"
    "    x3 = size_f(x2)\n"
    "    x4 = height_t(I)\n"
    "    x5 = width_t(I)\n"
    "    x6 = multiply(x4, x5)\n"
    "    x7 = subtract(x6, x3)\n"
    "    x8 = multiply(x7, THOUSAND)\n"
    "    x9 = divide(x8, x6)\n"
    "    x10 = shape_t(I)\n"
    "    x11 = shape_t(C)\n"
    "    x12 = equality(x10, x11)\n"
    "    O = multiply(x9, x12)\n"
    "    return O\n"
    /* rows that are right as a whole, wherever they are */
    "def differ_rows(S, I, C):\n"
    "    x1 = difference_tuple(I, C)\n"
    "    x2 = size_t(x1)\n"
    "    x3 = height_t(I)\n"
    "    x4 = subtract(x3, x2)\n"
    "    x5 = multiply(x4, THOUSAND)\n"
    "    O = divide(x5, x3)\n"
    "    return O\n"
    /* height and width, each as the smaller divided by the larger: the worse of the two */
    "def differ_shape(S, I, C):\n"
    "    x1 = shape_t(I)\n"
    "    x2 = shape_t(C)\n"
    "    x3 = multiply(x1, THOUSAND)\n"
    "    x4 = divide(x3, x2)\n"
    "    x5 = multiply(x2, THOUSAND)\n"
    "    x6 = divide(x5, x1)\n"
    "    x7 = combine_t(x4, x6)\n"
    "    O = minimum(x7)\n"
    "    return O\n"
    /* colors lost */
    "def differ_lost(S, I, C):\n"
    "    x1 = p_g(I)\n"
    "    x2 = p_g(C)\n"
    "    x3 = difference_tuple(x1, x2)\n"
    "    x4 = size_t(x3)\n"
    "    x5 = multiply(x4, HUNDRED)\n"
    "    O = subtract(THOUSAND, x5)\n"
    "    return O\n"
    /* colors gained */
    "def differ_gained(S, I, C):\n"
    "    x1 = p_g(I)\n"
    "    x2 = p_g(C)\n"
    "    x3 = difference_tuple(x2, x1)\n"
    "    x4 = size_t(x3)\n"
    "    x5 = multiply(x4, HUNDRED)\n"
    "    O = subtract(THOUSAND, x5)\n"
    "    return O\n"
    /* objects of one color, by size: whether there are as many of each size, wherever they are */
    "def differ_sizes(S, I, C):\n"
    "    x1 = o_g_t(I, R5)\n"
    "    x2 = o_g_t(C, R5)\n"
    "    x3 = apply_t(size_t, x1)\n"
    "    x4 = apply_t(size_t, x2)\n"
    "    x5 = difference_tuple(x3, x4)\n"
    "    x6 = difference_tuple(x4, x3)\n"
    "    x7 = combine_t(x5, x6)\n"
    "    x8 = size_t(x7)\n"
    "    x9 = multiply(x8, HUNDRED)\n"
    "    O = subtract(THOUSAND, x9)\n"
    "    return O\n";

static bool set_open(DifferSet *set) {
    *set = (DifferSet){.battery = battery_new(MODE_BATT, false, 3, true)};
    return set->battery != NULL;
}

bool differ_is_good(const Program *p, char *why, size_t why_size) {
    bool good = p->nparams == 3 && p->mode == MODE_BATT;
    if (!good) {
        snprintf(why, why_size, "a differ has the parameters (S, I, C); %s does not", p->name);
    }
    return good;
}

static bool add(DifferSet *set, Ctx *ctx, const Program *p, char *why, size_t why_size) {
    if (!differ_is_good(p, why, why_size)) {
        return false;
    }
    if (set->count == DIFFERS_MAX) {
        snprintf(why, why_size, "more than %d differs", DIFFERS_MAX);
        return false;
    }
    int handle = battery_add(set->battery, ctx, p);
    if (handle < 0) {
        snprintf(why, why_size, MEM_NONE);
        return false;
    }
    set->handles[set->count++] = handle;
    ASSERT(battery_programs(set->battery) == set->count, "%u programs, %u differs",
           battery_programs(set->battery), set->count);
    return true;
}

bool differs_parse(ProgList *list) {
    Lang *lang = lang_open();
    Diags diags;
    diags_init(&diags);
    Source source = source_of("differs", differs_text, strlen(differs_text));
    bool good =
        lang != NULL && lang_parse(lang, &source, &PARSE_OPTIONS_FILE, list, &diags) && diags.errors == 0;
    diags_free(&diags);
    lang_close(lang);
    return good;
}

static const Budget differ_budget = {
    .steps = 200000, .bytes = (uint64_t)64 << 20, .time_ns = 0, .depth = 200};

bool differs_open(Differs *d, bool own, const Program *const *more, size_t n_more, char *why,
                  size_t why_size) {
    ProgList built_in = {0};
    Ctx ctx;
    *d = (Differs){0};
    snprintf(why, why_size, MEM_NONE);
    if (!prim_open(&ctx, MODE_BATT, false, &differ_budget)) {
        return false;
    }
    bool good = set_open(&d->own) && set_open(&d->more) && (!own || differs_parse(&built_in));
    for (size_t k = 0; k < built_in.count && good; k++) {
        good = add(&d->own, &ctx, built_in.items[k], why, why_size);
    }
    for (size_t k = 0; k < n_more && good; k++) {
        good = add(&d->more, &ctx, more[k], why, why_size);
    }
    d->count = d->own.count + d->more.count;
    ASSERT(!good || d->count > 0, "no differs");
    progs_free(&built_in);
    prim_close(&ctx);
    if (!good) {
        differs_close(d);
    }
    return good;
}

void differs_close(Differs *d) {
    battery_free(d->own.battery);
    battery_free(d->more.battery);
    *d = (Differs){0};
}

static bool run_open(BatteryRun *run, const DifferSet *set) {
    uint32_t nodes = battery_nodes(set->battery);
    run->values = mem_array(nodes, sizeof *run->values);
    run->steps = mem_array(nodes, sizeof *run->steps);
    return run->values != NULL && run->steps != NULL;
}

static void run_close(BatteryRun *run) {
    mem_free(run->values);
    mem_free(run->steps);
}

bool scorer_open(Scorer *s, const Differs *differs) {
    *s = (Scorer){.differs = differs};
    if (!prim_open(&s->ctx, MODE_BATT, false, &differ_budget)) {
        return false;
    }
    if (!run_open(&s->own, &differs->own) || !run_open(&s->more, &differs->more)) {
        scorer_close(s);
        return false;
    }
    return true;
}

void scorer_close(Scorer *s) {
    if (s->differs != NULL) {
        prim_close(&s->ctx);
    }
    run_close(&s->own);
    run_close(&s->more);
    *s = (Scorer){0};
}

uint64_t scorer_begin(Scorer *s, const Task *task, Image wanted) {
    const Differs *d = s->differs;
    uint64_t steps = 0;
    ctx_reset(&s->ctx);
    ASSERT(wanted.h > 0 && wanted.w > 0, "%s wants %d x %d", task->id, wanted.h, wanted.w);
    s->params[0] = run_samples_value(&s->ctx, task);
    s->params[1] = s->params[2] = eval_grid(wanted);
    s->straight = d->own.count > 0 && !d->counted && wanted.h <= TRAITS_SIDE && wanted.w <= TRAITS_SIDE;
    if (!s->straight && d->own.count > 0) {
        steps += battery_run(d->own.battery, &s->ctx, s->params, &s->own);
    } else if (s->straight) {
        traits_of(&s->wanted, s->params[1]);
    }
    if (d->more.count > 0) {
        steps += battery_run(d->more.battery, &s->ctx, s->params, &s->more);
    }
    s->mark = ctx_mark(&s->ctx);
    return steps;
}

int64_t differ_grade(Val v) {
    if (val_is_tuple(v) && val_len(v) > 0) {
        v = val_at(v, 0);
    }
    return v.kind != VAL_INT || v.i < 0 ? 0 : v.i > SCORE_EXACT ? SCORE_EXACT : v.i;
}

/* The sum of the differs' grades. */
static int64_t run_differs(Scorer *s, const DifferSet *set, BatteryRun *run, uint64_t *steps) {
    int64_t sum = 0;
    *steps += battery_rerun(set->battery, &s->ctx, s->params, run, 1u << 2);
    for (uint32_t k = 0; k < set->count; k++) {
        sum += differ_grade(battery_answer(set->battery, &s->ctx, run, set->handles[k], NULL));
    }
    return sum;
}

int scorer_score(Scorer *s, Val answer, uint64_t *steps) {
    const Differs *d = s->differs;
    uint32_t max = s->params[1].n > ARC_SIDE || s->params[1].w > ARC_SIDE ? TASK_MAX_SIDE : ARC_SIDE;
    if (answer.kind != VAL_GRID8 || answer.n > max || answer.w > max || answer.w == 0) {
        return 0;
    }
    if (val_eq(answer, s->params[1])) {
        return SCORE_EXACT;
    }
    int64_t sum = 0;
    uint64_t spent = 0;
    s->params[2] = answer;
    if (!s->straight && d->own.count > 0) {
        sum += run_differs(s, &d->own, &s->own, &spent);
    } else if (s->straight) {
        traits_of(&s->answer, answer);
        sum += traits_grades(&s->wanted, &s->answer);
    }
    if (d->more.count > 0) {
        sum += run_differs(s, &d->more, &s->more, &spent);
    }
    if (steps != NULL) {
        *steps += spent;
    }
    ctx_release(&s->ctx, s->mark);
    ASSERT(d->count > 0 && sum >= 0 && sum <= (int64_t)SCORE_EXACT * d->count, "%lld over %u differs",
           (long long)sum, d->count);
    sum /= d->count;
    return sum < SCORE_NEAREST ? (int)sum : SCORE_NEAREST;
}

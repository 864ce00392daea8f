/* The pool of candidates: proposals are run on all inputs and kept by the answers they give to the tests; see
 * candidates.h. */
#include "search/search.h"
#include "search/view.h"

#include "exec/eval.h"
#include "search/search_scopes.h"

#include <string.h>

/* Beyond the most, or half of their memory, the worst go: answers that far down are never given. */
enum { LEAST_CANDIDATES = 64 };

Program *search_finish(Search *s, Ref result) {
    char name[TASK_MAX_ID + 8] = "solve_";
    strncat(name, s->task->id, TASK_MAX_ID);
    return build_finish(&s->builder, name, strlen(name), MODE_CORE, 1, result);
}

static bool is_answer(Val v, uint32_t most_side) {
    if (v.kind != VAL_GRID8 || v.n > most_side || v.w > most_side || v.w == 0) {
        return false;
    }
    return task_image_valid((Image){(int32_t)v.n, v.w, v.b8}, (int32_t)most_side);
}

/* Right training pairs, bits; answers[n_test] point into the region of `check`. */
static uint64_t try_program(Search *s, const Program *program, Val *answers) {
    const SearchTask *t = s->own;
    uint64_t right = 0;
    Scope was = scope_enter(s->ctx, SCOPE_CHECK);
    ctx_reset(s->check);
    for (uint32_t k = 0; k < t->n; k++) {
        ctx_rebudget(s->check);
        CtxMark mark = ctx_mark(s->check);
        Val v = eval_program(s->check, program, &t->in[k]);
        search_spend(s, ctx_steps_used(s->check));
        if (k < t->n_train) {
            right |= (uint64_t)val_eq(v, t->out[k]) << k;
            ctx_release(s->check, mark);
        } else {
            answers[k - t->n_train] = is_answer(v, t->most_side) ? v : VAL_EMPTY_TUPLE;
        }
    }
    scope_back(s->ctx, was);
    return right;
}

static uint64_t hash_answers(const Val *answers, uint32_t n) {
    uint64_t hash = n;
    for (uint32_t k = 0; k < n; k++) {
        hash = val_hash(answers[k], hash);
    }
    return hash;
}

static bool is_better(const Candidate *a, const Candidate *b) {
    return a->right != b->right ? a->right > b->right : a->cost < b->cost;
}

static bool keep_answers(Search *s, Candidate *c, const Val *answers, uint32_t n) {
    size_t bytes = n * sizeof(Image);
    for (uint32_t k = 0; k < n; k++) {
        bytes += (size_t)answers[k].n * answers[k].w;
    }
    c->answers = quota_grow(&s->kept, NULL, bytes, 1);
    if (c->answers == NULL) {
        return false;
    }
    int8_t *cells = (int8_t *)(c->answers + n);
    for (uint32_t k = 0; k < n; k++) {
        size_t size = (size_t)answers[k].n * answers[k].w;
        c->answers[k] = (Image){(int32_t)answers[k].n, answers[k].w, cells};
        if (size != 0) {
            memcpy(cells, answers[k].b8, size);
        }
        cells += size;
    }
    return true;
}

static size_t bytes_of(const Program *p) {
    size_t bytes = sizeof *p + p->nops * (sizeof *p->ops + sizeof *p->names) + p->nargs * sizeof *p->args +
                   p->nconsts * sizeof *p->consts;
    for (uint32_t k = 0; k < p->nconsts; k++) {
        bytes += val_deep_size(p->consts[k]);
    }
    return bytes;
}

static void drop(Search *s, Candidate *c) {
    prog_free(c->program);
    quota_drop(&s->kept, c->bytes);
    quota_free(&s->kept, c->answers);
}

static void forget_worst_half(Search *s) {
    search_rank(s);
    for (uint32_t k = s->count / 2; k < s->count; k++) {
        drop(s, &s->candidates[k]);
    }
    s->count /= 2;
}

/* The same answers again: their support grows, and the better program of the two speaks for them. */
static void join(Search *s, Candidate *old, const Candidate *c, bool believed) {
    s->fitting += believed && (old->right < s->own->n_train || old->cost >= s->tune->believed);
    old->support += c->support;
    old->unseen = c->unseen > old->unseen ? c->unseen : old->unseen;
    if (!is_better(c, old)) {
        prog_free(c->program);
        return;
    }
    quota_drop(&s->kept, old->bytes);
    prog_free(old->program);
    old->program = c->program;
    old->bytes = quota_take(&s->kept, c->bytes) ? c->bytes : 0;
    old->right = c->right;
    old->cost = c->cost;
    old->part = c->part;
    old->steps = c->steps;
}

static Candidate *with_answers(Search *s, uint64_t hash) {
    for (uint32_t k = 0; k < s->count; k++) {
        if (s->candidates[k].hash == hash) {
            return &s->candidates[k];
        }
    }
    return NULL;
}

/* Room for one more in the pool; false: no memory. */
static bool reserve(Search *s) {
    bool much = s->kept.most != 0 && s->kept.used > s->kept.most / 2;
    if (s->count == (uint32_t)s->tune->candidates_most || (much && s->count > LEAST_CANDIDATES)) {
        forget_worst_half(s);
    }
    if (s->count == s->room) {
        uint32_t room = s->room ? s->room * 2 : 16;
        Candidate *grown = quota_grow(&s->kept, s->candidates, room, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        s->candidates = grown;
        s->room = room;
    }
    return true;
}

/* New answers. False: no memory, and the program is still the caller's. */
static bool add(Search *s, Candidate *c, const Val *answers) {
    if (!reserve(s) || !quota_take(&s->kept, c->bytes)) {
        return false;
    }
    if (!keep_answers(s, c, answers, s->own->n_test)) {
        quota_drop(&s->kept, c->bytes);
        return false;
    }
    s->candidates[s->count++] = *c;
    return true;
}

static bool any_answer(const Val *answers, uint32_t n) {
    bool any = n == 0;
    for (uint32_t k = 0; k < n; k++) {
        any |= answers[k].n != 0;
    }
    return any;
}

/* Run, then keep or join or throw away. `about` has what is known before; pairs: those it was made from. */
static bool offer(Search *s, const SearchEarlier *about, Program *program, uint64_t pairs, SearchFind *find) {
    *find = (SearchFind){0};
    if (program == NULL) {
        return false;
    }
    const SearchTask *t = s->own;
    Val answers[SEARCH_MOST_SAMPLES];
    find->right = try_program(s, program, answers);
    find->answers = hash_answers(answers, t->n_test);
    Candidate c = {.program = program,
                   .bytes = bytes_of(program),
                   .part = about->part,
                   .right = (uint32_t)__builtin_popcountll(find->right),
                   .cost = about->cost,
                   .support = about->support,
                   .unseen = about->unseen + (uint32_t)__builtin_popcountll(find->right & ~pairs),
                   .steps = about->steps,
                   .hash = find->answers};
    bool fits = c.right == t->n_train, believed = fits && c.cost < s->tune->believed;
    Candidate *old = with_answers(s, c.hash);
    if (!any_answer(answers, t->n_test) || c.right == 0) {
        prog_free(program);
    } else if (old != NULL) {
        join(s, old, &c, believed);
    } else if (add(s, &c, answers)) {
        s->fitting += believed;
    } else {
        prog_free(program);
    }
    return fits;
}

bool search_offer_earlier(Search *s, const SearchEarlier *earlier) {
    SearchFind scratch;
    s->part = (SearchPart)earlier->part;
    return offer(s, earlier, prog_with_mode(earlier->program, MODE_CORE), UINT64_MAX, &scratch);
}

bool search_offer_from(Search *s, Program *program, double cost, uint64_t pairs, SearchFind *find) {
    SearchFind scratch;
    if (program != NULL && s->base != NULL) {
        program = view_wrap_base(&s->builder, s->base, program);
        cost += s->base_cost;
    } else if (program != NULL && s->view != VIEW_NONE) {
        program = view_wrap(&s->builder, s->own, program, s->view);
        cost += view_cost(s->tune, s->view);
    }
    SearchEarlier about = {.part = (uint8_t)s->part, .cost = cost, .support = 1, .steps = s->steps};
    return offer(s, &about, program, pairs, find != NULL ? find : &scratch);
}

bool search_offer(Search *s, Program *program, double cost) {
    return search_offer_from(s, program, cost, UINT64_MAX, NULL);
}

void search_confirm(Search *s, const SearchFind *find, uint64_t pairs) {
    uint32_t unseen = (uint32_t)__builtin_popcountll(find->right & ~pairs);
    for (uint32_t k = 0; k < s->count && unseen > 0; k++) {
        Candidate *c = &s->candidates[k];
        if (c->hash == find->answers) {
            c->unseen = unseen > c->unseen ? unseen : c->unseen;
            return;
        }
    }
}

void candidates_free(Search *s) {
    for (uint32_t k = 0; k < s->count; k++) {
        drop(s, &s->candidates[k]);
    }
    quota_free(&s->kept, s->candidates);
    s->candidates = NULL;
    s->count = s->room = 0;
}

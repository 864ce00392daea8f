/* Joins the ranks of a launcher and gathers their summaries; see ranks_option.h. */
#include "tools/cli/ranks_option.h"

#include "backends/ranks/launcher.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

bool cli_ranks_open(Cli *cli) {
    char why[RANKS_WHY_BYTES] = "";
    Launcher launcher = launcher_look();
    if (launcher.name == NULL || launcher.ranks == 1 || strcmp(cli->entry->name, "help") == 0) {
        return true;
    }
    if (!cli->entry->command->ranked) {
        cli_error(cli,
                  "%s is set, so there are other ranks, but this command runs in one process; set "
                  "BATT_RANKS=0 to run it in each of them",
                  launcher.name);
        return false;
    }
    const RanksTransport *transport = launcher_transport(why);
    cli->ranks = transport != NULL ? ranks_open(transport, launcher.ranks, cli->stop, why) : NULL;
    if (cli->ranks == NULL) {
        cli_error(cli,
                  "%s is set, so there are other ranks: %s; set BATT_RANKS=0 to let each process work alone",
                  launcher.name, why);
        return false;
    }
    if (ranks_size(cli->ranks) == 1) {
        ranks_close(cli->ranks, true);
        cli->ranks = NULL;
    }
    return true;
}

void cli_ranks_close(Cli *cli, int status) {
    if (cli->ranks != NULL) {
        ranks_close(cli->ranks, status == EXIT_DONE || status == EXIT_SHORT);
        cli->ranks = NULL;
    }
}

const Stop *cli_stop(const Cli *cli) {
    return cli->ranks != NULL ? ranks_stop(cli->ranks) : cli->stop;
}

/* ---- summaries ---- */

static void pack(Out *out, const RankSummary *s) {
    wire_u32(out, s->threads);
    wire_u64(out, s->waited_ns);
    wire_u64(out, s->messages);
    wire_u64(out, s->bytes);
    wire_u64(out, s->memory);
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        wire_u64(out, s->statistics.n[k]);
    }
    wire_block(out, s->profile.data, s->profile.len);
}

static bool unpack(RankSummary *s, Wire *wire) {
    size_t length;
    s->threads = wire_get_u32(wire);
    s->waited_ns = wire_get_u64(wire);
    s->messages = wire_get_u64(wire);
    s->bytes = wire_get_u64(wire);
    s->memory = wire_get_u64(wire);
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        s->statistics.n[k] = wire_get_u64(wire);
    }
    const void *profile = wire_get_block(wire, &length);
    if (profile != NULL) {
        out_bytes(&s->profile, profile, length);
    }
    return wire_ends(wire) && !s->profile.failed;
}

static RankSummary mine_of(const Cli *cli, unsigned threads, const Statistics *counted, const Out *profile) {
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    RankSummary s = {.there = true,
                     .threads = threads,
                     .waited_ns = ranks_waited_ns(cli->ranks),
                     .memory = (uint64_t)usage.ru_maxrss * 1024,
                     .statistics = *counted};
    ranks_count(cli->ranks, &s.messages, &s.bytes);
    out_init(&s.profile);
    if (profile != NULL) {
        out_bytes(&s.profile, profile->data, profile->len);
    }
    return s;
}

bool rank_summaries_gather(RankSummaries *all, const Cli *cli, unsigned threads, const Statistics *counted,
                           const Out *profile) {
    *all = (RankSummaries){0};
    if (cli->ranks == NULL) {
        return true;
    }
    RankSummary mine = mine_of(cli, threads, counted, profile);
    Out bytes;
    bool good = true;
    out_init(&bytes);
    if (!ranks_is_root(cli->ranks)) {
        pack(&bytes, &mine);
        ranks_put(cli->ranks, 0, RANKS_SUMMARY, &bytes);
        out_free(&mine.profile);
    } else {
        all->count = ranks_size(cli->ranks);
        all->ranks = mem_zalloc(all->count, sizeof *all->ranks);
        good = all->ranks != NULL;
        for (unsigned k = 0; k < all->count && good; k++) {
            RankSummary *s = &all->ranks[k];
            out_init(&s->profile);
            if (k == 0) {
                *s = mine;
            } else if (ranks_get(cli->ranks, k, RANKS_SUMMARY, &bytes)) {
                Wire wire = wire_of(bytes.data, bytes.len);
                s->there = unpack(s, &wire);
            }
            s->units = ranks_units(cli->ranks, k);
        }
    }
    out_free(&bytes);
    return good;
}

void rank_summaries_free(RankSummaries *all) {
    for (unsigned k = 0; k < all->count && all->ranks != NULL; k++) {
        out_free(&all->ranks[k].profile);
    }
    mem_free(all->ranks);
    *all = (RankSummaries){0};
}

void rank_summaries_add(const RankSummaries *all, Statistics *to) {
    for (unsigned k = 1; k < all->count; k++) {
        statistics_add(to, &all->ranks[k].statistics);
    }
}

void rank_summaries_text(Out *out, const RankSummaries *all) {
    for (unsigned k = 0; k < all->count; k++) {
        const RankSummary *s = &all->ranks[k];
        out_fmt(out, "rank %-6u ", k);
        if (!s->there) {
            out_fmt(out, "gone; %" PRIu64 " units came from it\n", s->units);
            continue;
        }
        out_fmt(out,
                "%" PRIu64 " units on %u thread%s, %.2f s waiting for others, %" PRIu64
                " messages (%.2f MB) sent, %.0f MB of memory at most\n",
                s->units, s->threads, s->threads == 1 ? "" : "s", (double)s->waited_ns * 1e-9, s->messages,
                (double)s->bytes * 1e-6, (double)s->memory / (1 << 20));
    }
}

void rank_summaries_json(Json *json, const RankSummaries *all) {
    if (all->count == 0) {
        return;
    }
    json_key(json, "ranks");
    json_begin_array(json);
    for (unsigned k = 0; k < all->count; k++) {
        const RankSummary *s = &all->ranks[k];
        json_begin_object(json);
        json_kv_bool(json, "gone", !s->there);
        json_kv_uint(json, "units", s->units);
        json_kv_uint(json, "threads", s->threads);
        json_kv_fixed(json, "waited_s", (double)s->waited_ns * 1e-9, 6);
        json_kv_uint(json, "messages", s->messages);
        json_kv_uint(json, "bytes", s->bytes);
        json_kv_uint(json, "memory", s->memory);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Every statement that runs more than once, in one list: the enum and the table of SQL both come from it.
 * They are prepared when the store is opened, which also proves that the file has the tables and columns we
 * rely on.
 *
 * The ranking order appears in several of them and in the index results_rank; it must be the same everywhere:
 * grade DESC, steps, time_ns, program. */
#ifndef BATT_DATA_STORE_STATEMENTS_H
#define BATT_DATA_STORE_STATEMENTS_H

#define FIGURE_COLUMNS                                                                              \
    "r.task, r.program, r.run, r.score, r.train_exact, r.train_total, r.test_exact, r.test_total, " \
    "r.guard_passed, r.guard_total, r.outputs, r.steps, r.time_ns, "
#define RESULT_COLUMNS FIGURE_COLUMNS "coalesce(runs.started_ms, 0) "
#define ROW_COLUMNS                                     \
    FIGURE_COLUMNS "r.grade, p.text, p.calls, p.mode, " \
                   "EXISTS(SELECT 1 FROM names n WHERE n.name = r.task AND n.program = r.program) "
#define RECORD_COLUMNS "r.task, r.program, r.kind, r.score, r.speed, r.file, p.text, p.calls, p.mode "
#define PROGRAM_COLUMNS "p.hash, p.text, p.calls, p.mode "

#define STATEMENTS(X)                                                                                        \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                              \
    X(BEGIN_READ, "BEGIN")                                                                                   \
    X(COMMIT, "COMMIT")                                                                                      \
    X(ROLLBACK, "ROLLBACK")                                                                                  \
    X(PUT_PROGRAM, "INSERT INTO programs(hash, text, calls, mode) VALUES(?1, ?2, ?3, ?4) "                   \
                   "ON CONFLICT(hash) DO UPDATE SET text = excluded.text, calls = excluded.calls WHERE "     \
                   "excluded.calls < calls")                                                                 \
    X(PUT_RESULT, "INSERT INTO results(task, program, run, score, train_exact, train_total, test_exact, "    \
                  "test_total, guard_passed, guard_total, outputs, steps, time_ns) "                         \
                  "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) "                          \
                  "ON CONFLICT(task, program) DO UPDATE SET run = excluded.run, score = excluded.score, "    \
                  "train_exact = excluded.train_exact, train_total = excluded.train_total, "                 \
                  "test_exact = excluded.test_exact, test_total = excluded.test_total, "                     \
                  "guard_passed = excluded.guard_passed, guard_total = excluded.guard_total, "               \
                  "outputs = excluded.outputs, steps = excluded.steps, "                                     \
                  "time_ns = min(time_ns, excluded.time_ns)")                                                \
    X(PUT_LINEAGE, "INSERT INTO lineage(child, parent_a, parent_b, mutation) VALUES(?1, ?2, ?3, ?4) "        \
                   "ON CONFLICT(child) DO NOTHING")                                                          \
    X(PUT_NAME, "INSERT INTO names(name, program) VALUES(?1, ?2) ON CONFLICT DO NOTHING")                    \
    X(PUT_RECORD,                                                                                            \
      "INSERT INTO records(kind, task, program, score, speed, file) VALUES(?1, ?2, ?3, ?4, ?5, ?6) "         \
      "ON CONFLICT(kind, task, program) DO UPDATE SET score = excluded.score, speed = excluded.speed, "      \
      "file = excluded.file WHERE excluded.score > score OR (excluded.score = score AND "                    \
      "(excluded.speed > speed OR (excluded.speed = speed AND excluded.file < file)))")                      \
    X(EACH_RECORD, "SELECT " RECORD_COLUMNS "FROM records r CROSS JOIN programs p ON p.hash = r.program "    \
                   "WHERE r.task = coalesce(?1, r.task) "                                                    \
                   "ORDER BY r.kind, r.task, r.score DESC, r.speed DESC, r.file, r.program")                 \
    X(GET_RECORDS, "SELECT " RECORD_COLUMNS "FROM records r CROSS JOIN programs p ON p.hash = r.program "    \
                   "WHERE r.program = ?1 ORDER BY r.kind, r.task")                                           \
    X(EACH_RECORDED, "SELECT " PROGRAM_COLUMNS "FROM programs p "                                            \
                     "WHERE EXISTS(SELECT 1 FROM records WHERE program = p.hash) "                           \
                     "AND NOT EXISTS(SELECT 1 FROM results WHERE program = p.hash) "                         \
                     "AND NOT EXISTS(SELECT 1 FROM names WHERE program = p.hash) ORDER BY p.hash")           \
    X(RUN_BEGIN, "INSERT INTO runs(settings, data_hash, seed, started_ms) VALUES(?1, ?2, ?3, ?4)")           \
    X(RUN_UPDATE, "UPDATE runs SET figures = coalesce(?2, figures), state = coalesce(?3, state), "           \
                  "finished_ms = coalesce(?4, finished_ms), updated_ms = ?5 WHERE id = ?1")                  \
    X(FIND_RUN,                                                                                              \
      "SELECT id FROM runs WHERE settings = ?1 AND data_hash = ?2 AND seed = ?3 AND started_ms = ?4 "        \
      "ORDER BY id LIMIT 1")                                                                                 \
    X(MERGE_RUN, "UPDATE runs SET figures = ?2, state = ?3, finished_ms = ?4, updated_ms = ?5 "              \
                 "WHERE id = ?1 AND updated_ms <= ?5")                                                       \
    X(NEXT_TASK, "SELECT task FROM results WHERE task > ?1 ORDER BY task, grade DESC LIMIT 1")               \
    X(BEST,                                                                                                  \
      "SELECT " ROW_COLUMNS "FROM results r CROSS JOIN programs p ON p.hash = r.program WHERE r.task = ?1 "  \
      "ORDER BY r.grade DESC, r.steps, r.time_ns, r.program LIMIT ?2")                                       \
    X(LIST, "SELECT " ROW_COLUMNS "FROM results r CROSS JOIN programs p ON p.hash = r.program "              \
            "WHERE r.task >= ?1 AND r.task <= ?2 AND r.grade >= ?3 "                                         \
            "AND (?4 = 0 OR r.train_exact = r.train_total) AND (?5 < 0 OR p.mode = ?5) "                     \
            "AND (?6 = 0 OR p.calls <= ?6) "                                                                 \
            "ORDER BY r.task, r.grade DESC, r.steps, r.time_ns, r.program LIMIT ?7")                         \
    X(EACH_PROGRAM, "SELECT " PROGRAM_COLUMNS "FROM programs p ORDER BY p.rowid")                            \
    X(EACH_NAMED, "SELECT " PROGRAM_COLUMNS                                                                  \
                  ", n.name, EXISTS(SELECT 1 FROM results r WHERE r.task = n.name AND r.program = "          \
                  "n.program) FROM names n CROSS JOIN programs p ON p.hash = n.program "                     \
                  "ORDER BY n.name, n.program")                                                              \
    X(EACH_UNUSED, "SELECT " PROGRAM_COLUMNS "FROM programs p "                                              \
                   "WHERE NOT EXISTS(SELECT 1 FROM results WHERE program = p.hash) "                         \
                   "AND NOT EXISTS(SELECT 1 FROM names WHERE program = p.hash) "                             \
                   "AND NOT EXISTS(SELECT 1 FROM records WHERE program = p.hash) ORDER BY p.hash")           \
    X(GET_PROGRAM, "SELECT " PROGRAM_COLUMNS "FROM programs p WHERE p.hash = ?1")                            \
    X(GET_LINEAGE, "SELECT child, parent_a, parent_b, mutation FROM lineage WHERE child = ?1")               \
    X(EACH_LINEAGE, "SELECT child, parent_a, parent_b, mutation FROM lineage ORDER BY child")                \
    X(EACH_RESULT, "SELECT " RESULT_COLUMNS "FROM results r LEFT JOIN runs ON runs.id = r.run "              \
                   "ORDER BY r.task, r.program")                                                             \
    X(GET_RESULT, "SELECT " RESULT_COLUMNS "FROM results r LEFT JOIN runs ON runs.id = r.run "               \
                  "WHERE r.task = ?1 AND r.program = ?2")                                                    \
    X(EACH_RUN,                                                                                              \
      "SELECT id, settings, data_hash, seed, figures, state, started_ms, finished_ms, updated_ms FROM runs " \
      "ORDER BY id DESC LIMIT ?1")                                                                           \
    X(STATS, "SELECT (SELECT total(1) FROM programs), (SELECT total(1) FROM results), "                      \
             "(SELECT total(1) FROM lineage), (SELECT total(1) FROM names), (SELECT total(1) FROM runs), "   \
             "(SELECT total(1) FROM nets), (SELECT total(1) FROM records), "                                 \
             "count(*), total(train), total(test) FROM "                                                     \
             "(SELECT max(train_exact = train_total) AS train, "                                             \
             "max(train_exact = train_total AND test_total > 0 AND test_exact = test_total) AS test "        \
             "FROM results GROUP BY task)")                                                                  \
    X(PRUNE_RESULTS,                                                                                         \
      "DELETE FROM results WHERE (task, program) IN (SELECT task, program FROM "                             \
      "(SELECT task, program, row_number() OVER (PARTITION BY task "                                         \
      "ORDER BY grade DESC, steps, time_ns, program) AS place FROM results) WHERE place > ?1)")              \
    X(PRUNE_DIFFERS,                                                                                         \
      "DELETE FROM records WHERE kind = 1 AND file = lower(hex(program)) AND (task, program) IN "            \
      "(SELECT task, program FROM (SELECT task, program, row_number() OVER (PARTITION BY task "              \
      "ORDER BY score DESC, speed DESC, program) AS place FROM records "                                     \
      "WHERE kind = 1 AND file = lower(hex(program))) WHERE place > ?1)")                                    \
    X(PRUNE_LINEAGE, "DELETE FROM lineage WHERE NOT EXISTS(SELECT 1 FROM results WHERE program = child) "    \
                     "AND NOT EXISTS(SELECT 1 FROM names WHERE program = child) "                            \
                     "AND NOT EXISTS(SELECT 1 FROM records WHERE program = child)")                          \
    X(PRUNE_NETS, "DELETE FROM nets WHERE task IN "                                                          \
                  "(SELECT task FROM results WHERE train_exact = train_total)")                              \
    X(PUT_NET, "INSERT INTO nets(task, seed, step, updated_ms, state) VALUES(?1, ?2, ?3, ?4, ?5) "           \
               "ON CONFLICT(task, seed) DO UPDATE SET step = excluded.step, "                                \
               "updated_ms = excluded.updated_ms, state = excluded.state")                                   \
    X(GET_NET, "SELECT task, seed, step, state FROM nets WHERE task = ?1 AND seed = ?2")                     \
    X(EACH_NET, "SELECT task, seed, step, state FROM nets ORDER BY task, seed")                              \
    X(PRUNE_PROGRAMS, "DELETE FROM programs WHERE NOT EXISTS(SELECT 1 FROM results WHERE program = hash) "   \
                      "AND NOT EXISTS(SELECT 1 FROM names WHERE program = hash) "                            \
                      "AND NOT EXISTS(SELECT 1 FROM records WHERE program = hash)")

#define X(id, sql) STATEMENT_##id,
typedef enum StatementId { STATEMENTS(X) STATEMENT_COUNT } StatementId;
#undef X

#endif

def solve_9f236235(I):
    x1 = panel_sum(I, MAIN)
    O = cell_rule(x1, (COPY, MIRROR_COLUMNS))
    return O

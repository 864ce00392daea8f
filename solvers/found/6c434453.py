def solve_6c434453(I):
    O = cell_rule(I, (COMPONENT_SIZE, OVER, 8, (COPY, OWN), (BLOB_RANK, OVER, 1, (COPY, OWN), (COMPONENT_RANK_UP, IS, 1, (COPY, OWN), (BUSY_AROUND, OVER, 3, (PAINT, 2), (PAINT, 0))))))
    return O

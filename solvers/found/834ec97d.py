def solve_834ec97d(I):
    O = cell_rule(I, (COLUMN_STEPS_MOD2, IS, 0, (BOX_ROW, OVER, 1, (COPY, ABOVE), (PAINT, 4)), (COPY, OWN)))
    return O

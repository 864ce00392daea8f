from dsl import *
from constants import *


# result: task=74dd1130 score=4000 train=4/4 test=1/1 guard=8/8 steps=12 time_ns=345 outputs=00000000000000ff
# name: 74dd1130
# lineage: parents=0123456789abcdef0123456789abcdef,fedcba98765432100123456789abcdef mutation=replace %25 by%0Admirror
def anything(I):
    O = dmirror(I)
    return O


# result: task=74dd1130 score=10 train=0/4 test=0/0 guard=0/0 steps=2 time_ns=3 outputs=0000000000000000
def solve_x(S, I, C):
    x1 = canvas(BLACK, TWO_BY_TWO)
    return x1

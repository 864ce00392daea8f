/* The table of bit_positions.h: the places of the lower four bits, then those of the upper four. */
#include "engine/value/bit_positions.h"

#define LOWER_THEN(...)                                                                        \
    {__VA_ARGS__}, {0, __VA_ARGS__}, {1, __VA_ARGS__}, {0, 1, __VA_ARGS__}, {2, __VA_ARGS__},  \
        {0, 2, __VA_ARGS__}, {1, 2, __VA_ARGS__}, {0, 1, 2, __VA_ARGS__}, {3, __VA_ARGS__},    \
        {0, 3, __VA_ARGS__}, {1, 3, __VA_ARGS__}, {0, 1, 3, __VA_ARGS__}, {2, 3, __VA_ARGS__}, \
        {0, 2, 3, __VA_ARGS__}, {1, 2, 3, __VA_ARGS__}, {                                      \
        0, 1, 2, 3, __VA_ARGS__                                                                \
    }

const uint8_t bit_positions[256][8] = {
    LOWER_THEN(),     LOWER_THEN(4),       LOWER_THEN(5),       LOWER_THEN(4, 5),
    LOWER_THEN(6),    LOWER_THEN(4, 6),    LOWER_THEN(5, 6),    LOWER_THEN(4, 5, 6),
    LOWER_THEN(7),    LOWER_THEN(4, 7),    LOWER_THEN(5, 7),    LOWER_THEN(4, 5, 7),
    LOWER_THEN(6, 7), LOWER_THEN(4, 6, 7), LOWER_THEN(5, 6, 7), LOWER_THEN(4, 5, 6, 7),
};

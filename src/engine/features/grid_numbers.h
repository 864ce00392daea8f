/* Numbers that describe a whole grid: what a choice between programs, or a size, may depend on. */
#ifndef BATT_ENGINE_FEATURES_GRID_NUMBERS_H
#define BATT_ENGINE_FEATURES_GRID_NUMBERS_H

#include "engine/features/grid_analysis.h"

typedef enum GridNumber {
#define GRID_NUMBER(id, kind, cost, text) NUMBER_##id,
#include "engine/features/grid_numbers.def"
#undef GRID_NUMBER
    NUMBER_COUNT
} GridNumber;

typedef struct GridNumberSort {
    uint8_t kind; /* FeatureKind */
    double cost;
} GridNumberSort;
extern const GridNumberSort grid_number_sorts[NUMBER_COUNT];

typedef struct GridNumbers {
    int16_t of[NUMBER_COUNT];
} GridNumbers;

void grid_numbers(const GridAnalysis *b, GridNumbers *to);

#endif

/* The little statistics that profiles need. */
#ifndef BATT_PROF_QUANTILES_H
#define BATT_PROF_QUANTILES_H

#include <stddef.h>

void stats_sort(double *values, size_t n);
double stats_quantile(const double *sorted, size_t n, double q); /* interpolated; NAN without values */
double stats_mean(const double *values, size_t n);
double stats_deviation(const double *values, size_t n); /* of the sample; NAN for fewer than two */
/* Median of the distances from the median. `values` are sorted; `scratch` has room for n. */
double stats_mad(const double *sorted, size_t n, double *scratch);
/* Welch's test: the probability of a difference of means this large if there were none. NAN for fewer than
 * two values on a side; 0 or 1 where nothing spreads. */
double stats_welch(const double *a, size_t na, const double *b, size_t nb);

#endif

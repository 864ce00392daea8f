/* The few statistics that profiles need. */
#ifndef BATT_TOOLS_PROFILER_QUANTILES_H
#define BATT_TOOLS_PROFILER_QUANTILES_H

#include <stddef.h>

void stats_sort(double *values, size_t n);
double stats_quantile(const double *sorted, size_t n, double q); /* interpolated; NAN without values */
double stats_mean(const double *values, size_t n);
double stats_deviation(const double *values, size_t n); /* of the sample; NAN for fewer than two */
/* Median of the distances from the median. `scratch` has room for n. */
double stats_mad(const double *sorted, size_t n, double *scratch);
/* Other work on the machine only ever adds time: values above the median (of two values: above the smaller)
 * by more than half of it and by more than `slack` are replaced by it. Returns how many; scratch has room for
 * n. */
unsigned stats_clip_outliers(double *values, size_t n, double slack, double *scratch);
/* How many standard errors on either side of the mean of n values hold the true mean with this confidence
 * (Student). */
double stats_errors(double confidence, size_t n);
/* Welch's test: the probability of a difference of means this large if there were none. NAN for fewer than
 * two values on a side; 0 or 1 where there is no spread. */
double stats_welch(const double *a, size_t na, const double *b, size_t nb);

#endif

/* Quantiles, spread and a test of means; see quantiles.h. */
#include "tools/profiler/quantiles.h"

#include "base/check.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Shell sort: for the few hundred values that it gets, faster than the library's, which calls a function for
 * every comparison. Values that are not numbers stay somewhere. */
void stats_sort(double *values, size_t n) {
    size_t gap = 1;
    while (gap < n / 3) {
        gap = 3 * gap + 1;
    }
    for (; gap > 0; gap /= 3) {
        for (size_t k = gap; k < n; k++) {
            double value = values[k];
            size_t at = k;
            for (; at >= gap && values[at - gap] > value; at -= gap) {
                values[at] = values[at - gap];
            }
            values[at] = value;
        }
    }
}

double stats_quantile(const double *sorted, size_t n, double q) {
    if (n == 0) {
        return NAN;
    }
    ASSERT(q >= 0 && q <= 1, "quantile %g", q);
    double place = q * (double)(n - 1);
    size_t below = (size_t)place;
    ASSERT(!(sorted[0] > sorted[n - 1]), "not sorted: %g .. %g", sorted[0], sorted[n - 1]);
    if (below + 1 >= n) {
        return sorted[n - 1];
    }
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_mean(const double *values, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += values[k];
    }
    return n > 0 ? sum / (double)n : NAN;
}

double stats_deviation(const double *values, size_t n) {
    double mean = stats_mean(values, n), sum = 0;
    for (size_t k = 0; k < n; k++) {
        sum += (values[k] - mean) * (values[k] - mean);
    }
    return n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
}

double stats_mad(const double *sorted, size_t n, double *scratch) {
    double median = stats_quantile(sorted, n, 0.5);
    for (size_t k = 0; k < n; k++) {
        scratch[k] = fabs(sorted[k] - median);
    }
    stats_sort(scratch, n);
    return stats_quantile(scratch, n, 0.5);
}

unsigned stats_clip_outliers(double *values, size_t n, double slack, double *scratch) {
    unsigned odd = 0;
    if (n < 2) {
        return 0;
    }
    memcpy(scratch, values, n * sizeof *scratch);
    stats_sort(scratch, n);
    double usual = n == 2 ? scratch[0] : stats_quantile(scratch, n, 0.5);
    for (size_t k = 0; k < n; k++) {
        if (values[k] > 1.5 * usual && values[k] > usual + slack) {
            values[k] = usual;
            odd++;
        }
    }
    return odd;
}

/* The continued fraction of the incomplete beta function (Lentz's method). */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < 300; m++) {
        for (int half = 0; half < 2; half++) {
            double step = half == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                    : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1 + step * d;
            c = 1 + step / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            value *= c * d;
        }
        if (fabs(c * d - 1) < 1e-12) {
            break;
        }
    }
    return value;
}

static double beta_share(double a, double b, double x) {
    if (x <= 0 || x >= 1) {
        return x <= 0 ? 0 : 1;
    }
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double stats_welch(const double *a, size_t na, const double *b, size_t nb) {
    if (na < 2 || nb < 2) {
        return NAN;
    }
    double da = stats_deviation(a, na), db = stats_deviation(b, nb);
    double va = da * da / (double)na, vb = db * db / (double)nb;
    double difference = stats_mean(a, na) - stats_mean(b, nb);
    if (va + vb <= 0) {
        return difference == 0 ? 1 : 0;
    }
    double t2 = difference * difference / (va + vb);
    double dof = (va + vb) * (va + vb) / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
    return beta_share(dof / 2, 0.5, dof / (dof + t2));
}

double stats_errors(double confidence, size_t n) {
    double low = 0, high = 1000, dof = (double)n - 1;
    if (n < 2) {
        return INFINITY;
    }
    for (int k = 0; k < 60; k++) {
        double t = (low + high) / 2;
        bool more = beta_share(dof / 2, 0.5, dof / (dof + t * t)) > 1 - confidence;
        *(more ? &low : &high) = t;
    }
    return (low + high) / 2;
}

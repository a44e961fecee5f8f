#pragma once
// One sample to one number. Pure; every function says what it needs and is undefined for less, so that
// callers decide what "too few" means before they ask.

#include <span>

namespace bindgate {

/// Arithmetic mean; needs one value.
[[nodiscard]] double mean(std::span<const double> values);

/// Sample standard deviation (n - 1); needs two values.
[[nodiscard]] double standard_deviation(std::span<const double> values);

/// Linear interpolation between order statistics (type 7 of Hyndman and Fan 1996), 0 <= p <= 1; needs one value.
[[nodiscard]] double quantile(std::span<const double> values, double p);

/// The same of values in ascending order, at no cost: for more than one quantile of one sample.
[[nodiscard]] double quantile_of_sorted(std::span<const double> ascending, double p);

/// quantile(values, 0.5).
[[nodiscard]] double median(std::span<const double> values);

/// Standard deviation / mean, a share; needs two values and a mean above 0.
[[nodiscard]] double coefficient_of_variation(std::span<const double> values);

/// 1.4826 x median absolute deviation / median, a share: the CV of a normal sample, blind to tails.
/// Needs one value and a median above 0. Source: Rousseeuw and Croux 1993.
[[nodiscard]] double mad_coefficient_of_variation(std::span<const double> values);

/// The same where the median is known already.
[[nodiscard]] double mad_coefficient_of_variation(std::span<const double> values, double centre);

/// exp of the mean logarithm; needs one value, all above 0.
[[nodiscard]] double geometric_mean(std::span<const double> values);

}  // namespace bindgate

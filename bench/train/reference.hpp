#pragma once
// The network's loss in double by plain loops, for networks of a few thousand weights. Its differences are the
// gradients that a check compares with. Slow, and never the library's.

#include <vector>

#include "train/shape.hpp"

namespace bindgate {

struct ReferenceBatch {
  int count = 0, side = 0;
  std::vector<double> images;  ///< planes of R, G, B by picture
  std::vector<int> labels;
};

/// The mean over the batch of the cross-entropy; parameters in the order of layers_of(), normalisation by the batch's
/// own mean and (biased) variance, epsilon 1e-5.
[[nodiscard]] double reference_loss(const ResNetShape& shape, const std::vector<std::vector<double>>& parameters,
                                    const ReferenceBatch& batch);

/// -log of the label's share in the softmax of `logits`.
[[nodiscard]] double cross_entropy(const std::vector<double>& logits, int label);

}  // namespace bindgate

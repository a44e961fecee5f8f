#pragma once
// What the cases that decode have in common: their files, with a word on stderr about those that are left out, and
// whether a batch is right.

#include <cstdint>
#include <span>
#include <vector>

#include "decode/image_folder.hpp"
#include "decode/jpeg_set.hpp"

namespace bindgate {

/// The first `count` of the set from the cache folder. Throws protocol::Failed.
[[nodiscard]] std::vector<JpegFile> files_for_case(const JpegSet& set, std::size_t count);

/// `count` of the user's own. Throws protocol::Failed.
[[nodiscard]] std::vector<JpegFile> files_for_case(const Result<ImageFolder>& folder, std::size_t count);

/// One sample per file, augmented by `seed` + its position: the decoder against the picture before encoding (one file
/// of each kind), 8 outputs of each sample against the definition, and none of them all that is no number.
[[nodiscard]] Result<void> check_batch(std::span<const JpegFile> files, std::uint64_t seed,
                                       std::span<const float> batch);

}  // namespace bindgate

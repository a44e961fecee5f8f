#pragma once
// A profile's list with every kind of entry in it, made of fixed values.

#include "samples/profile_list.hpp"

namespace bindgate::testing {

inline ProfileList example_list() {
  ProfileList list;
  list.planned = "2026-01-31T23:59:59Z";
  list.members = 4;
  list.cases = {{"matmul/f32/m=1", 61.5, 250'000, 67'125'248, ""},
                {"decode/w1", 480, 41'000'000, 9'633'792, ""},
                {"matmul/bf16/m=1", 0, {}, {}, "not run: no bf16 kernel"}};
  list.left_out = {{"matmul/f32/m=4096", "an iteration takes 1.40 s, 1.00 s or more"}};
  return list;
}

}  // namespace bindgate::testing

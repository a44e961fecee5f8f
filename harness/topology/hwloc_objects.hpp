#pragma once
// Small questions to hwloc's tree that several sources here ask. hwloc's own header stays in the .cpp files, so its
// types appear as the structures they are and an object's type as a number.

#include <string>
#include <vector>

#include "core/index_set.hpp"

struct hwloc_bitmap_s;
struct hwloc_obj;
struct hwloc_topology;

namespace bindgate {

/// Empty for an absent or infinite bitmap.
[[nodiscard]] IndexSet to_set(const hwloc_bitmap_s* bitmap);

/// The value of an object's `key` without doubled and trailing blanks; "" where it is missing.
[[nodiscard]] std::string info_of(hwloc_obj* object, const char* key);

/// All objects of hwloc_obj_type_t `type`, in hwloc's order.
[[nodiscard]] std::vector<hwloc_obj*> objects_of(hwloc_topology* topology, int type);

/// The operating system's ids of `objects`, or positions where it gives none or gives one twice.
[[nodiscard]] std::vector<unsigned> ids_of(const std::vector<hwloc_obj*>& objects);

}  // namespace bindgate

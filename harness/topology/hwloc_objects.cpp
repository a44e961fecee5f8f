#include "topology/hwloc_objects.hpp"

#include <hwloc.h>

#include <cctype>
#include <numeric>
#include <set>
#include <string_view>

namespace bindgate {

IndexSet to_set(const hwloc_bitmap_s* bitmap) {
  IndexSet set;
  if (!bitmap || hwloc_bitmap_weight(bitmap) < 0) return set;
  for (int id = hwloc_bitmap_first(bitmap); id >= 0; id = hwloc_bitmap_next(bitmap, id))
    set.insert(static_cast<unsigned>(id));
  return set;
}

std::string info_of(hwloc_obj* object, const char* key) {
  const char* value = object ? hwloc_obj_get_info_by_name(object, key) : nullptr;
  std::string text;
  for (const char c : std::string_view(value ? value : ""))  // vendors pad their names with blanks
    if (!std::isspace(static_cast<unsigned char>(c)) || (!text.empty() && text.back() != ' ')) text += c;
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::vector<hwloc_obj*> objects_of(hwloc_topology* topology, int type) {
  std::vector<hwloc_obj*> objects;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, static_cast<hwloc_obj_type_t>(type), object)))
    objects.push_back(object);
  return objects;
}

std::vector<unsigned> ids_of(const std::vector<hwloc_obj*>& objects) {
  std::vector<unsigned> ids, positions(objects.size());
  for (const hwloc_obj* object : objects) ids.push_back(object->os_index);
  const std::set<unsigned> distinct(ids.begin(), ids.end());
  if (distinct.size() == ids.size() && !distinct.contains(HWLOC_UNKNOWN_INDEX)) return ids;
  std::iota(positions.begin(), positions.end(), 0u);
  return positions;
}

}  // namespace bindgate

// A fuzz target without a fuzzer: reads files and the files of folders, gives each to the target once, and says
// which it is about to read, so that the last line names the one that broke it.
//
//   replay_TARGET FILE|FOLDER...

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/files.hpp"
#include "target.hpp"

int main(int count, char** words) {
  namespace fs = std::filesystem;
  std::vector<fs::path> inputs;
  for (int i = 1; i < count; ++i) {
    if (fs::is_directory(words[i]))
      for (const auto& entry : fs::directory_iterator(words[i])) inputs.push_back(entry.path());
    else
      inputs.emplace_back(words[i]);
  }
  std::sort(inputs.begin(), inputs.end());
  if (inputs.empty()) {
    std::fputs("replay: no inputs; name files or folders\n", stderr);
    return 2;
  }
  for (const fs::path& input : inputs) {
    std::printf("%s\n", input.c_str());
    std::fflush(stdout);
    const auto bytes = bindgate::read_file(input);
    if (!bytes) {
      std::fprintf(stderr, "%s\n", bytes.error().message.c_str());
      return 2;
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
  }
  return 0;
}

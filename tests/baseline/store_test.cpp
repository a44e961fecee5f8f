#include "baseline/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/example_list.hpp"
#include "support/example_night.hpp"
#include "support/scratch_directory.hpp"

namespace bindgate {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string error_of(const auto& result) { return result ? "no error" : result.error().message; }

void put(const std::filesystem::path& directory, const CaseHistory& history) {
  write_text(baseline_file(directory, history.fingerprint, history.case_name), encode(history));
}

TEST(LoadBaseline, ReadsEveryCaseOfThisMachineByName) {
  const ScratchDirectory directory;
  const CaseHistory second = example_history("b/two", "run-1"), first = example_history("a/one", "run-1");
  put(directory.path(), second);
  put(directory.path(), first);
  write_text(directory / "policy.json", "{}");
  write_text(baseline_folder(directory.path(), example_fingerprint()) / "README.md", "not a baseline");
  write_text(baseline_folder(directory.path(), example_fingerprint()) / "a+one.json.Xy12Ab", "left by a crash");
  const auto baseline = load_baseline(directory.path(), example_fingerprint());
  ASSERT_TRUE(baseline) << error_of(baseline);
  EXPECT_THAT(baseline->cases, ElementsAre(first, second));
  EXPECT_EQ(baseline->nearest, "");
}

TEST(LoadBaseline, TakesNoNightlyListForACase) {
  const ScratchDirectory directory;
  write_text(nightly_list_file(directory.path(), example_fingerprint()), encode(example_list()));
  EXPECT_EQ(load_baseline(directory.path(), example_fingerprint()).value(), Baseline{});
  put(directory.path(), example_history("a/one", "run-1"));
  EXPECT_EQ(load_baseline(directory.path(), example_fingerprint())->cases.size(), 1u);
}

TEST(LoadNightlyList, GivesWhatIsStoredForThisMachine) {
  const ScratchDirectory directory;
  EXPECT_EQ(load_nightly_list(directory.path(), example_fingerprint()).value(), std::nullopt);
  EXPECT_EQ(load_nightly_list(directory / "absent", example_fingerprint()).value(), std::nullopt);
  write_text(nightly_list_file(directory.path(), example_fingerprint()), encode(example_list()));
  EXPECT_EQ(load_nightly_list(directory.path(), example_fingerprint()).value(), example_list());
  EXPECT_EQ(load_nightly_list(directory.path(), Fingerprint{{{"cpu", "Other"}}}).value(), std::nullopt);
}

TEST(LoadNightlyList, NamesTheFileOfEveryFault) {
  const ScratchDirectory directory;
  const auto file = nightly_list_file(directory.path(), example_fingerprint());
  const auto with = [&](const std::string& text) {
    write_text(file, text);
    return error_of(load_nightly_list(directory.path(), example_fingerprint()));
  };
  EXPECT_EQ(with(""), file.string() + ": is empty; expected JSON; delete it to plan anew");
  EXPECT_EQ(with("{}"), file.string() + ": $: key \"schema\" is missing; delete it to plan anew");
  ProfileList other = example_list();
  other.profile = Profile::thorough;
  EXPECT_EQ(with(encode(other)),
            file.string() + ": $.profile: is the list of profile thorough; delete it to plan anew");
  std::filesystem::remove(file);
  std::filesystem::create_directories(file);
  EXPECT_EQ(error_of(load_nightly_list(directory.path(), example_fingerprint())),
            file.string() + ": is a directory; delete it to plan anew");
  const auto no_directory = write_text(directory / "file", "");
  EXPECT_EQ(error_of(load_nightly_list(no_directory, example_fingerprint())),
            no_directory.string() + ": is a file; name the directory of baselines");
  EXPECT_EQ(error_of(load_nightly_list("/dev/null", example_fingerprint())),
            "/dev/null: is a file; name the directory of baselines");
  EXPECT_EQ(error_of(load_nightly_list("", example_fingerprint())),
            "the directory of baselines has an empty name; write --baselines DIR");
}

TEST(LoadBaseline, FindsNothingInADirectoryThatDoesNotExist) {
  const ScratchDirectory directory;
  EXPECT_EQ(load_baseline(directory / "absent", example_fingerprint()).value(), Baseline{});
  EXPECT_EQ(load_baseline(directory.path(), example_fingerprint()).value(), Baseline{});
}

TEST(LoadBaseline, NamesTheNearestOtherMachineAndHowItDiffers) {
  const ScratchDirectory directory;
  CaseHistory far = example_history("a", "run-1"), near = far;
  far.fingerprint.fields = {{"cpu", "Other"}, {"memory", "8 GiB"}, {"nodes", "1"}};
  near.fingerprint.fields["memory"] = "32 GiB";
  put(directory.path(), far);
  put(directory.path(), near);
  write_text(directory / "zz-broken/x.json", "{");
  std::filesystem::create_directories(directory / "empty");
  std::filesystem::create_directories(baseline_folder(directory.path(), example_fingerprint()));
  const auto baseline = load_baseline(directory.path(), example_fingerprint());
  ASSERT_TRUE(baseline) << error_of(baseline);
  EXPECT_THAT(baseline->cases, IsEmpty());
  EXPECT_EQ(baseline->nearest, near.fingerprint.id());
  EXPECT_THAT(baseline->differences, ElementsAre("memory: 64 GiB here, 32 GiB there"));
}

TEST(LoadBaseline, RefusesAFileInPlaceOfTheDirectory) {
  const ScratchDirectory directory;
  const auto file = write_text(directory / "baselines", "");
  EXPECT_EQ(error_of(load_baseline(file, example_fingerprint())),
            file.string() + ": is a file; name the directory of baselines");
}

TEST(LoadBaseline, SaysThatItMayNotLook) {
  const ScratchDirectory directory;
  put(directory.path(), example_history("a", "run-1"));
  std::filesystem::permissions(directory.path(), std::filesystem::perms::none);
  const WithoutPrivileges nobody;
  EXPECT_EQ(error_of(load_baseline(directory.path(), example_fingerprint())),
            directory.path().string() + ": opendir (EACCES): Permission denied; check the permissions");
}

TEST(LoadBaseline, RefusesACaseInTheWrongFile) {
  const ScratchDirectory directory;
  const auto file = write_text(baseline_file(directory.path(), example_fingerprint(), "a/b"),
                               encode(example_history("a/c", "run-1")));
  EXPECT_EQ(error_of(load_baseline(directory.path(), example_fingerprint())),
            file.string() + ": holds case \"a/c\", whose file is a+c.json; rename it or restore it from git");
}

TEST(LoadBaseline, RefusesAMachineInTheWrongFolder) {
  const ScratchDirectory directory;
  CaseHistory other = example_history("a/b", "run-1");
  other.fingerprint.fields["memory"] = "32 GiB";
  const auto file = write_text(baseline_file(directory.path(), example_fingerprint(), "a/b"), encode(other));
  EXPECT_EQ(error_of(load_baseline(directory.path(), example_fingerprint())),
            file.string() + ": is of machine " + other.fingerprint.id() + " but lies in the folder of " +
                example_fingerprint().id() + ", memory: 64 GiB here, 32 GiB there; move it to its own folder");
}

TEST(LoadBaseline, NamesTheFileAndKeyThatAreWrong) {
  const ScratchDirectory directory;
  const auto file = baseline_file(directory.path(), example_fingerprint(), "a/b");
  const auto with = [&](const std::string& text) {
    write_text(file, text);
    return error_of(load_baseline(directory.path(), example_fingerprint()));
  };
  EXPECT_EQ(with(""), file.string() + ": is empty; expected JSON");
  EXPECT_THAT(with(encode(example_history("a/b", "run-1")).substr(0, 100)),
              StartsWith(file.string() + ": is not JSON ("));
  EXPECT_EQ(with("{\"schema\": \"bindgate.baseline/9\"}"),
            file.string() +
                ": $.schema: expected \"bindgate.baseline/1\", found \"bindgate.baseline/9\"; is it a baseline of this "
                "version?");
  std::filesystem::remove(file);
  std::filesystem::create_directories(file);
  EXPECT_EQ(error_of(load_baseline(directory.path(), example_fingerprint())),
            file.string() + ": is a directory; name a file in it");
}

}  // namespace
}  // namespace bindgate

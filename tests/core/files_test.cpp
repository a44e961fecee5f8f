#include "core/files.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch_directory.hpp"

namespace bindgate {
namespace {

using testing::files_in;
using testing::ScratchDirectory;
using testing::text_of;
using testing::WithoutPrivileges;
using testing::write_text;

std::string error_of(const auto& result) { return result ? "no error" : result.error().message; }

TEST(ReadFile, GivesTheWholeContentWithZeroBytes) {
  const ScratchDirectory directory;
  const std::string content("a\0b\n", 4);
  EXPECT_EQ(read_file(write_text(directory / "f", content)).value(), content);
  EXPECT_EQ(read_file(write_text(directory / "empty", "")).value(), "");
}

TEST(ReadFile, NamesTheFileAndTheCure) {
  const ScratchDirectory directory;
  EXPECT_EQ(error_of(read_file(directory / "absent")),
            (directory / "absent").string() + ": open (ENOENT): No such file or directory; check the path");
  EXPECT_EQ(error_of(read_file(directory.path())), directory.path().string() + ": is a directory; name a file in it");
  const auto file = write_text(directory / "secret", "x");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
  const WithoutPrivileges nobody;
  EXPECT_EQ(error_of(read_file(file)), file.string() + ": open (EACCES): Permission denied; check the permissions");
}

TEST(ReadFile, RefusesMoreThanTheLimit) {
  const ScratchDirectory directory;
  const auto file = write_text(directory / "f", "123456");
  EXPECT_TRUE(read_file(file, 6));
  EXPECT_EQ(error_of(read_file(file, 5)), file.string() + ": is larger than 5 bytes; is it the right file?");
}

TEST(ReadFile, NeverWaitsForAPipeOrADevice) {
  const ScratchDirectory directory;
  const auto pipe = directory / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& path : {pipe, std::filesystem::path("/dev/zero")})
    EXPECT_EQ(error_of(read_file(path)), path.string() + ": is a pipe, device or socket; name a regular file");
}

TEST(WriteFileAtomically, ReplacesTheContentAndLeavesNothingElse) {
  const ScratchDirectory directory;
  ASSERT_TRUE(write_file_atomically(directory / "f", "old"));
  ASSERT_TRUE(write_file_atomically(directory / "f", "new"));
  EXPECT_EQ(text_of(directory / "f"), "new");
  EXPECT_EQ(files_in(directory.path()), 1u);
}

TEST(WriteFileAtomically, KeepsTheOldContentWhenTheDirectoryIsReadOnly) {
  const ScratchDirectory directory;
  const auto file = write_text(directory / "f", "old");
  std::filesystem::permissions(directory.path(), static_cast<std::filesystem::perms>(0555));
  {
    const WithoutPrivileges nobody;
    EXPECT_EQ(error_of(write_file_atomically(file, "new")),
              file.string() + ": open (EACCES): Permission denied; check the permissions");
  }
  EXPECT_EQ(text_of(file), "old");
}

TEST(WriteFileAtomically, SaysThatTheFolderIsMissing) {
  const ScratchDirectory directory;
  EXPECT_EQ(error_of(write_file_atomically(directory / "no/f", "x")),
            (directory / "no/f").string() + ": open (ENOENT): No such file or directory; check the path");
}

TEST(WriteFileAtomically, CleansUpWhenADirectoryIsInTheWay) {
  const ScratchDirectory directory;
  std::filesystem::create_directories(directory / "f/inside");
  EXPECT_THAT(error_of(write_file_atomically(directory / "f", "x")), ::testing::HasSubstr("rename (EISDIR)"));
  EXPECT_EQ(files_in(directory.path()), 1u);
}

TEST(WriteFileAtomically, KeepsTheOldContentWhenTheFileMayNotGrow) {
  const ScratchDirectory directory;
  const auto file = write_text(directory / "f", "old");
  std::string error;
  {
    const testing::SmallFilesOnly limit(100);
    error = error_of(write_file_atomically(file, std::string(1000, 'x')));
  }
  EXPECT_EQ(error, file.string() + ": write (EFBIG): File too large; raise the limit on file sizes (ulimit -f)");
  EXPECT_EQ(text_of(file), "old");
  EXPECT_EQ(files_in(directory.path()), 1u);
}

TEST(StagedFile, ChangesNothingUntilItIsCommitted) {
  const ScratchDirectory directory;
  const auto file = write_text(directory / "f", "old");
  {
    const auto dropped = StagedFile::write(file, "new");
    ASSERT_TRUE(dropped);
    EXPECT_EQ(text_of(file), "old");
  }
  EXPECT_EQ(files_in(directory.path()), 1u);
  auto staged = StagedFile::write(file, "new");
  ASSERT_TRUE(staged);
  ASSERT_TRUE(staged->commit());
  EXPECT_EQ(text_of(file), "new");
  EXPECT_EQ(files_in(directory.path()), 1u);
}

TEST(WriteAll, SaysThatTheDiskIsFullAndWhatToDo) {
  const Descriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  if (!full) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(error_of(write_all(full.get(), "x")), "write (ENOSPC): No space left on device; free some space");
}

TEST(Pipe, CarriesWhatIsWrittenAndEndsWhenItsWriterCloses) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  ASSERT_TRUE(write_all(pipe->write.get(), "abc"));
  pipe->write.close();
  char text[8];
  EXPECT_EQ(read(pipe->read.get(), text, sizeof text), 3);
  EXPECT_EQ(read(pipe->read.get(), text, sizeof text), 0);
  EXPECT_TRUE(fcntl(pipe->read.get(), F_GETFD) & FD_CLOEXEC);
}

TEST(Descriptor, ClosesOnceAndMovesItsNumber) {
  Descriptor first(dup(0));
  const int number = first.get();
  Descriptor second(std::move(first));
  EXPECT_EQ(second.get(), number);
  Descriptor third;
  third = std::move(second);
  EXPECT_FALSE(second);  // NOLINT: moved from on purpose
  third.close();
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
  EXPECT_FALSE(third);
}

TEST(ReadLineOf, TrimsAndNeverFails) {
  const ScratchDirectory directory;
  EXPECT_EQ(read_line_of(write_text(directory / "governor", "performance \n")), "performance");
  EXPECT_EQ(read_line_of(write_text(directory / "empty", "")), "");
  EXPECT_EQ(read_line_of(directory / "absent"), "");
  EXPECT_EQ(read_line_of(directory.path()), "");
}

TEST(Error, PutsThePlaceBeforeTheMessage) {
  EXPECT_EQ(fail("f.json", Error{"is empty"}).value().message, "f.json: is empty");
  EXPECT_EQ(describe_errno("mbind", EPERM), "mbind (EPERM): Operation not permitted");
  EXPECT_EQ(describe_errno("mbind", 12345), "mbind (12345): Unknown error 12345");
}

}  // namespace
}  // namespace bindgate

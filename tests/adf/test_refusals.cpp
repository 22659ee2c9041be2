// SPDX-License-Identifier: GPL-2.0-or-later
// Unusable files are rejected with file, line, column, problem and remedy.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "adf/reader/embedded.hpp"
#include "adf/reader/reader.hpp"
#include "core/common/error.hpp"
#include "tests/adf/corpus.hpp"
#include "tests/catch.hpp"

using namespace planar::adf;
using planar::Error;
using planar::ExitCode;
namespace fs = std::filesystem;

namespace {

const std::string short_head = "AdapterId 01234h\nAdapterName \"Test\"\nNumBytes 2\n";
const std::string item = short_head + "NamedItem Prompt \"p\"\n Choice \"a\" ";

/// The message with which a text is rejected, or "(accepted)". Every rejection is exit code 2.
std::string refusal(const std::string& text, const std::string& file = "t.adf") {
  try {
    parse_adf(text, file);
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::bad_configuration);
    return error.what();
  }
  return "(accepted)";
}

struct Folder {
  Folder() : path(fs::temp_directory_path() / ("planar-adf-" + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return path / name;
  }
  fs::path path;
};

}  // namespace

TEST_CASE("an error is reported with file, line and column", "[adf][refusal]") {
  CHECK(refusal(item + "pos[0]=XXXX000b").find("t.adf:5:20: the mask XXXX000b has 7 bits") == 0);
}

TEST_CASE("contradictory and malformed statements are rejected", "[adf][refusal]") {
  struct Case {
    std::string text;
    std::string words;
  };
  const std::vector<Case> cases = {
      {item + "pos[0]=XXXX000XXb", "has 9 bits"},
      {item + "pos[0]=XXXX 000Xb", "has 4 bits"},
      {item + "pos[0]=XXXX002Xb", "bits are 0, 1 or X"},
      {item + "pos[0]=0E001h", "bits are 0, 1 or X"},
      {item + "pos[0] XXXX000Xb", "= after pos[...]"},
      {item + "pos 0", "[ after pos"},
      {item + "pos[6]=XXXX000Xb", "there is no pos[6]"},
      {item + "pos[2]=XXXX000Xb",
       "t.adf:5:13: pos[2] is set, but NumBytes is 2; NumBytes counts from pos[0], so it must be "
       "3"},
      {item + "pos[0]=XXXX000Xb pos[0]=XXXX111Xb", "contradicts pos[0]=XXXX000Xb of the same choice"},
      {short_head + "FixedResources pos[0]=XXXX000Xb pos[0]=XXXX1XXXb", "of the same FixedResources"},
      {short_head + "FixedResources pos[0]=XXXX000Xb\nNamedItem Prompt \"p\" Choice \"a\" pos[0]=XXXX111Xb",
       "fixes a bit to the opposite of FixedResources"},
      {item + "pos[0]=XXXX000Xb NamedItem Prompt \"q\" Choice \"b\" pos[0]=XXXX001Xb", "none of their choices agree"},
      {item + "int 3 Choice \"a\" int 4", "appears twice in \"p\" with different settings (first in line 5)"},
      {item + "io 2000h-1000h", "ends before it begins"},
      {item + "io 10000h-1000Fh", "above the highest I/O port, FFFFh"},
      {item + "mem 0FFFFFFFFh-100000000h", "too large"},
      {item + "mem 99999999999999999999999999-1", "too large"},
      {item + "io C000h-C00Fh", "a hexadecimal number begins with a digit, write 0C000h"},
      {item + "io 0x220-0x22F", "write 220h"},
      {item + "io 220h-", "the file ends where the end of the range"},
      {item + "io", "the file ends where a range"},
      {item + "io 220h-22Fh,", "another range after the comma"},
      {item + "int 16", "there is no interrupt level 16"},
      {item + "int 3-5", "written one by one"},
      {item + "arb 15", "there is no arbitration level 15"},
      {item + "arb Level", "found Level where a level after arb is expected"},
      {item + "\"stray\"", "found the string \"stray\" where a keyword is expected"},
      {item + "99", "found 99 where a keyword is expected"},
      {item + "= ", "found = where a keyword is expected"},
      {item + "int 3 (see manual)", "a character that is not allowed outside a string (28h)"},
      {short_head + "NamedItem Prompt \"p\"\nHelp \"h\"", "t.adf:4:1: the item \"p\" has no Choice"},
      {short_head + "NamedItem Prompt \"p", "t.adf:4:18: the string that begins here is not closed"},
      {short_head + "NamedItem Prompt", "the file ends where the text after Prompt in quotation marks"},
      {short_head + "Choice \"a\" int 3", "a Choice outside an item"},
      {short_head + "io 10h-20h", "io belongs to nothing here"},
      {"AdapterName \"x\" NumBytes 1", "there is no AdapterId"},
      {"AdapterId 1 AdapterName \"x\"", "there is no NumBytes"},
      {"AdapterId 1 AdapterId 1", "AdapterId appears a second time"},
      {short_head + "AdapterName \"other\"", "AdapterName appears a second time"},
      {short_head + "NumBytes 2", "NumBytes appears a second time"},
      {"AdapterId 0 NumBytes 1", "cannot be an adapter's ID"},
      {"AdapterId 0FFFFh NumBytes 1", "cannot be an adapter's ID"},
      {"AdapterId 012345h NumBytes 1", "cannot be an adapter's ID"},
      {"AdapterId 1 NumBytes 0", "NumBytes 0 is out of range"},
      {"AdapterId 1 NumBytes 7", "NumBytes 7 is out of range"},
      {"", "there is no AdapterId"},
      {"hello world", "there is no AdapterId"},
  };
  for (const Case& one : cases) {
    INFO(one.text);
    const std::string message = refusal(one.text);
    INFO(message);
    CHECK(message.find(one.words) != std::string::npos);
    CHECK(message.rfind("t.adf:", 0) == 0);
  }
}

TEST_CASE("binary files are rejected immediately", "[adf][refusal]") {
  CHECK(refusal(std::string("MZ\x90\x00\x03", 5)).find("this is not a text file (byte 00h at offset 3)") !=
        std::string::npos);
  CHECK(refusal("\xFF\xFE"
                "A\0")
            .find("UTF-16") != std::string::npos);
  CHECK(refusal(std::string(2u << 20, ' ')).find("too many for an adapter description") != std::string::npos);
  CHECK(refusal(short_head + "\x80").find("not allowed outside a string (80h)") != std::string::npos);
}

TEST_CASE("an ID in a file name must match the adapter's", "[adf][refusal]") {
  CHECK(refusal(short_head, "dir/@1235.ADF")
            .find("AdapterId is 1234h, but the file's name says 1235h; rename the file to "
                  "@1234.ADF") != std::string::npos);
  CHECK(refusal(short_head, "C:\\REF\\@1234.adf") == "(accepted)");
  CHECK(refusal(short_head, "@12345.ADF") == "(accepted)");
  CHECK(refusal(short_head, "P1235.ADF") == "(accepted)");
}

TEST_CASE("every truncation of a valid file is read, or rejected with a location", "[adf][refusal]") {
  for (const std::string& text : {corpus::scsi(), corpus::sound(), corpus::dual_async(), corpus::aperture()})
    for (std::size_t length = 0; length < text.size(); ++length) {
      const std::string message = refusal(text.substr(0, length));
      if (message != "(accepted)") CHECK(message.rfind("t.adf:", 0) == 0);
    }
}

TEST_CASE("a missing or unreadable file gives exit code 3", "[adf][refusal]") {
  const Folder folder;
  const auto code = [](const fs::path& path) {
    try {
      load_adf(path);
    } catch (const Error& error) { return error.code(); }
    return ExitCode::ok;
  };
  CHECK(code(folder.path / "@1234.ADF") == ExitCode::missing_file);
  CHECK(code(folder.path) == ExitCode::missing_file);
  CHECK(code(folder.write("@1234.ADF", short_head)) == ExitCode::ok);
  CHECK(code(folder.write("@1235.ADF", short_head)) == ExitCode::bad_configuration);
}

TEST_CASE("a user's description takes precedence over the built-in one, and differences are reported", "[adf][find]") {
  const Folder folder;
  const std::string ours(embedded_adf(0x7154)->text);
  folder.write("@7154.adf", ours);
  folder.write("@1234.ADF", short_head);
  const std::vector<fs::path> places = {folder.path};
  CHECK(find_adf(0x7154, places).source == (folder.path / "@7154.adf").string());
  CHECK(find_adf(0x7154, places).warnings.empty());
  CHECK(find_adf(0x1234, places).name == "Test");

  std::string changed = ours;
  changed.replace(changed.find("io 2020h-204Fh"), 14, "io 2030h-205Fh");
  const std::vector<fs::path> file = {folder.write("mine.txt", changed)};
  const Adapter adapter = find_adf(0x7154, file);
  REQUIRE(adapter.warnings.size() == 2);
  CHECK(adapter.warnings[0].text.find("mine.txt has: pos[0]=XXXX010Xb, I/O 2030h-205Fh") != std::string::npos);
  CHECK(adapter.warnings[1].text.find("only built-in @7154.ADF has: pos[0]=XXXX010Xb, I/O 2020h-204Fh") !=
        std::string::npos);

  CHECK(find_adf(0x7154, std::vector<fs::path>{folder.path / "@1234.ADF"}).source == "built-in @7154.ADF");
  try {
    find_adf(0x5EEF, places);
    FAIL("there is no description of 5EEFh");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::missing_file);
    CHECK(std::string(error.what()).find("no description of adapter 5EEFh: there is no @5EEF.ADF in ") == 0);
  }
  CHECK_THROWS_AS(find_adf(0x7154, std::vector<fs::path>{folder.path / "nowhere"}), Error);
}

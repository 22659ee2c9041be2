// SPDX-License-Identifier: GPL-2.0-or-later
// No output destroys an input: the test tries every option that names a file, in every verb, from the program's own
// tables. It fails for an option that names a file and has no row in option_files.cpp, and for a row without an option.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <set>

#include "frontend/cli/verbs.hpp"
#include "frontend/files/option_files.hpp"
#include "frontend/help/command_table.hpp"
#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

using namespace planar;
using namespace program;
using Catch::Matchers::Contains;

namespace {

CommandRow program_table() {
  CLI::App app;
  add_verbs(app);
  return command_table(app);
}

/// The placeholders of values: "TIME FILE", "MACHINE[:CARD]", "FILE[,mode=M]".
bool names_file(const OptionRow& option) {
  static const std::set<std::string> words = {"FILE", "F", "IMG", "BASE", "DIR", "MACHINE", "SECOND"};
  std::string word;
  for (const char c : option.value + " ") {
    if (std::isupper(static_cast<unsigned char>(c))) {
      word += c;
      continue;
    }
    if (words.contains(word)) return true;
    word.clear();
  }
  return false;
}

struct NamedOption {
  const OptionRow* option;
  const FileOption* row;

  bool writes() const { return row->use == FileUse::writes; }
  bool reads() const { return row->use != FileUse::writes && row->use != FileUse::folder; }
  /// The words of a command line that name `file`.
  std::string with(const std::string& file) const {
    std::string words = option->positional ? "" : option->name() + " ";
    for (unsigned n = 0; n < row->first; ++n) words += "'1 s' ";
    words += std::string(row->prefix) + file;
    return option->value == "FIRST SECOND" ? words + " " + file : words;
  }
};

std::vector<NamedOption> file_options_of(const CommandRow& command) {
  std::vector<NamedOption> list;
  for (const OptionRow& option : command.options)
    if (const FileOption* row = find_file_option(command.path, option.name()); row && names_file(option))
      list.push_back({&option, row});
  return list;
}

/// `planar VERB` with two options that name files; other required options name other files.
std::string line(const CommandRow& command, const NamedOption& a, const std::string& first, const NamedOption& b,
                 const std::string& second, const std::string& other) {
  std::string positional, options;
  for (const OptionRow& option : command.options) {
    if (!option.positional) continue;
    if (&option == a.option)
      positional += " " + a.with(first);
    else if (&option == b.option)
      positional += " " + b.with(second);
    else if (option.required)
      positional += " " + other;
    else
      break;
  }
  for (const auto& [named, file] : {std::pair(&a, &first), {&b, &second}})
    if (!named->option->positional) options += " " + named->with(*file);
  return command.path + positional + options;
}

/// A machine file, which also serves as an image, a script or a list of steps: no command gets as far as reading it.
const std::string content = "machine = \"model95\"\n";

}  // namespace

TEST_CASE("every option that names a file declares how it is used") {
  const CommandRow program = program_table();
  std::set<const FileOption*> used;
  for (const CommandRow* command : all_commands(program))
    for (const OptionRow& option : command->options) {
      const FileOption* row = find_file_option(command->path, option.name());
      if (!names_file(option)) continue;
      INFO("planar " << command->path << " " << option.name() << " " << option.value
                     << ": give it a row in frontend/files/option_files.cpp");
      CHECK(row);
      used.insert(row);
    }
  for (const FileOption& row : file_options()) {
    INFO(row.command << " " << row.option << ": no verb has this option");
    CHECK(used.contains(&row));
  }
}

TEST_CASE("every verb refuses an output that is also an input or another output, and names both options") {
  const CommandRow program = program_table();
  const Scratch scratch;
  const auto other = scratch.write("other", content);
  std::size_t pairs = 0;
  for (const CommandRow* command : all_commands(program)) {
    const auto options = file_options_of(*command);
    for (const NamedOption& out : options)
      for (const NamedOption& in : options) {
        if (!out.writes() || &in == &out || (!in.reads() && !(in.writes() && &in < &out))) continue;
        if (command->path == "disk create") continue;  // it never replaces a file
        // Alternately the same name, another name in the same directory, a symbolic link, and another path.
        const auto file = scratch.write("input", content), hard = scratch.file("hard"), soft = scratch.file("soft");
        std::filesystem::create_hard_link(file, hard);
        std::filesystem::create_symlink(file, soft);
        const std::string names[] = {file, hard, soft, scratch.file("./input")};
        const auto said = run_planar(line(*command, out, names[pairs++ % 4], in, file, other));
        INFO(line(*command, out, names[(pairs - 1) % 4], in, file, other) << "\n" << said.err);
        CHECK(said.status == 2);
        CHECK_THAT(said.err, Contains(out.option->name() + " ") && Contains(in.option->name() + " "));
        CHECK(read_file(file) == content);
        CHECK(read_file(hard) == content);
        for (const auto& name : {file, hard, soft}) std::filesystem::remove(name);
      }
  }
  CHECK(pairs > 150);
}

TEST_CASE("a file named by a machine file, lab, step or overlay cannot be an output") {
  const Scratch scratch;
  const auto image = scratch.write("a.img", std::string(1'474'560, '\0'));
  const auto bare = scratch.write("bare.toml", content);
  const auto overlay = scratch.file("w.ovl");
  REQUIRE(run_planar("disk create --base " + image + " " + overlay).status == 0);
  const auto before = read_file(overlay);
  const auto machine = scratch.write("m.toml", content + "[floppy.a]\nfile = \"" + image + "\"\nmode = \"memory\"\n");
  const auto changed = scratch.write("c.toml", content + "[disk.6]\nfile = \"" + image + "\"\n");
  const auto lab = scratch.write("lab.toml", "[[machine]]\nname = \"one\"\nmodel = \"" + bare +
                                                 "\"\n[[machine]]\nname = \"two\"\nmodel = \"model95\"\nimage = \"" +
                                                 image + "\"\nserial = \"file:" + scratch.file("com1") + "\"\n");
  const auto steps = scratch.write("steps", "wait 1 ms\nsnapshot \"" + image + "\"\n");
  const auto grab = "--do 'grab screen \"" + image + "\"' ";
  const std::string lines[] = {
      "run " + machine + " --json " + image,
      "run " + changed + " --capture " + image,
      "run " + changed + " --json " + image + ".overlay",  // before it exists
      "run " + lab + " --json " + image,
      "run " + lab + " --json " + bare,
      "run " + lab + " --json " + scratch.file("com1"),
      "run " + machine + " --do " + steps,
      "run " + machine + " " + grab,
      "run " + machine + " --do 'snapshot \"" + machine + "\"'",
      "run model95 --do 'insert diskette \"" + image + "\"' --json " + image,
      "run model95 --do 'insert diskette \"" + image + "\"' --json " + image + ".overlay",
      "run model95 --do " + steps + " --json " + steps,
      "run model95 --floppy " + image + ",mode=write-through --disk " + image + ",mode=memory",
      "run model95 --floppy " + overlay + " --json " + image,
      "run model95 --floppy " + overlay + " --json " + overlay,
      "run model95 --floppy " + image + ",overlay=" + overlay + " --json " + overlay,
      "run model95 --net socket:unix:" + image + " --image " + image,
      "describe " + machine + " --json " + image,
      "describe model95 --disk " + overlay + " --json " + image,
      "debug " + machine + " --capture " + image,
      "netio --machine " + changed + " --json " + image,
      "netio --runs 2 --machine " + changed + " --json " + image,
      "netio --against " + changed + " --json " + image,
      "compare --machines " + changed + " --cards ne2 --json " + image,
      "published --machines " + changed + " --json " + image,
      "bench cpu --machine " + changed + " --json " + image,
      "adf solve " + changed + " --json " + image,
      "disk info " + overlay + " --json " + image,
      "disk repair " + overlay + " --json " + image,
      "regress --machines " + changed + " --cards ne2 --junit " + image,
  };
  for (const auto& arguments : lines) {
    const auto said = run_planar(arguments);
    INFO(arguments << "\n" << said.err);
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains("would overwrite") || Contains("written into the same file"));
    CHECK(read_file(image) == std::string(1'474'560, '\0'));
    CHECK(read_file(overlay) == before);
    CHECK(read_file(bare) == content);
    CHECK_FALSE(std::filesystem::exists(scratch.file("com1")));
  }
}

TEST_CASE("files kept in a folder do not replace inputs, and outputs do not overwrite them") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.file("out"));
  const auto machine = scratch.write("out/compare.json", content);
  const auto kept = scratch.write("model95-ne2.json", "kept");
  const std::string brief = "compare --cards ne2 --seconds 0.05 --sizes 1024 --quiet ";
  for (const auto& arguments : {"--machines " + machine + " --report " + scratch.file("out"),
                                "--machines model95 --json " + machine + " --report " + scratch.file("out"),
                                "--machines model95 --json " + kept + " --results " + scratch.file("")}) {
    const auto said = run_planar(brief + arguments);
    INFO(arguments << "\n" << said.err);
    CHECK(said.status == 2);
    CHECK(read_file(machine) == content);
    CHECK(read_file(kept) == "kept");
  }
}

TEST_CASE("a run may write where nothing is overwritten") {
  const Scratch scratch;
  const auto image = scratch.write("a.img", std::string(1'474'560, '\0'));
  const std::string brief = " --quiet --until '1 ms' --floppy " + image + ",mode=memory ";
  CHECK(run_planar("run model95" + brief + "--json /dev/null --capture /dev/null --serial file:/dev/null").status == 0);
  CHECK(run_planar("run model95" + brief + "--disk " + image + ",mode=memory --json " + scratch.file("j")).status == 0);
  const std::string again = "run model95 --quiet --do 'snapshot \"" + scratch.file("s") + "\"' --do 'wait 1 ms' ";
  CHECK(run_planar(again + "--do 'snapshot \"" + scratch.file("s") + "\"'").status == 0);
  const std::string twice = "--do 'insert diskette \"" + image + "\"' ";
  CHECK(run_planar("run model95 --quiet " + twice + twice).status == 0);
  CHECK_FALSE(std::filesystem::exists(image + ".overlay"));
}

TEST_CASE("files of a failed step are written where they replace none of the run") {
  const Scratch scratch;
  const auto folder = scratch.file("result");
  const std::string fail = "--quiet --result " + folder + " --do 'wait screen \"never\" within 1 ms'";
  REQUIRE(run_planar("run model95 " + fail).status == 5);
  const auto snapshot = read_file(folder + "/lab.snap");
  REQUIRE_FALSE(snapshot.empty());
  const auto again = run_planar("run --restore " + folder + "/lab.snap " + fail);
  CHECK(again.status == 5);
  CHECK_THAT(again.err, Contains(folder + "-2"));
  CHECK(read_file(folder + "/lab.snap") == snapshot);
  CHECK(std::filesystem::exists(folder + "-2/lab.snap"));
}

TEST_CASE("output to standard output continues at its current position") {
  const Scratch scratch;
  const auto log = scratch.file("log");
  const std::string planar = "'" + std::string(PLANAR_BINARY) + "' ";
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    const auto command = "(echo before; " + planar + "list machines --json " + name + "; echo after) >" + log;
    REQUIRE(std::system(command.c_str()) == 0);
    const auto text = read_file(log);
    CHECK_THAT(text, Catch::Matchers::StartsWith("before\n[") && Catch::Matchers::EndsWith("]\nafter\n"));
  }
  // The same for output that is written as it comes.
  const auto command = "(echo before; " + planar + "run model95 --quiet --until '1 s' --serial file:/dev/stdout " +
                       "--trace pos --trace-to '1 ms' --trace-file /dev/stdout; echo after) >" + log;
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK_THAT(read_file(log), Catch::Matchers::StartsWith("before\n") && Catch::Matchers::EndsWith("after\n"));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// compare, published and regress on a host whose files fail: each call below their folder (in a short run every third
// one) fails once, in the program itself and in the runs that it starts. Existing files stay or are replaced
// completely, an error names a file, and no other files are left.
#include <algorithm>
#include <map>
#include <vector>

#include "tests/catch.hpp"
#include "tests/frontend/cli/fault_run.hpp"
#include "tests/frontend/guest_benchmarks/netio_run.hpp"

using namespace program;

namespace {

using Files = std::map<std::string, std::string>;  // content by path

Files files_in(const std::string& folder) {
  Files files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[entry.path().string()] = read_file(entry.path().string());
  return files;
}

void put_back(const std::string& folder, const Files& files) {
  for (const auto& [path, content] : files_in(folder))
    if (!files.contains(path)) std::filesystem::remove(path);
  for (const auto& [path, content] : files) std::ofstream(path, std::ios::binary) << content;
}

bool names_one_of(const std::string& text, const Files& files, const std::string& folder) {
  return text.find(folder) != std::string::npos ||
         std::any_of(files.begin(), files.end(), [&](const auto& file) { return text.find(file.first) != text.npos; });
}

void forget_host_time(nlohmann::ordered_json& j) {
  if (j.is_object()) {
    j.erase("host_seconds");
    j.erase("host");
  }
  for (auto& part : j)
    if (part.is_structured()) forget_host_time(part);
}

/// The part of a file that a successful run writes identically each time.
std::string lasting(const std::string& path, const std::string& content) {
  if (path.ends_with(".html")) {  // its last paragraph contains the command and the date
    const auto last = content.rfind("<p><small>planar ");
    REQUIRE(last != std::string::npos);
    return content.substr(0, last);
  }
  if (!path.ends_with(".json")) return content;
  auto j = nlohmann::ordered_json::parse(content, nullptr, false);
  if (j.is_discarded()) return content;
  forget_host_time(j);
  return j.dump();
}

/// A finished run that is kept: its figures are the same each time, its host time is not.
bool is_kept_run(const std::string& path) { return path.find("/runs/") != std::string::npos; }

/// The file that --accept starts from, and replaces by one with a longer history.
bool is_baseline(const std::string& path) { return path.ends_with("/baseline.json"); }

/// `arguments`, in which FOLDER stands for a folder of the run's own. Everything in it except the kept runs is to be
/// replaced. `fresh`: the benchmark is run each time instead of being taken from the kept runs.
void check_matrix(std::string arguments, bool fresh) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.file("tmp"));
  const auto folder = scratch.file("work"), under = scratch.file("");
  std::filesystem::create_directory(folder);
  while (arguments.find("FOLDER") != std::string::npos) arguments.replace(arguments.find("FOLDER"), 6, folder);
  arguments += " --quiet --jobs 1 --machines model56sx --cards ne2";
  INFO(arguments);
  REQUIRE(run_planar(arguments).status <= 1);  // 1: so short a run does not meet the limits of `published`
  Files before = files_in(folder);
  for (auto& [path, content] : before)
    if (!is_kept_run(path) && !is_baseline(path)) content = std::string(300, 'k');
  put_back(folder, before);
  const auto whole = run_planar(arguments);
  INFO(whole.err);
  REQUIRE(whole.status <= 1);
  const Files good = files_in(folder);
  REQUIRE(good.size() > 1);
  const auto command = arguments + (fresh ? " --fresh" : "");
  const std::vector<std::string> kinds =
      fresh ? std::vector<std::string>{"stay"} : std::vector<std::string>{"fail", "cut"};
  for (const auto& kind : kinds) {
    unsigned n = 1, ended = 0;
    for (bool came = true; came; n += short_runs() ? 3 : 1) {
      REQUIRE(n < 200);
      put_back(folder, before);
      const auto [said, fault] = run_with_fault(command, n, kind, under, "TMPDIR='" + scratch.file("tmp") + "' ");
      came = fault;
      INFO("call " << n << " (" << kind << "): status " << said.status << ", " << said.err << said.out);
      const Files after = files_in(folder);
      if (said.status != whole.status) {
        CHECK(said.status == 3);
        CHECK(names_one_of(said.err + said.out, good, under));
        ++ended;
      }
      if (!came) CHECK(said.status == whole.status);
      for (const auto& [path, content] : after) {
        INFO(path);
        REQUIRE(good.contains(path));  // no other files are left
        if (is_kept_run(path))
          CHECK(nlohmann::json::parse(content)["result"].is_object());
        else if (said.status == whole.status)
          CHECK(lasting(path, content) == lasting(path, good.at(path)));
        else if (content != before.at(path))
          CHECK(lasting(path, content) == lasting(path, good.at(path)));
      }
      CHECK(after.size() == good.size());
      CHECK(names_in(scratch.file("tmp")).empty());
    }
    CHECK(ended > 2);
  }
}

const std::string brief_netio = " --seconds 0.05 --sizes 1024";

}  // namespace

TEST_CASE("whichever host call fails, a file replaced by a report, table or baseline is old or new") {
  check_matrix("compare --report FOLDER" + brief_netio, false);
  check_matrix("published --placements 1 --seconds 0.05 --results FOLDER/runs --json FOLDER/published.json", false);
  check_matrix("regress --accept reason --results FOLDER/runs --baseline FOLDER/baseline.json" + brief_netio, false);
}

TEST_CASE("whichever host call fails in a matrix run, its result is neither kept nor accepted") {
  check_matrix("compare --report FOLDER" + brief_netio, true);
  check_matrix("regress --accept reason --results FOLDER/runs --baseline FOLDER/baseline.json" + brief_netio, true);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// The cache of results on its own: keys, entries, its size, and which runs are made again.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "core/state/sha256.hpp"
#include "frontend/kept/kept_json.hpp"
#include "frontend/result_store/repeat_check.hpp"
#include "frontend/result_store/result_store.hpp"
#include "frontend/result_store/run_inputs.hpp"
#include "tests/frontend/kept/kept_files.hpp"

using namespace planar;
using namespace program;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words usual{"netio", "--machine", "model56sx", "--card", "ne2", "--seconds", "0.05", "--sizes", "1024"};

std::string digest(const Words& words) {
  const auto inputs = run_inputs(words);
  return inputs ? inputs->sha256 : "";
}

/// A result and its run.
struct Sample {
  KeptRun run;
  RunIdentity identity;
};

Sample sample() {
  static const ordered_json result = run_planar(
                                         "netio --machine model56sx --card ne2 --seconds 0.05 --sizes 1024 "
                                         "--quiet --json -")
                                         .json();
  return {{0, {}, result},
          {.program_sha256 = std::string(64, 'a'),
           .arguments = usual,
           .machine_sha256 = std::string(64, 'b'),
           .machine = "model56sx",
           .card = "ne2",
           .seed = 1,
           .row_key = "packet_bytes",
           .sizes = {1024},
           .seconds = 0.05}};
}

fs::path only_entry(const fs::path& folder) {
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".json") return file.path();
  return {};
}

}  // namespace

TEST_CASE("a run's key depends on its machine, its values and its files' contents", "[cache]") {
  const Scratch scratch;
  REQUIRE(!digest(usual).empty());
  CHECK(run_inputs(usual)->machine == "model56sx");
  CHECK(digest(usual) == digest(usual));
  std::set<std::string> all{digest(usual)};
  const Words changes[] = {{"--set", "ne2.data_port.ready_delay=550ns"},
                           {"--set", "ne2.data_port.ready_delay=560ns"},
                           {"--set", "peer.turnaround=30 us"},
                           {"--seed", "2"},
                           {"--memory", "4 MB"},
                           {"--net", "none"},
                           {"--against", "model95:ne2"},
                           {"--against", "model77:ne2"}};
  for (const Words& change : changes) {
    INFO(fmt::format("{} {}", change[0], change[1]));
    REQUIRE(!digest(with(usual, change)).empty());
    CHECK(all.insert(digest(with(usual, change))).second);
  }
  // Settings that only the benchmark knows are not part of the machine: they are in the arguments.
  CHECK(digest(with(usual, {"--placement", "3"})) == digest(usual));

  const auto machine = scratch.file("slow.toml"), disk = scratch.write("disk.img", std::string(20480 * 512, 'x'));
  const auto of_file = [&](const std::string& text) {
    write(machine, "machine = \"model95\"\n" + text);
    return digest({"netio", "--machine", machine, "--card", "ne2"});
  };
  const auto plain = of_file("");
  CHECK(!plain.empty());
  CHECK(of_file("# a word\n") == plain);
  CHECK(of_file("[slot.2]\ncard = \"ne2\"\n") != plain);
  const std::string drive = fmt::format("[disk.6]\nfile = \"{}\"\n", disk);
  const auto read_only = of_file(drive + "mode = \"read-only\"\n");
  CHECK(!read_only.empty());
  CHECK(read_only != plain);
  write(disk, std::string(20480 * 512, 'y'));
  CHECK(of_file(drive + "mode = \"read-only\"\n") != read_only);
  CHECK(of_file(drive).empty());  // its changes are kept
  CHECK(of_file(drive + "mode = \"write-through\"\n").empty());
  CHECK(of_file("[scenario]\nsteps = [\"wait 5 ms\"]\n").empty());
}

TEST_CASE("a run with another output, a check or the host's network is not cached", "[cache]") {
  const Words others[] = {{"--capture", "x.pcapng"},
                          {"--serial", "file:x"},
                          {"--screen", "text"},
                          {"--timeline", "x.json"},
                          {"--trace", "bus"},
                          {"--trace-file", "x"},
                          {"--snapshot-at", "1 s", "x"},
                          {"--restore", "x"},
                          {"--gdb", "1234"},
                          {"--lockstep"},
                          {"--check-block-length", "3"},
                          {"--check-flush-blocks", "1"},
                          {"--check-cut-horizons", "1"},
                          {"--check-memo-room", "9"},
                          {"--verify-memo"},
                          {"--net", "slirp"},
                          {"--net", "socket:127.0.0.1:9"},
                          {"--net", "tap:x"}};
  for (const Words& other : others) {
    INFO(other[0]);
    CHECK(!run_inputs(with(usual, other)));
  }
  CHECK(!run_inputs({"netio", "--machine", "nowhere"}));
  CHECK(!run_inputs({"netio", "--card", "nothing"}));
  CHECK(run_inputs(with(usual, {"--quiet", "--json", "-"})));
}

TEST_CASE("an entry belongs to one run, and counts as absent if damaged", "[cache]") {
  const Scratch scratch;
  const Schemas schemas;
  const ResultStore store(scratch.file("cache"));
  const auto [run, identity] = sample();
  CHECK(!store.take(identity, schemas));
  REQUIRE(store.keep(run, identity).empty());
  REQUIRE(store.take(identity, schemas));
  CHECK(store.take(identity, schemas)->result == run.result);

  for (const auto& change : std::vector<void (*)(RunIdentity&)>{[](RunIdentity& i) { i.program_sha256[0] = '0'; },
                                                                [](RunIdentity& i) { i.machine_sha256[0] = '0'; },
                                                                [](RunIdentity& i) { i.arguments.pop_back(); }}) {
    auto other = identity;
    change(other);
    CHECK(result_key(other) != result_key(identity));
    CHECK(!store.take(other, schemas));
  }

  const auto file = only_entry(store.folder());
  const auto good = read_file(file.string());
  auto texts = strange_texts();
  for (const std::size_t length : {std::size_t{1}, good.size() / 2, good.size() - 3})
    texts.push_back(good.substr(0, length));
  auto flipped = good;
  flipped[good.find("\"cycles\": ") + 10] ^= 1;
  texts.push_back(flipped);
  for (const auto& text : texts) {
    INFO(text.substr(0, 100));
    write(file.string(), text);
    CHECK(!store.take(identity, schemas));
    REQUIRE(store.keep(run, identity).empty());
    CHECK(store.take(identity, schemas));
  }
  fs::remove(file);
  fs::create_directory(file);
  CHECK(!store.take(identity, schemas));
  CHECK(!store.keep(run, identity).empty());
  fs::remove(file);

  auto host = run;
  (*host.result)["repeatable"] = false;
  CHECK(store.keep(host, identity).empty());
  CHECK(store.keep({1, "failed", {}}, identity).empty());
  CHECK(store.usage().entries == 0);
}

TEST_CASE("above its limit the cache drops the least recently used entries", "[cache]") {
  const Scratch scratch;
  const Schemas schemas;
  const auto [run, identity] = sample();
  const auto bytes = kept_run_text(run, identity).size();
  const ResultStore store(scratch.file("cache"), 5 * bytes + bytes / 2);
  std::vector<RunIdentity> all;
  const auto now = fs::file_time_type::clock::now();
  for (unsigned n = 0; n < 8; ++n) {
    all.push_back(identity);
    all.back().machine_sha256 = sha256_hex(std::to_string(n));
    REQUIRE(store.keep(run, all[n]).empty());
    fs::last_write_time(store.folder() / (result_key(all[n]) + ".json"), now - std::chrono::minutes(100 - n));
  }
  REQUIRE(store.take(all[0], schemas));                                      // used now
  const auto left = store.folder() / (result_key(all[0]) + ".json.aBcDeF");  // left by a process that was killed
  write(left.string(), "{");
  write((store.folder() / "notes.txt").string(), "the user's own");
  store.trim();
  CHECK(fs::exists(left));  // it may still be written
  fs::last_write_time(left, now - std::chrono::hours(2));
  store.trim();
  CHECK(!fs::exists(left));
  CHECK(store.usage().entries == 5);
  CHECK(store.usage().bytes <= store.limit());
  for (unsigned n = 0; n < 8; ++n) {
    INFO(n);
    CHECK(store.take(all[n], schemas).has_value() == (n == 0 || n >= 4));
  }
  CHECK(store.clear() == 5);
  CHECK(store.usage().entries == 0);
  CHECK(fs::exists(store.folder() / "notes.txt"));
}

TEST_CASE("the hit count is correct with several simultaneous users", "[cache]") {
  const Scratch scratch;
  const ResultStore store(scratch.file("cache"));
  CHECK(store.usage().hits == 0);
  fs::create_directories(store.folder());
  std::vector<std::thread> users;
  for (unsigned n = 0; n < 4; ++n)
    users.emplace_back([&] {
      for (unsigned k = 0; k < 25; ++k) store.add_hits(3);
    });
  for (auto& user : users) user.join();
  CHECK(store.usage().hits == 300);
  write((store.folder() / "hits").string(), "many");
  CHECK(store.usage().hits == 0);
  store.add_hits(2);
  CHECK(store.usage().hits == 2);
  store.clear();
  CHECK(store.usage().hits == 0);
}

TEST_CASE("one run in twenty is repeated, in turn and within a limit", "[cache]") {
  unsigned checked = 0;
  for (unsigned n = 0; n < 20000; ++n) checked += is_checked(sha256_hex(std::to_string(n)));
  CHECK(checked > 900);
  CHECK(checked < 1100);

  using Places = std::vector<std::size_t>;
  CHECK(runs_to_check({}).empty());
  CHECK(runs_to_check({{7, 10 * check_budget, 0}}) == Places{7});  // at least one
  CHECK(runs_to_check({{1, 100, 0}, {2, 50, 0}, {3, 200, 0}}) == Places{2, 1, 3});
  CHECK(runs_to_check({{1, check_budget, 0}, {2, check_budget - 1, 0}}) == Places{2});
  CHECK(runs_to_check({{1, check_budget, 0}, {2, check_budget - 1, 1}}) == Places{1});
  // A long one gets its turn, too.
  std::vector<CheckCandidate> runs{{0, check_budget, 0}, {1, 5 * check_budget, 0}};
  for (unsigned n = 0; n < 12; ++n)
    for (const auto place : runs_to_check(runs)) ++runs[place].checks;
  CHECK(runs[0].checks == 10);
  CHECK(runs[1].checks == 2);
}

TEST_CASE("two results of a run may differ only in the host's data", "[cache]") {
  const ordered_json kept{{"rows", {{{"kb_per_s", 5.0}}}}, {"host", {{"seconds", 1.0}}}};
  auto now = kept;
  now["host"] = {{"seconds", 2.0}, {"from_cache", true}};
  CHECK(unequal(kept, now).empty());
  now["rows"][0]["kb_per_s"] = 6.0;
  CHECK(unequal(kept, now) == "rows/0/kb_per_s is 5.0 in the cache and 6.0 now");
  now = kept;
  now["bond"] = 2;
  CHECK(unequal(kept, now) == "bond is absent in the cache and 2 now");
  CHECK(unequal(now, kept) == "bond is 2 in the cache and absent now");
}

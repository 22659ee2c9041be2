// SPDX-License-Identifier: GPL-2.0-or-later
// The cache of results as seen by its user: what is run again and what is not, and what happens to a wrong entry.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "frontend/kept/kept_json.hpp"
#include "frontend/kept/kept_run.hpp"
#include "frontend/result_store/repeat_check.hpp"
#include "frontend/result_store/result_store.hpp"
#include "frontend/result_store/run_inputs.hpp"
#include "tests/frontend/kept/kept_files.hpp"
#include "tests/short_runs.hpp"

using namespace program;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const std::string brief = " --seconds 0.05 --sizes 1024 --jobs 1 --quiet";

/// A cache for one test.
struct Cache {
  Scratch scratch;

  std::string environment() const { return "-u PLANAR_NO_CACHE XDG_CACHE_HOME='" + scratch.file("home") + "'"; }
  fs::path folder() const { return fs::path(scratch.file("home")) / "planar" / "results"; }
  Said operator()(const std::string& arguments) const { return run_planar(arguments, environment()); }
  ordered_json info() const { return (*this)("cache info --json -").json(); }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> list;
    if (fs::exists(folder()))
      for (const auto& file : fs::directory_iterator(folder()))
        if (file.path().extension() == ".json") list.push_back(file.path());
    return list;
  }
  /// Changes the result of each entry selected by `chosen`, as if it had been made like that.
  void plant(const std::function<bool(const ordered_json& file)>& chosen) const {
    for (const auto& entry : entries()) {
      auto file = read_json(entry.string());
      if (!chosen(file)) continue;
      file["result"]["rows"][0]["kb_per_s"] = 9999.5;
      planar::seal(file);
      write(entry.string(), file.dump());
    }
  }
};

bool from_cache(const ordered_json& result) { return result["host"].value("from_cache", false); }

/// Which results of a comparison came from the cache, in order: "yn".
std::string taken(const Said& said) {
  std::string out;
  for (const auto& result : said.json()) out += from_cache(result) ? 'y' : 'n';
  return out;
}

std::string without_mark(const Said& said) {
  auto all = said.json();
  for (auto& result : all) result["host"].erase("from_cache");
  return all.dump(2);
}

std::string without_notes(const std::string& text) { return text.substr(0, text.rfind("\n\n") + 1); }

}  // namespace

TEST_CASE("a repeated comparison is taken from the cache and equal except for the mark", "[cache]") {
  const Cache cache;
  const auto compare = "compare --machines model56sx --cards ne2,3c529" + brief;
  const auto first = cache(compare + " --json -"), second = cache(compare + " --json -");
  REQUIRE(first.status == 0);
  REQUIRE(second.status == 0);
  CHECK(second.err.empty());
  CHECK(taken(first) == "nn");
  CHECK(taken(second) == "yy");
  CHECK(without_mark(first) == without_mark(second));
  const auto table = run_planar(compare), again = cache(compare);
  CHECK_THAT(again.out,
             Contains("\nall 2 runs were taken from the cache of results") && Contains("(--no-cache makes every run)"));
  CHECK(without_notes(again.out) == table.out);
  CHECK(cache.info()["entries"] == 2);
  CHECK(cache.info()["hits"] == 4);

  // Neither taken from the cache nor stored in it.
  CHECK(taken(cache(compare + " --no-cache --json -")) == "nn");
  CHECK(taken(run_planar(compare + " --json -")) == "nn");
  CHECK(cache(compare + " --no-cache --check-cache").status == 2);
  CHECK(cache.info()["hits"] == 4);

  // Settings for one card do not affect the other.
  const auto slow = cache(compare + " --set ne2.data_port.ready_delay=550ns --json -");
  CHECK(taken(slow) == "ny");
  CHECK(slow.json()[0]["state_hash"] != first.json()[0]["state_hash"]);
  CHECK_THAT(cache(compare + " --set ne2.data_port.ready_delay=560ns").out,
             Contains("1 of 2 runs were taken from the cache of results: model56sx 3c529"));
  for (const char* other : {" --seed 2", " --placement 1"}) CHECK(taken(cache(compare + other + " --json -")) == "nn");
  CHECK(taken(cache("compare --machines model56sx --cards ne2 --seconds 0.06 --sizes 1024 --quiet --json -")) == "n");
  CHECK(taken(cache("compare --machines model56sx --cards ne2 --seconds 0.05 --sizes 512 --quiet --json -")) == "n");

  const auto cleared = cache("cache clear");
  CHECK(cleared.out == fmt::format("{} entries removed\n", 2 + 2 + 4 + 2));
  CHECK(taken(cache(compare + " --json -")) == "nn");
}

TEST_CASE("editing a machine file reruns only that machine", "[cache]") {
  const Cache cache;
  const auto one = cache.scratch.write("one.toml", "machine = \"model56sx\"\n"),
             other = cache.scratch.write("other.toml", "machine = \"model77\"\n");
  const auto compare = "compare --machines " + one + "," + other + " --cards ne2 --json -" + brief;
  CHECK(taken(cache(compare)) == "nn");
  CHECK(taken(cache(compare)) == "yy");
  write(one, "machine = \"model56sx\"\n[slot.2]\ncard = \"3c529\"\n");
  CHECK(taken(cache(compare)) == "ny");
  CHECK(taken(cache(compare)) == "yy");
}

TEST_CASE("damaged entries are rerun and replaced silently", "[cache]") {
  const Cache cache;
  const auto compare = "compare --machines model56sx --cards ne2 --json -" + brief;
  const auto first = cache(compare);
  REQUIRE(cache.entries().size() == 1);
  const auto entry = cache.entries()[0];
  const auto good = read_file(entry.string());
  for (const auto& text : {std::string("{}"), good.substr(0, good.size() / 2), std::string(5000, '\0')}) {
    write(entry.string(), text);
    const auto again = cache(compare);
    CHECK(again.status == 0);
    CHECK(again.err.empty());
    CHECK(taken(again) == "n");
    CHECK(taken(cache(compare)) == "y");
  }
  CHECK(without_mark(cache(compare)) == without_mark(cache(compare)));
}

TEST_CASE("an unwritable cache gives a warning, a missing one does not", "[cache]") {
  const Scratch scratch;
  const std::string compare = "compare --machines model56sx --cards ne2 --seconds 0.05 --sizes 1024 --json -";
  const auto file = scratch.write("file", "");
  const auto nowhere = run_planar(compare, "-u PLANAR_NO_CACHE XDG_CACHE_HOME='" + file + "'");
  CHECK(nowhere.status == 0);
  CHECK_THAT(nowhere.err, Contains("warning: results are not cached: ") && Contains(file));
  const std::string homeless = "-u PLANAR_NO_CACHE -u XDG_CACHE_HOME -u HOME";
  CHECK(run_planar(compare + " --quiet", homeless).err.empty());
  const auto info = run_planar("cache info", homeless);
  CHECK(info.status == 2);
  CHECK_THAT(info.err, Contains("there is no cache of results"));
  const Cache empty;
  CHECK_THAT(empty("cache info").out,
             Contains(empty.folder().string()) && Contains("entries   0") && Contains("of at most 256 MB"));
  CHECK(!fs::exists(empty.folder()));
}

TEST_CASE("several commands share a cache, and one of them is killed", "[cache]") {
  if (planar::test::short_runs()) SKIP("many runs");
  const Cache cache;
  const std::string compare = "'" PLANAR_BINARY "' compare --machines model56sx --cards ne2,3c529 --runs 3" + brief;
  const auto script = cache.scratch.write(
      "both.sh", "cd '" + cache.scratch.file("") + "'\nexport XDG_CACHE_HOME='" + cache.scratch.file("home") +
                     "'\nunset PLANAR_NO_CACHE\n" + compare + " --json killed >/dev/null 2>&1 & killed=$!\n" + compare +
                     " --json a & a=$!\n" + compare + " --json b & b=$!\nsleep 0.5; kill -9 $killed\n" +
                     "wait $a && wait $b\n");
  REQUIRE(std::system(("sh " + script + " >/dev/null").c_str()) == 0);
  const auto figures = [&](const std::string& name) {
    auto all = read_json(cache.scratch.file(name));
    for (auto& result : all) result.erase("host");
    return all;
  };
  CHECK(figures("a") == figures("b"));
  const auto again = cache("compare --machines model56sx --cards ne2,3c529 --runs 3 --check-cache --json -" + brief);
  CHECK(again.status == 0);
  for (const auto& result : again.json()) CHECK(result["host"]["runs_from_cache"] == 3);
  CHECK(cache.entries().size() == 6);
}

TEST_CASE("a wrong entry is detected when its run is repeated", "[cache]") {
  const Cache cache;
  const auto compare = "compare --machines model56sx --cards ne2,3c529" + brief;
  REQUIRE(cache(compare).status == 0);
  const auto all = cache(compare + " --check-cache");
  CHECK(all.status == 0);
  CHECK_THAT(all.out, Contains("2 of them were made again"));

  cache.plant([](const ordered_json& file) { return file["result"]["card"] == "ne2"; });
  const auto found = cache(compare + " --check-cache");
  CHECK(found.status == 4);
  CHECK_THAT(found.err, Contains("model56sx-ne2: rows/0/kb_per_s is 9999.5 in the cache") &&
                            Contains("planar cache clear") && !Contains("3c529"));
  CHECK(found.out.empty());
  CHECK(taken(cache(compare + " --json -")) == "ny");  // the wrong one is gone
}

TEST_CASE("one in twenty cached runs is repeated automatically", "[cache]") {
  const Cache cache;
  const auto compare = [&](unsigned seed) {
    return cache(fmt::format("compare --machines model56sx --cards ne2 --seed {} --json -{}", seed, brief));
  };
  REQUIRE(compare(1).status == 0);
  REQUIRE(cache.entries().size() == 1);
  const auto sample = read_json(cache.entries()[0].string());
  // The keys with other seeds.
  const auto checked = [&](unsigned seed) {
    planar::RunIdentity identity;
    identity.program_sha256 = sample["program_sha256"].get<std::string>();
    identity.arguments = sample["arguments"].get<std::vector<std::string>>();
    const auto option = std::find(identity.arguments.begin(), identity.arguments.end(), "--seed");
    REQUIRE(option != identity.arguments.end());
    *std::next(option) = std::to_string(seed);
    identity.machine_sha256 = planar::run_inputs(identity.arguments)->sha256;
    if (seed == 1) CHECK(cache.entries()[0].filename() == planar::result_key(identity) + ".json");
    return planar::is_checked(planar::result_key(identity));
  };
  checked(1);
  unsigned one = 2, other = 2;
  while (!checked(one)) ++one;
  while (checked(other)) ++other;
  CHECK(compare(one).status == 0);
  CHECK(compare(other).status == 0);
  CHECK(compare(one).status == 0);  // run again, same result
  cache.plant([](const ordered_json&) { return true; });
  const auto found = compare(one), believed = compare(other);
  CHECK(found.status == 4);
  CHECK_THAT(found.err, Contains(fmt::format("model56sx-ne2-seed{}: rows/0/kb_per_s", one)));
  CHECK(believed.status == 0);
  CHECK(believed.json()[0]["rows"][0]["kb_per_s"] == 9999.5);  // it really was in the cache
}

TEST_CASE("every benchmark's runs are cached, including those of regress and published", "[cache]") {
  if (planar::test::short_runs()) SKIP("many runs");
  const Cache cache;
  const std::string cells = " --machines model95 --cards ne2 --jobs 1 --quiet --seconds 0.05 --json -";
  for (const char* benchmark : {"netio", "netio-receive --sizes 1024", "netperf --sizes 1024", "netperf-rr --sizes 1",
                                "flood --sizes 1000", "flood-router --sizes 1000", "flood-send --sizes 64"}) {
    INFO(benchmark);
    const auto compare = std::string("compare --do ") + benchmark + cells;
    const auto first = cache(compare), second = cache(compare);
    REQUIRE(first.status == 0);
    CHECK(taken(second) == "y");
    CHECK(without_mark(first) == without_mark(second));
  }
  const auto bonded = "compare --bond 2 --sizes 1024" + cells;
  CHECK(cache(bonded).status == 0);
  CHECK(taken(cache(bonded)) == "y");

  const auto of_host = [](ordered_json j) {
    j.erase("host");
    return j.dump();
  };
  const auto baseline = cache.scratch.file("baseline.json");
  const auto regress = "regress --machines model56sx --cards ne2 --baseline " + baseline + brief;
  REQUIRE(cache(regress + " --accept 'by a test'").status == 0);
  const auto equal = cache(regress + " --json -");
  CHECK(equal.json()["host"]["from_cache"] == ordered_json{"model56sx ne2"});
  CHECK_THAT(cache(regress).out, Contains("the run was taken from the cache of results"));
  CHECK(of_host(equal.json()) == of_host(cache(regress + " --no-cache --json -").json()));

  const auto published = "published --machines model56sx --cards ne2 --placements 2" + brief;
  auto first = cache(published + " --json -").json(), second = cache(published + " --json -").json();
  std::vector<std::size_t> from_cache;
  for (auto& row : second["rows"])
    if (row.contains("host")) from_cache.push_back(row["host"]["runs_from_cache"].get<std::size_t>());
  CHECK(from_cache == std::vector<std::size_t>{2});
  for (auto* result : {&first, &second})  // one run of the first was made by regress
    for (auto& row : (*result)["rows"]) row.erase("host");
  CHECK(first.dump() == second.dump());
  CHECK_THAT(cache(published).out, Contains("all 2 runs were taken from the cache of results"));
}

TEST_CASE("a single flood is also taken from the cache", "[cache]") {
  if (planar::test::short_runs()) SKIP("many runs");
  const Cache cache;
  const std::string kinds[] = {"--rates 1000,4000", "--router --rates 1000", "--send both",
                               "--depth driver --rates 1000 --runs 2"};
  for (const auto& kind : kinds) {
    INFO(kind);
    std::string flood;
    Said first, second;
    unsigned seed = 0;
    do {  // one seed in twenty is made again without request, and which ones depends on the program's contents
      REQUIRE(seed < 8);
      flood = fmt::format("flood --card ne2 --seconds 0.05 --quiet {} --seed {}", kind, ++seed);
      first = cache(flood);
      second = cache(flood);
    } while (second.out.find("made again and equal to the result in the cache") != std::string::npos);
    REQUIRE(first.status == 0);
    CHECK(second.status == 0);
    const auto lines = [](const std::string& text) { return text.substr(0, text.find("taken from the cache")); };
    CHECK_THAT(second.out, Contains("taken from the cache of results"));
    if (kind.find("--runs") == std::string::npos) CHECK(lines(second.out) == first.out);
    auto object = cache(flood + " --json -").json(), made = cache(flood + " --no-cache --json -").json();
    CHECK((object["host"].contains("from_cache") || object["host"].contains("runs_from_cache")));
    CHECK(!made["host"].contains("from_cache"));
    object.erase("host");
    made.erase("host");
    CHECK(object == made);
  }
  const auto capture =
      cache("flood --card ne2 --seconds 0.05 --quiet --rates 1000,4000 --capture " + cache.scratch.file("x.pcapng"));
  CHECK(fs::exists(cache.scratch.file("x.pcapng")));
  CHECK(capture.out.find("from the cache") == std::string::npos);

  const auto flood = "flood --card ne2 --seconds 0.05 --quiet --rates 1000,4000 --seed 1";
  CHECK(cache(std::string(flood)).status == 0);
  CHECK_THAT(cache(std::string(flood) + " --check-cache").out,
             Contains("made again and equal to the result in the cache"));
  for (const auto& entry : cache.entries()) {
    auto file = read_json(entry.string());
    if (!file["result"]["rows"][0].contains("delivered")) continue;
    file["result"]["rows"][0]["delivered"] = 7;
    planar::seal(file);
    write(entry.string(), file.dump());
  }
  const auto found = cache(std::string(flood) + " --check-cache");
  CHECK(found.status == 4);
  CHECK_THAT(found.err, Contains("model95 with ne2: rows/0/delivered is 7 in the cache"));
}

TEST_CASE("runs with further outputs are never cached", "[cache]") {
  const Cache cache;
  const auto compare = "compare --machines model56sx --cards ne2" + brief;
  REQUIRE(cache(compare + " --timeline " + cache.scratch.file("timelines")).status == 0);
  CHECK(cache.entries().size() == 1);  // not the one of the timeline
  fs::remove_all(cache.scratch.file("timelines"));
  REQUIRE(cache(compare + " --timeline " + cache.scratch.file("timelines")).status == 0);
  CHECK(fs::exists(cache.scratch.file("timelines") + "/model56sx-ne2.timeline.json"));

  // A folder of results gets the results from the cache, and --fresh makes them again.
  const auto report = compare + " --json - --report " + cache.scratch.file("out");
  CHECK(taken(cache(report)) == "y");
  CHECK(fs::exists(cache.scratch.file("out") + "/runs/model56sx-ne2.json"));
  CHECK_THAT(read_file(cache.scratch.file("out") + "/compare.html"), Contains("taken from the cache of results"));
  CHECK(taken(cache(report + " --fresh")) == "n");
}

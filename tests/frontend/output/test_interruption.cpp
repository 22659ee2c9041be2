// SPDX-License-Identifier: GPL-2.0-or-later
// SIGINT and SIGTERM end what is in progress, with the results so far and a distinct exit code.
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>

#include <csignal>
#include <sstream>
#include <thread>

#include "tests/catch.hpp"
#include "tests/frontend/program.hpp"

extern char** environ;

using Catch::Matchers::Contains;
using namespace program;
using namespace std::chrono_literals;

namespace {

/// planar running beside the test, with its output in files.
class Beside {
 public:
  Beside(const Scratch& scratch, std::vector<std::string> words)
      : out_(scratch.file("beside.out")), err_(scratch.file("beside.err")) {
    std::vector<char*> argv{const_cast<char*>(PLANAR_BINARY)};
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&files, 2, err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    REQUIRE(posix_spawn(&pid_, PLANAR_BINARY, &files, nullptr, argv.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&files);
  }
  ~Beside() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  void signal(int number) const { ::kill(pid_, number); }
  pid_t pid() const { return pid_; }
  /// Waits until `file` is not empty, at most ten seconds.
  static void wait_for(const std::string& file) {
    for (int n = 0; n < 1000 && read_file(file).empty(); ++n) std::this_thread::sleep_for(10ms);
    REQUIRE_FALSE(read_file(file).empty());
  }
  int status() {
    int status = 0;
    for (int n = 0; n < 2000; ++n) {
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(10ms);
    }
    return -1;
  }
  std::string out() const { return read_file(out_); }
  std::string err() const { return read_file(err_); }
  const std::string& err_file() const { return err_; }

 private:
  std::string out_, err_;
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("SIGINT, SIGTERM and SIGHUP end a run with its result and exit code 6") {
  const Scratch scratch;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    INFO(number);
    Beside run(scratch, {"run", "model95", "--json", "-", "--capture", scratch.file("c.pcapng")});
    Beside::wait_for(run.err_file());  // the summary at its start
    std::this_thread::sleep_for(200ms);
    run.signal(number);
    run.signal(number);  // timeout(1) sends it to the process, and to its group
    CHECK(run.status() == 6);
    CHECK(nlohmann::ordered_json::parse(run.out()).at("ended") == "interrupted");
    CHECK(std::filesystem::file_size(scratch.file("c.pcapng")) > 0);
  }
}

TEST_CASE("an interrupted debug ends with exit code 6") {
  const Scratch scratch;
  Beside run(scratch, {"debug", "model95", "--script", scratch.write("script", "continue\n")});
  Beside::wait_for(run.err_file());
  std::this_thread::sleep_for(200ms);
  run.signal(SIGTERM);
  CHECK(run.status() == 6);
}

TEST_CASE("an interrupted netio reports it, with what it has measured") {
  const Scratch scratch;
  Beside run(scratch, {"netio", "--json", "-", "--seconds", "0.2", "--sizes", "1024,2048,4096,8192,16384,32767,1,2,3"});
  // Without a terminal, each finished row has a line.
  for (int n = 0; n < 3000 && run.err().find("1K: ") == std::string::npos; ++n) std::this_thread::sleep_for(10ms);
  REQUIRE_THAT(run.err(), Contains("1K: ") && Contains("KB/s"));
  run.signal(SIGINT);
  CHECK(run.status() == 6);
  const auto j = nlohmann::ordered_json::parse(run.out());
  CHECK(j.at("interrupted") == true);
  CHECK_FALSE(j.at("rows").empty());
  // The guest reports its load at the end; the processor's activity so far is known.
  CHECK(j.at("cpu_load_percent").is_null());
  CHECK(j.at("true_busy_percent").get<double>() > 10);
}

TEST_CASE("a server that could not report its counts has none") {
  const Scratch scratch;
  Beside run(scratch, {"netio", "--machine", "model77", "--against", "model77", "--json", "-", "--sizes", "1024,2048"});
  for (int n = 0; n < 3000 && run.err().find("1K: ") == std::string::npos; ++n) std::this_thread::sleep_for(10ms);
  run.signal(SIGINT);
  CHECK(run.status() == 6);
  const auto j = nlohmann::ordered_json::parse(run.out());
  CHECK(j.at("against").at("received_kb").is_null());
  CHECK(j.at("against").at("sent_kb").is_null());
  CHECK(j.at("against").at("frames").at("received").get<int>() > 0);
}

TEST_CASE("an interrupted compare keeps finished runs, removes its temporary files, and continues from there") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.file("tmp"));
  ::setenv("TMPDIR", scratch.file("tmp").c_str(), 1);
  const auto report = scratch.file("report");
  const std::vector<std::string> words{"compare", "--machines", "model95",   "--cards", "ne2,3c527,sknet,3c523",
                                       "--sizes", "1024",       "--seconds", "0.5",     "--json",
                                       "-",       "--report",   report,      "--jobs",  "1"};
  {
    Beside run(scratch, words);
    const auto first = report + "/runs/model95-ne2.json";
    for (int n = 0; n < 3000 && !std::filesystem::exists(first); ++n) std::this_thread::sleep_for(10ms);
    run.signal(SIGTERM);
    CHECK(run.status() == 6);
    CHECK_THAT(run.err(), Contains("of 4 runs are finished and kept in") && Contains("1 of 4  model95-ne2"));
    const auto list = nlohmann::ordered_json::parse(run.out());
    REQUIRE(list.size() == 4);
    CHECK(list[0].at("card") == "ne2");
    CHECK(list[0].contains("rows"));
    CHECK(list[3].at("interrupted") == true);
    CHECK_THAT(read_file(report + "/compare.md"), Contains("interrupted"));
  }
  CHECK(std::filesystem::is_empty(scratch.file("tmp")));
  ::unsetenv("TMPDIR");
  for (const auto& kept : std::filesystem::directory_iterator(report + "/runs"))
    CHECK(nlohmann::ordered_json::parse(read_file(kept.path().string())).at("status") == 0);
  std::string again;
  for (const auto& word : words) again += word + " ";
  const auto finished = run_planar(again);
  CHECK(finished.status == 0);
  REQUIRE(finished.json().size() == 4);
  for (const auto& run : finished.json()) CHECK(run.contains("rows"));
  // The first run was not repeated: there is no line for it.
  CHECK(finished.err.find("model95-ne2") == std::string::npos);
}

namespace {

/// The processes that `parent` has started.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> list;
  const auto name = std::to_string(parent);
  std::istringstream words(read_file("/proc/" + name + "/task/" + name + "/children"));
  for (pid_t child = 0; words >> child;) list.push_back(child);
  return list;
}

}  // namespace

TEST_CASE("a killed compare leaves no running processes and no temporary files") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.file("tmp"));
  ::setenv("TMPDIR", scratch.file("tmp").c_str(), 1);
  Beside run(scratch, {"compare", "--machines", "model95", "--cards", "ne2,3c527", "--seconds", "1000", "--jobs", "2"});
  std::vector<pid_t> runs;
  for (int n = 0; n < 1000 && (runs = children_of(run.pid())).size() < 2; ++n) std::this_thread::sleep_for(10ms);
  REQUIRE(runs.size() == 2);
  std::this_thread::sleep_for(200ms);
  run.signal(SIGKILL);
  CHECK(run.status() == 128 + SIGKILL);
  const auto alive = [](pid_t pid) { return std::filesystem::exists("/proc/" + std::to_string(pid) + "/exe"); };
  for (int n = 0; n < 1000 && (alive(runs[0]) || alive(runs[1])); ++n) std::this_thread::sleep_for(10ms);
  for (const pid_t pid : runs) CHECK_FALSE(alive(pid));
  CHECK(std::filesystem::is_empty(scratch.file("tmp")));
  ::unsetenv("TMPDIR");
}

TEST_CASE("interrupted regress and published evaluate and keep the finished runs") {
  const Scratch scratch;
  const auto baseline = scratch.file("baseline.json");
  const std::string set = "--machines model95 --cards ne2,3c523,sknet,3c527 --seconds 0.5 --sizes 1024 --jobs 1";
  REQUIRE(run_planar("regress --quiet --baseline " + baseline + " --accept test " + set).status == 0);
  const std::string accepted = read_file(baseline);
  const auto words = [&](std::vector<std::string> list) {
    std::istringstream more(set);
    for (std::string word; more >> word;) list.push_back(word);
    return list;
  };
  const auto interrupt = [&](const std::vector<std::string>& list, const std::string& folder) {
    Beside run(scratch, list);
    const auto some = [&] { return std::filesystem::exists(folder) && !std::filesystem::is_empty(folder); };
    for (int n = 0; n < 3000 && !some(); ++n) std::this_thread::sleep_for(10ms);
    run.signal(SIGINT);
    CHECK(run.status() == 6);
    CHECK_THAT(run.err(), Contains("runs are finished and kept in"));
    return run.out();
  };
  const auto folder = scratch.file("regress");
  const auto out = interrupt(words({"regress", "--baseline", baseline, "--results", folder}), folder);
  CHECK_THAT(out, Contains(" the baseline (") && !Contains("missing"));
  const auto again = run_planar("regress --baseline " + baseline + " --results " + folder + " " + set);
  CHECK(again.status == 0);
  CHECK_THAT(again.out, Contains("4 runs equal the baseline"));
  interrupt(words({"regress", "--baseline", baseline, "--results", scratch.file("new"), "--accept", "other"}),
            scratch.file("new"));
  CHECK(read_file(baseline) == accepted);
  const auto results = scratch.file("published");
  const auto printed = interrupt(words({"published", "--json", "-", "--results", results}), results);
  const auto j = nlohmann::ordered_json::parse(printed);
  CHECK(j.at("interrupted") == true);
  CHECK_THAT(printed, Contains("\"not_run\": \"interrupted\""));
}

TEST_CASE("planar bench ends on SIGTERM with the same exit code") {
  const Scratch scratch;
  Beside run(scratch, {"bench", "cpu", "--machine", "model56sx", "--workload", "mix", "--repeat", "99"});
  std::this_thread::sleep_for(700ms);
  run.signal(SIGTERM);
  CHECK(run.status() == 6);
  CHECK_THAT(run.err(), Contains("interrupted"));
}

TEST_CASE("a run without a bootable drive says that nothing further will happen") {
  const auto said = run_planar("run model95 --quiet --until '15 s'");
  CHECK(said.status == 0);
  CHECK_THAT(said.err, Contains("no bootable drive; nothing further will happen"));
  const auto started = run_planar("run model95 --quiet --do 'wait screen \"Nothing to start\"' --do 'wait 1 s'");
  CHECK(started.status == 0);
  CHECK(started.err.find("no bootable drive") == std::string::npos);
}

TEST_CASE("netio-server ends on SIGTERM, even with a silent client") {
  const Scratch scratch;
  Beside server(scratch, {"netio-server", "--listen", "127.0.0.1:0", "--idle", "0.3", "--once"});
  Beside::wait_for(server.err_file());
  const auto said = server.err();
  const auto port = std::stoi(said.substr(said.find("127.0.0.1:") + 10));
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  CHECK(server.status() == 0);
  CHECK_THAT(server.out(), Contains("nothing of netio"));
  ::close(client);

  Beside alone(scratch, {"netio-server", "--listen", "127.0.0.1:0"});
  Beside::wait_for(alone.err_file());
  std::this_thread::sleep_for(100ms);
  alone.signal(SIGTERM);
  CHECK(alone.status() == 6);
}

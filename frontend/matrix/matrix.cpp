// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/matrix/matrix.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <thread>
#include <utility>

#include "core/common/error.hpp"
#include "core/host/host_files.hpp"
#include "core/state/sha256.hpp"
#include "frontend/kept/kept_run.hpp"
#include "frontend/options/network_adapters.hpp"
#include "frontend/output/output.hpp"
#include "frontend/output/progress.hpp"
#include "frontend/result_store/run_cache.hpp"
#include "machines/config/board_kind.hpp"
#include "machines/config/machine_config.hpp"
#include "machines/config/machine_files.hpp"
#include "machines/config/processor.hpp"
#include "machines/registry/adapter_registry.hpp"

extern char** environ;

namespace planar {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

const char* const own_program = "/proc/self/exe";  // the file that own_program_sha256() hashes

/// The text of a kept run. Throws Error naming the file.
std::string read_text(const fs::path& path) {
  return read_host_file(path, std::uint64_t{1} << 30, "cannot be read; remove it, or leave kept runs out with --fresh",
                        "is too large for a run");
}

/// The slot in which a machine's file itself has the cell's card, with its pins and values: that one is measured.
/// Nothing if the file has no such card or several, or the cell asks for other options.
std::optional<std::string> slot_of_own_card(const Cell& cell) {
  if (is_built_in(cell.machine) || !cell.options.empty() || cell.bonded() > 1) return std::nullopt;
  std::optional<std::string> own;
  for (const Plugged& adapter : network_adapters(load_machine(cell.machine))) {
    if (adapter.card->name != cell.card || !adapter.enabled) continue;
    if (own) return std::nullopt;
    own = adapter.slot;
  }
  return own;
}

std::vector<std::string> arguments(const Cell& cell, const MatrixOptions& o) {
  std::vector<std::string> own{"--seed", std::to_string(cell.seed.value_or(o.seed))};
  if (const auto placement = cell.placement.value_or(o.placement))
    own.insert(own.end(), {"--placement", std::to_string(placement)});
  if (!cell.command.empty()) {
    std::vector<std::string> list = cell.command;
    list.insert(list.end(), own.begin(), own.end());
    return list;
  }
  const Benchmark& benchmark = o.benchmark_of(cell);
  std::vector<std::string> list{std::string(benchmark.verb)};
  list.insert(list.end(), benchmark.arguments.begin(), benchmark.arguments.end());
  const auto own_slot = slot_of_own_card(cell);
  list.insert(list.end(),
              {"--machine", cell.machine, own_slot ? "--use" : "--card", own_slot ? *own_slot : cell.card_option(),
               "--seconds", o.seconds_of(cell), std::string(benchmark.sizes_option), o.sizes_of(cell)});
  list.insert(list.end(), own.begin(), own.end());
  if (o.may_converge(cell)) list.insert(list.end(), {"--converge", o.converge});
  list.insert(list.end(), cell.settings.begin(), cell.settings.end());
  return list;
}

/// Millions of host instructions for a virtual second at full load (docs/performance.md#the-order-of-runs).
double cost_of_second(const std::string& machine) {
  Config config = load_machine(machine);
  const MachineConfig m = read_machine(config);
  return processor_model(m.timing.model).host_instructions * static_cast<double>(m.clock.hz()) / 1e6;
}
/// Power-on to the first packet, without the time in which the processor waits. Unit: virtual seconds at full load.
constexpr double boot_work = 2;
constexpr double work_at_100_mbit = 2;  // relative to 10 Mbit/s

/// A second machine doubles the work; several bonded cards carry as many times the frames.
double work_of(const Cell& cell) {
  const auto against = std::count(cell.settings.begin(), cell.settings.end(), "--against");
  return (against ? 2.0 : 1.0) * cell.bonded();
}

std::uint64_t cost(const Cell& cell, const MatrixOptions& o, double of_second) {
  const auto sizes = static_cast<double>(o.benchmark_of(cell).sizes(o.sizes_of(cell)).size());
  const bool fast = cell.command.empty() && ethernet_rate(find_adapter(cell.card).medium) >= 100'000'000;
  const double frames = (fast ? work_at_100_mbit : 1) * work_of(cell);
  return static_cast<std::uint64_t>(
      std::llround((boot_work + std::strtod(o.seconds_of(cell).c_str(), nullptr) * sizes * frames) * of_second));
}

/// The present content of a machine's file: results for other contents are not reused.
struct MachineContent {
  std::string sha256;
  std::string label;  ///< in results
};

MachineContent machine_content(const std::string& machine) {
  Config config = load_machine(machine);
  const MachineConfig read = read_machine(config);
  return {sha256_hex(config.resolved()), read.label_of_results()};
}

/// Collects a run's output in a file without a name: nothing of it remains, however this process ends.
class Catcher {
 public:
  Catcher() {
    folder_ = fs::temp_directory_path().string();
    std::string name = folder_ + "/planar-XXXXXX";
    const int made = ::mkostemp(name.data(), O_CLOEXEC);
    if (made < 0)
      throw Error(fmt::format("{}: {}; set TMPDIR to a directory that can be written", name, std::strerror(errno)),
                  ExitCode::missing_file);
    ::unlink(name.c_str());
    descriptor_ = ::fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);  // avoids the number of a closed standard stream
    ::close(made);
  }
  ~Catcher() { close(); }
  Catcher(Catcher&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), folder_(other.folder_) {}
  Catcher& operator=(Catcher&& other) noexcept {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    folder_ = other.folder_;
    return *this;
  }

  int descriptor() const { return descriptor_; }
  /// The folder whose file system needs free space.
  const std::string& folder() const { return folder_; }
  std::string text() const {
    std::string all, piece(1 << 16, '\0');
    for (off_t at = 0;; at = static_cast<off_t>(all.size())) {
      const ssize_t n = ::pread(descriptor_, piece.data(), piece.size(), at);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return all;
      all.append(piece, 0, static_cast<std::size_t>(n));
    }
  }

 private:
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor_ = -1;
  std::string folder_;
};

/// Starts this program with `list`; its output goes into `out` and `err`. The child ends when this process ends,
/// however that happens.
pid_t start(const std::vector<std::string>& list, const Catcher& out, const Catcher& err) {
  std::vector<char*> argv{const_cast<char*>("planar")};
  for (const auto& word : list) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::string no_cache = "PLANAR_NO_CACHE=1";  // the matrix itself has consulted the cache
  std::vector<char*> environment{no_cache.data()};
  for (char** variable = environ; *variable; ++variable) environment.push_back(*variable);
  environment.push_back(nullptr);
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) throw Error(fmt::format("a run cannot be started: {}", std::strerror(errno)), ExitCode::missing_file);
  if (pid > 0) return pid;
  // Only functions that may be called between fork() and exec().
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (::getppid() == parent && ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(out.descriptor(), STDOUT_FILENO) >= 0 &&
      ::dup2(err.descriptor(), STDERR_FILENO) >= 0)
    ::execve(own_program, argv.data(), environment.data());
  ::_exit(static_cast<int>(ExitCode::missing_file));
}

struct Running {
  pid_t pid;
  std::size_t cell;
  Catcher out, err;
};

class Matrix {
 public:
  Matrix(const std::vector<Cell>& cells, const MatrixOptions& options)
      : cells_(cells), options_(options), outcomes_(cells.size()), progress_(!options.quiet) {
    if (!options.folder.empty()) {
      make_folder(options.folder);
      hash_ = own_program_sha256();
    }
    if (options.cache) cache_.emplace(options.fresh, options.quiet);
  }

  std::vector<CellOutcome> run() {
    std::deque<std::size_t> waiting;
    for (const std::size_t n : longest_first(cells_, options_)) {
      outcomes_[n].cell = cells_[n];
      if (!reuse(n) && !take_from_cache(n)) waiting.push_back(n);
    }
    const auto again = runs_of_check();
    waiting.insert(waiting.end(), again.begin(), again.end());
    const unsigned jobs = options_.jobs ? options_.jobs : std::max(1u, std::thread::hardware_concurrency());
    done_ = cells_.size() - waiting.size();
    const Interruption interruption;
    while (!waiting.empty() || !running_.empty()) {
      if (Interruption::asked() && !ending_) {
        ending_ = true;
        for (const std::size_t n : waiting)
          if (!outcomes_[n].result) cut(n, interrupted);
        waiting.clear();
        for (const Running& r : running_) ::kill(r.pid, SIGTERM);
      }
      while (!waiting.empty() && running_.size() < jobs) {
        begin(waiting.front());
        waiting.pop_front();
      }
      end_one();
    }
    progress_.finish();
    if (cache_) cache_->finish();
    return std::move(outcomes_);
  }

  /// Runs nothing.
  std::vector<CellOutcome> finished() {
    for (std::size_t n = 0; n < cells_.size(); ++n) {
      outcomes_[n].cell = cells_[n];
      if (!reuse(n)) cut(n, "not run");
    }
    return std::move(outcomes_);
  }

  /// No run outlives an error of the matrix.
  ~Matrix() {
    for (const Running& r : running_) ::kill(r.pid, SIGTERM);
    for (const Running& r : running_) ::waitpid(r.pid, nullptr, 0);
  }
  Matrix(const Matrix&) = delete;

 private:
  fs::path kept(std::size_t n) const { return options_.folder / options_.file_of(cells_[n]); }

  bool reuse(std::size_t n) {
    if (options_.folder.empty() || options_.fresh || !fs::exists(kept(n))) return false;
    KeptReading kept_run = read_kept_run(read_text(kept(n)), identity(n), schemas_);
    if (!kept_run.problem.empty()) say("planar: {}: {}; it is ignored\n", kept(n).string(), kept_run.problem);
    if (!kept_run.run) return false;
    CellOutcome& o = outcomes_[n];
    o.status = kept_run.run->status;
    o.problem = std::move(kept_run.run->problem);
    o.result = std::move(kept_run.run->result);
    return true;
  }

  bool take_from_cache(std::size_t n) {
    if (!cache_) return false;
    auto run = cache_->take(n, identity(n));
    if (!run) return false;
    outcomes_[n].result = std::move(run->result);
    (*outcomes_[n].result)["host"]["from_cache"] = true;
    keep_in_folder(n);
    return true;
  }

  std::vector<std::size_t> runs_of_check() const {
    if (!cache_) return {};
    return cache_->runs_to_check(options_.check_cache,
                                 [&](std::size_t n) { return estimated_cost(cells_[n], options_); });
  }

  RunIdentity identity(std::size_t n) {
    const Cell& cell = cells_[n];
    if (!machines_.contains(cell.machine)) machines_[cell.machine] = machine_content(cell.machine);
    const MachineContent& machine = machines_[cell.machine];
    RunIdentity id{.program_sha256 = hash_,
                   .arguments = arguments(cell, options_),
                   .machine_sha256 = machine.sha256,
                   .machine = machine.label,
                   .card = cell.card,
                   .seed = cell.seed.value_or(options_.seed),
                   .row_key = std::string(options_.benchmark_of(cell).row_key),
                   .sizes = {}};
    if (!cell.command.empty()) return id;  // its arguments determine its rows
    id.sizes = options_.benchmark_of(cell).sizes(options_.sizes_of(cell));
    if (!options_.may_converge(cell))
      id.seconds = std::strtod(options_.seconds_of(cell).c_str(), nullptr) * static_cast<double>(id.sizes.size());
    return id;
  }

  void begin(std::size_t n) {
    auto list = arguments(cells_[n], options_);
    list.insert(list.end(), {"--quiet", "--json", "-"});
    Catcher out, err;
    const pid_t pid = start(list, out, err);
    running_.push_back({pid, n, std::move(out), std::move(err)});
  }

  static constexpr const char* interrupted = "interrupted";

  /// The run is not finished; `problem` says whether the user interrupted it or it was not run.
  void cut(std::size_t n, const char* problem) {
    outcomes_[n].status = static_cast<int>(interrupted_exit);
    outcomes_[n].problem = problem;
  }

  /// Takes the outcome of a run that has ended, or waits for one, but only briefly: a signal may arrive just before the
  /// wait.
  void end_one() {
    show();
    for (auto r = running_.begin(); r != running_.end(); ++r) {
      int status = 0;
      const pid_t pid = ::waitpid(r->pid, &status, WNOHANG);
      if (pid == 0) continue;
      const Running ended = std::move(*r);
      running_.erase(r);
      if (pid < 0) throw Error(fmt::format("the runs were lost: {}", std::strerror(errno)), ExitCode::emulation_fault);
      return take(ended, status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  void take(const Running& ended, int status) {
    const std::size_t n = ended.cell;
    ++done_;
    CellOutcome o = outcome_of(ended, status);
    if (outcomes_[n].result) {  // from the cache
      const bool no_answer = o.interrupted() || o.host_failed() || WIFSIGNALED(status);
      return no_answer ? void() : check(n, o);
    }
    outcomes_[n] = std::move(o);
    if (outcomes_[n].interrupted() || (ending_ && WIFSIGNALED(status))) return cut(n, interrupted);
    keep(n);
    say_done(n, outcomes_[n].result ? "" : outcomes_[n].refused() ? ": not run: " + outcomes_[n].problem : ": failed");
  }

  /// Compares the outcome of a repeated run with the cached result.
  void check(std::size_t n, const CellOutcome& now) {
    if (cache_->check(n, cells_[n].key(), now.result, now.problem)) ++outcomes_[n].checked;
    say_done(n, outcomes_[n].checked ? ": run again, same result" : ": run again, another result");
  }

  void say_done(std::size_t n, const std::string& what) {
    progress_.row(fmt::format("{:4} of {}  {}{}", done_, cells_.size(), cells_[n].key(), what));
  }

  CellOutcome outcome_of(const Running& ended, int status) const {
    CellOutcome o;
    o.cell = cells_[ended.cell];
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::emulation_fault);
    if (o.status == 0) {
      auto result = ordered_json::parse(ended.out.text(), nullptr, false);
      if (schemas_.problem("result", result).empty()) {
        o.result = std::move(result);
      } else {
        o.status = static_cast<int>(ExitCode::missing_file);
        o.problem = fmt::format("{}: the run's result cannot be read; set TMPDIR to a directory with free space",
                                ended.out.folder());
      }
    } else {
      o.problem = problem_of(ended, status);
    }
    return o;
  }

  /// The error message of a failed run.
  static std::string problem_of(const Running& ended, int status) {
    std::string text = ended.err.text();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (text.starts_with("planar: ")) text.erase(0, 8);
    if (text.empty() && WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
    if (text.empty() || text.starts_with("standard output"))  // a destination that the user never named
      text = fmt::format("{}: the run's output cannot be written; set TMPDIR to a directory with free space",
                         ended.err.folder());
    return text;
  }

  void keep(std::size_t n) {
    keep_in_folder(n);
    if (cache_ && outcomes_[n].result) cache_->keep(n, *outcomes_[n].result);
  }

  void keep_in_folder(std::size_t n) {
    if (options_.folder.empty() || outcomes_[n].broken()) return;
    const CellOutcome& o = outcomes_[n];
    replace_file(kept(n), kept_run_text({o.status, o.problem, o.result}, identity(n)));
  }

  void show() {
    std::vector<std::string> names;
    for (const Running& r : running_) names.push_back(cells_[r.cell].key());
    progress_.count(done_, cells_.size(), fmt::format("{}", fmt::join(names, ", ")));
  }

  const std::vector<Cell>& cells_;
  const MatrixOptions& options_;
  std::vector<CellOutcome> outcomes_;
  std::vector<Running> running_;
  std::size_t done_ = 0;
  bool ending_ = false;  // as the user requested
  std::string hash_;
  std::map<std::string, MachineContent> machines_;
  const Schemas schemas_;
  std::optional<RunCache> cache_;
  Progress progress_;
};

}  // namespace

unsigned Cell::bonded() const {
  const auto option = std::find(settings.begin(), settings.end(), "--bond");
  if (option == settings.end() || std::next(option) == settings.end()) return 1;
  return std::max(1u, static_cast<unsigned>(std::strtoul(std::next(option)->c_str(), nullptr, 10)));
}

std::string Cell::key() const {
  std::string name = machine + "-" + card_option() + (variant.empty() ? "" : "-" + variant);
  if (variant.empty() && bonded() > 1) name += fmt::format("-bond-{}", bonded());
  if (seed && *seed != MatrixOptions().seed) name += fmt::format("-seed{}", *seed);
  if (placement.value_or(0)) name += fmt::format("-placement{}", *placement);
  return name;
}

// A machine may be a file: its run's file name is a single path component, and distinct from that of any other file.
std::string Cell::file_name() const {
  std::string name;
  for (const char c : key()) name += c == '/' ? std::string("%2F") : c == '%' ? std::string("%25") : std::string(1, c);
  return name;
}

std::string MatrixOptions::file_of(const Cell& cell) const {
  return cell.file_name() + (may_converge(cell) ? "-converge" + converge : "") + ".json";
}

std::uint64_t estimated_cost(const Cell& cell, const MatrixOptions& options) {
  return cost(cell, options, cost_of_second(cell.machine));
}

std::vector<std::size_t> longest_first(const std::vector<Cell>& cells, const MatrixOptions& options) {
  std::map<std::string, double> of_second;  // reading a machine's file takes longer than the rest
  std::vector<std::uint64_t> costs;
  std::vector<std::size_t> order;
  for (const Cell& cell : cells) {
    if (!of_second.contains(cell.machine)) of_second[cell.machine] = cost_of_second(cell.machine);
    costs.push_back(cost(cell, options, of_second[cell.machine]));
    order.push_back(order.size());
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  return order;
}

std::string host_failure_text(const std::vector<CellOutcome>& outcomes) {
  const auto failed = std::find_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.host_failed(); });
  return failed == outcomes.end() ? std::string{} : failed->failure();
}

std::string interruption_text(const std::vector<CellOutcome>& outcomes, const MatrixOptions& options) {
  const auto cut =
      std::count_if(outcomes.begin(), outcomes.end(), [](const CellOutcome& o) { return o.interrupted(); });
  if (cut == 0) return {};
  return fmt::format(
      "interrupted: {} of {} runs are finished{}", outcomes.size() - static_cast<std::size_t>(cut), outcomes.size(),
      options.folder.empty()
          ? ""
          : fmt::format(" and kept in {}; running the same command again resumes", options.folder.string()));
}

std::optional<double> CellOutcome::figure(const Benchmark& benchmark, std::uint32_t size) const {
  return result ? benchmark.figure(*result, size) : std::nullopt;
}
std::optional<double> CellOutcome::delivered(const Benchmark& benchmark, std::uint32_t size) const {
  return result ? benchmark.delivered(*result, size) : std::nullopt;
}

const ordered_json* CellOutcome::frame_time(const Benchmark& benchmark) const {
  if (!result || !benchmark.frame_times) return nullptr;
  const auto found = result->find("frame_time");
  return found == result->end() ? nullptr : &*found;
}

std::vector<Cell> matrix_cells(const std::vector<std::string>& machines, const std::vector<std::string>& cards) {
  const auto network_card = [](const std::string& name) {
    const AdapterEntry& entry = find_adapter(name);
    if (entry.medium == MediumKind::scsi)
      throw Error(
          fmt::format("--cards {}: {} is not a network adapter; choose from `planar list cards`", name, entry.title));
    return std::string(entry.name);
  };
  std::vector<Cell> row;  // for one machine; "all" stands for every card that it takes
  for (const auto& card : cards) {
    const auto colon = card.find(':');
    if (card == "all")
      row.push_back({{}, card, {}});
    else if (colon != std::string::npos)
      row.push_back({{}, network_card(card.substr(0, colon)), {}, card.substr(colon + 1)});
    else if (card.find('=') != std::string::npos && !row.empty() && !row.back().options.empty())
      row.back().options += "," + card;
    else
      row.push_back({{}, network_card(card), {}});
  }
  std::vector<Cell> cells;
  const auto add = [&](Cell cell) {  // once, however often it is named
    if (std::none_of(cells.begin(), cells.end(), [&](const Cell& other) {
          return other.machine == cell.machine && other.card_option() == cell.card_option();
        }))
      cells.push_back(std::move(cell));
  };
  for (const auto& machine : machines) {
    const Config config = load_machine(machine);  // a name that does not exist is an error now, not after an hour
    const std::string_view bus = board_kind_of(config).slot_bus;
    for (const Cell& cell : row) {
      if (cell.card != "all") {
        add({machine, cell.card, {}, cell.options});
        continue;
      }
      for (const AdapterEntry& entry : adapter_registry())
        if (entry.bus() == bus) add({machine, std::string(entry.name), {}});
    }
  }
  return cells;
}

std::vector<CellOutcome> finished_runs(const std::vector<Cell>& cells, const MatrixOptions& options) {
  return Matrix(cells, options).finished();
}

std::vector<CellOutcome> run_matrix(const std::vector<Cell>& cells, const MatrixOptions& options) {
  return Matrix(cells, options).run();
}

}  // namespace planar

// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/processor_bench/bench_run.hpp"

#include <fmt/format.h>

#include <ctime>

#include "core/common/error.hpp"
#include "frontend/output/interruption.hpp"

namespace planar {

BenchRun::BenchRun(Config config, std::vector<std::uint8_t> image, const std::string& name)
    : lab_(std::move(config)), name_(name) {
  lab_.insert_diskette(std::move(image), name);
  lab_.machine().serial().on_output([this](std::uint8_t value, Time now) { serial_byte(value, now); });
}

void BenchRun::serial_byte(std::uint8_t value, Time now) {
  if (value == '\r') return;
  if (value != '\n') {
    if (partial_.size() < 4096) partial_ += static_cast<char>(value);
    return;
  }
  const auto& cpu = lab_.machine().cpu();
  lines_.push_back({std::move(partial_), now, cpu.instructions(), cpu.clocks(),
                    static_cast<double>(std::clock()) / CLOCKS_PER_SEC, elapsed_.host_seconds()});
  partial_.clear();
}

void BenchRun::run(Time limit, Progress& progress, const std::string& what) {
  constexpr Time step = 100_ms;
  Scheduler& scheduler = lab_.scheduler();
  std::size_t seen = 0;
  while (scheduler.now() < limit) {
    scheduler.run_until(std::min(limit, step * (scheduler.now() / step + 1)));
    progress.show(scheduler.now(), [&] { return what; });
    if (Interruption::asked()) throw Error(fmt::format("{}: interrupted", name_), interrupted_exit);
    for (; seen < lines_.size(); ++seen) {
      const auto& text = lines_[seen].text;
      if (text == "@done 0") return;
      if (text.starts_with("@fail") || text.starts_with("@done"))
        throw Error(fmt::format("{} failed in the guest: {}", name_, text), ExitCode::scenario_failed);
    }
    if (lab_.machine().halted_for_good())
      throw Error(fmt::format("{}: the processor halted before the program had finished", name_),
                  ExitCode::scenario_failed);
  }
  throw Error(fmt::format("{} did not finish within {:.0f} virtual seconds", name_, limit.seconds()),
              ExitCode::virtual_timeout);
}

const BenchLine& BenchRun::line(const std::string& text) const {
  for (const auto& l : lines_)
    if (l.text.starts_with(text)) return l;
  throw Error(fmt::format("{}: the guest never printed '{}'", name_, text), ExitCode::scenario_failed);
}

}  // namespace planar

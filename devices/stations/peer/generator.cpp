// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/stations/peer/generator.hpp"

#include <algorithm>
#include <array>

namespace planar::net {
namespace {

constexpr std::array<ServicePort, 1> generator_ports{{{Transport::udp, generator_port}}};
constexpr std::uint32_t bad_request = 22;  // EINVAL

constexpr std::uint32_t shortest_frame = 64, longest_frame = 1518;  // Ethernet's, with the check sequence
constexpr std::uint32_t shortest_interval = 600, longest_interval = 4'000'000'000;  // ns
constexpr std::uint32_t longest_burst = 256;
constexpr std::uint32_t longest_run = 60'000'000, longest_delay = 10'000'000;  // us

using Words = std::array<std::uint32_t, generator_words>;
std::uint32_t& at(Words& w, GeneratorWord word) { return w[static_cast<std::size_t>(word)]; }

bool within(std::uint32_t value, std::uint32_t least, std::uint32_t most) { return value >= least && value <= most; }

bool sensible(Words& w) {
  return at(w, GeneratorWord::run) && within(at(w, GeneratorWord::port), 1, 65535) &&
         within(at(w, GeneratorWord::frame_bytes), shortest_frame, longest_frame) &&
         within(at(w, GeneratorWord::interval), shortest_interval, longest_interval) &&
         within(at(w, GeneratorWord::burst), 1, longest_burst) &&
         within(at(w, GeneratorWord::duration), 1, longest_run) && at(w, GeneratorWord::delay) <= longest_delay;
}

std::uint32_t microseconds_of(Time t) { return static_cast<std::uint32_t>(t / 1_us); }

}  // namespace

std::span<const ServicePort> GeneratorService::ports() const { return generator_ports; }

std::optional<Bytes> GeneratorService::datagram(const DatagramSender& from, std::uint16_t, ByteView data, Time now) {
  const bool routed = data.size() == 4 * (generator_words + 1);
  if ((data.size() != 4 * generator_words && !routed) || get32(data, 0) != generator_magic) return std::nullopt;
  Words w{};
  for (std::size_t n = 0; n < w.size(); ++n) w[n] = get32(data, 4 * n);
  const auto operation = static_cast<GeneratorOperation>(at(w, GeneratorWord::operation));
  std::uint32_t error = 0;
  const bool same = run_.number == at(w, GeneratorWord::run) && run_.to == from.address;
  if (operation == GeneratorOperation::start) {
    if (!sensible(w)) {
      error = bad_request;
    } else if (!same) {
      earlier_ += waiting();
      run_ = {};
      run_.running = true;
      run_.to = from.address;
      if (routed) run_.behind = get32(data, 4 * generator_words);
      run_.number = at(w, GeneratorWord::run);
      run_.port = at(w, GeneratorWord::port);
      run_.frame_bytes = at(w, GeneratorWord::frame_bytes);
      run_.interval = at(w, GeneratorWord::interval);
      run_.burst = at(w, GeneratorWord::burst);
      run_.duration = at(w, GeneratorWord::duration);
      run_.delay = at(w, GeneratorWord::delay);
      run_.began = run_.left = run_.next = now + 1_us * run_.delay;
      run_.end = run_.began + 1_us * run_.duration;
    }
  } else if (operation != GeneratorOperation::report || !same) {
    error = bad_request;
  }
  at(w, GeneratorWord::operation) |= generator_answer;
  at(w, GeneratorWord::error) = error;
  at(w, GeneratorWord::running) = error == 0 && (run_.running || waiting() > 0);
  at(w, GeneratorWord::generated) = error ? 0 : run_.generated;
  at(w, GeneratorWord::offered) = error ? 0 : run_.offered;
  at(w, GeneratorWord::held_back) = error ? 0 : run_.held_back;
  at(w, GeneratorWord::given_up) = error ? 0 : run_.given_up;
  at(w, GeneratorWord::elapsed) = error ? 0 : microseconds_of(run_.left - run_.began);
  Bytes answer;
  for (const std::uint32_t word : w) put32(answer, word);
  return answer;
}

Time GeneratorService::due() const { return run_.running ? run_.next : Time::never(); }

std::vector<OwnDatagram> GeneratorService::own_datagrams(std::size_t in_queue, Time now) {
  std::vector<OwnDatagram> out;
  if (!run_.running || now < run_.next) return out;
  const std::size_t room = run_.burst + 1;
  for (std::uint32_t n = 0; n < run_.burst; ++n) {
    const std::uint32_t number = run_.generated++;
    if (in_queue + out.size() >= room) {
      ++run_.held_back;
      continue;
    }
    const auto port = static_cast<std::uint16_t>(run_.port);
    OwnDatagram d = run_.behind ? OwnDatagram{run_.behind, generator_port, port, {}, run_.to}
                                : OwnDatagram{run_.to, generator_port, port, {}, 0};
    put32(d.data, run_.number);
    put32(d.data, number);
    d.data.resize(run_.frame_bytes - generated_overhead);
    out.push_back(std::move(d));
  }
  run_.next += 1_ns * run_.interval;
  // The nearest number of intervals: they are in whole nanoseconds, and the run need not be a multiple.
  if (run_.next + 1_ns * (run_.interval / 2) >= run_.end) run_.running = false;
  return out;
}

void GeneratorService::own_sent(bool sent, Time now) {
  if (earlier_ > 0) {
    --earlier_;
    return;
  }
  ++(sent ? run_.offered : run_.given_up);
  run_.left = now;
}

void GeneratorService::archive_used(Archive& a) {
  a.section("generator", 2);
  run_.archive(a);
  a(earlier_);
  if (!a.loading()) return;  // a damaged snapshot
  // Otherwise every interval since `next` would be generated at once.
  if (run_.running && (run_.duration > longest_run || run_.end != run_.began + 1_us * run_.duration ||
                       run_.next < run_.began || run_.next >= run_.end))
    throw Error("snapshot holds a damaged run of a station's generator; take a new one", ExitCode::missing_file);
  run_.frame_bytes = std::clamp(run_.frame_bytes, shortest_frame, longest_frame);
  run_.interval = std::clamp(run_.interval, shortest_interval, longest_interval);
  run_.burst = std::clamp(run_.burst, 1u, longest_burst);
}

}  // namespace planar::net

// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/meters/flood_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/common/error.hpp"
#include "core/common/little_endian.hpp"
#include "devices/stations/packet.hpp"
#include "devices/stations/peer/counter.hpp"
#include "devices/stations/peer/generator.hpp"
#include "frontend/meters/ip_frames.hpp"

namespace planar {
namespace {

// roms/guest/common/sink_page.h and kernel/kernel.h
constexpr std::uint32_t sink_magic = 0x4B4E4953, sink_log = 512;
constexpr std::uint32_t run_at = 4, delivered_at = 8, do_irq_at = 24, do_bottom_half_at = 28;
constexpr std::uint32_t receive_visit_at = 32, receive_run_at = 36, log_at = 40;
constexpr std::uint32_t page_offset = 0xC0000000;  // offset of the kernel's linear addresses from the physical ones
constexpr std::uint32_t kernel_stack = 8192;       // bytes, aligned; the task structure is at its beginning
constexpr std::uint32_t task_pid = 32;             // 0: the idle task
constexpr std::uint32_t text_first = 0xC0030000, text_end = 0xC0140000;  // low memory and the kernel proper
constexpr std::uint8_t call_near = 0xE8;
constexpr unsigned protocol_udp = 17;

struct UdpFrame {
  std::array<std::uint8_t, 6> from{}, to{};
  std::uint16_t source = 0, destination = 0;
  std::span<const std::uint8_t> data;
};

std::optional<UdpFrame> udp_of(const net::WireRecord& record) {
  const auto at = ip_datagram_at(record);
  if (!at || record.bytes.size() < *at + 28) return {};
  const auto ip = record.bytes.subspan(*at);
  const std::size_t header = std::size_t{ip[0] & 0x0Fu} * 4;
  if (ip[9] != protocol_udp || header < 20 || ip.size() < header + 8 || (net::get16(ip, 6) & 0x1FFF)) return {};
  UdpFrame f;
  const std::size_t addresses = record.medium.format().link == net::LinkType::ethernet ? 0 : 2;
  std::copy_n(record.bytes.begin() + static_cast<std::ptrdiff_t>(addresses), 6, f.to.begin());
  std::copy_n(record.bytes.begin() + static_cast<std::ptrdiff_t>(addresses) + 6, 6, f.from.begin());
  f.source = net::get16(ip, header);
  f.destination = net::get16(ip, header + 2);
  f.data = ip.subspan(header + 8);
  return f;
}

}  // namespace

double FloodSeen::percent(Activity a) const {
  std::uint64_t all = 0;
  for (const auto n : looks) all += n;
  return all ? 100.0 * static_cast<double>(looks[a]) / static_cast<double>(all) : 0;
}

double FloodSeen::busy_percent() const {
  return clocks ? 100.0 * static_cast<double>(clocks - halted) / static_cast<double>(clocks) : 0;
}

std::optional<Time> FloodSeen::latency_of(double part) const {
  if (latency.empty()) return {};
  auto sorted = latency;
  const auto n = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sorted.size())));
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(n, 1, sorted.size()) - 1);
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

FloodSeen::Gaps FloodSeen::gaps() const {
  Gaps g;
  std::uint64_t present = 0;
  for (std::size_t n = 0; n < arrived.size(); ++n) {
    if (arrived[n] == Time::never()) continue;
    if (n < counted.size() && counted[n]) {
      present = 0;
      continue;
    }
    if (present++ == 0) ++g.count;
    g.longest = std::max(g.longest, present);
  }
  return g;
}

std::int64_t FloodSeen::not_received() const {
  return static_cast<std::int64_t>(on_wire + others) - static_cast<std::int64_t>(after.received - before.received);
}

FloodMeter::FloodMeter(Lab& lab)
    : lab_(lab),
      ports_(lab, 0),
      watch_(ports_.used_media(), *this),
      look_(lab.scheduler(), "flood.look", Priority::observer, Callback::to<&FloodMeter::look>(this)) {
  for (const auto& area : machine().memory().areas())
    if (area.kind == PageKind::ram && area.size >= 4) ram_.push_back({area.data, area.base, area.size});
}

void FloodMeter::found_page(std::uint32_t address) {
  page_ = address;
  if (word(address) != sink_magic)
    throw Error(fmt::format("flood: the guest names a page at {:X}, which is none", address));
  do_irq_ = word(page_ + do_irq_at);
  do_bottom_half_ = word(page_ + do_bottom_half_at);
  receive_visit_ = word(page_ + receive_visit_at);
  receive_run_ = word(page_ + receive_run_at);
}

std::uint32_t FloodMeter::word(std::uint32_t linear) const {
  const std::uint32_t physical = linear - page_offset;
  for (const Ram& ram : ram_) {
    const std::uint32_t at = physical - ram.base;
    if (physical < ram.base || at > ram.size - 4) continue;
    return load_little<std::uint32_t>(ram.data + at);
  }
  return 0;
}

bool FloodMeter::calls(std::uint32_t return_address, std::uint32_t function) const {
  return return_address + word(return_address - 4) == function && word(return_address - 5) % 256 == call_near;
}

FloodSeen::Activity FloodMeter::activity() {
  const cpu::Cpu& cpu = machine().cpu();
  if (cpu.halted()) return FloodSeen::idle;
  const auto registers = cpu.registers();
  if (registers.cpl != 0) return FloodSeen::process;
  const std::uint32_t stack = registers.gpr[4], task = stack & ~(kernel_stack - 1);
  for (std::uint32_t at = stack & ~3u; at < task + kernel_stack; at += 4) {
    const std::uint32_t value = word(at);
    if (value < text_first || value >= text_end) continue;
    if (calls(value, do_irq_)) return FloodSeen::interrupt;
    if (calls(value, do_bottom_half_) || calls(value, receive_run_)) return FloodSeen::bottom_half;
    if (calls(value, receive_visit_)) return FloodSeen::poll;
  }
  return word(task + task_pid) ? FloodSeen::process : FloodSeen::idle_task;
}

void FloodMeter::look(Time now) {
  FloodSeen* const run = present();
  if (!run) return;
  look_.at(now + (now <= run->last + grace ? interval : late_interval));
  if (now <= run->ends) {
    ++run->looks[activity()];
  } else if (!run->measured) {
    const auto account = machine().cpu().account();
    run->clocks = account.clocks - first_clocks_;
    run->halted = account.halted - first_halted_;
    run->measured = true;
  }
  if (word(page_ + run_at) != run->run) return;
  const std::uint32_t count = word(page_ + delivered_at);
  if (count - seen_ > sink_log) seen_ = count;  // the count has restarted
  for (; seen_ != count; ++seen_) { delivered(*run, word(page_ + log_at + 4 * (seen_ % sink_log)), now); }
}

void FloodMeter::delivered(FloodSeen& run, std::uint32_t number, Time when) {
  if (number >= run.arrived.size()) return;
  ++run.delivered;
  run.counted.resize(run.arrived.size());
  if (run.counted[number]) {
    ++run.duplicates;
    return;
  }
  run.counted[number] = true;
  if (when <= run.last + grace) ++run.in_time;
  run.latency.push_back(when - run.arrived[number]);
}

FloodSeen& FloodMeter::begin_run(std::uint32_t number, Time began) {
  open_ = true;
  FloodSeen& run = runs_.emplace_back();
  run.run = number;
  run.before = before_;
  run.others = others_;
  run.began = began;
  run.ends = run.last = run.began + duration_;
  seen_ = 0;
  const auto account = machine().cpu().account();
  first_clocks_ = account.clocks;
  first_halted_ = account.halted;
  if (page_ != 0) look_.at(lab_.scheduler().now() + interval);
  return run;
}

void FloodMeter::sent(const net::WireRecord& record, std::uint32_t number) {
  FloodSeen& run = open_ ? runs_.back() : begin_run(number, record.start);
  ++run.on_wire;
  if (record.end <= run.ends) ++run.in_time;
}

// A frame may leave the router some time after the end of its run.
void FloodMeter::passed_on(const net::WireRecord& record, std::uint32_t run, std::uint32_t number) {
  for (FloodSeen& seen : runs_)
    if (seen.run == run) {
      ++seen.passed_on;
      delivered(seen, number, record.end);
    }
}

void FloodMeter::run_ended() {
  if (FloodSeen* const run = present()) run->after = lab_.frames(0);
  open_ = false;
}

void FloodMeter::observe(const net::WireRecord& record) {
  if (!record.good()) {
    if (FloodSeen* const run = present()) ++run->damaged;
    return;
  }
  const bool own = ports_.contains(record.sender);
  const auto udp = udp_of(record);
  if (own && udp && udp->destination == net::counter_port && udp->data.size() >= 8 &&
      net::get32(udp->data, 0) != net::counter_magic) {
    if (udp->source == net::generator_port)
      passed_on(record, net::get32(udp->data, 0), net::get32(udp->data, 4));
    else
      sent(record, net::get32(udp->data, 0));
    return;
  }
  if (own) {
    // A request: the adapter has counted what came before.
    if (udp && udp->destination == net::generator_port) {
      own_ = udp->from;
      near_ = &record.medium;
      if (!open_) {
        before_ = lab_.frames(0);
        others_ = 0;
        if (udp->data.size() >= 4 * net::generator_words)
          duration_ = 1_us * net::get32(udp->data, 4 * static_cast<std::size_t>(net::GeneratorWord::duration));
      }
    }
    return;
  }
  const bool ours = udp && udp->source == net::generator_port && udp->to == own_ && udp->data.size() >= 8 &&
                    net::get32(udp->data, 0) != net::generator_magic;
  if (!ours) {
    const bool ring = record.medium.format().link != net::LinkType::ethernet;
    const auto to = record.bytes.subspan(ring ? 2 : 0, 6);
    const bool for_us = std::equal(to.begin(), to.end(), own_.begin()) ||
                        &record.medium != near_ ||  // a router's other side
                        (!ring && std::all_of(to.begin(), to.end(), [](auto b) { return b == 0xFF; }));
    if (for_us) ++(open_ ? runs_.back().others : others_);
    return;
  }
  const std::uint32_t number = net::get32(udp->data, 4);
  if (number >= most_frames + most_burst) return;  // not a frame of the generator: a host may send anything
  if (!open_) begin_run(net::get32(udp->data, 0), record.start);
  FloodSeen& run = runs_.back();
  run.arrived.resize(std::max<std::size_t>(run.arrived.size(), number + std::size_t{1}), Time::never());
  run.arrived[number] = record.end;
  if (record.start >= run.ends) run.last = record.end;  // held back by a bridge or switch, or by a wire that is full
  ++run.on_wire;
}

}  // namespace planar

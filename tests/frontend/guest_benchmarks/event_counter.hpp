// SPDX-License-Identifier: GPL-2.0-or-later
// Counts what the guest's processor executes, event by event: a system call, a frame passed down the stack, an
// interrupt, a bottom half, a task switch. An event begins at the entry of its first function and ends when the stack
// pointer has returned there; what a nested event executes counts for the nested one. The real kernel was counted by
// the same rules (roms/guest/cost/README.md).
#pragma once

#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/cpu/cpu.hpp"
#include "core/cpu/observer.hpp"
#include "core/cpu/x86/op.hpp"

namespace events {

enum Kind : unsigned { other, call, frame, driver, copy, interrupt, tick, bottom_half, tick_bottom_half, task_switch };
/// What may happen within an event; each open event counts it.
enum Mark : unsigned { sends, frames, starts, acks, received, transmitted, switches, marks };

/// The iterations of a REP count as one instruction, at the last one; their loads and stores all count.
struct Cost {
  double instructions = 0, loads = 0, stores = 0, taken = 0;
  double code_lines = 0, data_lines = 0;  ///< distinct ones, of 32 bytes
  void operator+=(const Cost& o) {
    instructions += o.instructions, loads += o.loads, stores += o.stores, taken += o.taken;
    code_lines += o.code_lines, data_lines += o.data_lines;
  }
};

struct Occurrence {
  Kind kind = other;
  std::uint32_t stack = 0, number = 0;
  std::array<unsigned, marks> seen{};
  Cost cost;
};

/// Addresses by name; a name may have several (each driver has a start_transmit).
class Symbols {
 public:
  explicit Symbols(const std::string& map_file) {
    std::ifstream in(map_file);
    std::string line, name, type;
    std::uint32_t address = 0;
    while (std::getline(in, line))
      if (std::istringstream fields(line);
          fields >> std::hex >> address >> type >> name && (type == "t" || type == "T"))
        at_.emplace(name.substr(0, name.find(".part.")), address);
  }
  std::vector<std::uint32_t> at(const std::string& name) const {
    std::vector<std::uint32_t> found;
    for (auto [i, end] = at_.equal_range(name); i != end; ++i) found.push_back(i->second);
    return found;
  }

 private:
  std::multimap<std::string, std::uint32_t> at_;
};

/// Memory reads of one instruction or one iteration of a REP.
inline unsigned reads(const planar::cpu::Op& op) {
  const unsigned c = op.opcode;
  if (op.has_memory) {
    if (c < 0x40) return (c & 7) < 4;                                  // arithmetic and CMP
    if (c >= 0x80 && c <= 0x87) return 1;                              // the same with immediates, TEST, XCHG
    if (c == 0xC0 || c == 0xC1 || (c >= 0xD0 && c <= 0xD3)) return 1;  // shifts
    if (c == 0xF6 || c == 0xF7 || c == 0xFE || c == 0xFF) return 1;
    if (c == 0x8A || c == 0x8B || c == 0x8E || c == 0x69 || c == 0x6B || c == 0x8F) return 1;
    return c == 0x0FB6 || c == 0x0FB7 || c == 0x0FBE || c == 0x0FBF || c == 0x0FAF || (c >= 0x0FA3 && c <= 0x0FA5) ||
           (c >= 0x0FAB && c <= 0x0FAD) || (c >= 0x0FB3 && c <= 0x0FB5) || (c >= 0x0FBA && c <= 0x0FBD);
  }
  // clang-format off
  if (c == 0x61) return 8;                                                   // POPA
  if (c == 0xCF) return 3;                                                   // IRET
  if (c == 0xA6 || c == 0xA7) return 2;                                      // CMPS
  if (c >= 0x58 && c <= 0x5F) return 1;                                      // POP
  switch (c) {
    case 0x07: case 0x17: case 0x1F: case 0x0FA1: case 0x0FA9: case 0x9D:    // POP segment, POPF
    case 0xC2: case 0xC3: case 0xC9:                                         // RET, LEAVE
    case 0xA0: case 0xA1: case 0xD7:                                         // MOV from an offset, XLAT
    case 0xA4: case 0xA5: case 0xAC: case 0xAD: case 0xAE: case 0xAF: case 0x6E: case 0x6F:
      return 1;
      // clang-format on
    default: return 0;
  }
}

inline bool transfers(const planar::cpu::Op& op) {
  const unsigned c = op.opcode;
  return (c >= 0x70 && c <= 0x7F) || (c >= 0x0F80 && c <= 0x0F8F) || (c >= 0xE0 && c <= 0xE3) || c == 0xE8 ||
         c == 0xE9 || c == 0xEB || c == 0xC2 || c == 0xC3 || c == 0xCF || (c == 0xFF && op.reg >= 2 && op.reg <= 5);
}

class Counter final : public planar::cpu::Observer {
 public:
  Counter(planar::cpu::Cpu& cpu, const Symbols& symbols) : cpu_(cpu), stamps_(2 * lines) {
    const auto begins = [&](const char* name, Kind kind) {
      for (const auto a : symbols.at(name)) begins_[a] = kind;
    };
    begins("system_call", call);
    begins("tcp_transmit", frame);
    begins("start_transmit", driver);
    begins("cost_start_transmit", driver);
    begins("csum_copy", copy);
    begins("schedule", task_switch);
    begins("net_bottom_half", bottom_half);
    begins("timer_bottom_half", tick_bottom_half);
    for (const auto stubs : symbols.at("irq_stubs"))
      for (unsigned line = 0; line < 16; ++line) begins_[stubs + 16 * line] = line ? interrupt : tick;
    const auto marked = [&](const char* name, Mark mark) {
      for (const auto a : symbols.at(name)) marks_[a] = mark;
    };
    marked("cost_write_entry", sends);
    marked("cost_tcp_transmit", frames);
    marked("start_transmit", starts);
    marked("cost_tcp_receive", acks);
    marked("netif_rx", received);
    marked("transmit_done", transmitted);
    marked("switch_to", switches);
    before_ = cpu_.registers();
  }

  /// Every event that has ended since the last call.
  std::vector<Occurrence> take() { return std::exchange(ended_, {}); }

  void before_step() override { stored_.clear(); }

  void after_step(bool executed, const planar::cpu::Op* op) override {
    const auto was = std::exchange(before_, cpu_.registers());
    if (!executed || !op) {  // an interrupt pushed its frame: it counts for the next instruction's event
      pushed_ += stored_.size();
      return;
    }
    Occurrence* e = &idle_;
    if (was.cpl == 0) {
      e = &enter(was.eip, was.gpr[4]);
    } else if (stack_) {  // in ring 3 no event of that stack is open
      while (!stack_->empty()) end();
    }
    const bool again = (op->rep || op->repne) && before_.eip == was.eip;
    e->cost.instructions += !again;
    e->cost.stores += static_cast<double>(stored_.size() + std::exchange(pushed_, 0));
    if (const unsigned n = reads(*op)) {
      e->cost.loads += n;
      touch(*e, source(*op, was), lines, e->cost.data_lines);
    }
    for (const auto a : stored_) touch(*e, a, lines, e->cost.data_lines);
    touch(*e, was.eip, 0, e->cost.code_lines);
    touch(*e, was.eip + op->length - 1u, 0, e->cost.code_lines);
    e->cost.taken += transfers(*op) && before_.eip != was.eip + op->length;
  }

  void delivering(std::uint8_t, planar::cpu::InterruptSource, bool, std::uint16_t) override {}
  void stored(std::uint32_t address, std::uint32_t) override { stored_.push_back(address); }
  void port_read(std::uint16_t, unsigned, std::uint32_t) override {}
  void port_written(std::uint16_t, unsigned, std::uint32_t) override {}
  void device_read(std::uint32_t, unsigned, std::uint32_t, bool) override {}
  void device_written(std::uint32_t, unsigned, std::uint32_t) override { ++pushed_; }
  void others_wrote(std::uint32_t, std::uint32_t) override {}
  void mapping_changed() override {}

 private:
  static constexpr std::uint32_t lines = 1u << 19;  // of 32 bytes: 16 MB

  Occurrence& enter(std::uint32_t eip, std::uint32_t esp) {
    stack_ = &stacks_[esp >> 13];  // 8 KB each
    while (!stack_->empty() && esp > stack_->back().stack) end();
    if (const auto b = begins_.find(eip); b != begins_.end()) stack_->push_back({b->second, esp, ++number_, {}, {}});
    if (const auto m = marks_.find(eip); m != marks_.end())
      for (Occurrence& open : *stack_) ++open.seen[m->second];
    return stack_->empty() ? idle_ : stack_->back();
  }
  void end() {
    ended_.push_back(stack_->back());
    stack_->pop_back();
  }
  void touch(const Occurrence& e, std::uint32_t address, std::uint32_t half, double& count) {
    auto& stamp = stamps_[half + ((address & 0xFFFFFF) >> 5)];  // the kernel's addresses map to the same lines as the
                                                                // physical ones
    count += stamp != e.number;
    stamp = e.number;
  }
  static std::uint32_t source(const planar::cpu::Op& op, const planar::cpu::Registers& r) {
    const unsigned c = op.opcode;
    if (op.has_memory)
      return op.displacement + (op.base < 8 ? r.gpr[op.base] : 0) + (op.index < 8 ? r.gpr[op.index] * op.scale : 0);
    if (c == 0xA0 || c == 0xA1) return op.immediate;
    if (c == 0xAE || c == 0xAF) return r.gpr[7];
    return (c >= 0xA4 && c <= 0xAD) || c == 0x6E || c == 0x6F ? r.gpr[6] : r.gpr[4];
  }

  planar::cpu::Cpu& cpu_;
  std::unordered_map<std::uint32_t, Kind> begins_;
  std::unordered_map<std::uint32_t, Mark> marks_;
  planar::cpu::Registers before_;
  std::unordered_map<std::uint32_t, std::vector<Occurrence>> stacks_;
  std::vector<Occurrence>* stack_ = nullptr;
  Occurrence idle_;
  std::uint32_t number_ = 0;
  std::vector<std::uint32_t> stored_, stamps_;
  std::size_t pushed_ = 0;
  std::vector<Occurrence> ended_;
};

}  // namespace events

// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/timeline/cpu_track.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/cpu/x86/op.hpp"

namespace planar {

namespace {
constexpr std::size_t most_handlers = 16;  // nested handlers; the limit is for guests that never return from them
constexpr std::uint16_t iret = 0xCF;
constexpr std::uint32_t protection_enabled = 1;
}  // namespace

CpuTrack::CpuTrack(TraceEventFile& file, unsigned process, cpu::Cpu& cpu)
    : file_(file), track_(file.track(process, "processor")), cpu_(cpu) {}

CpuTrack::~CpuTrack() {
  if (open_) cpu_.remove_observer(*this);
}

void CpuTrack::open(Time now) {
  open_ = true;
  cpu_.add_observer(*this);
  front_ = cpu_.instruction_address();
  state_ = state();
  since_ = now;
  file_.begin(track_, state_, "processor", now, {});
}

void CpuTrack::close(Time now) {
  if (!open_) return;
  open_ = false;
  cpu_.remove_observer(*this);
  file_.end(track_, std::max(now, since_));
}

std::string CpuTrack::state() {
  if (cpu_.halted() || cpu_.in_shutdown()) return "halted";
  const cpu::Registers r = cpu_.registers();
  if (r.cr0 & protection_enabled && r.cpl == 3) {
    handlers_.clear();
    return "user";
  }
  if (!handlers_.empty()) return fmt::format("interrupt {:02X}h", handlers_.back().vector);
  return r.cr0 & protection_enabled ? "kernel" : "real mode";
}

void CpuTrack::change(std::string state, Time at) {
  at = std::max(at, since_);
  file_.end(track_, at);
  state_ = std::move(state);
  since_ = at;
  file_.begin(track_, state_, "processor", at, EventArguments().text("at", fmt::format("{:08X}", front_)));
}

void CpuTrack::before_step() {
  front_ = cpu_.instruction_address();
  if (std::string now = state(); now != state_) change(std::move(now), cpu_.time());
}

void CpuTrack::after_step(bool executed, const cpu::Op* op) {
  if (executed && op && op->opcode == iret && !handlers_.empty() &&
      cpu_.instruction_address() == handlers_.back().returns_to)
    handlers_.pop_back();
}

void CpuTrack::accessed(const bus::BusCycle& access) {
  if (access.kind == bus::BusCycle::Kind::interrupt_acknowledge) {
    if (handlers_.size() == most_handlers) handlers_.clear();
    handlers_.push_back({front_, static_cast<std::uint8_t>(access.value)});
    change(fmt::format("interrupt {:02X}h", access.value), access.start);
  }
  const Time from = std::max(access.start, since_);
  if (access.end > from) file_.slice(track_, "waits for the bus", "bus wait", from, access.end);
  if (wait_ && wait_->from >= from && wait_->to <= access.end)
    file_.slice(track_, "bus taken", "bus wait", wait_->from, wait_->to);
  wait_.reset();
}

}  // namespace planar

// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/storage/scsi/ibm_scsi.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/error.hpp"
#include "devices/storage/scsi/ibm_scsi_codes.hpp"

namespace planar::storage {
namespace {

constexpr std::uint16_t first_port = 0x3540;
constexpr std::uint8_t control_reset = 0x80, control_master = 0x02, control_interrupts = 0x01;
constexpr std::uint8_t status_full = 0x08, status_empty = 0x04, status_interrupt = 0x02, status_busy = 0x01;
constexpr std::uint8_t reset_complete = 0x0F;
constexpr std::string_view profile_name = "scsi";

enum Port : unsigned { ATTENTION = 4, BASIC_CONTROL = 5, INTERRUPT_STATUS = 6, BASIC_STATUS = 7 };

constexpr std::string_view limitations[] = {
    "The firmware is described, not run; how long it takes is inferred.",
    "One control block is at work at a time, the others wait; the real card lets several targets work at once.",
    "The 512 KB cache of the 32-bit card, its prefetch command and the boot ROM; the machine's firmware does INT 13h.",
    "The SCSI bus itself: no messages, no parity, no synchronous rates (feature control accepts the first that is "
    "asked).",
    "Integrated subsystems of the planars (setup select F7h, FDh) and the Fast/Wide adapter 8EFCh.",
};

McaParts make(const McaContext& context, const McaEntry& entry) {
  TimingProfile profile = TimingProfile::embedded(profile_path(profile_name));
  for (const auto& [name, value] : context.settings) profile.set(name, value);
  if (context.mac) throw Error(fmt::format("{}: has no station address; leave mac= out", entry.name));
  auto card = std::make_unique<IbmScsi>(context, entry, profile);
  StorageAdapter* storage = card.get();
  return {std::move(card), nullptr, storage};
}

std::string device_name(const bus::Slot& slot) { return slot.device_name("scsi"); }

}  // namespace

const McaEntry IbmScsi::plain{.name = "scsi-a",
                              .title = "IBM PS/2 SCSI Adapter/A",
                              .adapter_id = 0x8EFE,
                              .medium = MediumKind::scsi,
                              .data_path = "bus master",
                              .bus_width = 16,
                              .make = [](const McaContext& c) { return make(c, plain); },
                              .limits = limitations,
                              .profile = profile_name};
const McaEntry IbmScsi::cached{.name = "scsi-cache",
                               .title = "IBM PS/2 SCSI Adapter/A with cache",
                               .adapter_id = 0x8EFF,
                               .medium = MediumKind::scsi,
                               .data_path = "bus master",
                               .bus_width = 32,
                               .make = [](const McaContext& c) { return make(c, cached); },
                               .limits = limitations,
                               .profile = profile_name};

IbmScsi::IbmScsi(const McaContext& context, const McaEntry& entry, const TimingProfile& p)
    : McaCard(context.slot, entry, entry.adapter_id,
              {whole_byte, whole_byte, whole_byte, whole_byte, whole_byte, whole_byte}),
      attention_time_(p.time("firmware.attention")),
      immediate_time_(p.time("firmware.immediate")),
      block_time_(p.time("firmware.block")),
      select_time_(p.time("firmware.select")),
      timeout_time_(p.time("firmware.selection_timeout")),
      conclude_time_(p.time("firmware.conclude")),
      reset_time_(p.time("firmware.reset")),
      disk_timing_(DriveTiming::read(p, DriveKind::disk)),
      cdrom_timing_(DriveTiming::read(p, DriveKind::cdrom)),
      buffer_(piece_bytes),
      master_(slot_, device_name(slot_), *this, static_cast<std::uint32_t>(p.integer("master.burst", 4, 128))),
      attention_event_(slot_.scheduler(), device_name(slot_) + ".attention", Priority::device,
                       Callback::to<&IbmScsi::attention_taken>(this)),
      immediate_event_(slot_.scheduler(), device_name(slot_) + ".immediate", Priority::device,
                       Callback::to<&IbmScsi::immediate_done>(this)),
      step_event_(slot_.scheduler(), device_name(slot_) + ".step", Priority::device,
                  Callback::to<&IbmScsi::step>(this)),
      reset_event_(slot_.scheduler(), device_name(slot_) + ".reset", Priority::device,
                   Callback::to<&IbmScsi::reset_done>(this)) {}

void IbmScsi::attach(unsigned id, DriveKind kind, std::optional<DiskImage> image) {
  drives_.at(id) =
      std::make_unique<ScsiDrive>(kind, std::move(image), kind == DriveKind::disk ? disk_timing_ : cdrom_timing_);
}

void IbmScsi::change_medium(unsigned id, std::optional<DiskImage> image) {
  drives_.at(id)->change_medium(std::move(image));
}

// ---- POS ----

unsigned IbmScsi::irq_line() const { return 14; }

void IbmScsi::apply_pos() {
  master_.configure(pos_[3] & 0x0F, pos_[3] & 0x10);
  io_claim_.release();
  if (!enabled()) return;
  const auto base = static_cast<std::uint16_t>(first_port + 8 * (pos_[2] >> 1 & 7));
  io_claim_ = slot_.claim_io(base, base + 7, *this, {entry_.bus_width, bus::CycleKind::synchronous_extended, {}});
}

void IbmScsi::reset_board(Time now) {
  stop(now);
  control_ = 0;
  busy_ = false;
  reset_event_.cancel();
}

// ---- ports ----

std::uint8_t IbmScsi::basic_status() const {
  const std::uint8_t room = written_ == 0 ? status_empty : written_ == 0x0F ? status_full : 0;
  return static_cast<std::uint8_t>(room | (interrupting_ ? status_interrupt : 0) | (busy_ ? status_busy : 0));
}

std::uint32_t IbmScsi::peek(std::uint32_t offset, unsigned bytes, Time) const {
  std::uint32_t value = 0;
  for (unsigned n = 0; n < bytes; ++n) {
    const unsigned reg = offset + n;
    std::uint8_t byte = 0;
    // clang-format off
    if (reg < ATTENTION) byte = interface_[reg];
    else if (reg == ATTENTION) byte = attention_;
    else if (reg == BASIC_CONTROL) byte = control_;
    else if (reg == INTERRUPT_STATUS) byte = interrupt_status_;
    else byte = basic_status();
    // clang-format on
    value |= std::uint32_t{byte} << (8 * n);
  }
  return value;
}

void IbmScsi::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  for (unsigned n = 0; n < bytes; ++n, value >>= 8) {
    const unsigned reg = offset + n;
    const auto byte = static_cast<std::uint8_t>(value);
    if (reg < ATTENTION) {
      interface_[reg] = byte;
      written_ = static_cast<std::uint8_t>(written_ | 1 << reg);
    } else if (reg == ATTENTION) {
      write_attention(byte, now);
    } else if (reg == BASIC_CONTROL) {
      write_control(byte, now);
    }
  }
}

void IbmScsi::write_attention(std::uint8_t value, Time now) {
  if ((value & request_mask) == end_of_interrupt_request) {
    end_of_interrupt(value & device_mask, now);
    return;
  }
  if (busy_) return;  // the previous request has not been accepted: this one is lost, as the status indicated
  attention_ = value;
  busy_ = true;
  attention_event_.at(now + attention_time_);
}

void IbmScsi::write_control(std::uint8_t value, Time now) {
  const bool released = (control_ & control_reset) && !(value & control_reset);
  control_ = value & (control_reset | control_master | control_interrupts);
  if (value & control_reset) {
    stop(now);
    busy_ = true;
    reset_event_.cancel();
  } else if (released) {
    reset_event_.at(now + reset_time_);
  }
  update_irq(now);
}

void IbmScsi::reset_done(Time now) {
  for (auto& drive : drives_)
    if (drive) drive->reset();
  for (unsigned n = 0; n < devices_.size(); ++n)  // the seven targets in order, as drivers expect them
    devices_[n] = {static_cast<std::int8_t>(n < 7 ? n : -1), 0, false};
  busy_ = false;
  interrupt_status_ = reset_complete;
  interrupting_ = true;
  update_irq(now);
}

// Ends everything in progress without a result.
void IbmScsi::stop(Time now) {
  attention_event_.cancel();
  immediate_event_.cancel();
  step_event_.cancel();
  master_.cancel(now);
  step_ = Step::idle;
  written_ = 0;
  interrupting_ = false;
  interrupt_status_ = 0;
  queue_.clear();
  results_.clear();
  for (Device& d : devices_) d.busy = false;
  update_irq(now);
}

// ---- interrupts ----

void IbmScsi::update_irq(Time now) { irq_.set(interrupting_ && (control_ & control_interrupts), now); }

void IbmScsi::post(std::uint8_t result, unsigned device, Time now) {
  const auto status = static_cast<std::uint8_t>(result | device);
  if (interrupting_) {
    results_.push_back(status);
    return;
  }
  interrupt_status_ = status;
  interrupting_ = true;
  update_irq(now);
}

void IbmScsi::end_of_interrupt(unsigned device, Time now) {
  if (!interrupting_ || (interrupt_status_ & device_mask) != device) return;
  interrupting_ = false;
  interrupt_status_ = 0;
  update_irq(now);
  if (results_.empty()) return;
  interrupt_status_ = results_.front();
  results_.pop_front();
  interrupting_ = true;
  update_irq(now);
}

// ---- requests ----

std::uint32_t IbmScsi::command_word() const {
  return interface_[0] | interface_[1] << 8 | interface_[2] << 16 | std::uint32_t{interface_[3]} << 24;
}

void IbmScsi::attention_taken(Time now) {
  written_ = 0;
  const std::uint32_t command = command_word();
  const unsigned device = attention_ & device_mask;
  switch (attention_ & request_mask) {
    case immediate_request: immediate_event_.at(now + immediate_time_); return;
    case block_request:
    case long_block_request:
      busy_ = false;
      if (devices_[device].busy) {
        post(sequence_error, device, now);
        return;
      }
      if (!(control_ & control_master)) {
        post(command_error, device, now);
        return;
      }
      devices_[device].busy = true;
      queue_.push_back({attention_, command});
      next_request(now);
      return;
    default: busy_ = false; post(command_error, device, now);
  }
}

void IbmScsi::immediate_done(Time now) {
  const std::uint32_t command = command_word();
  const unsigned device = attention_ & device_mask;
  busy_ = false;
  post(immediate(device, command, now), device, now);
}

std::uint8_t IbmScsi::immediate(unsigned device, std::uint32_t command, Time now) {
  switch (command & 0xFFFF) {
    case reset_command:
      if (device == subsystem) {
        for (unsigned n = 0; n < subsystem; ++n) abort(n, now);
        for (auto& drive : drives_)
          if (drive) drive->reset();
        return immediate_completed;
      }
      abort(device, now);
      if (const int target = devices_[device].target; target >= 0 && drives_[static_cast<unsigned>(target)])
        drives_[static_cast<unsigned>(target)]->reset();
      return immediate_completed;
    case feature_control_command: return immediate_completed;
    case dma_pacing_command: pacing_ = static_cast<std::uint8_t>(command >> 16); return immediate_completed;
    case assign_command: return assign(command);
    case abort_command: return abort(device, now) ? immediate_completed : completed_with_failure;
    case format_prepare_command:
    case invalid_412_command: return immediate_completed;
    default: return command_error;
  }
}

std::uint8_t IbmScsi::assign(std::uint32_t command) {
  const unsigned logical = command >> 16 & 15, target = command >> 20 & 7;
  if (logical == subsystem || devices_[logical].busy) return completed_with_failure;
  if (command >> 23 & 1) {
    devices_[logical] = {};
    return immediate_completed;
  }
  if (target == own_id()) return completed_with_failure;
  devices_[logical] = {static_cast<std::int8_t>(target), static_cast<std::uint8_t>(command >> 24 & 7), false};
  return immediate_completed;
}

// The device's control block ends without an interrupt of its own. False: there was none.
bool IbmScsi::abort(unsigned device, Time now) {
  if (!devices_[device].busy) return false;
  devices_[device].busy = false;
  std::erase_if(queue_, [&](const Request& r) { return (r.attention & device_mask) == device; });
  if (step_ != Step::idle && (active_.attention & device_mask) == device) {
    step_event_.cancel();
    master_.cancel(now);
    step_ = Step::idle;
    next_request(now);
  }
  return true;
}

void IbmScsi::describe_board(Description& d) const {
  constexpr std::array steps{"idle",          "control block", "scatter list", "firmware",          "selection",
                             "target's data", "bus transfer",  "result",       "termination status"};
  d.reg("command interface", std::uint32_t{peek(0, 4, {})}, 32).reg("attention", attention_, 8);
  d.reg("basic control", control_, 8)
      .reg("interrupt status", interrupt_status_, 8)
      .reg("basic status", basic_status(), 8);
  d.number("SCSI ID", own_id()).number("results waiting", results_.size()).number("requests waiting", queue_.size());
  Description& block = d.part("control block");
  block.text("step", steps[static_cast<unsigned>(step_)]).reg("attention", active_.attention, 8);
  block.reg("address", block_address_, 32).number("segment", segment_).number("segments", segments_.size());
  block.number("bytes moved", moved_).number("bytes of the target", target_bytes_);
  Description& devices = d.part("logical devices");
  for (unsigned n = 0; n < devices_.size(); ++n)
    devices.text(fmt::format("device {}", n), devices_[n].target < 0
                                                  ? "not assigned"
                                                  : fmt::format("target {}, unit {}{}", devices_[n].target,
                                                                devices_[n].lun, devices_[n].busy ? ", busy" : ""));
  master_.describe(d.part("bus master"));
}

void IbmScsi::archive(Archive& a) {
  a.section("ibm_scsi", 2);
  a(pos_, interface_, written_, attention_, control_, busy_, interrupt_status_, interrupting_, results_);
  a(devices_, queue_, pacing_, step_, active_, block_address_, block_, segments_, segment_, segment_at_, host_bytes_,
    moved_);
  a(target_bytes_, target_at_, data_, own_, buffer_, buffer_at_, piece_, ending_, last_status_);
  for (auto& drive : drives_) {
    bool there = drive != nullptr;
    a(there);
    if (a.loading() && there != (drive != nullptr))
      throw Error("snapshot: the SCSI adapter had other drives; give the same disks and CD-ROMs",
                  ExitCode::missing_file);
    if (there) drive->archive(a);
  }
  if (a.loading() && !sound())
    throw Error("snapshot holds a damaged SCSI adapter; take a new one", ExitCode::missing_file);
  master_.archive(a);
  a(attention_event_, immediate_event_, step_event_, reset_event_);
  if (a.loading()) restored(interrupting_ && (control_ & control_interrupts));
}

bool IbmScsi::sound() const {
  return step_ <= Step::store_status && data_ <= ScsiReply::Data::out && buffer_.size() == piece_bytes &&
         buffer_at_ <= piece_bytes && piece_ <= piece_bytes - buffer_at_ &&
         std::all_of(devices_.begin(), devices_.end(),
                     [](const Device& d) { return d.target >= -1 && d.target < 8; }) &&
         work_sound();
}

}  // namespace planar::storage

// SPDX-License-Identifier: GPL-2.0-or-later
// TMS380: reset, bring-up diagnostics, initialization, adapter check.
#include "devices/chips/tms380/tms380.hpp"

namespace planar::tokenring {
namespace {

// Address of the processor's load vector: workspace pointer and program counter (TMS9900 family).
constexpr std::uint32_t vector_workspace = 0xFFFC, vector_program = 0xFFFE;

// Codes of a failed initialization; the last three are for failed transfers.
enum InitializationError : std::uint8_t {
  invalid_block = 1,
  invalid_options = 2,
  invalid_receive_burst = 3,
  invalid_transmit_burst = 4,
  invalid_dma_threshold = 5,
  invalid_scb = 6,
  invalid_ssb = 7
};
constexpr std::uint16_t options_always_one = 0x8000;

// Test values that the adapter writes to SCB and SSB to test its DMA; the driver compares them.
constexpr std::array<std::uint8_t, 6> scb_test{0x00, 0x00, 0xC1, 0xE2, 0xD4, 0x8B};
constexpr std::array<std::uint8_t, 8> ssb_test{0xFF, 0xFF, 0xD1, 0xD7, 0xC5, 0xD9, 0xC3, 0xD4};

// After the initialization block's address: eight pointers within page 1, then their targets.
constexpr std::uint16_t pointers = 0x0A00, burnt_in_at = 0x0A10, level_at = 0x0A16, addresses_at = 0x0A20,
                        parameters_at = 0x0A30, mac_buffer_at = 0x0A50, counters_at = 0x0A60, speed_at = 0x0A80,
                        ram_at = 0x0A82;
constexpr std::uint32_t page_1 = 0x10000;

enum Step : std::uint8_t { look, scb_written, ssb_written };

}  // namespace

void Tms380::reset(Time now) {
  stop(now);
  acl_ = CPHALT | BOOT;
  adr_ = adx_ = dmalen_ = 0;
  update_interrupt(now);
}

// Resets everything except the local RAM and the address registers.
void Tms380::stop(Time now) {
  drop_task(now);
  bring_up_.cancel();
  leave_ring();
  port_.remove(now);
  state_ = State::halted;
  pending_ = 0;
  execute_ = scb_request_ = opening_ = false;
  ssb_free_ = true;
  posts_.clear();
  open_block_.clear();
  served_ = Task::none;
  dma_errors_ = parity_errors_ = 0;
  set_status(0, now);
}

void Tms380::start(Time now) {
  state_ = State::testing;
  set_status(TEST, now);
  bring_up_.at(now + config_.self_test);
}

// The processor starts at its vector. If there is none it never reaches its tests.
void Tms380::bring_up_ended(Time now) {
  const std::uint16_t workspace = local(vector_workspace), program = local(vector_program);
  const bool loaded = !(workspace & 1) && !(program & 1) && program && local(program);
  pending_ = 0;
  state_ = loaded ? State::ready : State::failed;
  set_status(loaded ? INITIALIZE : TEST | ERROR, now);
}

void Tms380::do_initialize(Time now) {
  switch (step_) {
    case look: {
      execute_ = false;
      if (const std::uint8_t error = take_initialization_block()) {
        set_status(static_cast<std::uint8_t>(INITIALIZE | ERROR | error), now);
        end_task(now);
        return;
      }
      transfer_.assign(scb_test.begin(), scb_test.end());
      step_ = scb_written;
      dma(scb_, scb_test.size(), Direction::write, now);
      return;
    }
    case scb_written:
      transfer_.assign(ssb_test.begin(), ssb_test.end());
      step_ = ssb_written;
      dma(ssb_, ssb_test.size(), Direction::write, now);
      return;
    default:
      publish_pointers();
      state_ = State::running;
      set_status(0, now);
      end_task(now);
  }
}

std::uint8_t Tms380::take_initialization_block() {
  const auto word = [this](unsigned n) { return local(initialization_block + 2 * n); };
  const auto wide = [&](unsigned n) { return std::uint32_t{word(n)} << 16 | word(n + 1); };
  if (!word(0) && !wide(7) && !wide(9)) return invalid_block;
  if (!(word(0) & options_always_one)) return invalid_options;
  receive_burst_ = word(4);
  transmit_burst_ = word(5);
  bus_retries_ = static_cast<std::uint8_t>(word(6) >> 8);
  parity_retries_ = static_cast<std::uint8_t>(word(6));
  scb_ = wide(7);
  ssb_ = wide(9);
  if (receive_burst_ & 1) return invalid_receive_burst;
  if (transmit_burst_ & 1) return invalid_transmit_burst;
  if (!bus_retries_ || !parity_retries_) return invalid_dma_threshold;
  if (scb_ & 1) return invalid_scb;
  return ssb_ & 1 ? invalid_ssb : 0;
}

// Data that the host may read between initialization and OPEN.
void Tms380::publish_pointers() {
  constexpr std::array table{burnt_in_at,   level_at,    addresses_at, parameters_at,
                             mac_buffer_at, counters_at, speed_at,     ram_at};
  for (std::uint32_t at = pointers; at < ram_at + 2u; at += 2) put_local(page_1 + at, 0);
  for (unsigned n = 0; n < table.size(); ++n) put_local(page_1 + pointers + 2 * n, table[n]);
  for (unsigned n = 0; n < 6; n += 2) {
    const auto part = static_cast<std::uint16_t>(burnt_in_[n] << 8 | burnt_in_[n + 1]);
    put_local(page_1 + burnt_in_at + n, part);
    put_local(page_1 + addresses_at + n, part);
  }
  put_local(page_1 + speed_at, ring_speed_ == 16'000'000 ? 0x0001 : 0x0000);
  put_local(page_1 + ram_at, static_cast<std::uint16_t>(ram_.size() / 1024));
}

// The adapter has left the ring and stays inactive until the next reset.
void Tms380::adapter_check(AdapterCheck reason, DmaFault fault, Time now) {
  const std::uint32_t address = dma_address_;
  stop(now);
  state_ = State::checked;
  put_local(adapter_check_block, reason);
  put_local(adapter_check_block + 2, static_cast<std::uint16_t>(fault));
  put_local(adapter_check_block + 4, static_cast<std::uint16_t>(address >> 16));
  put_local(adapter_check_block + 6, static_cast<std::uint16_t>(address));
  set_status(SYSTEM_INTERRUPT | static_cast<std::uint8_t>(Irq::adapter_check), now);
}

}  // namespace planar::tokenring

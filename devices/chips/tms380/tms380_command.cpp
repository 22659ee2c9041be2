// SPDX-License-Identifier: GPL-2.0-or-later
// TMS380: commands (SCB) and their completion (SSB); OPEN, and reports about the ring.
#include <algorithm>

#include "devices/chips/tms380/tms380.hpp"

namespace planar::tokenring {
namespace {

enum Step : std::uint8_t { look, scb_read, scb_cleared, open_block, product_read, result_written, adapter_block };
constexpr std::size_t scb_bytes = 6, open_block_bytes = 32, product_bytes = 18, log_bytes = 14;
constexpr std::uint32_t page_1 = 0x10000;
constexpr std::uint32_t address_bits = 0x7FFFFFFF;  // of a group or functional address, after C0-00
constexpr std::uint16_t no_source_routing_accelerator = 0x0001, first_16_of_groups = 0xC000;

// Fields of the OPEN block.
enum Field : std::size_t {
  options = 0,
  node_address = 2,
  group_address = 8,
  functional_address = 12,
  receive_list_size = 16,
  transmit_list_size = 18,
  buffer_size = 20,
  full_duplex = 22,
  transmit_least = 26,
  transmit_most = 27,
  product_address = 28
};
constexpr std::uint16_t full_duplex_wanted = 0x8000, full_duplex_only = 0x4000;
constexpr std::uint16_t default_list = 26, default_buffer = 1024;
constexpr std::uint32_t default_transmit_most = 6, least_buffers = 2;
constexpr std::uint8_t full_duplex_check = 0x60, full_duplex_set = 0x0D;

constexpr std::uint16_t removed_from_ring =
    net::ring_status::lobe_wire_fault | net::ring_status::auto_removal | net::ring_status::remove_received;

// The chip's own open errors where they differ from the ring's.
std::uint8_t open_error(net::InsertionError error) {
  switch (error) {
    case net::InsertionError::wire_fault: return 1;   // the lobe test fails: function failure
    case net::InsertionError::wrong_speed: return 7;  // the other stations beacon
    case net::InsertionError::no_monitor: return 5;   // timeout
    default: return static_cast<std::uint8_t>(error);
  }
}

}  // namespace

// ---- SCB ----

void Tms380::do_command(Time now) {
  switch (step_) {
    case look:
      step_ = scb_read;
      dma(scb_, scb_bytes, Direction::read, now);
      return;
    case scb_read:
      request_ = {get16(0), get16(2), get16(4)};
      execute_ = false;
      transfer_.assign(2, 0);
      step_ = scb_cleared;
      dma(scb_, 2, Direction::write, now);
      return;
    case scb_cleared:
      if (scb_request_) post({Irq::scb_clear, false, {}});
      scb_request_ = false;
      execute(now);
      return;
    case open_block: {
      open_block_ = transfer_;
      const std::uint32_t product = get32(product_address);
      step_ = product_read;
      if (product) {
        dma(product, product_bytes, Direction::read, now);
        return;
      }
      transfer_.assign(product_bytes, 0);
      execute_open(now);
      return;
    }
    case product_read: execute_open(now); return;
    case adapter_block: {
      const std::uint32_t from = page_1 + get16(2), bytes = std::min<std::uint32_t>(get16(0), 2 * page_1 - from);
      if (!bytes) break;
      transfer_.resize(bytes);
      for (std::uint32_t n = 0; n < bytes; ++n) transfer_[n] = from + n < ram_.size() ? ram_[from + n] : 0;
      step_ = result_written;
      dma(std::uint32_t{request_[1]} << 16 | request_[2], bytes, Direction::write, now);
      return;
    }
    default: break;
  }
  completed(good_completion);
  end_task(now);
}

/// For a snapshot: an OPEN block that was read must be present.
bool Tms380::command_sound() const {
  return (step_ != open_block || transfer_.size() == open_block_bytes) &&
         (step_ != product_read || open_block_.size() == open_block_bytes);
}

/// Why the command cannot be executed now.
std::uint16_t Tms380::refusal() const {
  const std::uint16_t odd = request_[2] & 1 ? ADDRESS_ERROR : 0;
  const std::uint16_t closed = open_ ? 0 : ADAPTER_CLOSED;
  switch (request_[0]) {
    case OPEN: return static_cast<std::uint16_t>((open_ ? ADAPTER_OPEN : 0) | (opening_ ? SAME_COMMAND : 0) | odd);
    case TRANSMIT: return static_cast<std::uint16_t>(closed | (transmitting_ ? SAME_COMMAND : 0) | odd);
    case RECEIVE: return static_cast<std::uint16_t>(closed | (receiving_ ? SAME_COMMAND : 0) | odd);
    case READ_ERROR_LOG:
    case READ_ADAPTER: return odd;
    case TRANSMIT_HALT:
    case CLOSE:
    case SET_GROUP_ADDRESS:
    case SET_FUNCTIONAL_ADDRESS:
    case MODIFY_OPEN_PARAMETERS:
    case RESTORE_OPEN_PARAMETERS: return closed;
    case SET_FIRST_16_GROUP: return request_[1] == first_16_of_groups ? closed : std::uint16_t{ILLEGAL_COMMAND};
    case SET_BRIDGE_PARAMETERS:
    case CONFIGURE_BRIDGE_PARAMETERS: return 0;
    default: return ILLEGAL_COMMAND;
  }
}

void Tms380::completed(std::uint16_t status) { post({Irq::command_status, true, {request_[0], status, 0, 0}}); }

void Tms380::execute(Time now) {
  const std::uint32_t parameter = std::uint32_t{request_[1]} << 16 | request_[2];
  if (const std::uint16_t why = refusal()) {
    post({Irq::command_status, true, {COMMAND_REJECT, why, request_[0], 0}});
    end_task(now);
    return;
  }
  switch (request_[0]) {
    case OPEN:
      step_ = open_block;
      dma(parameter, open_block_bytes, Direction::read, now);
      return;
    case READ_ADAPTER:
      step_ = adapter_block;
      dma(parameter, 4, Direction::read, now);
      return;
    case READ_ERROR_LOG:
      if (!open_) break;  // ignored
      read_log();
      step_ = result_written;
      dma(parameter, log_bytes, Direction::write, now);
      return;
    case TRANSMIT:  // these two complete with their lists
      transmitting_ = true;
      transmit_list_ = parameter;
      break;
    case RECEIVE:
      receiving_ = true;
      receive_list_ = parameter;
      break;
    case TRANSMIT_HALT:
      building_ = {};
      halting_ = true;
      if (outgoing_.empty()) transmit_halted();
      break;
    case CLOSE:
      leave_ring();
      port_.remove(now);
      completed(good_completion);
      break;
    case SET_GROUP_ADDRESS:
      group_ = parameter & address_bits;
      port_.set_group(group_);
      completed(good_completion);
      break;
    case SET_FUNCTIONAL_ADDRESS:
      functional_ = parameter & address_bits;
      port_.set_functional(functional_);
      completed(good_completion);
      break;
    case MODIFY_OPEN_PARAMETERS:
    case RESTORE_OPEN_PARAMETERS:
      parameters_.options = request_[0] == RESTORE_OPEN_PARAMETERS
                                ? static_cast<std::uint16_t>(parameters_.options | (opened_options_ & request_[1]))
                                : request_[1];
      pass_mac_frames();
      completed(good_completion);
      break;
    case SET_BRIDGE_PARAMETERS:
    case CONFIGURE_BRIDGE_PARAMETERS: completed(no_source_routing_accelerator); break;
    default: completed(good_completion);
  }
  end_task(now);
}

void Tms380::read_log() {
  const net::RingErrors e = port_.take_errors();
  transfer_ = {e.line,       e.internal,    e.burst,        e.ac,        e.abort_delimiter, 0,
               e.lost_frame, e.congestion,  e.frame_copied, e.frequency, e.token,           0,
               dma_errors_,  parity_errors_};
  dma_errors_ = parity_errors_ = 0;
}

// ---- OPEN ----

void Tms380::pass_mac_frames() {
  const std::uint16_t o = parameters_.options;
  port_.pass_mac(o & PASS_ADAPTER_MAC, o & PASS_ATTENTION, o & PASS_BEACON);
}

// Takes the block's values; returns 0 if they are valid.
std::uint16_t Tms380::take_open_block(net::RingInsertion& insertion) {
  const auto word = [this](std::size_t at) {
    return static_cast<std::uint16_t>(open_block_[at] << 8 | open_block_[at + 1]);
  };
  const auto wide = [&](std::size_t at) { return std::uint32_t{word(at)} << 16 | word(at + 2); };
  const auto list_known = [](std::uint16_t size) { return size == 0 || size == 14 || size == 20 || size == 26; };
  OpenParameters& p = parameters_;
  p.options = opened_options_ = word(options);
  p.receive_list = word(receive_list_size) ? word(receive_list_size) : default_list;
  p.transmit_list = word(transmit_list_size) ? word(transmit_list_size) : default_list;
  const std::uint32_t asked = word(buffer_size) ? word(buffer_size) : default_buffer;
  const std::uint32_t rounded = (asked + 1023) & ~1023u, available = config_.ram_bytes - config_.reserved_bytes;
  p.buffer_bytes = static_cast<std::uint16_t>(std::min<std::uint32_t>(rounded, 0xFC00));
  p.buffers = available / p.buffer_bytes;
  p.transmit_least = open_block_[transmit_least];
  p.transmit_most = open_block_[transmit_most] ? open_block_[transmit_most] : default_transmit_most;
  group_ = wide(group_address) & address_bits;
  functional_ = wide(functional_address) & address_bits;

  std::copy_n(open_block_.begin() + node_address, insertion.node.size(), insertion.node.begin());
  if (insertion.node == net::MacAddress{}) insertion.node = burnt_in_;
  insertion.group = group_;
  insertion.functional = functional_;
  insertion.bits_per_second = ring_speed_;
  insertion.early_token_release = !(p.options & NO_EARLY_TOKEN_RELEASE);
  insertion.contender = p.options & CONTENDER;
  const std::uint16_t duplex = p.options & FULL_DUPLEX_SELECTION ? word(full_duplex) : 0;
  insertion.full_duplex = duplex & full_duplex_wanted;
  p.full_duplex_only = insertion.full_duplex && duplex & full_duplex_only;

  std::uint16_t error = 0;
  if (p.options & WRAP) error |= INVALID_OPEN_OPTION;
  if (insertion.node[0] & net::ring_group) error |= NODE_ADDRESS_ERROR;
  if (!list_known(word(receive_list_size)) || !list_known(word(transmit_list_size))) error |= LIST_SIZE_ERROR;
  if (rounded > 0xFC00 || p.buffers < least_buffers) error |= BUFFER_SIZE_ERROR;
  if (std::max(p.transmit_least, p.transmit_most) + least_buffers > p.buffers) error |= TRANSMIT_BUFFER_COUNT_ERROR;
  return error;
}

// Completes when the ring port has finished insertion.
void Tms380::execute_open(Time now) {
  net::RingInsertion insertion;
  if (const std::uint16_t error = take_open_block(insertion)) {
    completed(error);
  } else {
    std::copy_n(transfer_.begin(), std::min(transfer_.size(), insertion.product.size()), insertion.product.begin());
    pass_mac_frames();
    opening_ = true;
    port_.insert(insertion, now);
  }
  end_task(now);
}

void Tms380::insertion_ends(const net::InsertionOutcome& outcome, Time now) {
  if (!opening_) return;
  opening_ = false;
  std::uint16_t status = good_completion;
  if (!outcome.ok()) {
    status =
        static_cast<std::uint16_t>(OPEN_ERROR | static_cast<unsigned>(outcome.phase) << 4 | open_error(outcome.error));
  } else if (parameters_.full_duplex_only && !outcome.full_duplex) {
    port_.remove(now);
    status = OPEN_ERROR | full_duplex_check | full_duplex_set;
  }
  open_ = status == good_completion;
  post({Irq::command_status, true, {OPEN, status, 0, 0}});
  wake(now);
}

// ---- off the ring ----

// Closed by command, by a reset, or by the ring.
void Tms380::leave_ring() {
  open_ = false;
  end_transmit();
  outgoing_.clear();
  receiving_ = receive_waits_ = receive_suspended_ = relink_ = frame_begun_ = false;
  receive_fragments_.clear();
  incoming_.clear();
  receive_fragment_ = moved_ = 0;
}

void Tms380::ring_status_changed(std::uint16_t bits, Time now) {
  if (!open_) return;
  if (parameters_.options & DISABLE_HARD_ERROR)
    bits &= static_cast<std::uint16_t>(~(net::ring_status::hard_error | net::ring_status::transmitting_beacon));
  if (parameters_.options & DISABLE_SOFT_ERROR) bits &= static_cast<std::uint16_t>(~net::ring_status::soft_error);
  if (!bits) return;
  if (bits & removed_from_ring) {
    if (task_ == Task::fetch || task_ == Task::sent || task_ == Task::receive) drop_task(now);
    leave_ring();
  }
  // Pending ring status is reported together.
  for (std::size_t n = task_ == Task::post ? 1 : 0; n < posts_.size(); ++n) {
    if (posts_[n].irq != Irq::ring_status) continue;
    posts_[n].words[1] |= bits;
    return;
  }
  post({Irq::ring_status, true, {RING_STATUS, bits, 0, 0}});
  wake(now);
}

}  // namespace planar::tokenring

// SPDX-License-Identifier: GPL-2.0-or-later
// Slot configuration and the NVRAM that stores it. This is done before power-on, whereas a real machine uses IBM's
// reference diskette.
#include <fmt/format.h>

#include <algorithm>

#include "adf/nvram/cmos.hpp"
#include "adf/nvram/nvram.hpp"
#include "adf/reader/reader.hpp"
#include "adf/solver/planar_claims.hpp"
#include "adf/solver/solver.hpp"
#include "core/common/error.hpp"
#include "devices/storage/image/disk_image.hpp"
#include "machines/boards/ps2/ps2_board.hpp"
#include "machines/config/processor.hpp"
#include "machines/machine/board_parts.hpp"
#include "machines/registry/adapter_registry.hpp"

namespace planar {

namespace {

/// Planar POS 2: master enable, diskette, COM1, LPT at 3BCh (docs/hardware/pos-and-adf.md#planar-pos-registers).
constexpr std::uint8_t planar_pos2 = 0x01 | 0x02 | 0x04 | 0x08 | 0x10;

adf::SlotWidth slot_width(unsigned bits) { return bits == 32 ? adf::SlotWidth::bits32 : adf::SlotWidth::bits16; }

/// The requirements of the machine's own parts and its cards, with the user's pins; one request per card, in their
/// order.
adf::Problem slot_problem(const MachineConfig& config) {
  adf::Problem problem;
  adf::PlanarParts parts;
  parts.memory_kb = config.memory_bytes / 1024;
  problem.planar = adf::planar_claims(parts);
  for (const CardConfig& card : config.cards) {
    adf::SlotRequest request;
    request.slot = card.slot;
    request.width = slot_width(config.slot_widths[card.slot - 1]);
    request.adapter = adf::find_adf(find_mca(card.name)->adapter_id);  // read_machine() has checked its bus
    for (const CardConfig::Pin& pin : card.pins) request.pins.push_back({pin.key, pin.value, pin.where});
    problem.slots.push_back(std::move(request));
  }
  return problem;
}

}  // namespace

void check_ps2_cards(const MachineConfig& config) { adf::solve_or_refuse(slot_problem(config), config.name); }

void Ps2Board::fill_slots(std::span<net::Medium* const> media) {
  const bus::SlotWiring wiring{scheduler_,  host_.io(),     space_, channel_,        dma_,
                               interrupts_, channel_check_, trace_, pos_.feedback(), config_.name_prefix()};
  std::vector<adf::SlotShape> shapes;
  for (unsigned n = 0; n < config_.slot_widths.size(); ++n) {
    slots_.push_back(std::make_unique<bus::Slot>(n, config_.slot_widths[n], wiring));
    shapes.push_back({n + 1, slot_width(config_.slot_widths[n])});
  }
  adapters_.resize(slots_.size());
  network_.resize(slots_.size());

  adf::Problem problem = slot_problem(config_);
  for (std::size_t n = 0; n < config_.cards.size(); ++n) {
    const CardConfig& card = config_.cards[n];
    const McaEntry& entry = *find_mca(card.name);
    if (entry.refusal && !config_.force)
      if (const auto reason = entry.refusal(processor_model(config_.timing.model).generation); !reason.empty())
        throw Error(fmt::format("slot.{}: {} does not work in {}: {}; use another card, or --force to try", card.slot,
                                entry.title, config_.name, reason));
    bus::Slot& slot = *slots_[card.slot - 1];
    McaParts made = make_adapter(entry, card, media);
    slot.set_occupant(made.card->name(), made.network ? TraceCategory::nic : TraceCategory::disk);
    problem.slots[n].adapter.id = made.card->adapter_id();  // a variant has the same choices under its own ID
    pos_.insert(card.slot - 1, made.card.get());
    network_[card.slot - 1] = made.network;
    adapters_[card.slot - 1] = std::move(made.card);
  }
  const auto solution = adf::solve_or_refuse(problem, config_.name);
  slot_page_ = adf::slot_page(solution, shapes, problem.planar);

  adf::NvramConfig records = adf::to_nvram(solution);
  for (const CardConfig& card : config_.cards) records.slots[card.slot - 1].enable = card.enabled;
  records.planar = {config_.identity.planar_id, true, 4, {planar_pos2, 0, 0, 0}};
  records.video = {0xFFFF, true, 1, {0x01}};
  const auto image = adf::write_nvram(records);
  std::copy(image.begin(), image.end(), nvram_.contents().begin());
}

McaParts Ps2Board::make_adapter(const McaEntry& entry, const CardConfig& card, std::span<net::Medium* const> media) {
  McaParts made = entry.make(
      {*slots_[card.slot - 1], plugged_medium(card, media), card.mac, card.settings, config_.seed, config_.number});
  if (made.storage && !storage_) {
    storage_ = made.storage;
    for (const DriveConfig& drive : config_.drives) storage_->attach(drive.id, drive.kind, open_drive(drive));
  }
  return made;
}

void Ps2Board::write_configuration() {
  std::array<std::uint8_t, adf::cmos_size> bytes{};
  adf::CmosConfig c;
  const auto drive_type = config_.diskette == "2.88 MB" ? adf::DisketteType::mb2_88 : adf::DisketteType::mb1_44;
  c.diskettes = {drive_type, config_.drive_b ? drive_type : adf::DisketteType::none};
  c.coprocessor = config_.fpu;
  c.extended_kb = memory_.extended_kb();
  c.planar_pos = {planar_pos2, 0, 0, 0};
  adf::write_cmos(bytes, c);
  for (unsigned n = 0x10; n < bytes.size(); ++n) cmos_.set_cmos(n, bytes[n]);
  cmos_.set_date_time(DateTime::parse(config_.clock_start), {});
}

}  // namespace planar

// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/registry/adapter_registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/common/edit_distance.hpp"
#include "core/common/error.hpp"
#include "devices/adapter/embedded_files.hpp"
#include "devices/ethernet/3c523/3c523.hpp"
#include "devices/ethernet/3c527/3c527.hpp"
#include "devices/ethernet/3c529/3c529.hpp"
#include "devices/ethernet/3c905b/3c905b.hpp"
#include "devices/ethernet/common/pro1000.hpp"
#include "devices/ethernet/common/wd_card.hpp"
#include "devices/ethernet/de210/de210.hpp"
#include "devices/ethernet/de320/de320.hpp"
#include "devices/ethernet/eepro100/eepro100.hpp"
#include "devices/ethernet/etherexpress/etherexpress.hpp"
#include "devices/ethernet/etherstreamer/etherstreamer.hpp"
#include "devices/ethernet/lan-a/lan_a.hpp"
#include "devices/ethernet/lne100tx/lne100tx.hpp"
#include "devices/ethernet/ne2/ne2.hpp"
#include "devices/ethernet/oc2335/oc2335.hpp"
#include "devices/ethernet/rtl8139/rtl8139_card.hpp"
#include "devices/ethernet/sknet/sknet.hpp"
#include "devices/storage/scsi/ibm_scsi.hpp"
#include "devices/tokenring/common/tropic_card.hpp"
#include "devices/tokenring/lanstreamer/lanstreamer_mc32.hpp"
#include "devices/tokenring/madge/madge_mc.hpp"

namespace planar {
namespace {

std::span<const McaEntry> mca_storage_rows() {
  static const McaEntry rows[] = {storage::IbmScsi::plain, storage::IbmScsi::cached};
  return rows;
}

template <class Row>
void add(std::vector<AdapterEntry>& to, std::span<const Row> rows) {
  for (const Row& row : rows) to.push_back(row.entry());
}

template <class Row>
const Row* named(std::span<const Row> rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::span<const McaEntry> mca_registry() {
  static const McaEntry rows[] = {
      ethernet::EtherLinkMc::old_entry,
      ethernet::EtherLinkMc::entry,
      ethernet::ThreeC527::entry,
      ethernet::ThreeC529::entry,
      ethernet::Ne2::entry,
      ethernet::WdCard::smc8013,
      ethernet::WdCard::ethernet_a,
      ethernet::SkNet::entry,
      ethernet::De320::entry,
      ethernet::LanA::entry,
      ethernet::EtherExpress::entry,
      ethernet::De210::entry,
      ethernet::Oc2335::entry,
      ethernet::EtherStreamer::entry,
      tokenring::TropicCard::tr4_a,
      tokenring::TropicCard::tr16_4a_1989,
      tokenring::TropicCard::tr16_4a_1990,
      tokenring::TropicCard::tr16_4a_1994,
      tokenring::LanStreamerMc32::entry,
      tokenring::LanStreamerMc32::auto_entry,
      tokenring::MadgeMc::mc16,
      tokenring::MadgeMc::mc32,
  };
  return rows;
}

std::span<const PciEntry> pci_registry() {
  static const PciEntry rows[] = {
      ethernet::Rtl8139Card::entry, ethernet::Lne100tx::entry,     ethernet::ThreeC905B::entry,
      ethernet::EePro100::entry,    ethernet::Pro1000::with_82542, ethernet::Pro1000::with_82543,
  };
  return rows;
}

std::span<const AdapterEntry> adapter_registry() {
  static const auto all = [] {
    std::vector<AdapterEntry> entries;
    add(entries, mca_registry());
    add(entries, pci_registry());
    return entries;
  }();
  return all;
}

std::span<const AdapterEntry> storage_registry() {
  static const auto all = [] {
    std::vector<AdapterEntry> entries;
    add(entries, mca_storage_rows());
    return entries;
  }();
  return all;
}

std::span<const AdapterEntry> card_registry() {
  static const auto all = [] {
    std::vector<AdapterEntry> entries;
    for (const auto rows : {adapter_registry(), storage_registry()})
      entries.insert(entries.end(), rows.begin(), rows.end());
    return entries;
  }();
  return all;
}

bool is_storage_card(std::string_view name) { return named(storage_registry(), name) != nullptr; }

const McaEntry* find_mca(std::string_view name) {
  const McaEntry* const network = named(mca_registry(), name);
  return network ? network : named(mca_storage_rows(), name);
}
const PciEntry* find_pci(std::string_view name) { return named(pci_registry(), name); }

std::string_view adapter_page(std::string_view name) {
  const std::string file = fmt::format("/{}.md", name);
  for (const EmbeddedFile& f : embedded_files())
    if (f.path.ends_with(file)) return f.text;
  return {};
}

const AdapterEntry& find_adapter(std::string_view name) {
  if (const AdapterEntry* const entry = named(card_registry(), name)) return *entry;
  std::vector<std::string> known;
  for (const AdapterEntry& row : adapter_registry()) known.emplace_back(row.name);
  const auto guess = nearest(name, known);
  throw Error(fmt::format("there is no card '{}'; {}`planar list cards` lists them", name,
                          guess.empty() ? "" : fmt::format("did you mean '{}'? ", guess)));
}

}  // namespace planar

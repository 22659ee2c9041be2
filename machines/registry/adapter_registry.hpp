// SPDX-License-Identifier: GPL-2.0-or-later
// The adapters that planar supports, one row each. Adding one affects only its own folder, its row, its ADF and its
// test.
#pragma once

#include <span>
#include <string_view>

#include "devices/adapter/adapter_entry.hpp"
#include "devices/adapter/mca/mca_entry.hpp"
#include "devices/adapter/pci/pci_entry.hpp"

namespace planar {

/// The network adapters of all buses, in the order in which they are listed.
std::span<const AdapterEntry> adapter_registry();
/// The storage adapters.
std::span<const AdapterEntry> storage_registry();

/// Both: network adapters first.
std::span<const AdapterEntry> card_registry();
bool is_storage_card(std::string_view name);

/// The network adapter rows of one bus.
std::span<const McaEntry> mca_registry();
std::span<const PciEntry> pci_registry();
/// The row of a card, network or storage, or null if it is not on that bus.
const McaEntry* find_mca(std::string_view name);
const PciEntry* find_pci(std::string_view name);

/// The documentation page beside the adapter's code (CARD.md); empty if there is none.
std::string_view adapter_page(std::string_view name);

/// The entry of card `name`. Throws Error giving the nearest spelling.
const AdapterEntry& find_adapter(std::string_view name);

}  // namespace planar

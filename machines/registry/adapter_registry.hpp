// SPDX-License-Identifier: GPL-2.0-or-later
// The adapters that planar knows, one row each. Adding one touches its own folder, its row, its ADF and its test.
#pragma once

#include <span>
#include <string_view>

#include "devices/adapter/adapter_entry.hpp"
#include "devices/adapter/mca/mca_entry.hpp"
#include "devices/adapter/pci/pci_entry.hpp"

namespace planar {

/// The network adapters of all buses, in the order in which they are listed.
std::span<const AdapterEntry> adapter_registry();
/// The adapters with drives.
std::span<const AdapterEntry> storage_registry();

/// The rows of a bus's network adapters.
std::span<const McaEntry> mca_registry();
std::span<const PciEntry> pci_registry();
/// The row of a card, of either kind, or null if it is not of that bus.
const McaEntry* find_mca(std::string_view name);
const PciEntry* find_pci(std::string_view name);

/// The page of documentation that stands beside the adapter's code (CARD.md); empty if it has none.
std::string_view adapter_page(std::string_view name);

/// What is known of card `name`. Throws Error naming the nearest spelling.
const AdapterEntry& find_adapter(std::string_view name);

}  // namespace planar

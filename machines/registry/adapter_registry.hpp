// SPDX-License-Identifier: GPL-2.0-or-later
// The adapters that planar knows, one row each. Adding one touches its own folder, its row, its ADF and its test.
#pragma once

#include <span>
#include <string_view>

#include "devices/adapter/mca/mca_entry.hpp"

namespace planar {

/// The rows of network adapters, in the order in which they are listed.
std::span<const AdapterEntry> adapter_registry();
/// The rows of adapters with drives.
std::span<const AdapterEntry> storage_registry();

/// The page of documentation that stands beside the adapter's code (CARD.md); empty if it has none.
std::string_view adapter_page(std::string_view name);

/// The row of `name`. Throws Error naming the nearest spelling.
const AdapterEntry& find_adapter(std::string_view name);

}  // namespace planar

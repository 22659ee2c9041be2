// SPDX-License-Identifier: GPL-2.0-or-later
// The adapters that planar knows, one row each. Adding one touches its own folder, its row, its ADF and its test.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/mca/slot.hpp"
#include "core/cpu/model.hpp"
#include "devices/adapter/provenance.hpp"
#include "devices/medium/medium_kind.hpp"
#include "devices/medium/net_counters.hpp"

namespace planar {

namespace storage {
class DiskImage;
class ScsiDrive;
enum class DriveKind : std::uint8_t;
}  // namespace storage

/// One value of a timing profile, as `planar show CARD` prints it and `--set CARD.NAME=VALUE` overrides it.
struct TimingValue {
  std::string name;
  std::string value;  ///< with its unit: "450 ns"; of a rule its words
  std::string source;
  std::string confidence;               ///< provenance.hpp
  std::vector<PublishedUse> published;  ///< the figures that it was chosen by, if it was calibrated or informed by any
  bool rule = false;                    ///< what the model does, not a number
};

/// What an adapter is built with.
struct AdapterContext {
  bus::Slot& slot;
  net::Medium* medium = nullptr;   ///< null: the cable is not plugged in
  std::optional<std::string> mac;  ///< "00:00:d8:01:02:03"; a default with the card's own prefix otherwise
  /// Timing values overridden by the user, name and value with unit; an unknown name or a bad value throws Error.
  std::vector<std::pair<std::string, std::string>> settings;
  std::uint64_t seed = 1;  ///< of the lab; the station's backoff generator derives from it, the machine and the slot
  unsigned machine = 0;    ///< its number in the lab, 0 to 7
};

/// What a network adapter tells reports, besides being an adapter.
class NetworkAdapter : public bus::Adapter {
 public:
  virtual NetCounters counters() const = 0;
};

/// An adapter with drives.
class StorageAdapter : public bus::Adapter {
 public:
  /// Connects a drive as SCSI target `id` (0 to 7, not the adapter's own), before the machine runs.
  virtual void attach(unsigned id, storage::DriveKind kind, storage::DiskImage image) = 0;
  /// The drive with this ID, or null.
  virtual const storage::ScsiDrive* drive(unsigned id) const = 0;
};

struct AdapterEntry {
  std::string_view name;     ///< of the command line: "ne2"
  std::string_view title;    ///< "Novell NE/2"
  std::uint16_t adapter_id;  ///< POS ID by default
  MediumKind medium;
  std::string_view data_path;  ///< "PIO (remote DMA)", "shared RAM", "bus master"...
  unsigned bus_width;          ///< bits
  std::unique_ptr<NetworkAdapter> (*make)(const AdapterContext& context);
  std::vector<TimingValue> (*timing)();
  std::span<const std::string_view> limits;  ///< what is not modelled
  /// Why a machine with this processor cannot hold the card; empty if it can. Null: it fits all.
  std::string_view (*refusal)(cpu::Model processor) = nullptr;
  /// No public programming information exists: the interface is planar's own declaration, and every report says so.
  bool hypothetical = false;
  /// Of a card with drives; `make` is null then.
  std::unique_ptr<StorageAdapter> (*make_storage)(const AdapterContext& context) = nullptr;
};

/// The rows of network adapters, in the order in which they are listed.
std::span<const AdapterEntry> adapter_registry();
/// The rows of adapters with drives.
std::span<const AdapterEntry> storage_registry();

/// The page of documentation that stands beside the adapter's code (CARD.md); empty if it has none.
std::string_view adapter_page(std::string_view name);

/// The row of `name`. Throws Error naming the nearest spelling.
const AdapterEntry& find_adapter(std::string_view name);

}  // namespace planar

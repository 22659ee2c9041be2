// SPDX-License-Identifier: GPL-2.0-or-later
// A machine's parts list as typed values: the checked contents of a machine file.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cpu/timing/common/config.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"
#include "devices/medium/medium_kind.hpp"
#include "devices/medium/ring/ring_config.hpp"
#include "devices/stations/bridge/bridge.hpp"
#include "devices/stations/host/host_net.hpp"
#include "devices/stations/host/host_station.hpp"
#include "devices/stations/peer/ack_rule.hpp"
#include "devices/storage/drive/drive.hpp"
#include "devices/storage/image/disk_image.hpp"
#include "machines/config/config.hpp"

namespace planar {

/// A card in a slot as requested by the configuration.
struct CardConfig {
  unsigned slot = 1;  ///< from 1
  std::string name;
  std::string medium;   ///< the medium that a network adapter is plugged into: MediumConfig::name
  bool enabled = true;  ///< POST sets POS 2 bit 0; a disabled card answers only at its POS registers
  std::string driver;   ///< version whose behaviour the test guest's driver imitates; empty: its own default
  /// A resource pinned by the user ("io" = "1000h", "irq" = "3", "mem", "arb"); the solver chooses the rest.
  struct Pin {
    std::string key, value;
    std::string where;  ///< for messages: "lab.toml:5:7: slot.1.irq"
  };
  std::vector<Pin> pins;
  std::optional<std::string> mac;
  std::vector<std::pair<std::string, std::string>> settings;  ///< adapter_id, and timing values overridden with --set
};

/// A medium of the lab.
struct MediumConfig {
  std::string name = "segment";  ///< default name, for a lab without [medium.NAME] tables
  MediumKind kind = MediumKind::ethernet_10;
  bool full_duplex = false;                      ///< Ethernet: both ends can send at once, without collisions
  net::PathKind path = net::PathKind::cable;     ///< for an Ethernet
  Time cable_delay = net::ethernet_propagation;  ///< for PathKind::cable
  unsigned cable_metres = 0;                     ///< for the other paths; 0: a third of the permitted length
  net::RingConfig ring{};                        ///< for a ring
  unsigned ring_number = 1;                      ///< for a ring, used in source routing: 1 to FFFh
};

/// A bridge between media of the lab, or a switch.
struct BridgeConfig {
  enum class Kind : std::uint8_t { transparent, switching, source_route };
  std::string name;
  std::vector<std::string> media;  ///< two or more
  Kind kind = Kind::transparent;
  net::BridgeFigures figures{};
  unsigned number = 1;  ///< for a source-routing bridge: 1 to 15
};

/// A reference station in addition to the one that net.attach may name.
struct StationConfig {
  std::string name;
  std::string medium;         ///< MediumConfig::name
  std::uint32_t address = 0;  ///< IP, host order
};

/// INT 15h C0h and the planar's POS ID.
struct Identity {
  std::uint8_t model = 0xF8;
  std::uint8_t submodel = 0;
  std::uint8_t revision = 0;
  std::array<std::uint8_t, 5> features{};
  std::uint16_t planar_id = 0xFFFF;
};

/// How bus masters reach memory.
enum class MemoryPath : std::uint8_t {
  single,  ///< through the processor's path, which they occupy meanwhile
  dual,    ///< through a path of their own; they and the processor share memory transfer by transfer
  line,    ///< likewise, but cache line by cache line
};

/// The configuration table of diskette drive 0 (A) or 1 (B).
inline std::string floppy_path(unsigned drive) { return drive == 0 ? "floppy.a" : "floppy.b"; }

/// A SCSI or IDE drive and its contents; a CD-ROM drive whose file is empty has no CD.
struct DriveConfig {
  storage::DriveKind kind = storage::DriveKind::disk;
  unsigned id = 0;  ///< 0 to 6
  storage::DiskSpec disk;
};

/// What a machine is started with and where its output goes, as given by the `planar run` options of the same names;
/// empty: not given.
struct StartConfig {
  std::string image;  ///< bootable diskette for drive A, never written
  std::string bios;
  std::string kernel;
  std::string initrd;
  std::string append;
  std::string serial;  ///< "stdio" or "file:F"
  /// Settings of planar's own guest, which is then in drive A (roms/README.md section 3).
  std::vector<std::pair<std::string, std::string>> guest;
};

struct BoardConfig;
struct BoardKind;

struct MachineConfig {
  std::string label;    ///< its name in a lab with several machines; otherwise empty
  unsigned number = 0;  ///< in the lab, from 0
  /// The prefix of its devices' names in traces and captures.
  std::string name_prefix() const { return label.empty() ? "" : label + "."; }
  StartConfig start;
  std::string name;        ///< name of the built-in machine
  std::string title;       ///< what this machine is: a changed one lists its changes or has its own file's title
  bool own_title = false;  ///< its file's title differs from that of the built-in machine
  /// The differences from the built-in machine of that name, as written in a file: `cpu.clock = "66 MHz"`.
  std::vector<std::string> changes;
  /// The name used in results: a changed machine has a different one from the built-in machine.
  std::string label_of_results() const;
  /// The display name where the machines of a lab have names of their own.
  const std::string& shown_name() const { return own_title ? title : name; }
  Identity identity;
  Frequency clock{1, 1};
  bool fpu = false;
  std::uint32_t signature = 0;  ///< the processor's CPUID signature; 0: that of its model
  cpu::TimingConfig timing;
  std::uint32_t memory_bytes = 0;
  MemoryPath memory_path{};
  Time refresh_period{};
  const BoardKind* board_kind = nullptr;
  std::shared_ptr<const BoardConfig> board;  ///< the settings specific to the kind of board
  std::vector<unsigned> slot_widths;         ///< bits, indexed by slot
  std::string diskette;                      ///< drive type: "1.44 MB" or "2.88 MB"
  bool drive_b = false;                      ///< whether there is a second diskette drive, of the same type
  /// The diskettes in drives A and B at power-on.
  std::array<std::optional<storage::DiskSpec>, 2> floppies;
  std::vector<DriveConfig> drives;  ///< on SCSI or IDE
  std::string clock_start;          ///< date and time of the RTC at power-on, "YYYY-MM-DD HH:MM:SS"
  std::vector<CardConfig> cards;
  std::string net;                            ///< "peer", "none", or a string for net::parse_host_net
  std::optional<net::HostNet> host_net;       ///< set if the host's network is attached
  std::uint32_t peer_mtu = 1500;              ///< maximum length in bytes of the peer's IP datagrams
  std::uint32_t peer_receive_buffer = 65535;  ///< bytes per socket on the peer
  net::AckRule peer_acknowledge{};            ///< when the reference station acknowledges data
  Time peer_tick_phase{};                     ///< phase of the reference station's 100 Hz clock
  Time peer_turnaround = 60_us;               ///< of the reference station: from the last bit of a frame to its answer
  Time peer_duration{};                       ///< how long the peer's netio sends per size (1.16 and later)
  net::HostTime host_time = net::HostTime::as_hardware;
  // Settings of the lab, identical in all of its machines:
  std::vector<MediumConfig> media;      ///< by name; at least one
  std::string net_medium;               ///< the medium that `net` is attached to
  std::vector<std::string> net_bond;    ///< for a reference station on several media: all of them, `net_medium` first
  std::vector<BridgeConfig> bridges;    ///< by name
  std::vector<StationConfig> stations;  ///< by name
  std::uint64_t seed = 1;
  bool force = false;  ///< build cards even if they would refuse this processor
};

/// Reads every setting of a machine from `config`. Throws Error naming file, line and key, also for unknown settings.
MachineConfig read_machine(Config& config);

}  // namespace planar

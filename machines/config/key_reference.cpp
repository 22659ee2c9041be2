// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/config/key_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "machines/config/lab_config.hpp"
#include "machines/config/machine_files.hpp"

namespace planar {

namespace {

struct Key {
  const char* path;     ///< as requested by a reader; N stands for a number, NAME for a user-chosen name
  const char* meaning;  ///< includes conditions on the value that the reader's range does not express
};

struct Section {
  const char* title;
  const char* text;
  std::vector<Key> keys;
};

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"The file",
       "",
       {{"machine", "The built-in machine that the file is layered over, or `[[machine]]` tables (see *Labs*)."},
        {"title",
         "What `planar list machines` shows; what results and reports call a machine whose file gives its own."},
        {"board", "The kind of board that the processor and the cards are on."}}},
      {"What it starts",
       "Options of `planar run` with the same name override these.",
       {{"image", "A bootable diskette image for drive A, never written to."},
        {"bios", "A firmware image in place of planar's own."},
        {"kernel", "A Linux kernel that is started without a boot loader."},
        {"initrd", "The kernel's initial RAM disk; needs `kernel`."},
        {"append", "The kernel's command line; needs `kernel`."},
        {"serial", "COM1: `\"stdio\"` or `\"file:NAME\"`."},
        {"guest.NAME",
         "Puts planar's own guest into drive A, with this setting (`roms/README.md` section 3): `guest.do = "
         "\"netio\"`."}}},
      {"[identity]",
       "How the machine identifies itself.",
       {{"identity.model", "Model byte."},
        {"identity.submodel", "Submodel byte."},
        {"identity.revision", "BIOS revision."},
        {"identity.features", "The five feature bytes of INT 15h, function C0h."},
        {"identity.planar_id", "POS identifier of the planar."}}},
      {"[cpu]",
       "",
       {{"cpu.model",
         "The processor; it decides the instruction set and the timing model. A 486DX is a `486sx` with `fpu = true`."},
        {"cpu.clock", "Clock of the core."},
        {"cpu.bus_clock", "Clock of the processor bus; the core runs at 1 to 8 times it, or at a ratio such as 3/2."},
        {"cpu.fpu", "Whether there is a coprocessor or an FPU on the chip."},
        {"cpu.signature", "A Pentium's type, family, model and stepping in CPUID; its model's own if left out."},
        {"cpu.write_buffers",
         "Writes that the processor holds while the bus is busy: 1 or more, on a 386SX also 0; not on a P6."},
        {"cpu.repeat_start", "On a P6: clocks before the first element of a repeated string in the fast mode."},
        {"cpu.repeat_slow_start", "On a P6: the same outside the fast mode; 15 if left out."},
        {"cpu.interrupt_entry", "On a P6: clocks of an interrupt from ring 3 to ring 0; 110 if left out."},
        {"cpu.interrupt_return", "On a P6: clocks of IRET from ring 0 to ring 3; 90 if left out."},
        {"cpu.page_walk", "On a P6: clocks of a miss in the TLB besides its two reads; 2 if left out."},
        {"cpu.prefetch_request",
         "Bytes that a 386SX's prefetch unit requests at a time, 2 or 4; on that processor only."}}},
      {"[cache]",
       "The cache on the processor: a 386SX has none, the others need one.",
       {{"cache.size", "Capacity, code and data together or (`split`) each; a power of two from 1 KB to 64 KB."},
        {"cache.ways", "Associativity."},
        {"cache.line", "Bytes of a line."},
        {"cache.split", "Whether code and data have separate caches."},
        {"cache.write_back", "Write-back in place of write-through."},
        {"cache.write_burst",
         "Whether a line is written back as bursts or as single writes; with `cache.write_back`."}}},
      {"[l2]",
       "The second-level cache; without the table, and that of the machine below, there is none. `size = \"0 KB\"` "
       "takes that one out. Clocks are those of the processor bus.",
       {{"l2.size", "Capacity; a power of two from 16 KB to 1 MB."},
        {"l2.ways", "Associativity."},
        {"l2.line", "Bytes of a line."},
        {"l2.hit_mru", "Clocks to the first transfer of a hit in the way used last."},
        {"l2.hit_other", "The same in another way."},
        {"l2.burst_step", "Clocks between the transfers of a burst."},
        {"l2.write_hit", "Clocks of a write that hits."},
        {"l2.write_allocate", "Whether a write that misses loads the line."},
        {"l2.latency",
         "On a P6, in place of all clocks above: processor clocks of a load that hits, beyond those of a hit in the "
         "first level."},
        {"l2.line_clocks", "On a P6: processor clocks for which a line has the second level's own bus."}}},
      {"[memory]",
       "Clocks are those of the processor bus.",
       {{"memory.size", "Memory on the planar: whole megabytes, 2 MB to 16 MB on a 386SX, to 256 MB on the others."},
        {"memory.path",
         "Whether bus masters reach memory through the processor's path (`single`) or one of their own (`dual`); on a "
         "PC, `line`: one of their own, a cache line at a time."},
        {"memory.dram.width", "Bytes per transfer; 8 on a P6."},
        {"memory.dram.page", "Size of an open DRAM page; a power of two from 256 bytes to 64 KB."},
        {"memory.dram.banks", "Banks, each with an open page of its own."},
        {"memory.dram.bank_shift", "The lowest address bit that selects the bank."},
        {"memory.dram.read_hit", "Clocks to the first transfer of a read in an open page."},
        {"memory.dram.read_miss", "The same in another page."},
        {"memory.dram.burst_step", "Clocks between the transfers of a burst; not on a P6."},
        {"memory.dram.write_hit", "Clocks of a write in an open page."},
        {"memory.dram.write_miss", "The same in another page."},
        {"memory.dram.line_clocks", "On a P6: clocks between consecutive lines."},
        {"memory.rom.width", "Bytes per transfer from ROM."},
        {"memory.rom.clocks", "Clocks of that transfer."},
        {"memory.rom.cacheable", "Whether the processor caches ROM."},
        {"memory.refresh.period", "Time between refreshes: 500 ns to 1 s, and more than twice the hold."},
        {"memory.refresh.hold", "Clocks for which a refresh keeps the processor off its memory."}}},
      {"[channel]",
       "The Micro Channel. A cycle of the three kinds lasts from 50 ns to 10 us.",
       {{"channel.cpu_bus_width", "Data bits of a cycle of the processor: 16 or 32."},
        {"channel.synchronisation", "Time that the planar adds to a processor's cycle on the channel."},
        {"channel.standard_cycle", "A default cycle."},
        {"channel.extended_cycle", "The shortest extended cycle."},
        {"channel.interrupt_acknowledge", "An interrupt acknowledge cycle."},
        {"channel.arbitration", "An arbitration phase."},
        {"channel.arbitration_extended", "An arbitration phase with the extended setting of the arbitration port."},
        {"channel.memory_width", "Data bits of a bus master's transfer to planar memory: 16 or 32."},
        {"channel.memory_cycle", "A bus master's transfer to planar memory."},
        {"channel.memory_streams", "Whether planar memory takes part in streaming data (32-bit bus masters)."},
        {"channel.refresh_hold", "For how long a refresh holds the channel."}}},
      {"[pci]",
       "PCI and the host bridge, of a PC. Clocks are those of PCI.",
       {{"pci.host_bridge",
         "The chip set's host bridge as configuration space shows it: `430hx`, `440bx` or `cnb20le`, which has a "
         "second segment."},
        {"pci.south_bridge", "The chip with the PCI-to-ISA bridge and IDE: `piix3` or `osb4`."},
        {"pci.clock", "Period of the bus clock; a card that cannot do 66 MHz makes it 30 ns."},
        {"pci.width", "Data bits of the segment, 32 or 64."},
        {"pci.synchronisation", "From the processor's bus to PCI, once for each access that waits."},
        {"pci.completion", "From PCI back to the processor, for such an access."},
        {"pci.post", "A write to memory on PCI that the host bridge posts, until the processor continues."},
        {"pci.post_depth", "Writes that the host bridge holds."},
        {"pci.transaction", "Clocks of a transaction of the processor besides the target's own latency."},
        {"pci.master_abort", "Clocks of a transaction that nobody answers."},
        {"pci.grant", "Clocks from a master's request on an idle bus to its transaction."},
        {"pci.turnaround", "Idle clocks between transactions of different masters."},
        {"pci.read_first", "Clocks of a master's read of memory to the first datum."},
        {"pci.read_access", "The part of `pci.read_first` that does not depend on the bus clock."},
        {"pci.read_line_gap", "Clocks between two lines, of the commands that do not read ahead."},
        {"pci.write_first", "Clocks of a master's write to memory to the first datum."},
        {"pci.memory_line", "For how long a master's line keeps memory from the processor."},
        {"pci.snoop", "For how long the inquire cycle of a master's line keeps the processor's bus."},
        {"pci.l1_write_back", "For how long the write-back of a line that is modified in the processor keeps the bus."},
        {"pci.l2_write_back",
         "For how long the write-back of a line that is modified in the second-level cache keeps it."},
        {"pci.configuration_mechanism", "Configuration mechanism, 1 or 2."},
        {"pci.bridge_device", "Device number of the south bridge."},
        {"pci.slot_devices", "Device number of each slot."},
        {"pci.peer.clock", "Period of the second segment's clock; what else its transactions take is as in `[pci]`."},
        {"pci.peer.width", "Its data bits, 32 or 64."},
        {"pci.peer.slots", "The slots that are on it, by number."}}},
      {"[isa]",
       "The ISA side of a PC.",
       {{"isa.clock", "Period of BCLK."},
        {"isa.synchronisation", "From the processor's bus to the claim of the PCI-to-ISA bridge."},
        {"isa.completion", "The way back to the processor."},
        {"isa.byte_clocks", "Clocks of a cycle to an 8-bit slave."},
        {"isa.word_clocks", "Clocks of a cycle to a 16-bit slave."},
        {"isa.interrupt_acknowledge", "One of the two cycles of an interrupt acknowledge."}}},
      {"[slots]",
       "",
       {{"slots.widths", "Data bits of each slot, 16, 32 or 64, for 1 to 8 slots; slot 1 comes first."}}},
      {"[planar]",
       "",
       {{"planar.panel", "Whether there is an operator panel, which shows POST's checkpoints."},
        {"planar.scsi_setup_bit", "The bit of port 94h that selects integrated SCSI for setup: 3 on a Model 56 or 57."},
        {"planar.diskette", "Capacity of the diskette drives."},
        {"planar.boot",
         "Of a PC, where its firmware looks for a boot loader, in this order: `a` diskette, `c` first disk, `d` "
         "CD-ROM."},
        {"planar.clock_start", "Date and time of the battery-backed clock at power-on, `YYYY-MM-DD HH:MM:SS`."}}},
      {"[slot.N]",
       "A card in slot N. `planar show CARD` prints the choices of its description and its timing values. Without a "
       "choice of yours, or with `\"auto\"`, the solver of the adapter description takes the first one without a "
       "conflict. The prompt of an item of that description is a key, too: `burst-mode = \"Immediate Release\"`.",
       {{"slot.N.card", "Name of the card (`planar list cards`)."},
        {"slot.N.io", "I/O address, as the adapter description writes it, `\"1000h\"`, or as a number: `0x1000`."},
        {"slot.N.irq", "Interrupt level."},
        {"slot.N.mem", "Address of the adapter's memory or ROM."},
        {"slot.N.arb", "Arbitration level."},
        {"slot.N.mac", "Station address, six bytes with colons; without it each card gets one of its own."},
        {"slot.N.medium", "The medium that a network adapter is plugged into, if the lab has several."},
        {"slot.N.driver",
         "Version of the adapter's driver whose behaviour planar's own guest follows (`docs/driver-versions.md`)."},
        {"slot.N.enabled",
         "Whether POST enables the adapter (POS 2 bit 0), as the reference diskette lets its user choose; by default "
         "it does. On PCI, where nothing disables an adapter: whether it is plugged in."},
        {"slot.N.adapter_id", "POS identifier of the OEM version of the same card."},
        {"slot.N.set.NAME", "A timing value of the card, as `planar show CARD` names it (`data_port.ready_delay`)."}}},
      {"[floppy.a] and [floppy.b]",
       "The diskette in drive A, if it is not given by `image`. There is a drive B, of the same capacity, if there is "
       "`[floppy.b]`, which has the same keys.",
       {{"floppy.a.file", "The image; `\"\"`: the drive is empty."},
        {"floppy.a.mode", "Where writes go."},
        {"floppy.a.overlay", "The overlay's file; if empty, the image's name with `.overlay` appended."},
        {"floppy.a.format",
         "`\"raw\"`: the image is a raw one, whatever its first sector looks like (a guest may write there). "
         "`\"auto\"`: other programs' formats are refused."}}},
      {"[disk.N] and [cdrom.N]",
       "Drives on the SCSI adapter, N from 0 to 6. If no slot holds such an adapter, the last free one gets it.",
       {{"disk.N.file", "The image."},
        {"disk.N.mode", "Where writes go."},
        {"disk.N.overlay", "The overlay's file; if empty, the image's name with `.overlay` appended."},
        {"disk.N.format", "As `floppy.a.format`."},
        {"cdrom.N.file", "The image, read only; `\"\"`: the drive is empty."},
        {"cdrom.N.format", "As `floppy.a.format`."}}},
      {"[net] and [peer]",
       "The network of all cards. In a lab of several machines `net.attach` is `\"none\"` by default.",
       {{"net.attach",
         "What else is on it: `\"peer\"` (the reference station), `\"none\"`, or the host's network as `\"slirp\"`, "
         "`\"slirp:isolated\"` (the guest reaches nothing outside), `\"tap:NAME\"`, `\"pcap:IFACE\"`, "
         "`\"socket:HOST:PORT\"`, `\"socket:unix:PATH\"`."},
        {"net.medium", "The medium it is attached to, if the lab has several."},
        {"net.bond",
         "Ethernet media, in place of `net.medium`, on each of which the reference station has a port: one address, "
         "frames are sent over them in turn (`docs/hardware/channel-bonding.md`)."},
        {"net.duplex",
         "Half or full duplex; full only if every card can send and receive at once. Without it, what the first card "
         "negotiates: full on PCI, half on the Micro Channel and where several cards share the medium. Not with "
         "`[medium.NAME]` tables."},
        {"net.rate",
         "Bit rate, 4 or 16 Mbit/s for one Token Ring, 10, 100 or 1000 for one Ethernet segment; without it that of "
         "the first card. Not with `[medium.NAME]` tables."},
        {"net.path",
         "How the stations of an Ethernet are connected: `\"10base2\"` (coax with transceivers; the default of 10 "
         "Mbit/s in half duplex), `\"10base-t\"` (through a hub) or `\"cable\"` (nothing but a cable; all stations "
         "share one clock). Not with `[medium.NAME]` tables."},
        {"net.length",
         "Metres of the coax between two stations, up to 185, or of each link to the hub, up to 100; 0: a third of "
         "that. Not with `[medium.NAME]` tables."},
        {"net.delay",
         "One-way delay of a bare cable, shorter than the interframe gap; 50 ns by default at 1000 Mbit/s. Not with "
         "`[medium.NAME]` tables."},
        {"net.forward", "Ports of the host that lead to the guest: `\"tcp 127.0.0.1:2323 -> 23\"`; with slirp only."},
        {"net.time",
         "With the host's network: whether the run is paced to real time (`as-hardware`) or runs as fast as it can."},
        {"peer.duration", "How long the reference station asks netio to measure each packet size, 10 ms to 3600 s."},
        {"peer.turnaround", "Time from a frame's last bit to the reference station's answer, 1 us to 1 s (inferred)."},
        {"peer.tick_phase",
         "Time of the first tick of the reference station's 100 Hz clock, below 10 ms. Its delayed acknowledgements "
         "depend on it."},
        {"peer.receive_buffer",
         "Bytes of a TCP socket's receive buffer in the reference station, half of which is the window: 65535, or "
         "32767 for a Linux 2.2 without CONFIG_SKB_LARGE."},
        {"peer.acknowledge",
         "When the reference station acknowledges data in order: `by-estimate`, as Linux 2.2 (two full segments by the "
         "sizes it has seen), or `every-second-segment` of any size, as Windows."},
        {"peer.mtu",
         "Bytes of the reference station's longest IP datagram: 576 to 1500 on Ethernet, up to 17800 on a ring."}}},
      {"[medium.NAME]",
       "A medium of the lab; without such a table there is one Ethernet segment, called `segment`. A single machine "
       "with a Token Ring adapter gets `[medium.ring]` (dedicated), `[medium.uplink]` and `[switch.switch]`.",
       {{"medium.NAME.kind", "Kind of medium."},
        {"medium.NAME.rate", "Bit rate: 10, 100 or 1000 Mbit/s on an Ethernet, 4 or 16 (the default) on a ring."},
        {"medium.NAME.duplex",
         "Half or full duplex. On a ring, full means that it is dedicated to two stations, which transmit immediately "
         "if both of them ask for it, and by token if not."},
        {"medium.NAME.path", "On an Ethernet: how the stations are connected, as `net.path`."},
        {"medium.NAME.length", "On an Ethernet: metres of cable, as `net.length`."},
        {"medium.NAME.delay", "On an Ethernet: one-way delay of a bare cable, as `net.delay`."},
        {"medium.NAME.early_release",
         "On a 16 Mbit/s ring: whether stations other than adapters release the token right after their frame."},
        {"medium.NAME.insertion",
         "On a ring: whether insertion takes as long as in reality, or only as long as the ring's protocol needs."},
        {"medium.NAME.lobe_metres", "On a ring: length of each station's cable."},
        {"medium.NAME.ring_number", "On a ring: its number for source routing."}}},
      {"[bridge.NAME]",
       "A bridge between media of the lab (`docs/two-machines.md`).",
       {{"bridge.NAME.kind", "Transparent, or source-routing (between rings)."},
        {"bridge.NAME.media", "The names of two media or more."},
        {"bridge.NAME.number",
         "Number of a source-routing bridge; bridges between the same rings need different ones."},
        {"bridge.NAME.delay",
         "From a frame's last bit to its place in the other side's queue, at most 1 s; 500 us by default if it routes "
         "by source."},
        {"bridge.NAME.ageing", "How long an address is remembered, 10 s to 1000000 s; transparent bridges only."}}},
      {"[switch.NAME]",
       "A switch: a bridge with more addresses and less delay.",
       {{"switch.NAME.media", "The names of two media or more."},
        {"switch.NAME.delay", "From a frame's last bit to its place in the other side's queue, at most 1 s."},
        {"switch.NAME.ageing", "How long an address is remembered, 10 s to 1000000 s."}}},
      {"[station.NAME]",
       "Reference stations in addition to the one of `net.attach`, which is called `peer`; `[peer]` applies to all of "
       "them.",
       {{"station.NAME.medium", "The medium it is attached to, if the lab has several."},
        {"station.NAME.address", "Its IP address, one of its own."}}},
      {"[run] and [scenario]",
       "",
       {{"run.seed", "Seed of every random draw of the run."},
        {"run.force", "Whether to allow a card in a machine whose processor it does not support."},
        {"scenario.steps", "What the user at the machine does, in steps as `--do` takes them."}}},
      {"Labs",
       "A file with several `[[machine]]` tables is a lab: `[net]`, `[peer]`, `[medium.NAME]`, `[bridge.NAME]`, "
       "`[switch.NAME]`, `[station.NAME]`, `[run]` and `[scenario]` stand once at the top, every other table as "
       "`[machine.TABLE]` below its machine, which has two keys of its own (`docs/two-machines.md`).",
       {{"name", "Name of the machine in the lab: letters, digits, `-` and `_`, at most 32."},
        {"model", "A built-in machine, or a machine file."}}},
  };
  return all;
}

/// The path with N in place of the number of a slot or drive, and NAME in place of the name of a medium, bridge,
/// switch, station, guest setting or timing value.
std::string pattern(const std::string& path) {
  for (const std::string table : {"slot.", "disk.", "cdrom."}) {
    if (!path.starts_with(table)) continue;
    const auto dot = path.find('.', table.size());
    const auto key = path.substr(dot);
    return table + "N" + (key.starts_with(".set.") ? ".set.NAME" : key);
  }
  if (path.starts_with("guest.")) return "guest.NAME";
  for (const std::string table : {"medium.", "bridge.", "switch.", "station."})
    if (path.starts_with(table)) return table + "NAME" + path.substr(path.find('.', table.size()));
  return path;
}

/// Machines and labs that together contain every key.
std::vector<LabConfig> examples() {
  std::vector<LabConfig> labs;
  for (const MachineFile& file : machine_files()) labs.emplace_back(load_machine(std::string(file.name)));
  constexpr const char* more = R"(
machine = "model95"
image = "a.img"
serial = "stdio"
kernel = "k"
initrd = "i"
append = "a"
bios = "b"
[net]
attach = "slirp"
[slot.1]
card = "ne2"
io = "auto"
irq = "auto"
mem = "auto"
arb = "auto"
mac = "00:00:d8:01:02:03"
enabled = true
adapter_id = "auto"
set.register.ready_delay = "1 ns"
[disk.0]
file = "d"
[cdrom.1]
file = "c"
)";
  constexpr const char* diskette = "machine = \"model95\"\n[floppy.a]\nfile = \"f\"\n";
  constexpr const char* bridged = R"(
machine = "model95"
[net]
medium = "a"
[medium.a]
[medium.b]
path = "cable"
[medium.d]
kind = "token-ring"
[medium.f]
kind = "token-ring"
ring_number = 2
[bridge.g]
kind = "source-route"
media = ["d", "f"]
[bridge.c]
media = ["a", "b"]
[switch.e]
media = ["b", "d"]
[station.h]
medium = "b"
address = "192.168.10.9"
[slot.1]
card = "ne2"
medium = "b"
)";
  constexpr const char* versions = "machine = \"model95\"\n[slot.1]\ncard = \"lanstreamer\"\ndriver = \"3.04\"\n";
  constexpr const char* bonded = "machine = \"model95\"\n[net]\nbond = [\"a\", \"b\"]\n[medium.a]\n[medium.b]\n";
  constexpr const char* cable = "machine = \"model95\"\n[net]\npath = \"cable\"\n";
  constexpr const char* guest = "machine = \"model95\"\n[guest]\ndo = \"idle\"\n";
  constexpr const char* clocks = R"(
machine = "pc-p3-600"
[cpu]
repeat_slow_start = 15
interrupt_entry = 110
interrupt_return = 90
page_walk = 2
)";
  for (const char* text : {more, diskette, bridged, versions, bonded, cable, guest, clocks}) {
    Config file;
    file.add_text(text, "reference");
    labs.emplace_back(load_machine(std::move(file), "reference"));
  }
  labs.push_back(parse_lab("[[machine]]\nname = \"a\"\nmodel = \"model95\"\n", "reference"));
  return labs;
}

/// The keys that readers request, by pattern.
std::map<std::string, Config::Asked> asked_keys() {
  std::map<std::string, Config::Asked> keys;
  for (LabConfig& lab : examples()) {
    lab.read();
    for (std::size_t n = 0; n < lab.size(); ++n)
      for (const auto& asked : lab.machine(n).asked()) keys.try_emplace(pattern(asked.path), asked);
  }
  return keys;
}

std::string row(const Key& key, const Config::Asked& asked) {
  const auto values = asked.range.empty()    ? asked.type
                      : asked.type == "text" ? asked.range
                                             : fmt::format("{}, {}", asked.type, asked.range);
  return fmt::format("| `{}` | {} | {} | {} |\n", key.path, values,
                     asked.fallback ? fmt::format("`{}`", *asked.fallback) : "none", key.meaning);
}

}  // namespace

std::string key_reference() {
  auto asked = asked_keys();
  std::string out =
      "# Keys of machine and lab files\n\n"
      "Generated by `planar config --reference` from the code that reads the files; do not edit.\n\n"
      "A machine file is TOML and is layered over a built-in machine, which it names first (`machine = \"model95\"`); "
      "it needs to give only what differs. Options of the command line are layered over the file. "
      "`planar config FILE` prints the result with every key, and `--explain` where each value comes from. An unknown "
      "key is an error.\n\n"
      "Quantities are texts with a unit: a *time* is `\"200 ns\"` (ps, ns, us, ms, s), a *frequency* `\"20 MHz\"` or "
      "`\"100/3 MHz\"` (Hz, kHz, MHz), a *size* `\"16 MB\"` (bytes, KB, MB; 1 KB is 1024 bytes). A key whose default "
      "is *none* is given by every built-in machine that needs it, or may be left out together with its table.\n";
  for (const Section& section : sections()) {
    out += fmt::format("\n## {}\n\n", section.title);
    if (*section.text) out += fmt::format("{}\n\n", section.text);
    out += "| Key | Value | Default | Meaning |\n|---|---|---|---|\n";
    for (const Key& key : section.keys) {
      const auto found = asked.find(key.path);
      if (found == asked.end())
        throw Error(
            fmt::format("{}: nobody reads this key; take it out of machines/config/key_reference.cpp", key.path));
      out += row(key, found->second);
      asked.erase(found);
    }
  }
  for (const auto& [path, key] : asked)
    throw Error(fmt::format("{}: has no meaning yet; give it a line in machines/config/key_reference.cpp", path));
  return out;
}

std::string meaning_of_key(const std::string& path) {
  for (const Section& section : sections())
    for (const Key& key : section.keys)
      if (key.path == pattern(path)) return key.meaning;
  return {};
}

}  // namespace planar

// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/boards/pc/pc_board.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machines/boards/pc/routing_table.hpp"
#include "machines/config/processor.hpp"
#include "machines/machine/board_parts.hpp"
#include "machines/machine/linux_boot.hpp"
#include "roms/images.hpp"

namespace planar {

namespace {
constexpr unsigned host_bridge_device = 0;

/// INTA# of the slots' devices is routed to PIRQA#, PIRQB#, PIRQC#, PIRQD# in rotation, as on boards of the time.
PirqTable pirq_table(const PcConfig& own) {
  PirqTable table = PirqTable::rotation(0);
  for (unsigned slot = 0; slot < own.slot_devices.size(); ++slot)
    for (unsigned pin = 0; pin < 4; ++pin)
      table.wires[own.slot_devices[slot]][pin] = static_cast<std::uint8_t>((slot + pin) & 3);
  return table;
}

/// The AT's checksum of CMOS 10h to 2Dh, which is kept in 2Eh (high) and 2Fh (low).
std::uint16_t cmos_sum(const RtcCmos& cmos) {
  unsigned sum = 0;
  for (unsigned n = 0x10; n <= 0x2D; ++n) sum += cmos.cmos(n);
  return static_cast<std::uint16_t>(sum);
}

/// ISA has addresses for 16 MB; above them, PCI's master abort ends unanswered accesses.
bus::HostTiming host_timing(const PcConfig& own) {
  constexpr unsigned number = 1;  // PCI's bus number: ISA is attached first
  const Time aborted = own.pci.clocks(own.pci.master_abort) - own.pci.clocks(own.pci.transaction);
  bus::HostTiming timing = own.host;
  timing.first_bus_ends = 16 << 20;
  timing.beyond = bus::on_bus(CycleSpec{32, pci::CycleKind::configuration, aborted}, number);
  return timing;
}
}  // namespace

BoardKind PcBoard::kind() {
  BoardKind kind;
  kind.name = "pc";
  kind.tables = {"pci", "isa"};
  kind.read = read_pc;
  kind.make = [](const BoardSite& site) -> std::unique_ptr<Board> { return std::make_unique<PcBoard>(site); };
  kind.slot_bus = Pci::name;
  kind.usual_card = "3c905b";
  kind.card_choice = pc_card_choice;
  kind.firmware_assigns = true;
  kind.drives = {"IDE drive", 4, {0, 1, 2, 3}, {2, 3, 1, 0}};
  kind.storage_card = [](unsigned) -> std::string_view { return {}; };
  return kind;
}

PcBoard::PcBoard(const BoardSite& site)
    : scheduler_(site.scheduler),
      trace_(site.trace),
      space_(site.memory),
      config_(site.config),
      own_(dynamic_cast<const PcConfig&>(*site.config.board)),
      host_(scheduler_, space_, host_timing(own_), trace_),
      pci_(scheduler_, own_.pci, space_, trace_),
      peer_(own_.peer ? std::make_unique<pci::Segment>(scheduler_, *own_.peer, space_, trace_, "pci1") : nullptr),
      isa_(scheduler_, own_.isa, pci_),
      router_(interrupts_, pirq_table(own_), own_.slot_devices),
      bridge_slot_(host_bridge_device, 0, wiring(pci_)),
      isa_slot_(own_.bridge_device, 0, wiring(pci_)),
      bridge_(own_.host_bridge(bridge_slot_, config_, peer_.get())),
      south_(own_.south_bridge(isa_slot_, router_)),
      memory_(space_, config_.memory_bytes / 1024, processor_model(config_.timing.model).address_lines),
      kernel_loader_(space_),
      pic_(trace_, Trigger::elcr),
      timers_(scheduler_, trace_, TimerBoard::at),
      elcr_(pic_),
      dma_(scheduler_, space_, trace_),
      system_(timers_, trace_),
      cmos_(scheduler_, trace_, RtcCmos::at_century),
      keyboard_(scheduler_, trace_),
      serial_(scheduler_, trace_, "com1"),
      parallel_(scheduler_, "lpt1"),
      diskette_(scheduler_, trace_, DisketteMode::at),
      video_(scheduler_),
      post_ports_(trace_),
      diskette_dma_(diskette_, dma_) {
  host_.attach(isa_);
  host_.attach(pci_);
  IoSpace& io = host_.io();
  config_ports_ = std::make_unique<pci::ConfigPorts>(pci_, io, own_.mechanism);
  if (peer_) {
    host_.attach(*peer_);
    config_ports_->add(*peer_);
    segments_.push_back(peer_.get());
    buses_.push_back(peer_.get());
  }
  pic_.claim_ports(io);
  timers_.claim_ports(io);
  elcr_.claim_ports(io);
  south_.isa->claim_ports(io);
  dma_.claim_ports(io);
  system_.claim_ports(io);
  cmos_.claim_ports(io);
  keyboard_.claim_ports(io);
  coprocessor_.claim_ports(io);
  post_ports_.claim_ports(io);
  serial_.claim_ports(io, 0x3F8);
  parallel_.claim_ports(io, 0x378);
  diskette_.claim_ports(io);
  video_.claim(io, space_);
  video_.set_trace(&trace_);
  install_diskette_drives(diskette_, config_);
}

PcBoard::~PcBoard() = default;

pci::SlotWiring PcBoard::wiring(pci::Segment& segment) {
  return {
      scheduler_,
      host_.io(),
      space_,
      segment,
      trace_,
      [this](unsigned device, unsigned pin, bool asserted, Time now) { router_.set_pin(device, pin, asserted, now); },
      config_.name_prefix()};
}

void PcBoard::start(cpu::Cpu& cpu, std::span<net::Medium* const> media) {
  wire_interrupts(cpu);
  wire_control(cpu);
  fill_slots(media);
  for (const DriveConfig& drive : config_.drives) south_.ide->attach(drive.id, drive.kind, open_drive(drive));
  load_built_in_firmware();
  write_configuration();
}

void PcBoard::reset(Time now) {
  for (pci::Segment* segment : segments_) segment->reset(now);
  config_ports_->reset();
  pic_.reset(now);
  elcr_.reset(now);
  dma_.reset();
  timers_.reset(now);
  system_.reset(now);
  cmos_.reset(now);
  keyboard_.reset(now);
  coprocessor_.reset(now);
  serial_.reset(now);
  parallel_.reset(now);
  diskette_.reset(now);
  video_.reset(now);
  video_.set_awake(true);  // there is no POS: only port 3C3h wakes it
}

void PcBoard::wire_interrupts(cpu::Cpu& cpu) {
  interrupts_.connect(pic_);
  host_.connect(pic_);
  wires_.connect(pic_.intr(), [&cpu](bool level, Time) { cpu.set_intr(level); });
  wires_.connect_irq(timers_.irq0, 0, "timer");
  wires_.connect_irq(keyboard_.irq1, 1, "keyboard");
  wires_.connect_irq(serial_.irq, 4, "serial");
  wires_.connect_irq(diskette_.irq6, 6, "diskette");
  wires_.connect_irq(parallel_.irq, 7, "parallel");
  wires_.connect_irq(cmos_.irq8, 8, "clock");
  wires_.connect_irq(keyboard_.irq12, 12, "mouse");
  wires_.connect_irq(coprocessor_.irq13, 13, "coprocessor");
  wires_.connect_irq(south_.ide->irq14, 14, "IDE 1");
  wires_.connect_irq(south_.ide->irq15, 15, "IDE 2");
  wires_.connect(coprocessor_.ignne, [&cpu](bool level, Time) { cpu.ignore_fpu_error(level); });
  host_.on_fpu_error([this](bool active, Time now) { coprocessor_.ferr(active, now); });
}

void PcBoard::wire_control(cpu::Cpu& cpu) {
  cmos_.nmi_mask.connect(system_.nmi_mask());
  keyboard_.a20.connect(system_.a20_from_keyboard());
  keyboard_.cpu_reset.connect(system_.reset_from_keyboard());
  wires_.connect(system_.nmi, [&cpu](bool level, Time) {
    if (level) cpu.nmi();
  });
  wires_.connect(system_.a20, [&cpu](bool level, Time) { cpu.set_a20(level); });
  wires_.connect(system_.init, [&cpu](bool level, Time now) {
    if (level) cpu.reset(now);
  });
  wires_.connect(system_.hard_reset, [this, &cpu](bool level, Time now) {
    if (!level) return;
    reset(now);
    cpu.reset(now);
  });
  host_.on_shutdown([&cpu](Time now) { cpu.reset(now); });
  const auto clock = config_.clock.clock();
  const pci::Segment::Host host{
      [&cpu](BurstCommand command, std::uint32_t address, std::uint32_t bytes) -> pci::Segment::Host::Dirty {
        const cpu::SnoopHits hits =
            cpu.snoop({address, bytes, writes(command), command == BurstCommand::write_invalidate});
        return {hits.first_level, hits.second_level, static_cast<unsigned>(hits.first)};
      },
      [&cpu, clock](Time from, Time to, Time period, Time line, Time bus) {
        const auto first = clock.first_at_or_after(from);
        const auto clocks = [&](Time t) {
          return static_cast<std::uint32_t>(clock.first_at_or_after(from + t) - first);
        };
        cpu.share({first, clock.first_at_or_after(to), std::max(1u, clocks(period)), clocks(line), clocks(bus)});
      }};
  for (pci::Segment* segment : segments_) segment->set_host(host);
}

void PcBoard::fill_slots(std::span<net::Medium* const> media) {
  for (unsigned n = 0; n < own_.slot_devices.size(); ++n) {
    slots_.emplace_back();
    pci::Segment& segment = own_.on_peer[n] ? *peer_ : pci_;
    slots_.back().slot =
        std::make_unique<pci::Slot>(own_.slot_devices[n], n + 1, wiring(segment), config_.slot_widths[n]);
  }
  for (const CardConfig& card : config_.cards) {
    if (!card.enabled) continue;                   // a PCI card cannot be disabled by configuration: it is omitted
    const PciEntry& entry = *find_pci(card.name);  // read_machine() has checked its bus
    Occupant& at = slots_[card.slot - 1];
    at.card =
        entry.make({*at.slot, plugged_medium(card, media), card.mac, card.settings, config_.seed, config_.number});
    at.slot->set_occupant(entry.name, TraceCategory::nic);
    at.title = entry.title;
    at.id = std::uint32_t{entry.vendor} << 16 | entry.adapter_id;
  }
}

void PcBoard::load_built_in_firmware() {
  auto image = identified_firmware(roms::pc_firmware(), config_.identity, "the PC's built-in firmware");
  std::vector<RoutingSlot> slots;
  for (const pci::Segment* segment : segments_)
    for (const Occupant& at : slots_)
      if (&at.slot->segment() == segment)
        slots.push_back({segment->bus_number(), at.slot->device(), at.slot->number()});
  write_routing_table(image, *south_.isa, slots, router_.table());
  memory_.load_rom(image, "planar-pc-firmware.rom (built in)");
}

// Writes what a setup program would have written: the AT's CMOS, with its checksum. The first channel's
// disks have the user-defined type (15, extended 47), whose parameters the firmware reads from the disk.
void PcBoard::write_configuration() {
  const auto put = [this](unsigned n, unsigned value) { cmos_.set_cmos(n, static_cast<std::uint8_t>(value)); };
  const std::uint32_t extended = std::min(memory_.extended_kb(), 0xFFFFu);
  const unsigned drive_type = config_.diskette == "2.88 MB" ? 6 : 4;
  put(0x10, drive_type << 4 | (config_.drive_b ? drive_type : 0));
  for (unsigned n = 0; n < 2; ++n) {
    const storage::Drive* const drive = south_.ide->drive(n);
    if (!drive || drive->kind() != storage::DriveKind::disk) continue;
    put(0x12, cmos_.cmos(0x12) | (n == 0 ? 0xF0u : 0x0Fu));
    put(0x19 + n, 47);
  }
  // one or two diskette drives, coprocessor, mouse port
  put(0x14, 0x01 | (config_.drive_b ? 0x40 : 0) | (config_.fpu ? 0x02 : 0) | 0x04);
  put(0x15, 640 & 0xFF);
  put(0x16, 640 >> 8);
  for (const unsigned at : {0x17u, 0x30u}) {
    put(at, extended & 0xFF);
    put(at + 1, extended >> 8);
  }
  const std::uint16_t sum = cmos_sum(cmos_);
  put(0x2E, sum >> 8);
  put(0x2F, sum & 0xFF);
  put(0x3D, own_.boot[0] | own_.boot[1] << 4);
  put(0x38, own_.boot[2] << 4);
  cmos_.set_date_time(DateTime::parse(config_.clock_start), {});
}

void PcBoard::load_kernel(const LinuxBoot& boot) {
  constexpr std::uint32_t below = 0xE0000;  // the end of the ROM; nothing else on this board claims any of the area
  auto rom = kernel_loader_rom(boot);
  place_parts(boot, memory_.ram());
  const auto size = static_cast<std::uint32_t>(rom.size());
  kernel_loader_.install(below - size, std::move(rom));
}

bus::Card* PcBoard::card(unsigned number) const {
  return number >= 1 && number <= slots_.size() ? slots_[number - 1].card.card.get() : nullptr;
}

NetworkAdapter* PcBoard::adapter(unsigned number) const {
  return number >= 1 && number <= slots_.size() ? slots_[number - 1].card.network : nullptr;
}

std::vector<bus::SlotView> PcBoard::slots() const {
  std::vector<bus::SlotView> views;
  for (unsigned n = 0; n < slots_.size(); ++n) {
    const Occupant& at = slots_[n];
    bus::SlotView view;
    view.number = n + 1;
    view.width = config_.slot_widths[n];
    view.bus = &at.slot->segment();
    if (const pci::Function* f = at.card.function) {
      view.card = at.card.card.get();
      view.title = at.title;
      view.id = at.id;
      view.registers = fmt::format("device {}  COMMAND {:04X}  LATENCY_TIMER {:02X}", at.slot->device(),
                                   f->config_peek(pci::COMMAND, 2), f->config_peek(pci::LATENCY_TIMER, 1));
      view.enabled = f->config_peek(pci::COMMAND, 2) & (pci::IO_SPACE | pci::MEMORY_SPACE);
      for (unsigned bar = 0; bar < f->bars().size(); ++bar) {
        if (!f->decodes(bar)) continue;
        const bool io = f->bars()[bar].kind == pci::Bar::Kind::io;
        const std::uint32_t first = f->base(bar), last = first + f->bars()[bar].size - 1;
        view.resources.push_back({io ? bus::CardResource::Kind::io : bus::CardResource::Kind::memory, first, last,
                                  io ? fmt::format("I/O {:04X}h-{:04X}h", first, last)
                                     : fmt::format("memory {:08X}h-{:08X}h", first, last)});
      }
      if (const unsigned line = f->config_peek(pci::INTERRUPT_LINE, 1); line != 0 && line < 16)
        view.resources.push_back({bus::CardResource::Kind::level, line, line, fmt::format("IRQ {}", line)});
    }
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<DescribedDevice> PcBoard::devices(Time t) const {
  std::vector<DescribedDevice> list = {
      {"pic", [this](Description& d) { pic_.describe(d); }},
      {"pit", [this, t](Description& d) { timers_.describe(d, t); }},
      {"pci",
       [this](Description& d) {
         pci_.describe(d);
         config_ports_->describe(d.part("configuration"));
       }},
      {"isa", [this](Description& d) { isa_.describe(d); }},
      {bridge_->name(), [this](Description& d) { bridge_->describe(d); }},
      {south_.isa->name(), [this](Description& d) { south_.isa->describe(d); }},
      {"ide", [this](Description& d) { south_.ide->describe(d); }},
      {"dma", [this](Description& d) { dma_.describe(d); }},
      {"irq",
       [this](Description& d) {
         interrupts_.describe(d);
         elcr_.describe(d);
         router_.describe(d.part("PCI interrupts"));
       }},
      {"memory", [this](Description& d) { memory_.describe(d); }},
      {"system", [this, t](Description& d) { system_.describe(d, t); }},
      {"rtc",
       [this, t](Description& d) {
         cmos_.describe(d, t);
         d.flag("checksum valid", cmos_sum(cmos_) == (cmos_.cmos(0x2E) << 8 | cmos_.cmos(0x2F)));
       }},
      {"keyboard", [this](Description& d) { keyboard_.describe(d); }},
      {"diskette", [this, t](Description& d) { diskette_.describe(d, t); }},
      {"com1", [this](Description& d) { serial_.describe(d); }},
      {"lpt1", [this](Description& d) { parallel_.describe(d); }},
      {"vga", [this, t](Description& d) { video_.describe(d, t); }},
      {"coprocessor", [this](Description& d) { coprocessor_.describe(d); }},
      {"post", [this](Description& d) { post_ports_.describe(d); }},
  };
  if (peer_) list.push_back({std::string(peer_->name()), [this](Description& d) { peer_->describe(d); }});
  for (std::size_t n = 0; n < slots_.size(); ++n)
    if (const bus::Card* card = slots_[n].card.card.get())
      list.push_back({fmt::format("slot{}.{}", n + 1, card->name()), [card](Description& d) { card->describe(d); }});
  if (!kernel_loader_.image().empty())
    list.push_back({"kernel-rom", [this](Description& d) { kernel_loader_.describe(d); }});
  return list;
}

void PcBoard::archive(Archive& a) {
  // Cards first: they restore the claims through which the rest is reached.
  bridge_->archive(a);
  south_.isa->archive(a);
  south_.ide->archive(a);
  for (Occupant& at : slots_)
    if (at.card.card) at.card.card->archive(a);
  config_ports_->archive(a);
  host_.archive(a);
  interrupts_.archive(a);
  router_.archive(a);
  memory_.archive(a);
  kernel_loader_.archive(a);
  pic_.archive(a);
  elcr_.archive(a);
  dma_.archive(a);
  timers_.archive(a);
  system_.archive(a);
  cmos_.archive(a);
  keyboard_.archive(a);
  serial_.archive(a);
  parallel_.archive(a);
  diskette_.archive(a);
  video_.archive(a);
  post_ports_.archive(a);
  coprocessor_.archive(a);
}

}  // namespace planar

// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/boards/ps2/ps2_board.hpp"

#include <fmt/format.h>

#include "core/common/error.hpp"
#include "machines/config/processor.hpp"
#include "machines/machine/board_parts.hpp"
#include "machines/machine/linux_boot.hpp"
#include "roms/images.hpp"

namespace planar {

BoardKind Ps2Board::kind() {
  BoardKind kind;
  kind.name = "ps2";
  kind.tables = {"channel"};
  kind.read = read_ps2;
  kind.make = [](const BoardSite& site) -> std::unique_ptr<Board> { return std::make_unique<Ps2Board>(site); };
  kind.slot_bus = MicroChannel::name;
  kind.usual_card = "ne2";
  kind.card_choice = ps2_card_choice;
  kind.check_cards = check_ps2_cards;
  kind.storage_card = [](unsigned width) -> std::string_view { return width == 32 ? "scsi-cache" : "scsi-a"; };
  return kind;
}

Ps2Board::Ps2Board(const BoardSite& site)
    : scheduler_(site.scheduler),
      trace_(site.trace),
      space_(site.memory),
      config_(site.config),
      own_(dynamic_cast<const Ps2Config&>(*site.config.board)),
      host_(scheduler_, space_, own_.host, trace_),
      channel_(scheduler_, own_.channel, host_.io(), trace_),
      dma_(channel_, host_.io(), space_, trace_),
      pos_(host_.io(), trace_, own_.scsi_setup_bit),
      planar_pos_(config_.identity.planar_id),
      memory_(space_, config_.memory_bytes / 1024, processor_model(config_.timing.model).address_lines),
      kernel_loader_(space_),
      pic_(trace_),
      timers_(scheduler_, trace_),
      system_(timers_, trace_, config_.refresh_period),
      cmos_(scheduler_, trace_),
      keyboard_(scheduler_, trace_),
      serial_(scheduler_, trace_, "com1"),
      parallel_(scheduler_, "lpt1"),
      diskette_(scheduler_, trace_),
      video_(scheduler_),
      panel_(trace_),
      post_ports_(trace_),
      diskette_dma_(diskette_, dma_) {
  host_.attach(channel_);
  IoSpace& io = host_.io();
  pic_.claim_ports(io);
  timers_.claim_ports(io);
  system_.claim_ports(io);
  cmos_.claim_ports(io);
  nvram_.claim_ports(io);
  keyboard_.claim_ports(io);
  coprocessor_.claim_ports(io);
  post_ports_.claim_ports(io, false);  // the page registers' spare latches belong to the DMA controller
  if (own_.panel) panel_.claim_ports(io);
  video_.claim(io, space_);
  video_.set_trace(&trace_);
  install_diskette_drives(diskette_, config_);
}

Ps2Board::~Ps2Board() = default;

void Ps2Board::start(cpu::Cpu& cpu, std::span<net::Medium* const> media) {
  wire_interrupts(cpu);
  wire_control(cpu);
  wire_pos();
  fill_slots(media);
  load_built_in_firmware();
  write_configuration();
}

void Ps2Board::reset(Time now) {
  dma_.reset(now);
  pic_.reset(now);
  timers_.reset(now);
  system_.reset(now);
  cmos_.reset(now);
  keyboard_.reset(now);
  coprocessor_.reset(now);
  serial_.reset(now);
  parallel_.reset(now);
  diskette_.reset(now);
  video_.reset(now);
  planar_pos_.reset(now);
  video_pos_.reset(now);
  pos_.reset(now);
}

void Ps2Board::wire_interrupts(cpu::Cpu& cpu) {
  interrupts_.connect(pic_);
  host_.connect(pic_);
  wires_.connect(pic_.intr(), [&cpu](bool level, Time) { cpu.set_intr(level); });
  wires_.connect_irq(timers_.irq0, 0, "timer");
  // docs/hardware/micro-channel.md#interrupts
  pic_.on_acknowledge([this](std::uint8_t vector, Time now) {
    if (vector == 0x08) timers_.clear_irq0(now);
  });
  wires_.connect_irq(keyboard_.irq1, 1, "keyboard");
  wires_.connect_irq(diskette_.irq6, 6, "diskette");
  wires_.connect_irq(parallel_.irq, 7, "parallel");
  wires_.connect_irq(cmos_.irq8, 8, "clock");
  wires_.connect_irq(video_.irq9, 9, "video");
  wires_.connect_irq(keyboard_.irq12, 12, "mouse");
  // COM1 is IRQ 4, COM2 IRQ 3: planar POS 2 bit 3 selects which of the two this port is.
  const unsigned serial = interrupts_.add_source("serial");
  wires_.connect(serial_.irq,
                 [this, serial](bool level, Time now) { interrupts_.set(serial_irq_, serial, level, now); });
  wires_.connect_irq(coprocessor_.irq13, 13, "coprocessor");
  wires_.connect(coprocessor_.ignne, [&cpu](bool level, Time) { cpu.ignore_fpu_error(level); });
  host_.on_fpu_error([this](bool active, Time now) { coprocessor_.ferr(active, now); });
}

void Ps2Board::wire_control(cpu::Cpu& cpu) {
  timers_.watchdog.connect(system_.watchdog());
  cmos_.nmi_mask.connect(system_.nmi_mask());
  keyboard_.a20.connect(system_.a20_from_keyboard());
  keyboard_.cpu_reset.connect(system_.reset_from_keyboard());
  channel_check_.connect(system_);
  channel_.connect(system_);
  wires_.connect(system_.nmi, [this, &cpu](bool level, Time now) {
    if (!level) return;
    channel_.nmi_delivered(now);
    cpu.nmi();
  });
  wires_.connect(system_.a20, [&cpu](bool level, Time) { cpu.set_a20(level); });
  wires_.connect(system_.cpu_reset, [&cpu](bool level, Time now) {
    if (level) cpu.reset(now);
  });
  host_.on_shutdown([&cpu](Time now) { cpu.reset(now); });
  const auto steal = [&cpu, clock = config_.clock.clock()](Time from, Time to) {
    const auto first = clock.first_at_or_after(from);
    cpu.steal(first, static_cast<unsigned>(clock.first_at_or_after(to) - first));
  };
  channel_.set_steal(steal,
                     config_.memory_path == MemoryPath::single ? bus::Channel::Path::single : bus::Channel::Path::dual);
}

void Ps2Board::wire_pos() {
  pos_.set_planar(&planar_pos_);
  pos_.set_video(&video_pos_);
  planar_pos_.on_change([this](const PlanarFunctions& f, Time now) { enable_functions(f, now); });
  video_pos_.on_change([this](bool awake, Time now) {
    trace_(TraceCategory::video, now, "vga", "{} by POS", awake ? "enabled" : "disabled");
    video_.set_awake(awake);
  });
}

void Ps2Board::enable_functions(const PlanarFunctions& f, Time now) {
  IoSpace& io = host_.io();
  diskette_.release_ports();
  serial_.release_ports();
  parallel_.release_ports();
  if (f.diskette) diskette_.claim_ports(io, pos_.feedback());
  if (f.serial) serial_.claim_ports(io, f.serial_base, pos_.feedback());
  if (f.parallel) parallel_.claim_ports(io, f.parallel_base, pos_.feedback());
  parallel_.set_extended(f.parallel_extended);
  if (f.serial_irq != serial_irq_) {
    const bool level = serial_.irq.level();
    serial_.irq.set(false, now);
    serial_irq_ = f.serial_irq;
    serial_.irq.set(level, now);
  }
}

// IBM shipped one ROM per model; planar's single image is given the model's bytes.
void Ps2Board::load_built_in_firmware() {
  memory_.load_rom(identified_firmware(roms::firmware(), config_.identity, "the built-in firmware"),
                   "planar-firmware.rom (built in)");
}

void Ps2Board::load_kernel(const LinuxBoot& boot) {
  const auto rom = kernel_loader_rom(boot);
  const auto size = static_cast<std::uint32_t>(rom.size());
  const auto taken = [&](std::uint32_t base) {
    const adf::Resource wanted{adf::ResourceKind::memory, base, base + size - 1};
    for (const auto& row : slot_page_.rows)
      for (const auto& claim : row.result.claims)
        if (!row.empty && claim.resource.overlaps(wanted)) return true;
    return false;
  };
  // Search downwards: adapters are placed from the bottom.
  std::uint32_t base = 0xE0000 - size;
  while (taken(base)) {
    if (base == 0xC0000)
      throw Error(
          "the adapters take all of C0000h to DFFFFh, which leaves no place for the ROM that starts a kernel; move "
          "or remove one (--card NAME:mem=...)");
    base -= size;
  }
  place_parts(boot, memory_.ram());
  kernel_loader_.install(base, rom);
}

bus::Adapter* Ps2Board::adapter_card(unsigned number) const {
  return number >= 1 && number <= adapters_.size() ? adapters_[number - 1].get() : nullptr;
}

NetworkAdapter* Ps2Board::adapter(unsigned number) const {
  return number >= 1 && number <= network_.size() ? network_[number - 1] : nullptr;
}

std::vector<bus::SlotView> Ps2Board::slots() const {
  std::vector<bus::SlotView> views;
  for (const auto& row : slot_page_.rows) {
    bus::SlotView view;
    view.number = row.slot;
    view.width = row.width == adf::SlotWidth::bits32 ? 32 : 16;
    view.bus = &channel_;
    if (const bus::Adapter* card = row.empty ? nullptr : adapter_card(row.slot)) {
      view.card = card;
      view.title = row.result.name;
      view.id = row.result.id;
      view.registers = fmt::format("ID {:04X}  POS", card->adapter_id());
      for (unsigned reg = 2; reg < 6; ++reg) view.registers += fmt::format(" {:02X}", card->pos_peek(reg));
      view.enabled = card->pos_peek(2) & 1;
      for (const auto& claim : row.result.claims) {
        const adf::Resource& r = claim.resource;
        using Kind = bus::CardResource::Kind;
        const Kind kind = r.kind == adf::ResourceKind::io       ? Kind::io
                          : r.kind == adf::ResourceKind::memory ? Kind::memory
                                                                : Kind::level;
        view.resources.push_back({kind, r.first, r.last, adf::to_string(r)});
      }
    }
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<DescribedDevice> Ps2Board::devices(Time t) const {
  std::vector<DescribedDevice> list = {
      {"pic", [this](Description& d) { pic_.describe(d); }},
      {"pit", [this, t](Description& d) { timers_.describe(d, t); }},
      {"dma", [this](Description& d) { dma_.describe(d); }},
      {"channel", [this](Description& d) { channel_.describe(d); }},
      {"pos",
       [this](Description& d) {
         pos_.describe(d);
         planar_pos_.describe(d.part("planar functions"));
       }},
      {"irq",
       [this](Description& d) {
         interrupts_.describe(d);
         channel_check_.describe(d);
       }},
      {"memory", [this](Description& d) { memory_.describe(d); }},
      {"system", [this, t](Description& d) { system_.describe(d, t); }},
      {"rtc",
       [this, t](Description& d) {
         cmos_.describe(d, t);
         d.flag("CRC valid", cmos_.crc_valid());
       }},
      {"nvram", [this](Description& d) { nvram_.describe(d); }},
      {"keyboard", [this](Description& d) { keyboard_.describe(d); }},
      {"diskette", [this, t](Description& d) { diskette_.describe(d, t); }},
      {"com1", [this](Description& d) { serial_.describe(d); }},
      {"lpt1", [this](Description& d) { parallel_.describe(d); }},
      {"vga", [this, t](Description& d) { video_.describe(d, t); }},
      {"coprocessor", [this](Description& d) { coprocessor_.describe(d); }},
      {"post", [this](Description& d) { post_ports_.describe(d); }},
  };
  for (std::size_t n = 0; n < adapters_.size(); ++n)
    if (const bus::Adapter* adapter = adapters_[n].get())
      list.push_back(
          {fmt::format("slot{}.{}", n + 1, adapter->name()), [adapter](Description& d) { adapter->describe(d); }});
  if (own_.panel) list.push_back({"panel", [this](Description& d) { panel_.describe(d); }});
  if (!kernel_loader_.image().empty())
    list.push_back({"kernel-rom", [this](Description& d) { kernel_loader_.describe(d); }});
  return list;
}

void Ps2Board::archive(Archive& a) {
  // Adapters and POS first: they restore the claims through which the rest is reached.
  planar_pos_.archive(a);
  video_pos_.archive(a);
  if (a.loading()) {
    enable_functions(planar_pos_.functions(), scheduler_.now());
    video_.set_awake(video_pos_.awake());
  }
  pos_.archive(a);
  host_.archive(a);
  dma_.archive(a);
  interrupts_.archive(a);
  channel_check_.archive(a);
  for (auto& adapter : adapters_)
    if (adapter) adapter->archive(a);
  memory_.archive(a);
  kernel_loader_.archive(a);
  pic_.archive(a);
  timers_.archive(a);
  system_.archive(a);
  cmos_.archive(a);
  nvram_.archive(a);
  keyboard_.archive(a);
  serial_.archive(a);
  parallel_.archive(a);
  diskette_.archive(a);
  video_.archive(a);
  panel_.archive(a);
  post_ports_.archive(a);
  coprocessor_.archive(a);
}

}  // namespace planar

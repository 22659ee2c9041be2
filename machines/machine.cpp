// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/machine.hpp"

#include <fmt/format.h>

#include "machines/linux_boot.hpp"
#include "roms/images.hpp"

namespace planar {

namespace {

cpu::CpuConfig cpu_config(const MachineConfig& m) {
  cpu::CpuConfig c;
  c.model = m.timing.model;
  c.clock = m.clock.clock();
  c.fpu = m.fpu;
  c.signature = m.signature;
  c.timing = m.timing;
  return c;
}

unsigned scsi_setup_bit(const MachineConfig& m) { return m.timing.model == cpu::Model::i386sx ? 3 : 1; }

}  // namespace

Machine::Machine(Scheduler& scheduler, Trace& trace, const MachineConfig& config, std::span<net::Medium* const> media)
    : scheduler_(scheduler),
      trace_(trace),
      config_(config),
      host_(scheduler, space_, config.host, trace),
      channel_(scheduler, config.bus, host_.io(), trace),
      dma_(channel_, host_.io(), space_, trace),
      pos_(host_.io(), trace, scsi_setup_bit(config)),
      planar_pos_(config.identity.planar_id),
      memory_(space_, config.memory_bytes / 1024, config.timing.model == cpu::Model::i386sx ? 24 : 32),
      kernel_loader_(space_),
      pic_(trace),
      timers_(scheduler, trace),
      system_(timers_, trace),
      cmos_(scheduler, trace),
      keyboard_(scheduler, trace),
      serial_(scheduler, trace, "com1"),
      parallel_(scheduler, "lpt1"),
      diskette_(scheduler, trace),
      video_(scheduler),
      panel_(trace),
      post_ports_(trace),
      cpu_(scheduler, space_, host_, trace, cpu_config(config)),
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
  post_ports_.claim_ports(io, false);  // the page registers' spare latches are the DMA controller's
  if (config_.panel) panel_.claim_ports(io);
  video_.claim(io, space_);
  video_.set_trace(&trace_);
  diskette_.install(0, config_.diskette == "2.88 MB" ? 1000 : 500);

  wire_interrupts();
  wire_control();
  wire_pos();
  fill_slots(media);
  load_firmware();
  write_configuration();

  reset({});
}

void Machine::reset(Time now) {
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
  cpu_.reset(now);
}

Machine::~Machine() = default;

void Machine::connect(Output& output, std::function<void(bool, Time)> function) {
  wires_.push_back(std::make_unique<SignalFunction>(std::move(function)));
  output.connect(*wires_.back());
}

void Machine::connect_irq(Output& output, unsigned line, std::string name) {
  const unsigned source = interrupts_.add_source(std::move(name));
  connect(output, [this, line, source](bool level, Time now) { interrupts_.set(line, source, level, now); });
}

void Machine::wire_interrupts() {
  interrupts_.connect(pic_);
  host_.connect(pic_);
  connect(pic_.intr(), [this](bool level, Time) { cpu_.set_intr(level); });
  connect_irq(timers_.irq0, 0, "timer");
  // docs/hardware/micro-channel.md#interrupts
  pic_.on_acknowledge([this](std::uint8_t vector, Time now) {
    if (vector == 0x08) timers_.clear_irq0(now);
  });
  connect_irq(keyboard_.irq1, 1, "keyboard");
  connect_irq(diskette_.irq6, 6, "diskette");
  connect_irq(parallel_.irq, 7, "parallel");
  connect_irq(cmos_.irq8, 8, "clock");
  connect_irq(video_.irq9, 9, "video");
  connect_irq(keyboard_.irq12, 12, "mouse");
  // COM1 is IRQ 4, COM2 IRQ 3: planar POS 2 bit 3 decides which of the two this port is.
  const unsigned serial = interrupts_.add_source("serial");
  connect(serial_.irq, [this, serial](bool level, Time now) { interrupts_.set(serial_irq_, serial, level, now); });
  connect_irq(coprocessor_.irq13, 13, "coprocessor");
  connect(coprocessor_.ignne, [this](bool level, Time) { cpu_.ignore_fpu_error(level); });
  host_.on_fpu_error([this](bool active, Time now) { coprocessor_.ferr(active, now); });
}

void Machine::wire_control() {
  timers_.watchdog.connect(system_.watchdog());
  cmos_.nmi_mask.connect(system_.nmi_mask());
  keyboard_.a20.connect(system_.a20_from_keyboard());
  keyboard_.cpu_reset.connect(system_.reset_from_keyboard());
  channel_check_.connect(system_);
  channel_.connect(system_);
  connect(system_.nmi, [this](bool level, Time now) {
    if (!level) return;
    channel_.nmi_delivered(now);
    cpu_.nmi();
  });
  connect(system_.a20, [this](bool level, Time) { cpu_.set_a20(level); });
  connect(system_.cpu_reset, [this](bool level, Time now) {
    if (level) cpu_.reset(now);
  });
  host_.on_shutdown([this](Time now) { cpu_.reset(now); });
  const auto steal = [this, clock = config_.clock.clock()](Time from, Time to) {
    const auto first = clock.first_at_or_after(from);
    cpu_.steal(first, static_cast<unsigned>(clock.first_at_or_after(to) - first));
  };
  channel_.set_steal(steal, config_.dual_path ? bus::Channel::Path::dual : bus::Channel::Path::single);
}

void Machine::wire_pos() {
  pos_.set_planar(&planar_pos_);
  pos_.set_video(&video_pos_);
  planar_pos_.on_change([this](const PlanarFunctions& f, Time now) { enable_functions(f, now); });
  video_pos_.on_change([this](bool awake, Time now) {
    trace_(TraceCategory::video, now, "vga", "{} by POS", awake ? "enabled" : "disabled");
    video_.set_awake(awake);
  });
}

void Machine::enable_functions(const PlanarFunctions& f, Time now) {
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

// IBM shipped one ROM per model; planar's one image gets the model's bytes in the two documented places.
void Machine::load_firmware() {
  std::vector<std::uint8_t> image(roms::firmware().begin(), roms::firmware().end());
  constexpr std::size_t table = 0xFE6F5 - 0xE0000, model_byte = 0xFFFFE - 0xE0000;
  if (image.size() != MemoryController::rom_bytes || image[table] != 8 || image[table + 1] != 0)
    throw Error("the built-in firmware has no configuration table at F000:E6F5; rebuild it with make -C roms",
                ExitCode::missing_file);
  const Identity& id = config_.identity;
  image[table + 2] = image[model_byte] = id.model;
  image[table + 3] = id.submodel;
  image[table + 4] = id.revision;
  std::copy(id.features.begin(), id.features.end(), image.begin() + table + 5);
  memory_.load_rom(image, "planar-firmware.rom (built in)");
}

void Machine::load_kernel(const LinuxBoot& boot) {
  const auto rom = kernel_loader_rom(boot);
  const auto size = static_cast<std::uint32_t>(rom.size());
  const auto taken = [&](std::uint32_t base) {
    const adf::Resource wanted{adf::ResourceKind::memory, base, base + size - 1};
    for (const auto& row : slot_page_.rows)
      for (const auto& claim : row.result.claims)
        if (!row.empty && claim.resource.overlaps(wanted)) return true;
    return false;
  };
  // From the top: adapters are placed from the bottom.
  std::uint32_t base = 0xE0000 - size;
  while (taken(base)) {
    if (base == 0xC0000)
      throw Error(
          "the adapters take all of C0000h to DFFFFh, which leaves no place for the ROM that starts a kernel; move "
          "or remove one (--card NAME:mem=...)");
    base -= size;
  }
  for (const auto& part : boot.parts)
    std::copy(part.bytes.begin(), part.bytes.end(), memory_.ram().begin() + static_cast<std::ptrdiff_t>(part.address));
  kernel_loader_.install(base, rom);
}

bus::Adapter* Machine::card(unsigned number) {
  return number >= 1 && number <= adapters_.size() ? adapters_[number - 1].get() : nullptr;
}

const bus::Adapter* Machine::card(unsigned number) const {
  return number >= 1 && number <= adapters_.size() ? adapters_[number - 1].get() : nullptr;
}

const NetworkAdapter* Machine::adapter(unsigned number) const {
  return number >= 1 && number <= network_.size() ? network_[number - 1] : nullptr;
}

NetworkAdapter* Machine::adapter(unsigned number) {
  return number >= 1 && number <= network_.size() ? network_[number - 1] : nullptr;
}

bool Machine::halted_for_good() const {
  constexpr std::uint32_t interrupt_flag = 1u << 9;
  return cpu_.halted() && !(cpu_.registers().eflags & interrupt_flag);
}

void Machine::archive(Archive& a) {
  a.section("machine", 1);
  std::string name = config_.name;
  a(name);
  if (a.loading() && name != config_.name)
    throw Error(fmt::format("the snapshot is of a {}, not of a {}", name, config_.name), ExitCode::missing_file);
  // Adapters and POS first: they restore the claims that the rest is reached through.
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
  cpu_.archive(a);
  constexpr Time apart = 1_s;  // an instruction may have ended after the lab's time, or the processor sleeps before it
  if (const Time now = scheduler_.now(); a.loading() && (cpu_.time() > now + apart || cpu_.time() < now - apart))
    throw Error("snapshot: the processor's time is not the machine's; the file is damaged, take a new one",
                ExitCode::missing_file);
}

}  // namespace planar

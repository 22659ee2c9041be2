// SPDX-License-Identifier: GPL-2.0-or-later
// `planar describe`: the registers and state of a machine's devices at a virtual time.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/cli/verbs.hpp"
#include "frontend/debug/lab_devices.hpp"
#include "frontend/options/option_time.hpp"
#include "frontend/options/options.hpp"
#include "frontend/output/interruption.hpp"
#include "frontend/output/output.hpp"
#include "frontend/session/session.hpp"

namespace planar {

namespace {

struct DescribeOptions {
  MachineOptions machine;
  std::optional<std::string> image;
  StateOptions state;
  std::string until = "0 s";
  unsigned steps = 0;
  std::vector<std::string> devices;
  std::optional<std::string> json;
  const CLI::App* verb = nullptr;
};

std::unique_ptr<Session> open(const DescribeOptions& o) {
  OutputOptions output;
  output.quiet = true;
  output.verb = o.verb;
  if (o.state.restore) {
    if (o.image)
      throw Error("--image and --restore: the snapshot holds the diskette in drive A; leave one of the two out");
    return std::make_unique<Session>(open_snapshot(*o.state.restore, o.machine), output, o.state);
  }
  LabConfig lab = o.machine.lab();
  if (o.image && lab.named())
    throw Error(fmt::format("--image: {} is a lab of several machines; write image below the [[machine]] it is for",
                            o.machine.machine));
  if (o.image) lab.machine(0).set_text("image", *o.image, "--image " + *o.image);
  return std::make_unique<Session>(std::move(lab), std::vector<Media>{}, output, StateOptions{});
}

int describe(const DescribeOptions& o) {
  const Time until = option_time("--until", o.until, "\"2.5 s\"");
  const auto session = open(o);
  if (o.verb->count("--until")) session->check_not_past("--until " + o.until, until);
  describe_devices(session->lab(), o.devices);  // a wrong name is refused before the run
  const auto end = session->run(
      until, [] { return false; }, [] { return std::string(); });
  for (unsigned n = 0; n < o.steps; ++n) session->step();
  const auto described = describe_devices(session->lab(), o.devices);
  if (o.json)
    write_json(*o.json, to_json(described));
  else
    fmt::print("{}", to_text(described));
  session->check_files();
  if (end == RunEnd::halted) say("planar: processor halted for good before {:.6g} s virtual\n", until.seconds());
  return end == RunEnd::interrupted ? static_cast<int>(interrupted_exit) : 0;
}

}  // namespace

Verb add_describe(CLI::App& app) {
  auto o = std::make_shared<DescribeOptions>();
  CLI::App* verb = app.add_subcommand(
      "describe", "Run a machine to a virtual time and show the registers and state of its devices, all or some");
  o->verb = verb;
  o->machine.add_to(*verb, true);
  verb->add_option(
          "device", o->devices,
          "What to show: cpu, pic, pit, dma, irq, vga, channel and pos or pci, slot1, ne2...; all if none is named. In "
          "a lab of several machines NAME.DEVICE")
      ->type_name("DEVICE");
  o->machine.drives.add_to(*verb);
  verb->add_option("--image", o->image, "Diskette image in drive A; its file is never written to")
      ->type_name("IMG[,format=raw]");
  o->state.add_restore_to(*verb);
  verb->add_option("--until", o->until, "Virtual time to run to")->type_name("TIME")->capture_default_str();
  verb->add_option("--steps", o->steps, "Then execute N instructions (in a lab of several machines, on the first)")
      ->type_name("N");
  add_json_option(*verb, o->json, "As JSON");
  return [o, verb] {
    // A snapshot contains its machine, so every name is that of a device.
    if (o->state.restore && verb->get_option("machine")->count() > 0) {
      o->devices.insert(o->devices.begin(), o->machine.machine);
      o->machine.forget_machine();
    }
    return describe(*o);
  };
}

}  // namespace planar

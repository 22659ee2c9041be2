// SPDX-License-Identifier: GPL-2.0-or-later
// `planar debug`: a run that is stopped, stepped and examined, at a prompt or from a script.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/cli/verbs.hpp"
#include "frontend/options/guest_settings.hpp"
#include "frontend/output/interruption.hpp"
#include "frontend/output/output.hpp"
#include "frontend/prompt/prompt.hpp"
#include "frontend/session/restore.hpp"
#include "frontend/session/session.hpp"

namespace planar {

namespace {

struct DebugOptions {
  MachineOptions machine;
  OutputOptions output;
  StateOptions state;
  std::optional<std::string> image, kernel, initrd, append;
  GuestSettings guest;
  std::string script;
};

std::unique_ptr<Session> open(const DebugOptions& o) {
  if (o.state.restore) {
    if (o.image || o.kernel || o.initrd || o.append || !o.guest.settings.empty())
      throw Error(
          "--restore: the snapshot holds what the machine was started with; leave --image, --kernel, --initrd, "
          "--append, --guest out");
    return std::make_unique<Session>(open_snapshot(*o.state.restore, o.machine), o.output, o.state);
  }
  if (!o.kernel && (o.initrd || o.append)) throw Error("--initrd and --append need a kernel; give it with --kernel");
  LabConfig lab = o.machine.lab();
  const std::pair<const char*, const std::optional<std::string>&> given[] = {
      {"image", o.image}, {"kernel", o.kernel}, {"initrd", o.initrd}, {"append", o.append}};
  for (const auto& [name, value] : given)
    if (value) o.machine.give(lab, name, *value);
  o.guest.give(lab, o.machine.machine);
  return std::make_unique<Session>(std::move(lab), std::vector<Media>{}, o.output, o.state);
}

int debug(const DebugOptions& o) {
  auto session = open(o);
  session->debug(std::make_unique<Prompt>(o.script));
  if (!o.output.quiet) say("{}", session->lab().summary());
  session->run(
      Time::never(), [&] { return session->guests_done(); }, [] { return std::string(); });
  session->check_files();
  session->check_guests();
  return Interruption::asked() ? static_cast<int>(interrupted_exit) : 0;
}

}  // namespace

Verb add_debug(CLI::App& app) {
  auto o = std::make_shared<DebugOptions>();
  CLI::App* verb = app.add_subcommand(
      "debug",
      "Run a machine at a prompt: breakpoints, stepping forwards and back, memory, devices; `help` lists its "
      "commands");
  o->output.verb = verb;
  o->machine.add_to(*verb, true);
  o->machine.drives.add_to(*verb);
  verb->add_option("--image", o->image, "Bootable diskette image for drive A")->type_name("IMG[,format=raw]");
  verb->add_option("--kernel", o->kernel, "Linux kernel (bzImage or zImage) to boot without a diskette")
      ->type_name("F");
  verb->add_option("--initrd", o->initrd, "Ramdisk image for the kernel")->type_name("F");
  verb->add_option("--append", o->append, "Command line of the kernel")->type_name("S");
  o->guest.add_to(*verb);
  verb->add_option("--script", o->script,
                   "Read the commands from FILE instead of standard input. An invalid command ends the run, as does "
                   "the end of the file")
      ->type_name("FILE");
  o->state.add_restore_to(*verb);
  verb->add_option("--serial", o->output.serial, "Output of COM1: stdio or file:F")->type_name("stdio|file:F");
  verb->add_option("--capture", o->output.capture, "Capture every frame on the medium, in virtual time")
      ->type_name("F.pcapng");
  o->output.trace.add_to(*verb);
  verb->add_flag("--quiet", o->output.quiet, "No configuration block");
  return [o] { return debug(*o); };
}

}  // namespace planar

// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/files/lab_files.hpp"

#include <fmt/format.h>

#include <functional>

#include "core/common/error.hpp"

namespace planar {
namespace {

/// Enters a file of a lab into a list.
using Enter =
    std::function<void(const std::string& file, bool written, const std::string& named_by, const std::string& owner)>;

const char* const diskette_drives[] = {"drive A", "drive B"};

void enter_disk(const Enter& enter, const storage::DiskSpec& disk, const std::string& named_by,
                const std::string& owner) {
  const auto files = storage::files_of(disk);
  for (const std::string& file : files.read) enter(file, false, named_by, owner);
  for (const std::string& file : files.written) enter(file, true, named_by, owner);
}

void enter_machine(const Enter& enter, const Config& config, const MachineConfig& m, const OutputOptions& output) {
  const auto named_by = [&](const std::string& path) {
    const auto origin = config.origin(path);
    return origin.starts_with("--") ? origin : origin + ": " + path;
  };
  for (const std::string& file : config.files()) enter(file, false, "the machine's file", {});
  const auto owner = [&](unsigned drive) -> std::string { return m.number == 0 ? diskette_drives[drive] : ""; };
  for (unsigned n = 0; n < m.floppies.size(); ++n)
    if (m.floppies[n]) enter_disk(enter, *m.floppies[n], named_by(floppy_path(n) + ".file"), owner(n));
  for (const DriveConfig& drive : m.drives) {
    if (drive.disk.file.empty()) continue;  // no CD in the drive
    const auto path = fmt::format("{}.{}", drive.kind == storage::DriveKind::disk ? "disk" : "cdrom", drive.id);
    // If an option names one image for two drives, `named_by` is the same for both; each drive is a separate owner.
    enter_disk(enter, drive.disk, named_by(path + ".file"), fmt::format("machine {}, {}", m.number, path));
  }
  const StartConfig& start = m.start;
  if (!start.image.empty()) enter_disk(enter, parse_image_option("image", start.image), named_by("image"), owner(0));
  for (const auto& [path, file] :
       {std::pair{"bios", &start.bios}, {"kernel", &start.kernel}, {"initrd", &start.initrd}})
    if (!file->empty()) enter(*file, false, named_by(path), {});
  constexpr std::string_view in_file = "file:";
  if (!output.serial && start.serial.starts_with(in_file))
    enter(start.serial.substr(in_file.size()), true, named_by("serial"), {});
  constexpr std::string_view socket = "socket:unix:";
  if (m.number == 0 && m.net.starts_with(socket)) enter(m.net.substr(socket.size()), true, named_by("net.attach"), {});
}

void enter_lab(const Enter& enter, LabConfig& lab, const OutputOptions& output) {
  const auto machines = lab.read();
  for (std::size_t n = 0; n < machines.size(); ++n) enter_machine(enter, lab.machine(n), machines[n], output);
}

Enter into(FileList& files) {
  return [&files](const std::string& file, bool written, const std::string& named_by, const std::string& owner) {
    written ? files.writes(file, named_by, owner) : files.reads(file, named_by, owner);
  };
}

}  // namespace

void add_lab_files(FileList& files, LabConfig& lab, const OutputOptions& output) {
  enter_lab(into(files), lab, output);
}

void add_step_files(FileList& files, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    const auto named_by = step.origin + ": " + step.source;
    if (!step.file.empty()) files.reads(step.file, "the steps' file");
    if (step.kind == StepKind::snapshot) files.writes(step.text, named_by, "snapshots of steps");
    if (step.kind == StepKind::grab_screen && !step.text.empty())
      files.writes(step.text, named_by, "screens grabbed by steps");
    if (step.kind == StepKind::insert_cd) files.reads(step.text, named_by, "the CD");
    if (step.kind == StepKind::insert_diskette)
      add_diskette_files(files, step.drive, parse_floppy_option(step.origin + ": insert diskette", step.text),
                         named_by);
  }
}

void add_diskette_files(FileList& files, unsigned drive, const storage::DiskSpec& disk, const std::string& named_by) {
  enter_disk(into(files), disk, named_by, diskette_drives[drive]);
}

void add_machine_files(FileList& files, const std::string& name) {
  try {
    LabConfig lab = load_lab(name);
    enter_lab([&](const std::string& file, bool, const std::string& named_by,
                  const std::string& owner) { files.reads(file, named_by, owner); },
              lab, {});
  } catch (const Error&) {}
}

}  // namespace planar

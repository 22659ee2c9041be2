// SPDX-License-Identifier: GPL-2.0-or-later
// Lists the files named by a lab's configuration, by its steps and by the options of its verb.
#pragma once

#include <string>
#include <vector>

#include "core/host/file_list.hpp"
#include "devices/storage/image/disk_image.hpp"
#include "frontend/options/options.hpp"
#include "frontend/scenario/scenario_steps.hpp"
#include "machines/config/lab_config.hpp"

namespace planar {

/// Adds the files of the machines of `lab`: their machine files, the images in their drives, the files that they boot
/// from, and those that they write. Throws Error as LabConfig::read() does.
void add_lab_files(FileList& files, LabConfig& lab, const OutputOptions& output);

/// Adds the files that `steps` read and write.
void add_step_files(FileList& files, const std::vector<Step>& steps);

/// Adds the files of a diskette that is inserted into drive `drive` (0: A, 1: B) of the first machine.
void add_diskette_files(FileList& files, unsigned drive, const storage::DiskSpec& disk, const std::string& named_by);

/// Adds every file that the machine or lab in the file `name` uses, as an input. A file that cannot be read adds
/// nothing; the code that opens it reports the problem.
void add_machine_files(FileList& files, const std::string& name);

}  // namespace planar

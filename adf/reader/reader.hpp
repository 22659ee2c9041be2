// SPDX-License-Identifier: GPL-2.0-or-later
// Reads adapter description files.
//
// The grammar follows "ADF Structure and Syntax" (P. H. Wendt, T. Slavotínek) as far as it is public, and real files
// where they differ from it (docs/hardware/pos-and-adf.md#adf-files: a range whose start lacks the h that its end has;
// both spellings of FixedResource(s); masks with x and X mixed). Supported: AdapterId, AdapterName, NumBytes,
// FixedResource(s), SysMem, NamedItem (or Item), Prompt, Choice, Help, pos[n], io, int, arb, mem. Parsed without
// effect: InitProg, LockEnable, AddressWidth, ProgrammedIO (the spelling of the last three is inferred). Skipped with a
// warning: Exec and VCheck (they call a program of IBM's set-up, which planar does not run) and Input (a number entered
// by the user). Any other word is skipped with a warning, up to the next keyword.
//
// Rejected: anything that cannot be parsed or contradicts itself. Every message is "file:line:column: problem; remedy".
// A file that cannot be opened gives ExitCode::missing_file, everything else ExitCode::bad_configuration.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adf/model.hpp"

namespace planar::adf {

/// Parses an ADF from memory. `file` is used in messages; if it has the form @XXXX.ADF, it is checked against the ID.
/// Throws Error.
Adapter parse_adf(std::string_view text, std::string_view file);

/// Reads an ADF from disk. Throws Error.
Adapter load_adf(const std::filesystem::path& path);

/// The ID in a file name of the form @XXXX.ADF, in either letter case; nothing for other names.
std::optional<std::uint16_t> id_in_file_name(std::string_view file_name);

/// The description of adapter `id`: the first one found in the user's `places` (files, or directories that are searched
/// for @XXXX.ADF in either letter case), else the built-in one. A user's file takes precedence over the built-in one
/// and carries a warning for every difference between them. Throws Error naming the places searched if there is none,
/// and if a place does not exist.
Adapter find_adf(std::uint16_t id, std::span<const std::filesystem::path> places = {});

/// The differences between two descriptions of one adapter, one sentence each: number of bytes, and settings (POS bits
/// with their claims) that only one of them offers. Names, prompts and help texts are not compared.
std::vector<std::string> differences(const Adapter& user, const Adapter& built_in);

}  // namespace planar::adf

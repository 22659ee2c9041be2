// SPDX-License-Identifier: GPL-2.0-or-later
// Reads adapter description files.
//
// The grammar follows "ADF Structure and Syntax" (P. H. Wendt, T. Slavotínek) as far as it is public, and real files
// where they differ from it (docs/hardware/pos-and-adf.md#adf-files: a start of a range without h before an end with h;
// both spellings of FixedResource(s); masks with x and X mixed). Known and understood: AdapterId, AdapterName,
// NumBytes, FixedResource(s), SysMem, NamedItem (or Item), Prompt, Choice, Help, pos[n], io, int, arb, mem. Known and
// kept without effect: InitProg, LockEnable, AddressWidth, ProgrammedIO (the spelling of the last three is inferred).
// Known and passed over with a warning: Exec and VCheck (they call a program of IBM's set-up, which planar does not
// run) and Input (a number that a person types). Any other word is passed over with a warning up to the next known one.
//
// Refused: what cannot be understood or contradicts itself. Every message is "file:line:column:
// problem; remedy". A file that cannot be opened ends with ExitCode::missing_file, everything else
// with ExitCode::bad_configuration.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adf/model.hpp"

namespace planar::adf {

/// Reads an ADF from memory; `file` names it in messages and is checked against the ID when it has
/// the form
/// @XXXX.ADF. Throws Error.
Adapter parse_adf(std::string_view text, std::string_view file);

/// Reads an ADF from disk. Throws Error.
Adapter load_adf(const std::filesystem::path& path);

/// The ID in a file name of the form @XXXX.ADF, in any letter case; nothing for other names.
std::optional<std::uint16_t> id_in_file_name(std::string_view file_name);

/// The description of adapter `id`: from the user's `places` (files, or directories that are
/// searched for
/// @XXXX.ADF in any letter case), the first that has it, else the built-in one. A user's file that
/// disagrees with the built-in one wins and carries a warning for every difference. Throws Error
/// naming the places searched when there is none, and when a place does not exist.
Adapter find_adf(std::uint16_t id, std::span<const std::filesystem::path> places = {});

/// What two descriptions of one adapter disagree about, a sentence each: bytes, and settings (POS
/// bits with their claims) that only one of them offers. Names, prompts and help texts are nobody's
/// contract.
std::vector<std::string> differences(const Adapter& user, const Adapter& built_in);

}  // namespace planar::adf

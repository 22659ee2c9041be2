// SPDX-License-Identifier: GPL-2.0-or-later
// Names as people write them: "95" and "Model 95" for model95, "NE2" and "NE/2" for ne2.
#pragma once

#include <string>

namespace planar {

/// The built-in machine that `name` denotes; `name` itself if it is already the name of a machine or file, or if it
/// matches none or several.
std::string usual_machine_name(const std::string& name);

/// The same for an adapter, by its name or title.
std::string usual_card_name(const std::string& name);

/// Throws Error for a file that contains binary data, which is an image rather than a machine file; the message names
/// the option that takes it.
void refuse_image(const std::string& name);

}  // namespace planar

// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/cli/verbs.hpp"

int main(int argc, char** argv) { return planar::run_command_line(argc, argv); }

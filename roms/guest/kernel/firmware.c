// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the firmware said about the machine; main.c fills it in.
#include "kernel.h"

struct boot_params boot_params;
int has_mca;

// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
#include "netperf.h"

int flood_all(void);                    // flood.c
int flood_send_all(void);               // flood_send.c

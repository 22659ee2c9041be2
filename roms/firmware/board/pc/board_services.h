// SPDX-License-Identifier: GPL-2.0-or-later
// INT 15h services specific to this board, for services/system.c: none.
#pragma once

#define BOARD_SERVICES(r)

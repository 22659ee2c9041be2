// SPDX-License-Identifier: GPL-2.0-or-later
// Services of INT 15h that only this board has, for services/system.c: none.
#pragma once

#define BOARD_SERVICES(r)

// SPDX-License-Identifier: GPL-2.0-or-later
//
// POS 2 of the cards whose bits planar declares itself: bits 2:1 interrupt, 7:4 I/O base.
#pragma once
#include "driver.h"

static int locate(struct device *d) {
    static const u8 lines[] = {5, 9, 10, 11};
    d->io = (u16)(mca_field(d, 2, 4, 4) << 12);
    d->irq = lines[mca_field(d, 2, 1, 2)];
    return 0;
}

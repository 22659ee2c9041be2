; SPDX-License-Identifier: GPL-2.0-or-later
;
; linux_cost.asm's table for the bond (net/bond.c).
;
; How it was counted: bond_xmit and the branch of dev_queue_xmit for a device without a queue (Linux 2.2.17), compiled by GCC 12 -O2
; -march=i386, along a frame's path with two slaves: 26 and 26 instructions; our equivalents (the jump, several_queue_transmit for the
; bond, bond_transmit, the comparison before the slave's queue) 42. For a slave's frame, netif_rx there has 6 instructions more than
; without a bond, several_receive here 10: nothing is added there. Loads, stores and taken transfers are in the proportion of
; linux_cost.asm. The compiler differs from linux_cost.asm's, and so does the count.

        bits 32

%macro SITES 0
        SITE bond_transmit,   10,   4,   2,   3,   4
%endmacro

%include "cost/linux_cost.inc"

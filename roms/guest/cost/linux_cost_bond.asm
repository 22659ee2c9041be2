; SPDX-License-Identifier: GPL-2.0-or-later
;
; linux_cost.asm's table for the bond (net/bond.c).
;
; How it was counted: bond_xmit and the branch of dev_queue_xmit for a device without a queue (Linux 2.2.17), compiled by GCC 12
; -O2 -march=i386, along the path of a frame of two slaves: 26 and 26 instructions; ours in their place (the jump, several_queue_transmit
; for the bond, bond_transmit, the comparison before the slave's queue) 42. netif_rx with a slave's frame has 6 more than
; without there, several_receive 10: nothing is added there. Loads, stores and taken transfers in the proportion of
; linux_cost.asm. The compiler is another than linux_cost.asm's, and with it the count.

        bits 32

%macro SITES 0
        SITE bond_transmit,   10,   4,   2,   3,   4
%endmacro

%include "cost/linux_cost.inc"

; SPDX-License-Identifier: GPL-2.0-or-later
;
; linux_cost.asm's table for forwarding (forward.c).
        bits 32

%macro SITES 0
        SITE forward_receive, 110,  35,  20,   8,  16
        SITE forward,          60,  22,  14,   6,  12
%endmacro

%define APART
%include "kernel/linux_cost.inc"

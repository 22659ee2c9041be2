; SPDX-License-Identifier: GPL-2.0-or-later
;
; linux_cost.asm's table for receiving, in low memory (kernel.ld).
        bits 32

%macro SITES 0
        SITE read_entry,     200,  74,  48,  21,  20
        SITE read_copy,      110,  40,  26,  12,  12
        SITE read_exit,      175,  65,  42,  19,  18
        SITE verify_page,    115,  43,  20,  12,  14
        SITE bulk_data,       48,  18,  12,   5,   6
%endmacro

%define APART
%include "kernel/linux_cost.inc"

; SPDX-License-Identifier: GPL-2.0-or-later
;
; linux_cost.asm's table for receiving, in low memory (kernel.ld).
        bits 32

%macro SITES 0
        SITE read_entry,     160,  56,  45,  18,  20
        SITE read_copy,       80,  28,  22,   9,  11
        SITE read_exit,      137,  48,  38,  16,  17
        SITE verify_page,    119,  43,  20,  12,  14
        SITE bulk_data,       48,  18,  12,   5,   6
%endmacro

%define APART
%include "kernel/linux_cost.inc"

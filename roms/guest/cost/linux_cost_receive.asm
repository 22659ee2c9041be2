; SPDX-License-Identifier: GPL-2.0-or-later
;
; linux_cost.asm's table for receiving.
;
; How it was counted: a recv() of one waiting byte on Linux 2.2.26 (gcc 2.95.3; docs/real-drivers.md) takes 1026 instructions
; on a 386 and, derived from the counts for 1024 bytes there and on a 486, about 875 from the 486 on; the difference is
; __verify_write with handle_mm_fault and find_vma, which only a 386 runs (user_pages.c). This guest's own read() of a byte
; was traced: 505 instructions, and 31 more for a page on a 386. Loads, stores and taken transfers are in the proportion of
; that kernel's whole recv() path (0.35, 0.28, 0.12), counted for datagrams (linux_cost_udp.asm).
;
; bulk_data: tcp_rcv_established's receiving half, for the next segment in sequence, if it acknowledges nothing new;
; with it a full segment's path through TCP takes the documented 559 instructions, as far as the acknowledgements allow.
        bits 32

%macro SITES 0
        SITE read_entry,     160,  56,  45,  18,  20
        SITE read_copy,       80,  28,  22,   9,  11
        SITE read_exit,      137,  48,  38,  16,  17
        SITE verify_page,    119,  43,  20,  12,  14
        SITE bulk_data,       48,  18,  12,   5,   6
%endmacro

%define APART
%include "cost/linux_cost.inc"

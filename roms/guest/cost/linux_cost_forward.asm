; SPDX-License-Identifier: GPL-2.0-or-later
;
; linux_cost.asm's table for forwarding (net/datagram/forward.c); linux_cost.asm explains its format.
;
; How it was counted: Linux 2.2.26 as a router (gcc 2.95.3 for a 386, ip_forward set, two 3C529 in a Model 77, a thousand
; datagrams of 64 bytes per second), then this guest in its place, with each instruction of 50 datagrams traced. Per
; datagram, instructions / loads / stores / taken transfers / lines of code:
;
; ip_rcv, ip_route_input, rt_hash_code, ip_forward (with the header's copy)     297/ 98/ 48/ 24/ 39
; forward_receive, send_to, ip_header_csum, without these sites                 168/ 58/ 32/ 14/ 21
;
; The queue, the driver and the freeing of the buffer have sites elsewhere (dev_queue, restart, start_transmit,
; free_head, free_data). The whole bottom half of a datagram: 974 instructions there, 1001 here.
        bits 32

%macro SITES 0
        SITE forward_receive,  80,  25,  10,   6,  12
        SITE forward,          51,  17,   8,   6,  10
%endmacro

%define APART
%include "cost/linux_cost.inc"

; SPDX-License-Identifier: GPL-2.0-or-later
;
; linux_cost.asm's table for UDP and fragments.
;
; How it was counted: net/ipv4/udp.c, ip_output.c and ip_fragment.c and net/core/sock.c, skbuff.c, datagram.c and
; iovec.c of the public source of Linux 2.2.1, compiled by GCC 12 -O2 -march=i386, and this kernel's own files were
; single-stepped with the same datagrams (1000 and 8192 bytes). REP counts as one; copies and checksums are excluded.
; Counted this way, alloc_skb has 43 instructions; in the kernel that linux_cost.asm was counted with (gcc 2.95.3) it
; has 51: the figures are therefore multiplied by 1.15. Functions that linux_cost.asm's source covers (ip_output,
; kmalloc, kfree, mod_timer, wake-ups, the entry to a call) are taken from there. Loads, stores and taken transfers are
; in the proportion of the whole path there (0.37, 0.24, 0.107). All inferred, less certain than linux_cost.asm: 2.2.1
; for 2.2.26, and a different compiler.
;
; Instructions per call of each site, the real kernel's and ours:
; ip_fragment        252  131   ip_build_xmit_slow 134, sock_alloc_send_skb 47; ip_output 44
; udp_getfrag        115   27   udp_getfrag 28, csum_partial_copy_fromiovecend 72
; udp_write_space     36   16   sock_wfree 6, sock_def_write_space 25
; ip_defragment      465  315   ip_defrag 210, ip_free 24; kmalloc, kfree, del_timer, mod_timer of a fragment
; ip_glue            272   72   two kmalloc and kfree of a datagram
;
; The last two were counted later, on Linux 2.2.26 (gcc 2.95.3) in a Model 77 with a 3C529: 600 datagrams of 64 bytes
; per second to a process that waits in recv(), 30 of them traced there and here. Instructions / loads / stores / taken
; transfers per datagram, the real kernel's and ours without the site:
; udp_receive        its whole bottom half                   837/253/155/105   733/238/133/ 93
; udp_recvmsg        call, recvmsg, copy, freeing, schedule  1050/375/281/129   772/292/221/108
; What a 386 executes in addition, looking up the page: user_pages.c.
;
; Nothing is added for udp_sendmsg and ip_build_xmit themselves (176, ours 87): the sites write_entry and write_exit
; include as much for tcp_do_sendmsg, which a datagram does not run.

        bits 32

%macro SITES 0
        SITE ip_fragment,    121,  45,  29,  13,  14
        SITE udp_getfrag,     88,  32,  21,   9,  10
        SITE udp_write_space, 20,   7,   5,   2,   3
        SITE ip_defragment,  150,  55,  37,  16,  17
        SITE ip_glue,        200,  74,  48,  21,  20
        SITE udp_receive,    105,  16,  23,  13,  14
        SITE udp_recvmsg,    279,  84,  61,  22,  40
%endmacro

%define APART
%include "cost/linux_cost.inc"

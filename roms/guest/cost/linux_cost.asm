; SPDX-License-Identifier: GPL-2.0-or-later
;
; What the real kernel executes and this one does not: the ONE declared routine that pads
; (docs/hardware/linux-2.2-network-path.md#padding-of-planars-guest). Each site below is a body of ordinary instructions that runs
; where COST(site) is placed in the sources. The same bodies serve every adapter and every machine. Their lengths are "what the
; real kernel was counted to execute minus what our own code was counted to execute" and come from no throughput. Nothing else in
; the guest pads.
;
; How both were counted: Linux 2.2.26 (gcc 2.95.3, its own drivers) and this image ran netio on the emulated Model 95 and Model 56
; SX with NE/2 and 3C529, while an observer of the processor counted instructions, REP iterations, loads, stores and taken
; transfers by function, and distinct lines of code and data by event. docs/hardware/linux-2.2-network-path.md#cost-by-event has
; the same counts from another emulator; where both have a figure they agree within 2 instructions. The results, by event:
; README.md.
;
; Per call of each site, instructions / loads / stores / taken transfers (an NE/2 in the Model 95):
;
; sites            the real kernel's functions                           real            ours without
; write_entry,     system_call, sys_socketcall .. inet_sendmsg, fput,
;   write_exit       tcp_do_sendmsg's share of a call                422/157/119/48      119/ 40/ 44/ 6
; segment_build    tcp_do_sendmsg, sock_wmalloc_err, tcp_send_skb,
;                    the share of a new segment                      236/ 85/ 66/27      145/ 53/ 41/18
; append, block    the share of an append; of a wait for room     120/47/16, 207/84/40  76/31/10, 143/50/31
; alloc            alloc_skb, kmalloc, one kmem_cache_alloc            163/ 57/ 40/22       91/ 29/ 31/10
; clone            skb_clone, kmem_cache_alloc, without REP             81/ 30/ 29/ 7       64/ 24/ 27/ 6
; tcp_transmit     tcp_write_xmit, tcp_transmit_skb, select_window,
;                    send_check                                       300/113/ 62/28      220/ 78/ 56/25
; ip_transmit      ip_queue_xmit, ip_output                            162/ 64/ 40/14      105/ 39/ 36/ 8
; dev_queue,       dev_queue_xmit, pfifo_fast_enqueue, .._dequeue,
;   restart          qdisc_restart                                     119/ 42/ 33/16       74/ 30/ 25/10
; net_bh           net_bh, twice qdisc_run_queues                       99/ 32/ 20/15       85/ 28/ 17/13
; start_transmit   NE/2: ei_start_xmit, trigger_send, block_output     215/ 65/ 34/19      178/ 47/ 29/13
;                  3C529: el3_start_xmit                                75/ 23/ 12/ 7       45/ 17/ 10/ 3
; free_head        __kfree_skb, kfree_skbmem, kmem_cache_free          107/ 33/ 47/10       82/ 24/ 36/12
; free_data        kfree                                                70/ 27/ 13/ 5       13/  7/  5/ 1
; write_space,     sock_wfree, tcp_write_space, __wake_up;
;   wake_writer      here a sleeper was woken half of the time          99/ 37/ 18/14       45/ 20/ 12/ 9
; netif_rx         NE/2: ei_receive .. netif_rx, time stamp            415/148/120/40      369/101/106/35
;                  3C529 (56 SX, no time stamp counter)                176/ 74/ 66/23      172/ 55/ 58/22
; ip_receive       ip_rcv, ip_route_input, ip_local_deliver,
;                    raw_v4_lookup                                     296/ 97/ 51/20       71/ 21/ 18/ 6
; tcp_receive,     tcp_v4_rcv .. tcp_clean_rtx_queue, timer
;   ack                                                                758/278/152/90      459/155/ 97/53
; irq_entry,       stub, do_IRQ, do_8259A_IRQ, handle_IRQ_event,
;   irq_exit         enable, exit; and ei_interrupt, el3_interrupt     160/ 46/ 48/20      105/ 24/ 36/17
; tick             timer_interrupt, do_timer                       69 or 95/30/15/11       15/  5/  4/ 2
; tick_bh          timer_bh, update_process_times ..                   203/ 63/ 42/31       64/ 21/  6/11
; schedule         schedule, __switch_to, check_pgt_cache              128/ 48/ 25/15       80/ 31/ 20/ 8
;
; No CLI, PUSHF or POPF here: our own code executes 71 of these and STI per frame (NE/2, 4K), the real kernel 58.
; No I/O here: the driver and the kernel make the port accesses themselves, and these are exact.

        bits 32

; ---- the table: site, instructions, loads, stores, taken transfers, lines of data ----------------
%macro SITES 0
        SITE write_entry,    240,  94,  59,  33,  26
        SITE write_exit,      83,  33,  21,  12,  12
        SITE segment_build,   92,  33,  25,   8,  16
        SITE append,          44,  16,   6,   5,   6
        SITE block,           64,  34,   9,   4,  12
        SITE alloc,           71,  28,   9,  12,  16
        SITE clone,           17,   6,   2,   3,   3
        SITE tcp_transmit,    80,  36,   6,   4,  18
        SITE ip_transmit,     57,  25,   4,   6,  12
        SITE dev_queue,       13,   4,   3,   2,   4
        SITE restart,         32,   9,   5,   4,   6
        SITE net_bh,          14,   4,   3,   2,   3
        SITE start_transmit,  33,  14,   4,   7,   6
        SITE free_head,       25,   9,   9,   2,   5
        SITE free_data,       57,  20,   8,   4,   9
        SITE write_space,     40,  13,   5,   4,   5
        SITE wake_writer,     28,   9,   4,   3,   4
        SITE netif_rx,        16,  12,   5,   2,   6
        SITE ip_receive,     200,  67,  31,  13,  24
        SITE tcp_receive,     90,  37,  17,  11,  12
        SITE ack,            195,  80,  35,  24,  28
        SITE irq_entry,       28,  10,   5,   2,   5
        SITE irq_exit,        28,  10,   5,   3,   5
        SITE tick,            60,  24,  10,   9,  10
        SITE tick_bh,      142,  43,  36,  20,  18
  %assign turn turn + 26               ; start offset in its structure: with the task switch, 25 lines are touched, as before (Linux: 31)
        SITE schedule,        45,  17,   5,   7,  30
%endmacro

%include "cost/linux_cost.inc"

; SPDX-License-Identifier: GPL-2.0-or-later
;
; What the real kernel executes and this one does not: the ONE declared routine that pads
; (docs/hardware/linux-2.2-network-path.md#padding-of-planars-guest). Each site below is a body of ordinary instructions that runs
; where COST(site) stands in the sources. The same bodies serve every adapter and every machine. Their lengths are "what the real
; kernel was counted to execute minus what our own code was counted to execute" and come from no throughput. Nothing else in the
; guest pads.
;
; How both were counted: Linux 2.2.26 (gcc 2.95.3, its own drivers) and this image run netio on the emulated Model 95 and Model 56
; SX with NE/2 and 3C529, an observer on the processor counts instructions, REP iterations, loads, stores and taken transfers by
; function, and distinct lines of code and data by event. docs/hardware/linux-2.2-network-path.md#cost-by-event has the same
; counts from another emulator; where both have a figure they agree within 2 instructions. What came out, by event: ../README.md.
;
; Per call of the sites, instructions / loads / stores / taken transfers (an NE/2 in the Model 95):
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
;   restart          qdisc_restart                                     119/ 42/ 33/16       62/ 27/ 25/ 8
; run_queue,       net_bh, twice qdisc_run_queues
;   net_bh                                                              99/ 32/ 20/15       46/ 15/ 10/13
; start_transmit   NE/2: ei_start_xmit, trigger_send, block_output     215/ 65/ 34/19      178/ 47/ 29/13
;                  3C529: el3_start_xmit                                75/ 23/ 12/ 7       45/ 17/ 10/ 3
; free_head        __kfree_skb, kfree_skbmem, kmem_cache_free          107/ 33/ 47/10       82/ 24/ 36/12
; free_data        kfree                                                70/ 27/ 13/ 5       13/  7/  5/ 1
; write_space      sock_wfree, tcp_write_space, __wake_up; waking
;                    a sleeper half the times                           99/ 37/ 18/14       45/ 20/ 12/ 9
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
; No CLI, PUSHF or POPF here: our own code executes 71 of these and STI a frame (NE/2, 4K), the real one 58.
; No I/O here: the port accesses are the driver's and the kernel's own and are exact.

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
        SITE dev_queue,       25,   7,   4,   4,   5
        SITE restart,         32,   9,   5,   4,   6
        SITE run_queue,       12,   4,   2,   2,   2
        SITE net_bh,          18,   6,   4,   2,   4
        SITE start_transmit,  33,  14,   4,   7,   6
        SITE free_head,       25,   9,   9,   2,   5
        SITE free_data,       57,  20,   8,   4,   9
        SITE write_space,     54,  17,   7,   5,   7
        SITE netif_rx,        16,  12,   5,   2,   6
        SITE ip_receive,     200,  67,  31,  13,  24
        SITE tcp_receive,     90,  37,  17,  11,  12
        SITE ack,            195,  80,  35,  24,  28
        SITE irq_entry,       28,  10,   5,   2,   5
        SITE irq_exit,        28,  10,   5,   3,   5
        SITE tick,            60,  24,  10,   9,  10
        SITE tick_bh,      142,  43,  36,  20,  18
        SITE schedule,        45,  17,   5,   7,  30
%endmacro

; ---- geometry -----------------------------------------------------------------------------------
FUNCTION equ 48                         ; instructions of a function within a long body

%assign slot 0                          ; pointers given out so far
%assign turn 0                          ; runs through the offsets of a structure

; Gap before a body: 0 to 480 bytes that are never executed. The real kernel's hot functions lie
; scattered over a megabyte; bodies packed side by side would fill a cache more evenly than it does.
%macro GAP 0
        align 16, nop
  %assign body body + 1
  %rep (body * 11) % 16
        times 32 nop
  %endrep
%endmacro
; the same for structures, in lines of 16 bytes: 0 to 14
%macro DATA_GAP 0
  %assign structure structure + 1
  %assign at at + ((structure * 7) % 8) * 2
%endmacro
%assign body 0

; a structure's line %1 lies here: every third of its lines is left out, as a kernel's structures are not used in full
%define LINE(n) ((n) * 16 + (n) / 3 * 16)
; offset of a scratch field / of a field that is always zero, in a structure of %1 lines
%macro NEXT 1
  %assign turn turn + 1
  %assign zero LINE(turn % %1)
  %assign scratch zero + 4 + 4 * ((turn / %1) % 3)
%endmacro

; One load / one store / both / one taken transfer / neither, in the forms that compiled C takes.
; EDX = structure; EAX and ECX are data; the carry flag stays clear, so that JNC always jumps.
%macro LOAD 0
  NEXT lines
  %assign form load_forms % 8
  %assign load_forms load_forms + 1
  %if form == 2 || form == 6
        cmp dword [edx + zero], 0
  %elif form == 4
        mov eax, [esp]
  %elif form == 7
        mov eax, [cost_globals + (slot % 8) * 16]
  %elif form == 1
        movzx ecx, byte [edx + scratch]
  %else
        mov eax, [edx + scratch]
  %endif
%endmacro
%macro STORE 0
  NEXT lines
  %assign form store_forms % 4
  %assign store_forms store_forms + 1
  %if form == 1
        mov dword [edx + scratch], form
  %else
        mov [edx + scratch], ecx
  %endif
%endmacro
%macro LOAD_STORE 0
  NEXT lines
        inc dword [edx + scratch]
%endmacro
; what is jumped over stands for the cold paths that lie between a real kernel's hot ones; the shortest bodies have none
%macro TAKEN 0
  %assign taken_forms taken_forms + 1
  %if taken_forms % 3
        jnc short %%over
  %else
        jmp short %%over
  %endif
  %if mix_n >= 20
        times 18 nop
  %endif
%%over:
%endmacro
%macro OTHER 0
  %assign form other_forms % 8
  %assign other_forms other_forms + 1
  %if form == 1 || form == 5
        jc short %%not
%%not:
  %elif form == 2
        lea eax, [ecx + eax + 4]
  %elif form == 3
        and eax, 0FFFFF7h
  %elif form == 4
        test al, al
  %elif form == 6
        mov ecx, eax
  %elif form == 7
        and ecx, 0FFFFh
  %else
        xor ecx, ecx
  %endif
%endmacro
%assign load_forms 0
%assign store_forms 0
%assign taken_forms 0
%assign other_forms 0

; %1 instructions with %2 loads, %3 stores and %4 taken transfers in them, evenly mixed
%macro MIX 4
  %assign mix_n %1
  %assign mix_l %2
  %assign mix_s %3
  %assign mix_t %4
  %assign due_l 0
  %assign due_s 0
  %assign due_t 0
  %if mix_n > 0
    %rep mix_n
      %assign due_l due_l + mix_l
      %assign due_s due_s + mix_s
      %assign due_t due_t + mix_t
      %if due_t * 2 >= mix_n && due_t >= due_l && due_t >= due_s
        TAKEN
        %assign due_t due_t - mix_n
      %elif mix_l + mix_s + mix_t > mix_n && due_l * 2 >= mix_n && due_s * 2 >= mix_n
        LOAD_STORE
        %assign due_l due_l - mix_n
        %assign due_s due_s - mix_n
      %elif due_l * 2 >= mix_n && due_l >= due_s
        LOAD
        %assign due_l due_l - mix_n
      %elif due_s * 2 >= mix_n
        STORE
        %assign due_s due_s - mix_n
      %else
        OTHER
      %endif
    %endrep
  %endif
%endmacro

; %1 instructions, %2 loads, %3 stores, %4 taken transfers, the CALL that leads here and the RET
; included; two registers are saved where there is room
%macro CODE 4
  %assign saved (%1 >= 24 && %2 >= 8 && %3 >= 5)
  %if saved
        push ebx
        push esi
  %endif
        mov edx, [cost_pointers + slot * 4]
  %assign slot slot + 1
        xor ecx, ecx
        MIX %1 - 4 - 4 * saved, %2 - 2 - 2 * saved, %3 - 1 - 2 * saved, %4 - 2
  %if saved
        pop esi
        pop ebx
  %endif
        ret
%endmacro

; void cost_NAME(void): long bodies are several functions, as the real ones are
%macro SITE 6
        global cost_%1
        GAP
cost_%1:
  %assign functions %2 / FUNCTION
  %if functions < 2
    %assign lines %6
        CODE %2, %3, %4, %5
  %else
    %assign lines (%6 + functions - 1) / functions
    %assign i 0
    %rep functions
        call .chunk %+ i
      %assign i i + 1
    %endrep
        ret
    %assign i 0
    %rep functions
        GAP
.chunk %+ i:
        CODE ((%2 - 2) * (i + 1) / functions - (%2 - 2) * i / functions), \
             ((%3 - 1) * (i + 1) / functions - (%3 - 1) * i / functions), \
             ((%4 - 1) * (i + 1) / functions - (%4 - 1) * i / functions), \
             ((%5 - 2) * (i + 1) / functions - (%5 - 2) * i / functions)
      %assign i i + 1
    %endrep
  %endif
%endmacro

; From cost_text to cost_text_end the code refers to itself by relative calls and jumps alone, so that a copy of it runs
; anywhere (system_cost.c).
        section .text progbits alloc exec nowrite align=16
        global cost_text, cost_text_end
cost_text:
        SITES
cost_text_end:

; ---- the data that the bodies touch: structures behind pointers, in the order of the bodies -----
%macro SITE 6
  %assign functions %2 / FUNCTION
  %if functions < 2
    %assign functions 1
  %endif
  %rep functions
        DATA_GAP
        dd cost_structures + at * 16
    %assign at at + LINE((%6 + functions - 1) / functions) / 16
  %endrep
%endmacro

        section .data progbits alloc noexec write align=16
%assign at 0
%assign structure 0
cost_pointers:
        SITES

        section .bss nobits alloc noexec write align=16
cost_globals:    resb 8 * 16
cost_structures: resb at * 16

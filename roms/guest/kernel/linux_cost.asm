; SPDX-License-Identifier: GPL-2.0-or-later
;
; What the real kernel executes and this one does not: the ONE declared routine that pads
; (DESIGN.md section 7). Each site below is a body of ordinary instructions that runs where
; COST(site) stands in the sources. The same bodies serve every adapter and every machine. Their
; lengths are "figure of facts/linux22-path.md minus what our own code was counted to execute" and
; come from no throughput. Nothing else in the guest pads.
;
; How our own code was counted: a QEMU 7.2 TCG plugin that records every executed address, 300
; consecutive data segments a window after 400 to warm up, layer-2 peer with timestamps, window
; 32120, an ACK every 1, 2 or 4 segments: the sheet's own method (its section 1). Per call,
; instructions:
;
; site            the real kernel (sheet sections 3 and 4)                      real  ours   pad
; write_entry,    system call straight path 343 + tcp_do_sendmsg 145 +
;   write_exit      release_sock 17, and the rest up to 753 by the fit           753   362   391
; segment_build   tcp_do_sendmsg 122 + sock_wmalloc_err 32 + data skb 166
;                   + the share of tcp_send_skb                                 ~330   190   140
; append          106 per append to a waiting skb                                106    56    50
; clone           skb_clone 78 + cache 37                                        115    88    27
; tcp_transmit    155 + select_window 47 + send_check 40 + csum_partial 39       281   211    70
; ip_transmit     ip_queue_xmit 118 + ip_output 44                               162    92    70
; dev_queue       dev_queue_xmit 34 + enqueue 26 + dequeue 36 + restart 31       127    65    62
; run_queue       qdisc_run_queues 35 + restart 27 + dequeue 36                   98    45    53
; start_transmit  group d 236 of 8390's start (182 here) and the driver's other
;                   functions (block output 74, transmit done 46: 25 less here)  356   277    79
; free_clone      freeing a sent clone, 128                                      128    70    58
; write_space     callback 30 + wake_up 25 + wake_async 11                        66    12    54
; free_data       freeing an acknowledged segment ~200, an ACK 177               ~190    85   105
; netif_rx        receive skb 146 + driver and netif_rx 422                      568   514    54
; net_bh          do_bottom_half 80 + net_bh 22                                  102    68    34
; ip_receive      69 of net_bh + ip_rcv 88 + route 105 + deliver 102             364   117   247
; tcp_receive     tcp_v4_rcv 142 + csum 39 + do_rcv 28                           209   131    78
; ack             established, tcp_ack, clean_rtx, timestamp, timer            ~580   388   192
; irq_entry,      interrupt in and out: 2 + 15 + 22 + 54 + 41 + 9 + 7 + 11
;   irq_exit                                                                     161    94    67
; tick, tick_bh   440 with its bottom half                                       440   195   245
; schedule,       626 per block and wake: 2 x schedule, 2 x switch, the wait,
;   wake, block     the wake-up                                                  626   476   150
;
; What came out, same windows, same fit (worst window error 1.1 %; the sheet's own: 0.8 %):
;   per write 739-777 (sheet 753), segment 1678-1785 (1777), ACK 1767-1846 (1780), NIC interrupt
;   332-402 (373). Instructions per segment at the sheet's event mix: 1K 5439 (5475), 32767 5277
;   (5296), wire limited 8K 5704 (5649). Of that per 32767 segment: loads 2351 (2269), stores 1276
;   (1188), taken transfers 436 (384), 16-byte lines of code 551 (480) and of data 501 (450 to 480).
; Cache misses per segment in the sheet's five caches, code/read/write, 32767 (sheet in brackets):
;   8 KB 4-way 556/356/603 (531/364/574), 16 KB 271/267/533 (269/287/524),
;   64 KB direct 51/179/399 (100/155/266), 8+8 KB 223/161/471 (244/172/498),
;   256 KB 12/20/58 (19/35/117).
; No CLI, PUSHF or POPF here: our own code already executes about 16 of each a segment (15.6, 12.6).
; No I/O here: the port accesses are the driver's and the kernel's own and are exact.

        bits 32

; ---- the table: site, instructions --------------------------------------------------------------
%macro SITES 0
        SITE write_entry,    200
        SITE write_exit,     191
        SITE segment_build,  140
        SITE append,          50
        SITE clone,           27
        SITE tcp_transmit,    70
        SITE ip_transmit,     70
        SITE dev_queue,       62
        SITE run_queue,       53
        SITE start_transmit,  79
        SITE free_clone,      58
        SITE write_space,     54
        SITE free_data,      105
        SITE netif_rx,        54
        SITE net_bh,          34
        SITE ip_receive,     247
        SITE tcp_receive,     78
        SITE ack,            192
        SITE irq_entry,       30
        SITE irq_exit,        37
        SITE tick,           137
        SITE tick_bh,        108
        SITE schedule,        30
        SITE wake,            40
        SITE block,           50
%endmacro

; ---- geometry -----------------------------------------------------------------------------------
CHUNK_LINES equ 5                       ; 16-byte data lines that a chunk touches
FILL_LINES  equ 4
CHUNK_CODE  equ 49                      ; instructions of a chunk, its call included

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

; offset of a scratch field / of a field that is always zero, in a structure of %1 lines
%macro NEXT 1
  %assign turn turn + 1
  %assign scratch (turn % %1) * 16 + 4 + 4 * ((turn / %1) % 3)
  %assign zero (turn % %1) * 16
%endmacro

; 49 executed instructions with the CALL that leads here: a function of the real kernel in small.
; loads 19, stores 13, taken transfers 5, conditional jumps 6 (2 taken), 145 bytes executed.
; Jumped-over bytes stand for the cold paths that lie between a real kernel's hot ones.
%macro CHUNK 0
        push ebp
        push edi
        push esi
        push ebx
        mov ebx, [cost_pointers + slot * 4]
        mov esi, [esp + 20]
        NEXT CHUNK_LINES
        mov edi, [ebx + zero]
        test edi, edi
        jz short %%a                    ; taken
        times 7 nop
%%a:    NEXT CHUNK_LINES
        mov eax, [ebx + scratch]
        NEXT CHUNK_LINES
        mov edx, [ebx + scratch]
        cmp dword [cost_globals + (slot % 8) * 16], 0
        jne short %%b
        lea ecx, [eax + edx + 4]
        NEXT CHUNK_LINES
        mov [ebx + scratch], eax
        NEXT CHUNK_LINES
        mov dword [ebx + scratch], slot
        test byte [ebx + zero], 1
        jnz short %%b
        push ecx
        push ebx
        mov edx, [esp + 8]
        and edx, 0FFFFF7h
        NEXT CHUNK_LINES
        mov ecx, [ebx + scratch]
        add eax, 1000h + slot
        cmp edi, 1
        jb short %%c                    ; taken
        times 9 nop
%%c:    add esp, 8
        NEXT CHUNK_LINES
        inc dword [ebx + scratch]
        mov eax, [cost_globals + ((slot + 3) % 8) * 16 + 4]
        shr eax, 4
        NEXT CHUNK_LINES
        mov [ebx + scratch], eax
        test edi, edi
        jne near %%b
        mov edx, [esp + 4]
        xor ecx, ecx
        NEXT CHUNK_LINES
        mov [ebx + scratch], edx
        mov ecx, [cost_globals + ((slot + 5) % 8) * 16 + 8]
        jmp short %%d                   ; taken
        times 8 nop
%%d:    NEXT CHUNK_LINES
        mov al, [ebx + scratch]
        NEXT CHUNK_LINES
        mov [ebx + scratch], ecx
%%b:    mov eax, esi
        test edi, edi
        jnz short %%e
%%e:    pop ebx
        pop esi
        pop edi
        pop ebp
        ret
  %assign slot slot + 1
%endmacro

; Instruction number %1 of a ring of 24 with the same mix, without calls. EDX = structure.
%macro FILL 1
  NEXT FILL_LINES
  %assign which %1 % 24
  %if which == 0 || which == 5 || which == 15 || which == 23
        mov eax, [edx + scratch]
  %elif which == 1 || which == 11
        cmp dword [edx + zero], 0
  %elif which == 2
        je short %%over                 ; taken: the field is zero
        times 7 nop
%%over:
  %elif which == 3
        lea ecx, [eax + 4]
  %elif which == 4 || which == 7 || which == 14 || which == 20
        mov [edx + scratch], ecx
  %elif which == 6
        and ecx, 0FFFFF7h
  %elif which == 8
        mov eax, [esp]
  %elif which == 9
        mov ecx, [esp + 4]
  %elif which == 10
        mov dword [edx + scratch], which
  %elif which == 12
        jne short %%not
%%not:
  %elif which == 13
        add eax, ecx
  %elif which == 16
        inc dword [edx + scratch]
  %elif which == 17
        shl ecx, 2
  %elif which == 18
        mov eax, [cost_globals + (slot % 8) * 16]
  %elif which == 19
        test eax, 0FFFFF7h
  %elif which == 21
        jmp short %%past                ; taken
        times 6 nop
%%past:
  %elif which == 22
        lea eax, [ecx + eax]
  %endif
%endmacro

; void cost_NAME(void): %2 instructions, the caller's CALL and the RET included.
%macro SITE 2
        global cost_%1
        GAP
cost_%1:
  %assign chunks (%2 - 2) / CHUNK_CODE
  %assign rest (%2 - 2) - chunks * CHUNK_CODE
  %if rest > 0
        mov edx, [cost_pointers + slot * 4]
    %assign slot slot + 1
    %assign i 0
    %rep rest - 1
        FILL i
      %assign i i + 1
    %endrep
  %endif
  %assign i 0
  %rep chunks
        call .chunk %+ i
    %assign i i + 1
  %endrep
        ret
  %assign i 0
  %rep chunks
        GAP
.chunk %+ i:
        CHUNK
    %assign i i + 1
  %endrep
%endmacro

        section .text progbits alloc exec nowrite align=16
        SITES

; ---- the data that the bodies touch: structures behind pointers, in the order of the bodies -----
%macro POINTERS 2
  %assign rest (%2 - 2) % CHUNK_CODE
  %if rest > 0
        DATA_GAP
        dd cost_structures + at * 16
    %assign at at + FILL_LINES
  %endif
  %rep (%2 - 2) / CHUNK_CODE
        DATA_GAP
        dd cost_structures + at * 16
    %assign at at + CHUNK_LINES
  %endrep
%endmacro
%macro SITE 2
        POINTERS %1, %2
%endmacro

        section .data progbits alloc noexec write align=16
%assign at 0
%assign structure 0
cost_pointers:
        SITES

        section .bss nobits alloc noexec write align=16
cost_globals:    resb 8 * 16
cost_structures: resb at * 16

; SPDX-License-Identifier: GPL-2.0-or-later
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

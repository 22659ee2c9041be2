; SPDX-License-Identifier: GPL-2.0-or-later
; bench-mix: a fixed instruction mix, 32-bit code under paging, 386 instructions only, data in 256 KB.
;
; Each pass runs four variants (same structure, different code and constants, about 2 KB in all) of: records that are
; compared and changed, look-ups in a 64 KB table, a byte-wise checksum, nested calls with frames, a chain of pointers
; through 64 KB in shuffled order, block copy and fill, wide arithmetic, a jump table. The state feeds back, so nothing
; can be optimised away; the checksum printed at the end is the same on every processor.
;
; Share of the instructions executed, REP counted once (checked by tests/frontend/processor_bench/test_bench.cpp):
;   31 % with a memory operand (not including PUSH and POP, another 2 %), 15 % jumps, 2 % calls and returns,
;   0.4 % string instructions.
; COM1 carries "@mix start", then "@mix end passes=N checksum=X", then "@done 0".
ITERATIONS      equ 80000
%include "bench.inc"

RECORDS         equ DATA                ; 4096 records of 16 bytes
TABLE           equ DATA + 0x10000      ; 64 KB
NODES           equ DATA + 0x20000      ; 4096 nodes of 16 bytes: next, value, count, unused
SOURCE          equ DATA + 0x30000      ; 32 KB copied from, 32 KB copied to
TARGET          equ DATA + 0x38000
SMALL           equ SOURCE              ; 256 dwords for the checksum

        bits 32
bench:
        call fill
        mov esi, text_start
        call print
        mov ebp, 0x12345678
        mov eax, [iterations]
        mov [passes_left], eax
        jmp pass

%macro variant 1
        ; Records: two fields decide which two change.
        mov eax, [offset]
        lea edi, [RECORDS + eax]
        add eax, 192
        and eax, 0xFFC0
        mov [offset], eax
        mov ecx, 12
%%record:
        mov eax, [edi]
        mov edx, [edi + 4]
        lea ebx, [eax + edx*2 + 0x1234567 * %1]
        cmp eax, edx
        jbe %%less
        xor eax, [edi + 12]
        shr edx, 3
        add [edi + 8], eax
        mov [edi], ebx
        jmp %%next_record
%%less:
        rol ebx, 5
        sub edx, eax
        mov [edi + 12], ebx
        mov [edi + 4], edx
%%next_record:
        add ebp, [edi + 8]
        add edi, 16
        dec ecx
        jnz %%record

        ; Look-ups with too little locality for a cache.
        mov ecx, 3
%%look_up:
        mov edx, ebp
        shr edx, 5 + %1
        xor edx, ebp
        and edx, 0xFFFC
        mov eax, [TABLE + edx]
        test al, 0x70
        jnz %%usual
        inc dword [rare]
        mov [TABLE + edx], ebp
%%usual:
        add ebp, eax
        ror ebp, 3
        dec ecx
        jnz %%look_up

        ; Checksum, byte by byte through a table of 1 KB.
        mov esi, [offset]
        add esi, RECORDS
        mov edx, ebp
        mov ecx, 20
%%byte:
        movzx eax, byte [esi]
        xor al, dl
        shr edx, 8
        inc esi
        xor edx, [SMALL + eax*4]
        dec ecx
        jnz %%byte
        xor ebp, edx

        ; Calls with arguments on the stack.
        push edx
        push dword %1
        call scale
        add esp, 8
        add ebp, eax
        push ebp
        push dword [rare]
        call scale
        add esp, 8
        xor [sums + %1 * 4], eax
        add [totals + %1 * 8], eax
        adc dword [totals + %1 * 8 + 4], 0
        mov [latest], ebp

        ; A chain of pointers.
        mov esi, [node]
        mov ecx, 6
%%chain:
        mov eax, [esi + 4]
        add ebp, eax
        test byte [esi + 4], 3
        jz %%skip
        inc dword [esi + 8]
%%skip:
        mov esi, [esi]
        dec ecx
        jnz %%chain
        mov [node], esi

        ; Block copy and fill.
        mov eax, [offset]
        and eax, 0x7F80
        lea esi, [SOURCE + eax]
        lea edi, [TARGET + eax]
        mov ecx, 16 + %1 * 4
        rep movsd
        sub edi, 32
        mov eax, ebp
        mov ecx, 8
        rep stosd

        ; Wide arithmetic.
        mov eax, ebp
        mov ebx, [sums + %1 * 4]
        mul ebx
        add eax, [sums + 4]
        adc edx, 0
        shld edx, eax, 7
        movsx ebx, ax
        imul ebx, edx
        cmp ebx, ebp
        setb cl
        movzx ecx, cl
        add ebp, ecx
        xor edx, edx
        or ebx, 0x10001
        div ebx
        add ebp, edx
        not eax
        bt ebp, 4
        adc ebp, eax

        ; A jump table.
        mov eax, ebp
        shr eax, 9 + %1
        and eax, 3
        jmp [%%cases + eax*4]
%%case_0:
        add ebp, [sums]
        jmp %%out
%%case_1:
        sub ebp, [sums + 4]
        jmp %%out
%%case_2:
        xor ebp, [sums + 8]
        jmp %%out
%%case_3:
        neg ebp
        jmp %%out
        align 4
%%cases: dd %%case_0, %%case_1, %%case_2, %%case_3
%%out:
%endmacro

pass:
        variant 0
        variant 1
        variant 2
        variant 3
        dec dword [passes_left]
        jnz pass

        mov esi, text_passes
        call print
        mov eax, [iterations]
        call print_hexadecimal
        mov esi, text_checksum
        call print
        mov ecx, DATA_BYTES / 4
        mov esi, DATA
        mov eax, ebp
.sum:
        rol eax, 1
        add eax, [esi]
        add esi, 4
        dec ecx
        jnz .sum
        call print_hexadecimal
        mov esi, text_end
        call print
        jmp finish

; EAX = f(first argument, second)
scale:
        push ebp
        mov ebp, esp
        push ebx
        mov eax, [ebp + 8]
        mov ebx, [ebp + 12]
        test ebx, ebx
        js .negative
        lea eax, [eax + ebx*4 + 3]
        call fold
        jmp .out
.negative:
        sub eax, ebx
        call fold
        call fold
.out:
        pop ebx
        leave
        ret
fold:
        mov edx, eax
        shr edx, 16
        and eax, 0xFFFF
        add eax, edx
        ret

; The same pseudo-random values on every machine, and the chain in an order that visits each node once.
fill:
        mov edi, DATA
        mov ecx, DATA_BYTES / 4
        mov eax, 0x2545F491
.value:
        imul eax, eax, 1664525
        add eax, 1013904223
        mov edx, eax
        rol edx, 13
        mov [edi], edx
        add edi, 4
        dec ecx
        jnz .value
        xor ecx, ecx                    ; node n leads to node n + 1409: odd, so the chain includes all
.link:
        mov eax, ecx
        shl eax, 4
        lea edx, [ecx + 1409]
        and edx, 4095
        shl edx, 4
        add edx, NODES
        mov [NODES + eax], edx
        inc ecx
        cmp ecx, 4096
        jb .link
        ret

text_start:     db "@mix start", 13, 10, 0
text_passes:    db "@mix end passes=", 0
text_checksum:  db " checksum=", 0

        align 4
offset:         dd 0
node:           dd NODES
rare:           dd 0
sums:           dd 0x9E3779B9, 0x7F4A7C15, 0x85EBCA6B, 0xC2B2AE35
totals:         times 8 dd 0
latest:         dd 0
passes_left:    dd 0

        end_of_bench

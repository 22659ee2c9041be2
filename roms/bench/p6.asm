; SPDX-License-Identifier: GPL-2.0-or-later
; bench-p6: loops whose clocks others have measured on Pentium Pro, II and III, timed with RDTSC, so that a real machine can
; be measured as well. Needs a Pentium II or later and 4 MB of memory.
;
; Each kernel is entered with ECX = passes; its result is the clocks of twice PASSES minus those of PASSES, after a run that
; brings everything into the caches, so that entry and measurement cancel out. COM1 carries "@p6 start", for each kernel
; "@kernel NAME rounds=N clocks=N" (hexadecimal; processor clocks), then "@p6 end", "@done 0". A comment at each kernel
; defines its round; the expected cost is in frontend/processor_bench/p6.toml.
ITERATIONS      equ 1
%include "bench.inc"
        cpu p3

SOURCE          equ 0x120000
TARGET          equ 0x129000            ; different sets of a 16 KB cache with 4 ways
OTHER           equ 0x132000
LIMBS           equ 512                 ; of 32 bits: three vectors of 2 KB stay in the first level
PASSES          equ 32

        bits 32
bench:
        call set_up_system
        mov esi, text_start
        call print
        mov dword [entry], kernels
next_kernel:
        mov ebp, [entry]
        cmp dword [ebp], 0
        je all_done
        mov ecx, PASSES
        call timed
        mov ecx, PASSES
        call timed
        push eax
        mov ecx, 2 * PASSES
        call timed
        pop edx
        sub eax, edx
        mov esi, text_kernel
        call print
        lea esi, [ebp + 12]
        call print
        mov esi, text_rounds
        call print
        push eax
        mov eax, [ebp + 8]
        imul eax, eax, PASSES
        call print_hexadecimal
        mov esi, text_clocks
        call print
        pop eax
        call print_hexadecimal
        end_of_kernel

; EAX = clocks of ECX passes of the kernel whose entry is at EBP.
timed:
        push ebp
        mov [passes], ecx
        call stamp
        push eax
        mov ecx, [passes]
        mov esi, SOURCE
        mov edi, TARGET
        mov ebx, OTHER
        xor eax, eax
        xor edx, edx
        call [ebp]
        cld
        call stamp
        pop edx
        sub eax, edx
        pop ebp
        ret
; EAX = the time stamp counter, once everything before has executed.
stamp:
        xor eax, eax
        cpuid
        rdtsc
        ret

; Begins the kernel %1; `pass` and `again` enclose its pass.
%macro begin 1
        align 32
%1:
%endmacro
%macro pass 0
        align 16
.pass:
%endmacro
%macro again 0
        dec ecx
        jnz near .pass
        ret
%endmacro
; `again` with the count in memory, which leaves all registers to the kernel.
%macro again_from_memory 0
        dec dword [passes]
        jnz near .pass
        ret
%endmacro

%include "p6_core.inc"
%include "p6_vectors.inc"
%include "p6_memory.inc"
%include "p6_system.inc"

text_start:     db "@p6 start", 13, 10, 0
text_kernel:    db "@kernel ", 0
text_rounds:    db " rounds=", 0
text_clocks:    db " clocks=", 0
text_over:      db "@p6 end", 13, 10, 0

; Routine, next entry, rounds per pass, name.
        align 4
kernels:
        kernel add_chain, 40
        kernel imul_chain, 20
        kernel div8_chain, 10
        kernel div16_chain, 10
        kernel div32_chain, 10
        kernel load_chain, 20
        kernel store_load, 8
        kernel two_reads, 8
        kernel one_read, 8
        kernel inc_adc, 8
        kernel part_register, 8
        kernel part_zeroed, 8
        kernel decode_1124, 8
        kernel decode_2114, 8
        kernel jump_chain, 40
        kernel add_pushf, 8
        kernel inc_pushf, 8
        kernel shr_pushf, 8
        kernel rdtsc_pair, 8
        kernel lock_add, 8
        kernel cpuid_alone, 4
        kernel lshift, LIMBS / 2
        kernel add_n_dec, LIMBS / 8
        kernel copy_down, LIMBS / 2
        kernel mul_1, LIMBS
        kernel addmul_1, LIMBS
        kernel add_n_index, LIMBS / 8
        kernel mod_34_sub, LIMBS / 3
        kernel mod_34_dec, LIMBS / 3
        kernel mul_1_k6, LIMBS
        kernel addmul_1_p6, LIMBS
        kernel divrem_1, LIMBS
        kernel modexact_1, LIMBS
        kernel divexact_odd, LIMBS
        kernel divexact_even, LIMBS
        kernel divexact_plain_odd, LIMBS
        kernel divexact_plain_even, LIMBS
        kernel movs_forward, 1024 / 8
        kernel movs_by_4, 1024 / 8
        kernel movs_backward, 1024 / 8
        kernel movs_short, 1
        kernel stos_long, 1
        kernel chase_l2, CHASE_L2 / 32
        kernel chase_memory, CHASE_MEMORY / 128
        kernel stream_read, CHUNK / 32
        kernel stream_write, CHUNK / 32
        kernel stream_copy, CHUNK / 32
        kernel int_and_iret, 8
        kernel null_call, 8
        kernel address_space, 8
        dd 0
entry:          dd 0
passes:         dd 0

        end_of_bench

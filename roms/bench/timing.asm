; SPDX-License-Identifier: GPL-2.0-or-later
; bench-timing: small loops whose clocks are in the processors' manuals, timed by the program itself with only counter 0
; of the 8254, so that a real machine can be measured as well.
;
; Each kernel is entered with ECX = rounds and runs in a loop of its own; the number of rounds is doubled until it takes
; 20000 counts (17 ms). A comment at each kernel defines its round; the expected cost is in
; frontend/processor_bench/timing.toml. COM1 carries "@timing start", for each kernel "@kernel NAME rounds=N counts=N"
; (hexadecimal; counts of 1193182 Hz), then "@timing end", "@done 0".
ITERATIONS      equ 20000               ; minimum number of counts
%include "bench.inc"

HOT             equ 0x141000            ; 4 KB that fits every cache; in DRAM rows of its own if there are several
COLD_SOURCE     equ 0x180000
COLD_TARGET     equ 0x200000
COLD_BYTES      equ 0x80000             ; larger than any cache
COLD_ROUND      equ 0x4000
WALK            equ 0x300000
WALK_PAGES      equ 128                 ; more than any TLB holds
WALK_STEP       equ 4096 + 32           ; a page and a cache line: no two in the same cache set
LATCH_PORT      equ 0x80
INTERRUPT       equ 0x40
SYSTEM_CALL     equ 0x80
BACK_TO_RING_0  equ 0x81
REQUEST_VECTORS equ 0x20                ; of the first interrupt controller
USER_STACK      equ 0x20000
KERNEL_STACK    equ 0x22000
IDT             equ 0x13000
TSS             equ 0x14000

        bits 32
bench:
        call set_up_protection
        mov al, 0x34                    ; counter 0, mode 2, 65536 counts
        out 0x43, al
        mov al, 0
        out 0x40, al
        out 0x40, al
        mov esi, text_start
        call print
        mov dword [entry], kernels
next_kernel:
        mov ebp, [entry]
        cmp dword [ebp], 0
        je all_done
        mov ebx, 1
.again:
        call read_counter
        push eax
        push ebx
        push ebp
        mov ecx, ebx
        call [ebp]
        cld
        pop ebp
        pop ebx
        call read_counter
        pop edx
        sub edx, eax                    ; the counter counts down
        movzx edx, dx
        cmp edx, [iterations]
        jae .enough
        add ebx, ebx
        jmp .again
.enough:
        mov esi, text_kernel
        call print
        lea esi, [ebp + 8]
        call print
        mov esi, text_rounds
        call print
        mov eax, ebx
        call print_hexadecimal
        mov esi, text_counts
        call print
        mov eax, edx
        call print_hexadecimal
        end_of_kernel

; EAX = counter 0
read_counter:
        xor eax, eax
        out 0x43, al                    ; latch
        in al, 0x40
        mov ah, al
        in al, 0x40
        xchg al, ah
        ret

; --- kernels ------------------------------------------------------------------------------------

; Linux's delay loop (a round is one pass), and the same with one, two, three and five more pairs.
%macro delay 1
        align 32
delay_%1:
        dec ecx
        align 32
%%loop:
        %rep %1 - 1
        inc esi
        inc edi
        %endrep
        dec ecx
        jns %%loop
        ret
%endmacro
        delay 1
        delay 2
        delay 3
        delay 4
        delay 6

; A round is one LOOP to itself.
        align 32
loop_itself:
.loop:
        loop .loop
        ret

; A round copies 2 KB with REP MOVSD; source and target stay in the cache.
        align 32
copy_hot:
        mov edx, ecx
        mov esi, HOT                    ; reading brings both into a cache that does not allocate on writes
        mov ecx, 4096 / 4
        rep lodsd
        align 32
.round:
        mov esi, HOT
        mov edi, HOT + 2048
        mov ecx, 2048 / 4
        rep movsd
        dec edx
        jnz .round
        ret

; A round copies 16 KB with REP MOVSD, with a different source and target each time until all 512 KB have been used.
        align 32
copy_cold:
        mov edx, ecx
        align 32
.round:
        mov eax, [cold]
        lea esi, [COLD_SOURCE + eax]
        lea edi, [COLD_TARGET + eax]
        add eax, COLD_ROUND
        and eax, COLD_BYTES - 1
        mov [cold], eax
        mov ecx, COLD_ROUND / 4
        rep movsd
        dec edx
        jnz .round
        ret

; A round adds up 1 KB like the Internet checksum: 32 times ADC EAX,[ESI+n] in a block, 8 blocks.
        align 32
checksum:
        mov edx, ecx
        align 32
        times 32 - (.block - .round) nop
.round:
        mov esi, HOT
        mov ecx, 8
.block:
        %assign n 0
        %rep 32
        adc eax, [byte esi + n]
        %assign n n + 4
        %endrep
        lea esi, [esi + 32 * 4]
        dec ecx
        jnz .block
        dec edx
        jnz .round
        ret

; A round writes 64 bytes to an 8-bit latch of the planar with REP OUTSB.
        align 32
string_out:
        mov ebx, ecx
        mov dx, LATCH_PORT
        align 32
.round:
        mov esi, HOT
        mov ecx, 64
        rep outsb
        dec ebx
        jnz .round
        ret

; A round is four nested near calls, each with a frame, and their returns; four INC on either side separate the jumps.
        align 32
call_chain:
.round:
        %rep 2
        inc esi
        inc edi
        %endrep
        call .one
        %rep 2
        inc esi
        inc edi
        %endrep
        dec ecx
        jnz .round
        ret
%macro framed 0-1
        push ebp
        mov ebp, esp
        %if %0
        call %1
        %endif
        pop ebp
        ret
%endmacro
        align 32
.one:   framed .two
        align 32
.two:   framed .three
        align 32
.three: framed .four
        align 32
.four:  framed

; A round is INT to the same privilege and IRET.
        align 32
interrupt:
.round:
        int INTERRUPT
        dec ecx
        jnz .round
        ret
        align 32
only_return:
        iretd

; A round is a request of COM1's transmitter (always empty, so enabling its interrupt asserts IRQ 4 at once), the
; acknowledgement, the entry through the interrupt gate, and the return. It includes four port accesses: the interrupt
; enable register twice, the identification register, which withdraws the request, and the end of interrupt.
        align 32
hardware_interrupt:
        mov al, 0xEF
        out 0x21, al                    ; IRQ 4 alone
        sti
        align 32
.round:
        mov edx, COM1 + 1
        mov al, 0
        out dx, al
        mov al, 2
        out dx, al
        dec ecx
        jnz .round
        cli
        mov al, 0
        out dx, al
        mov al, 0xFF
        out 0x21, al
        ret
        align 32
serve_request:
        mov edx, COM1 + 2
        in al, dx
        mov edx, COM1 + 1
        mov al, 0x20
        out 0x20, al
        iretd

; A round is INT from ring 3 to ring 0 and IRET back.
        align 32
system_call:
        push dword USER_DATA
        push dword USER_STACK
        push dword 2
        push dword USER_CODE
        push dword .user
        mov [kernel_esp], esp
        mov eax, USER_DATA
        mov ds, ax
        mov es, ax
        iretd
        align 32
.user:
        int SYSTEM_CALL
        dec ecx
        jnz .user
        int BACK_TO_RING_0
back_to_ring_0:
        mov eax, DATA_SELECTOR
        mov ds, ax
        mov es, ax
        mov esp, [kernel_esp]
        add esp, 20
        ret

; A round reads a dword in each of 128 pages: every read walks the page tables.
        align 32
page_walk:
        mov edx, ecx
        align 32
        times 32 - (.page - .round) nop
.round:
        mov esi, WALK
        mov ecx, WALK_PAGES
.page:
        mov eax, [esi]
        add esi, WALK_STEP
        dec ecx
        jnz .page
        dec edx
        jnz .round
        ret

; --- protection ---------------------------------------------------------------------------------

set_up_protection:
        mov edi, IDT
        xor eax, eax
        mov ecx, (TSS + 0x1000 - IDT) / 4
        rep stosd
        mov dword [TSS + 4], KERNEL_STACK
        mov dword [TSS + 8], DATA_SELECTOR
        mov word [TSS + 102], 104       ; no I/O permission map
        mov dword [gdt_task], (TSS & 0xFFFF) << 16 | 103
        mov dword [gdt_task + 4], 0x00008900 | TSS >> 16
        mov eax, TASK
        ltr ax
        mov edx, INTERRUPT
        mov eax, only_return
        call set_gate
        mov edx, SYSTEM_CALL
        call set_gate
        mov edx, BACK_TO_RING_0
        mov eax, back_to_ring_0
        call set_gate
        mov edx, REQUEST_VECTORS + 4
        mov eax, serve_request
        call set_gate
        mov edx, REQUEST_VECTORS + 7    ; a request withdrawn before its acknowledgement
        mov eax, only_return
        call set_gate
        lidt [idt_pointer]
        mov al, 0x11                    ; requests edge mode: a Micro Channel planar remains level-triggered
        out 0x20, al
        mov al, REQUEST_VECTORS
        out 0x21, al
        mov al, 4
        out 0x21, al
        mov al, 1
        out 0x21, al
        mov al, 0xFF
        out 0x21, al
        mov dx, COM1 + 4                ; OUT2 enables the request line
        mov al, 0x0B
        out dx, al
        ret
; Sets an interrupt gate accessible from ring 3: vector EDX to address EAX (below 64 KB).
set_gate:
        mov [IDT + edx*8], ax
        mov word [IDT + edx*8 + 2], CODE
        mov word [IDT + edx*8 + 4], 0xEE00
        mov word [IDT + edx*8 + 6], 0
        ret

text_start:     db "@timing start", 13, 10, 0
text_kernel:    db "@kernel ", 0
text_rounds:    db " rounds=", 0
text_counts:    db " counts=", 0
text_over:      db "@timing end", 13, 10, 0

; Routine, next entry, name.
        align 4
kernels:
        kernel delay_1
        kernel delay_2
        kernel delay_3
        kernel delay_4
        kernel delay_6
        kernel loop_itself
        kernel copy_hot
        kernel copy_cold
        kernel checksum
        kernel string_out
        kernel call_chain
        kernel interrupt
        kernel hardware_interrupt
        kernel system_call
        kernel page_walk
        dd 0
entry:          dd 0
cold:           dd 0
kernel_esp:     dd 0
idt_pointer:
        dw 256 * 8 - 1
        dd IDT

        end_of_bench

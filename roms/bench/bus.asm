; SPDX-License-Identifier: GPL-2.0-or-later
; bench-bus: the cost of single accesses, bursts of a bus master and memory lines in a PC with PCI, timed with RDTSC, so
; that a real machine can be measured as well. Some kernels need a 3C905B in any slot, with its base addresses assigned.
;
; Each kernel runs twice and is timed the second time; the time of an empty measurement is subtracted. COM1 carries
; "@bus start", for each kernel "@kernel NAME rounds=N clocks=N" (hexadecimal; processor clocks), then "@bus end",
; "@done 0". A comment at each kernel defines its round; the expected cost is in frontend/processor_bench/bus.toml.
ITERATIONS      equ 1
%include "bench.inc"
        cpu pentium

PAGE_TABLE_PCI  equ 0x13000
DPD             equ 0x20000             ; the card's download list
UPD             equ 0x20100             ; the card's upload list
SOURCE          equ 0x100000            ; 1 MB: larger than any cache of the time
TARGET          equ 0x200000            ; likewise; the same cache sets as the source
OTHER           equ 0x300000
SMALL           equ 0x8000              ; fits the second level, not the first
CARD            equ 0x905510B7          ; 3C905B-TX
CONFADD         equ 0xCF8
CONFDATA        equ 0xCFC
ABSENT_DEVICE   equ 0x8000A000          ; device 20
ABSENT_PORT     equ 0x300

        bits 32
bench:
        call find_card
        mov esi, text_start
        call print
        mov dword [sum], 0
        call empty
        mov eax, [sum]
        mov [overhead], eax
        mov dword [entry], kernels
next_kernel:
        mov ebp, [entry]
        cmp dword [ebp], 0
        je all_done
        call [ebp]
        mov dword [sum], 0
        mov ebp, [entry]
        call [ebp]
        mov ebp, [entry]
        mov esi, text_kernel
        call print
        lea esi, [ebp + 12]
        call print
        mov esi, text_rounds
        call print
        mov eax, [ebp + 8]
        call print_hexadecimal
        mov esi, text_clocks
        call print
        mov eax, [sum]
        call print_hexadecimal
        end_of_kernel

; EAX and EDX are used by the measurement.
%macro begin 0
        rdtsc
        mov [from], eax
%endmacro
%macro end 0
        rdtsc
        sub eax, [from]
        sub eax, [overhead]
        add [sum], eax
%endmacro

        align 32
empty:
        %rep 2                          ; the second time from the cache
        mov dword [sum], 0
        begin
        end
        %endrep
        ret

; Gives posted writes time to complete.
settle:
        push ecx
        mov ecx, 2000
.wait:
        dec ecx
        jnz .wait
        pop ecx
        ret

; --- the card -----------------------------------------------------------------------------------

IO_LATCH        equ 0x38                ; UpListPtr: no engine reads it while it is 0

find_card:
        mov ebx, 0x80000000
.next:
        mov eax, ebx
        mov dx, CONFADD
        out dx, eax
        mov dx, CONFDATA
        in eax, dx
        cmp eax, CARD
        je .found
        add ebx, 1 << 11
        cmp ebx, 0x80010000
        jb .next
        mov esi, text_no_card
        call print
        jmp finish
.found:
        mov [card_config], ebx
        lea eax, [ebx + 4]              ; enable ports, memory, bus master
        call config_address
        in ax, dx
        or ax, 7
        out dx, ax
        lea eax, [ebx + 0x10]
        call config_address
        in eax, dx
        and eax, 0xFFFC
        mov [ports], eax
        lea eax, [ebx + 0x14]
        call config_address
        in eax, dx
        and eax, ~15
        mov [registers], eax
        mov edi, PAGE_TABLE_PCI         ; its memory, uncached, at its physical address
        push eax
        xor eax, eax
        mov ecx, 1024
        rep stosd
        pop eax
        mov edx, eax
        shr edx, 22
        mov dword [PAGE_DIRECTORY + edx*4], PAGE_TABLE_PCI | PAGE_PRESENT
        mov edx, eax
        shr edx, 12
        and edx, 1023
        and eax, ~0xFFF
        or eax, PAGE_PRESENT | 0x10
        mov [PAGE_TABLE_PCI + edx*4], eax
        mov eax, cr3
        mov cr3, eax
        mov ax, 15 << 11 | 0x10         ; make RxComplete visible
        call card_command
        mov ax, 4 << 11                 ; receiver: promiscuous, uploads stalled, loopback
        call card_command
        mov ax, 16 << 11 | 8
        call card_command
        mov ax, 6 << 11
        call card_command
        mov ax, 1 << 11 | 4             ; window 4
        call card_command
        mov edx, [ports]
        add edx, 6
        mov ax, 0x4000
        out dx, ax
        ret

; DX = the data port of the configuration register EAX.
config_address:
        mov dx, CONFADD
        out dx, eax
        mov dx, CONFDATA
        ret

card_command:
        mov edx, [ports]
        add edx, 0x0E
        out dx, ax
.busy:
        in ax, dx
        test ax, 0x1000
        jnz .busy
        ret

; --- single accesses ----------------------------------------------------------------------------

; A round is one IN from the card, of a byte, a word, a doubleword; 64 of them.
%macro repeated 2+
        align 32
%1:
        mov edx, [ports]
        add edx, IO_LATCH
        xor eax, eax
        mov ecx, 4
.warm:
        push eax
        push edx
        begin
        pop edx
        pop eax
        %rep 16
        %2
        %endrep
        push edx
        end
        pop edx
        xor eax, eax
        dec ecx
        jnz .warm
        ret
%endmacro
        repeated pci_in_byte, in al, dx
        repeated pci_in_word, in ax, dx
        repeated pci_in_dword, in eax, dx
        repeated pci_out_dword, out dx, eax

; The same with its memory.
%macro repeated_memory 2+
        align 32
%1:
        mov esi, [registers]
        add esi, IO_LATCH
        mov ecx, 4
.warm:
        begin
        %rep 16
        %2
        %endrep
        end
        call settle
        dec ecx
        jnz .warm
        ret
%endmacro
        repeated_memory pci_read_byte, mov al, [esi]
        repeated_memory pci_read_word, mov ax, [esi]
        repeated_memory pci_read_dword, mov eax, [esi]

; Posted writes, each time to an empty buffer: a round is one, eight, or one of 128 without a pause.
%macro posted 2
        align 32
%1:
        mov esi, [registers]
        add esi, IO_LATCH
        mov ecx, 16
.again:
        xor ebx, ebx
        begin
        %rep %2
        mov [esi], ebx
        %endrep
        end
        call settle
        dec ecx
        jnz near .again
        ret
%endmacro
        posted post_first, 1
        posted post_eight, 8
        posted post_many, 128

; A round is a posted write and a read that waits for it.
        align 32
post_then_read:
        mov esi, [registers]
        add esi, IO_LATCH
        mov ecx, 16
.again:
        xor ebx, ebx
        begin
        mov [esi], ebx
        mov ebx, [esi]
        end
        call settle
        dec ecx
        jnz .again
        ret

; A round is an address to CF8h and data from, or to, CFCh.
%macro configuration 3
        align 32
%1:
        mov ecx, 16
.again:
        mov ebx, %2
        begin
        mov eax, ebx
        mov edx, CONFADD
        out dx, eax
        mov edx, CONFDATA
        %3
        end
        dec ecx
        jnz .again
        ret
%endmacro
        configuration config_read, [card_config], {in eax, dx}
        configuration config_absent, ABSENT_DEVICE, {in eax, dx}
        align 32
config_write:                           ; writes the interrupt line register with its own value
        mov eax, [card_config]
        or eax, 0x3C
        call config_address
        in al, dx
        mov bl, al
        mov ecx, 16
.again:
        begin
        mov eax, [card_config]
        or eax, 0x3C
        mov edx, CONFADD
        out dx, eax
        mov edx, CONFDATA
        mov al, bl
        out dx, al
        end
        dec ecx
        jnz .again
        ret

; Ports of the board and of ISA. A round is one access, or the accesses that belong together.
%macro port 2-5
        align 32
%1:
        mov ecx, 16
.again:
        begin
        %rotate 1
        %rep %0 - 1
        %1
        %rotate 1
        %endrep
        end
        dec ecx
        jnz .again
        ret
%endmacro
        port pic_read, {in al, 0x21}
        port pic_write, {mov al, 0xFF}, {out 0x21, al}
        port post_code, {out 0x80, al}
        port port_61, {in al, 0x61}
        port rtc_read, {mov al, 0x0D}, {out 0x70, al}, {in al, 0x71}
        port counter_read, {mov al, 0}, {out 0x43, al}, {in al, 0x40}, {in al, 0x40}
        port absent_byte, {mov edx, ABSENT_PORT}, {in al, dx}
        port absent_word, {mov edx, ABSENT_PORT}, {in ax, dx}

%include "bus_memory.inc"
%include "bus_card.inc"

text_start:     db "@bus start", 13, 10, 0
text_kernel:    db "@kernel ", 0
text_rounds:    db " rounds=", 0
text_clocks:    db " clocks=", 0
text_over:      db "@bus end", 13, 10, 0
text_no_card:   db "@fail no 3C905B", 13, 10, 0

; Routine, next entry, rounds, name.
        align 4
kernels:
        kernel pci_in_byte, 64
        kernel pci_in_word, 64
        kernel pci_in_dword, 64
        kernel pci_out_dword, 64
        kernel pci_read_byte, 64
        kernel pci_read_word, 64
        kernel pci_read_dword, 64
        kernel post_first, 16
        kernel post_eight, 16
        kernel post_many, 16 * 128
        kernel post_then_read, 16
        kernel config_read, 16
        kernel config_write, 16
        kernel config_absent, 16
        kernel pic_read, 16
        kernel pic_write, 16
        kernel post_code, 16
        kernel port_61, 16
        kernel rtc_read, 16
        kernel counter_read, 16
        kernel absent_byte, 16
        kernel absent_word, 16
        kernel line_l2, 16384
        kernel line_memory, 16384
        kernel line_other_page, 128
        kernel read_l2, SMALL / 64
        kernel read_memory, 0x40000 / 32
        kernel set_l1, 128
        kernel write_l2, 512
        kernel write_memory, 0x40000 / 32
        kernel copy_l1, 64
        kernel copy_l2, 512
        kernel copy_memory, 0x40000 / 32
        kernel card_reads_16, 8
        kernel card_reads_64, 8
        kernel card_reads_256, 8
        kernel card_reads_1514, 8
        kernel card_reads_dirty_l1, 8
        kernel card_reads_dirty_l2, 8
        kernel memory_beside_card, 64
        kernel l2_beside_card, 64
        kernel card_writes_64, 8
        kernel card_writes_256, 8
        kernel card_writes_1514, 8
        kernel copy_received, 46
        dd 0
entry:          dd 0
sum:            dd 0
from:           dd 0
overhead:       dd 0
card_config:    dd 0
ports:          dd 0
registers:      dd 0

        end_of_bench

; SPDX-License-Identifier: GPL-2.0-or-later
; sample-pci: what a PC's firmware reports about PCI and memory, each checked by its result: the PCI BIOS in INT 1Ah and as a
; 32-bit service, the interrupt routing table, and whether every function's interrupt line, its route in the bridge and ELCR
; agree. Screen only. The diskette is empty after the first track.
%include "diskette.inc"

ROM_SEGMENT     equ 0xF000
CODE32          equ 0x08
FLAT            equ 0x10
CODE16          equ 0x18
DATA16          equ 0x20
; In 32-bit code, the service's own segment, which the specification allows besides a flat one.
SERVICE         equ 0x28

; A check is a routine that returns with carry set if it fails. It may change any register except the segment registers, and
; may print details, each followed by a space.
program:
        mov ax, 3
        int 0x10
        mov si, text_title
        call print
        mov di, checks
.next:  mov si, [di]
        call print
        push di
        call [di+2]
        pop di
        mov si, text_failed
        jc .failed
        mov si, text_ok
        call print
        add di, 4
        cmp di, checks_end
        jb .next
        mov si, text_end_ok
        call print
        jmp stop
.failed:
        call print
        mov si, text_end_failed
        call print
stop:   mov dx, 0x3F2                   ; the diskette motor would run forever
        mov al, 0x0C
        out dx, al
.halt:  cli
        hlt
        jmp .halt

bad:    stc
        ret

; ---- real mode ----------------------------------------------------------------------------------
check_present:
        mov esi, 0x11112222
        mov edi, 0x33334444
        mov ebp, 0x55556666
        mov ax, 0xB101
        stc
        int 0x1A
        jc bad
        cmp ah, 0
        jne bad
        cmp edx, 'PCI '
        jne bad
        test al, 1                      ; mechanism 1
        jz bad
        cmp esi, 0x11112222
        jne bad
        cmp edi, 0x33334444
        jne bad
        cmp ebp, 0x55556666
        jne bad
        mov [last_bus], cl
        push cx
        mov ax, bx
        call print_word
        pop ax
        mov ah, 0                       ; the last bus
        call print_word
        clc
        ret

; Finds the host bridge by its class and by its ID, and nothing that does not exist. One with two buses is two
; functions.
check_find:
        mov ecx, 0x060000
        xor si, si
        mov ax, 0xB103
        int 0x1A
        jc bad
        cmp bx, 0
        jne bad
        mov ecx, 0x060000
        mov si, 1
        mov ax, 0xB103
        call .no_other
        jc bad
        xor bx, bx
        xor di, di
        mov ax, 0xB10A
        int 0x1A
        jc bad
        mov edx, ecx
        shr ecx, 16
        mov bx, 0xFFFF
        xor si, si
        mov ax, 0xB102
        int 0x1A
        jc bad
        cmp bx, 0
        jne bad
        mov si, 1
        mov ax, 0xB102
        call .no_other
        jc bad
        mov dx, 0xFFFF
        mov ax, 0xB102
        int 0x1A
        jnc bad
        cmp ah, 0x83
        jne bad
        clc
        ret
; Carry if there is one that should not exist.
.no_other:
        int 0x1A
        jc .none
        cmp byte [last_bus], 1          ; function 1
        jb .end
        cmp bx, 1
        je .end
        stc
.end:   ret
.none:  cmp ah, 0x86
        je .end
        stc
        ret

; Reads the same register of the PCI-to-ISA bridge in every width.
check_read:
        call find_bridge
        jc bad
        xor di, di
        mov ax, 0xB10A
        int 0x1A
        jc bad
        mov ebp, ecx
        mov di, 2
        mov ax, 0xB109
        int 0x1A
        jc bad
        ror ebp, 16
        cmp cx, bp
        jne bad
        mov di, 3
        mov ax, 0xB108
        int 0x1A
        jc bad
        xchg cl, ch
        xor cx, bp
        and cx, 0xFF00
        jnz bad
        mov di, 1                       ; misaligned words and doublewords, and nonexistent registers
        mov ax, 0xB109
        call .refused
        jc bad
        mov di, 2
        mov ax, 0xB10D
        call .refused
        jc bad
        mov di, 0x100
        mov ax, 0xB108
        call .refused
        jc bad
        mov ax, 0xB106                  ; special cycles
        int 0x1A
        jnc bad
        cmp ah, 0x81
        jne bad
        clc
        ret
.refused:
        int 0x1A
        cmc
        jc .end
        cmp ah, 0x87
        je .end
        stc
.end:   ret

; Writes an adapter's cache line size as a byte, and with the latency timer as a word; everything is restored.
check_write:
        mov ecx, 0x020000
        xor si, si
        mov ax, 0xB103
        int 0x1A
        jc bad
        mov di, 0x0C
        mov ax, 0xB10A
        int 0x1A
        jc bad
        mov ebp, ecx
        mov cl, 0x04
        mov ax, 0xB10B
        int 0x1A
        jc .restore
        mov ax, 0xB10A
        int 0x1A
        mov edx, ebp
        mov dl, 0x04
        cmp ecx, edx
        stc
        jne .restore
        mov cx, 0x4008
        mov ax, 0xB10C
        int 0x1A
        jc .restore
        mov ax, 0xB10A
        int 0x1A
        cmp cx, 0x4008
        je .restore
        stc
.restore:
        pushf
        mov ecx, ebp
        mov ax, 0xB10D
        int 0x1A
        mov ax, 0xB10A
        int 0x1A
        popf
        jc bad
        cmp ecx, ebp
        jne bad
        clc
        ret

find_bridge:
        mov ecx, 0x060100
        xor si, si
        mov ax, 0xB103
        int 0x1A
        ret

%include "pci_interrupts.inc"
%include "pci_service.inc"
%include "pci_memory.inc"
; ---- text ---------------------------------------------------------------------------------------
print:  pusha
.next:  lodsb
        test al, al
        jz .done
        call print_character
        jmp .next
.done:  popa
        ret

print_character:
        pusha
        mov ah, 0x0E
        mov bx, 7
        int 0x10
        popa
        ret

; EAX, AX in hexadecimal and a space
print_dword:
        ror eax, 16
        call print_word.digits
        ror eax, 16
print_word:
        call .digits
        push ax
        mov al, ' '
        call print_character
        pop ax
        ret
.digits:
        push cx
        mov cx, 4
.digit: rol ax, 4
        push ax
        and al, 15
        add al, '0'
        cmp al, '9'
        jbe .print
        add al, 'A' - '0' - 10
.print: call print_character
        pop ax
        loop .digit
        pop cx
        ret

        align 8
gdt:    dq 0
        dq 0x00CF9B000000FFFF           ; 08 flat 32-bit code
        dq 0x00CF93000000FFFF           ; 10 flat data
        dq 0x00009B000000FFFF           ; 18 real mode's code
        dq 0x000093000000FFFF           ; 20 real mode's data
        dw 0xFFFF                       ; 28 the service: base from the directory
service_base: dw 0
        db 0, 0x9B, 0x40, 0
gdt_pointer:
        dw $ - gdt - 1
        dd gdt
directory:      dd 0
                dw CODE32
service:        dd 0
                dw SERVICE
service_flat:   dd 0
                dw CODE32
service_failed: db 0
last_bus:       db 0

routing:  dw 0
count:    dw 0
function: dw 0
line:     dw 0
kb88:     dw 0
kb:       dd 0
range:    times 20 db 0

checks: dw name_present, check_present
        dw name_find, check_find
        dw name_read, check_read
        dw name_write, check_write
        dw name_routing, check_routing
        dw name_lines, check_lines
        dw name_service, check_service
        dw name_memory, check_memory
        dw name_configuration, check_configuration
        dw name_clock, check_clock
checks_end:
name_present: db "PCI BIOS version, last bus ", 0
name_find: db "finds devices and classes ", 0
name_read: db "reads ", 0
name_write: db "writes ", 0
name_routing: db "interrupt routing table, slots ", 0
name_lines: db "adapters, lines ", 0
name_service: db "32-bit service ", 0
name_memory: db "memory KB ", 0
name_configuration: db "model, no Micro Channel ", 0
name_clock: db "clock ", 0
text_title: db "sample-pci: services of a PC's firmware", 13, 10, 0
text_ok: db "ok", 13, 10, 0
text_failed: db "FAILED", 13, 10, 0
text_end_ok: db "sample-pci: ok", 13, 10, 0
text_end_failed: db "sample-pci: failed", 13, 10, 0

        times DISKETTE_BYTES - ($ - $$) db 0

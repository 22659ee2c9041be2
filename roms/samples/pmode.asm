; SPDX-License-Identifier: GPL-2.0-or-later
; sample-pmode: protected mode without the firmware. Its own GDT and IDT, interrupt controllers remapped
; to vectors 20h and 28h, timer at 100 Hz, keyboard, two exceptions; text goes to the video memory and,
; polled, to COM1. The tick count is checked against the seconds of the clock chip.
%include "diskette.inc"
%include "protected_mode.inc"

CODE            equ 0x08
DATA            equ 0x10
BEYOND_GDT      equ 0x48                ; a selector beyond the GDT's limit
VIDEO           equ 0xB8000
COLUMNS         equ 80
PIT_COUNT       equ 11932               ; 1193182 Hz / 100
COM1            equ 0x3F8

program:
        mov ax, 3
        int 0x10
        mov ah, 1                       ; no cursor: nothing would move it
        mov cx, 0x2000
        int 0x10
        cli
        enter_protected_mode
        mov esp, 0x7C00
        cld
        call fill_idt
        call serial_init
        mov esi, text_title
        call print

        mov esi, text_a20
        call print
        call check_a20
        jc failed
        mov esi, text_ok
        call print

        ; #DE is a fault: the handler gets the address of the division and continues after it.
        mov esi, text_divide
        call print
        mov dword [resume_at], .after_divide
        mov dword [fault_vector], -1
        xor edx, edx
        mov eax, 1
        xor ebx, ebx
.divide:
        div ebx
        jmp failed
.after_divide:
        cmp dword [fault_vector], 0
        jne failed
        cmp dword [fault_address], .divide
        jne failed
        mov esi, text_ok
        call print

        ; #GP carries the selector as its error code.
        mov esi, text_protection
        call print
        mov dword [resume_at], .after_protection
        mov dword [fault_vector], -1
        mov eax, BEYOND_GDT
.protection:
        mov fs, ax
        jmp failed
.after_protection:
        mov eax, [fault_code]
        call print_decimal
        cmp dword [fault_vector], 13
        jne failed
        cmp dword [fault_address], .protection
        jne failed
        cmp dword [fault_code], BEYOND_GDT
        jne failed
        mov esi, text_ok
        call print
        mov dword [resume_at], 0

        call remap_controllers
        call start_timer
        sti
        mov esi, text_timer
        call print
        call count_a_second
        push eax
        call print_decimal
        mov esi, text_per_second
        call print
        pop eax
        sub eax, 98
        cmp eax, 4                      ; the count starts and ends within a tick of the second
        ja failed
        mov esi, text_ok
        call print

        mov esi, text_keys
        call print
        mov eax, [keys]
        call print_decimal
        mov esi, text_line
        call print
        mov esi, text_end_ok
        jmp stop
failed:
        mov esi, text_failed
        call print
        mov esi, text_end_failed
        stop_for_good

; --- interrupts and exceptions ------------------------------------------------------------------

fill_idt:
        mov edi, idt
        xor ecx, ecx
.next:
        movzx eax, word [vector_entries + ecx*2]
        cmp ecx, VECTORS
        jb .known
        mov eax, unexpected
.known:
        mov [edi], ax
        mov word [edi+2], CODE
        mov word [edi+4], 0x8E00        ; interrupt gate, present
        mov word [edi+6], 0
        add edi, 8
        inc ecx
        cmp ecx, 256
        jb .next
        ret

; Vectors without an error code push a zero instead, so that every frame has the same layout.
%assign v 0
%rep 32
entry_ %+ v:
        %if !(v == 8 || (v >= 10 && v <= 14) || v == 17)
        push dword 0
        %endif
        push dword v
        jmp exception
        %assign v v + 1
%endrep

; Stack: vector, error code, EIP, CS, EFLAGS.
exception:
        cmp dword [resume_at], 0
        je .surprise
        push eax
        mov eax, [esp+4]
        mov [fault_vector], eax
        mov eax, [esp+8]
        mov [fault_code], eax
        mov eax, [esp+12]
        mov [fault_address], eax
        mov eax, [resume_at]
        mov [esp+12], eax
        pop eax
        add esp, 8
        iretd
.surprise:
        mov esi, text_exception
        call print
        mov eax, [esp]
        call print_decimal
        jmp failed

; On the Micro Channel the timer's interrupt is a latch that only port 61h bit 7 clears.
timer_interrupt:
        push eax
        inc dword [ticks]
        in al, 0x61
        or al, 0x80
        out 0x61, al
        mov al, 0x20
        out 0x20, al
        pop eax
        iretd

keyboard_interrupt:
        push eax
        in al, 0x60
        inc dword [keys]
        mov al, 0x20
        out 0x20, al
        pop eax
        iretd

; Inputs 7 and 15 are signalled if a request is withdrawn before its acknowledgement.
spurious:
        iretd

unexpected:
        mov esi, text_unexpected
        call print
        jmp failed

remap_controllers:
        mov al, 0x11                    ; requests edge mode: a Micro Channel planar remains level-triggered
        out 0x20, al
        out 0x80, al
        out 0xA0, al
        out 0x80, al
        mov al, 0x20
        out 0x21, al
        out 0x80, al
        mov al, 0x28
        out 0xA1, al
        out 0x80, al
        mov al, 4
        out 0x21, al
        out 0x80, al
        mov al, 2
        out 0xA1, al
        out 0x80, al
        mov al, 1
        out 0x21, al
        out 0x80, al
        out 0xA1, al
        out 0x80, al
        mov al, 0xFC                    ; timer and keyboard
        out 0x21, al
        mov al, 0xFF
        out 0xA1, al
        ret

start_timer:
        mov al, 0x34                    ; channel 0, mode 2
        out 0x43, al
        out 0x80, al
        mov al, PIT_COUNT & 0xFF
        out 0x40, al
        out 0x80, al
        mov al, PIT_COUNT >> 8
        out 0x40, al
        ret

; EAX = ticks from one change of the clock's seconds to the next
count_a_second:
        call next_second
        mov ebx, [ticks]
        call next_second
        mov eax, [ticks]
        sub eax, ebx
        ret

next_second:
        call read_seconds
        mov dl, al
.wait:
        hlt                             ; until the next tick
        call read_seconds
        cmp al, dl
        je .wait
        ret

; AL = seconds, read outside an update. Interrupts are off between index and data.
read_seconds:
        pushfd
        cli
.again:
        mov al, 0x8A
        out 0x70, al
        out 0x80, al
        in al, 0x71
        test al, 0x80
        jnz .again
        mov al, 0x80
        out 0x70, al
        out 0x80, al
        in al, 0x71
        popfd
        ret

; --- checks -------------------------------------------------------------------------------------

; 500h and 100500h must be different locations. Carry set = they are the same.
check_a20:
        mov ecx, [0x500]
        mov dword [0x500], 0x12345678
        mov edx, [0x100500]
        mov dword [0x500], 0x87654321
        cmp edx, [0x100500]
        mov [0x500], ecx
        jne .same
        clc
        ret
.same:
        stc
        ret

%include "protected_output.inc"

text_title:      db "sample-pmode: protected mode", 13, 10, 0
text_a20:        db "address line 20 open ", 0
text_divide:     db "exception 0, division ", 0
text_protection: db "exception 13, error code ", 0
text_timer:      db "timer ", 0
text_per_second: db "ticks in a second ", 0
text_keys:       db "keyboard bytes ", 0
text_exception:  db "exception ", 0
text_unexpected: db "unexpected interrupt ", 0
text_ok:         db "ok", 13, 10, 0
text_failed:     db "FAILED", 13, 10, 0
text_line:       db 13, 10, 0
text_end_ok:     db "sample-pmode: ok", 13, 10, 0
text_end_failed: db "sample-pmode: failed", 13, 10, 0

        align 8
gdt:
        dq 0
        dq 0x00CF9A000000FFFF           ; 08 code, 4 GB
        dq 0x00CF92000000FFFF           ; 10 data, 4 GB
gdt_pointer:
        dw $ - gdt - 1
        dd gdt
idt             equ 0x9000 + 0x2000     ; 2 KB after the program
idt_pointer:
        dw 256 * 8 - 1
        dd idt
        align 4
vector_entries:
        %assign v 0
        %rep 32
        dw entry_ %+ v
        %assign v v + 1
        %endrep
        dw timer_interrupt, keyboard_interrupt
        times 5 dw unexpected
        dw spurious
        times 7 dw unexpected
        dw spurious
VECTORS         equ ($ - vector_entries) / 2
ticks:          dd 0
keys:           dd 0
place:          dd 0
resume_at:      dd 0
fault_vector:   dd 0
fault_code:     dd 0
fault_address:  dd 0

        bits 16
end_of_diskette

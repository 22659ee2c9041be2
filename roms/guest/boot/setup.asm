; SPDX-License-Identifier: GPL-2.0-or-later
;
; Second stage: asks the firmware what the kernel needs to know, opens A20, enters protected mode,
; moves the kernel, which is loaded after the ring-3 programs, to 100000h and jumps there. The programs stay where they
; are. Runs at 1000:0000 and fills one page.
;
; Left for the kernel at physical 600h (kernel/boot_params.h):
;   +00 word   conventional memory in KB (INT 12h)
;   +02 word   memory above 1 MB in KB (INT 15h AH=88h)
;   +04 byte   boot drive
;   +08 16 b   the INT 15h AH=C0h table, length word first; 0 when the call failed.
;              Feature byte 1 (table +5) bit 1 = Micro Channel: the only sign Linux goes by
;              (docs/hardware/bios.md#what-linux-asks-for).
;   +18h 3 dwords  address of the ring-3 programs (page-aligned), their size in bytes, bytes of their variables
; The settings sector stays where the boot sector put it, at 7E00h.

        bits 16
        org 0

PARAMS  equ 600h
BASE    equ 10000h                      ; where this stage is loaded
KERNEL  equ 100000h
STAGE_BYTES equ 4096
PROGRAMS equ BASE + STAGE_BYTES
LOADED  equ PROGRAMS + (PROGRAMS_BYTES + 511) / 512 * 512       ; where the boot sector put the kernel

setup:  mov ax, cs
        mov ds, ax
        xor ax, ax
        mov es, ax
        mov di, PARAMS
        mov cx, 16
        cld
        rep stosw
        mov [es:PARAMS + 4], dl
        mov dword [es:PARAMS + 18h], PROGRAMS
        mov dword [es:PARAMS + 1Ch], PROGRAMS_BYTES
        mov dword [es:PARAMS + 20h], DATA_BYTES

        mov ax, 0003h                   ; 80 by 25 text
        int 10h

        int 12h
        xor dx, dx
        mov es, dx
        mov [es:PARAMS], ax
        mov ah, 88h
        int 15h
        jc .c0
        mov [es:PARAMS + 2], ax

.c0:    mov ah, 0C0h
        stc
        int 15h
        jc .a20
        push ds                         ; ES:BX = table
        push es
        pop ds
        mov si, bx
        xor dx, dx
        mov es, dx
        mov di, PARAMS + 8
        mov cx, [si]                    ; bytes after the length word
        add cx, 2
        cmp cx, 16
        jbe .copy
        mov cx, 16
.copy:  rep movsb
        pop ds

.a20:   in al, 92h                      ; the PS/2's own A20 gate; bit 0 would reset the processor
        cmp al, 0FFh                    ; no such port on an old AT
        je .a20kbc
        or al, 2
        and al, 0FEh
        out 92h, al
        call a20_open
        jnz .go
.a20kbc:
        call kbc_wait
        mov al, 0D1h                    ; write the 8042 output port
        out 64h, al
        call kbc_wait
        mov al, 0DFh
        out 60h, al
        call kbc_wait
.wait:  call a20_open
        jz .wait

.go:    cli
        mov dx, 3F2h                    ; diskette motor off, controller held in reset: no interrupts from it
        xor al, al
        out dx, al
        mov al, 80h                     ; NMI off while there is no handler
        out 70h, al
        lgdt [gdtr]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp dword 10h:BASE + protected

; ZF clear if FFFF:xxxx is not the same memory as 0000:xxxx, that is, A20 is open.
a20_open:
        push ds
        push es
        xor ax, ax
        mov ds, ax
        dec ax
        mov es, ax
        mov ax, [0]
        mov dx, ax
        inc dx
        mov [0], dx
        cmp dx, [es:10h]
        mov [0], ax
        pop es
        pop ds
        ret

kbc_wait:
        in al, 64h
        test al, 2
        jnz kbc_wait
        ret

        bits 32
protected:
        mov eax, 18h
        mov ds, ax
        mov es, ax
        mov fs, ax
        mov gs, ax
        mov ss, ax
        mov esp, 90000h
        mov esi, LOADED
        mov edi, KERNEL
        mov ecx, KERNEL_BYTES / 4
        rep movsd
        jmp 10h:KERNEL

        align 8
gdt:    dq 0, 0
        dq 00CF9A000000FFFFh            ; 10h: code, 4 GB
        dq 00CF92000000FFFFh            ; 18h: data, 4 GB
gdtr:   dw gdtr - gdt - 1
        dd BASE + gdt

        times STAGE_BYTES - ($ - $$) db 0

; SPDX-License-Identifier: GPL-2.0-or-later
; Option ROM that starts a Linux kernel found in memory: 2 KB in C0000h to DFFFFh, entered by the
; firmware's ROM scan. Before power-on the machine builder has put the kernel's real-mode part and the
; command line at 90000h, the kernel and the ramdisk above (machines/machine/linux_boot.hpp), and the location
; and checksum of the real-mode part into the table at 10h of its copy of this ROM (roms/README.md section 4).
; The ROM takes over INT 19h; there it checks the sum, because memory that a running system or a power-on
; self test has changed cannot be booted again, and enters the set-up code as the Linux boot protocol
; requires: CS = 9020h, IP = 0, DS = ES = FS = GS = SS = 9000h, interrupts off.
bits 16
cpu 386
org 0

SETUP_SEGMENT   equ 0x9000
STACK_TOP       equ 0x9000              ; end of the set-up code's heap and stack, below the command line
FIRMWARE_BOOT   equ 0xE6F2              ; INT 19h of the firmware, at the same address since the first PC

        db 0x55, 0xAA, 4
        jmp near take_bootstrap

        times 0x10 - ($ - $$) db 0
checked_bytes:
        dd 0                            ; from 90000h; 0: no kernel
checked_sum:
        dd 0                            ; 32-bit sum of these bytes

take_bootstrap:
        push ds
        push ax
        xor ax, ax
        mov ds, ax
        mov word [0x19 * 4], bootstrap
        mov [0x19 * 4 + 2], cs
        pop ax
        pop ds
        retf

bootstrap:
        xor ax, ax
        mov ss, ax
        mov sp, 0x7C00
        sti
        cld
        mov ax, SETUP_SEGMENT
        mov ds, ax
        mov ecx, [cs:checked_bytes]
        jecxz .gone
        xor esi, esi
        xor ebx, ebx
        xor eax, eax
.add:
        lodsb
        add ebx, eax
        dec cx
        jnz .add
        cmp ebx, [cs:checked_sum]
        jne .gone
        mov si, starting
        call print
        cli
        mov ax, SETUP_SEGMENT
        mov ds, ax
        mov es, ax
        mov fs, ax
        mov gs, ax
        mov ss, ax
        mov esp, STACK_TOP
        jmp SETUP_SEGMENT + 0x20:0
.gone:
        mov si, gone
        call print
        jmp 0xF000:FIRMWARE_BOOT

print:
        cs lodsb
        test al, al
        jz .done
        mov ah, 0x0E
        mov bx, 7
        int 0x10
        jmp print
.done:
        ret

starting:
        db "Starting the Linux kernel that was put into memory at power-on.", 13, 10, 0
gone:
        db "The kernel that was put into memory at power-on has been overwritten since.", 13, 10
        db "Start planar again to load it; now trying drive A.", 13, 10, 0

        times 2048 - ($ - $$) db 0      ; the last byte makes the sum 0; the machine builder sets it

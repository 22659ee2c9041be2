; SPDX-License-Identifier: GPL-2.0-or-later
;
; First bytes of what the setting `adapters` brings in (boot/boot.asm), at physical 40000h. Two stops on the way of the
; start: in real mode in front of the second stage, whose jump into the kernel it turns here; then, with the kernel in
; its place and paging off, a jump over driver_probe() to several_probe(). So the kernel and the second stage have nothing
; of this in them.

PAGE_OFFSET equ 0C0000000h
BASE    equ 40000h
SETUP   equ 1000h                       ; segment of the second stage
KERNEL  equ 100000h

        extern driver_probe, several_probe

        section .head progbits alloc exec write align=16
        bits 16
head:   push ds
        mov ax, SETUP
        mov ds, ax
        mov dword [SETUP_JUMP + 1], BASE + (protected - head)
        pop ds
        jmp SETUP:0

        bits 32
        align 16
protected:
        mov eax, several_probe
        sub eax, driver_probe + 5
        mov byte [driver_probe - PAGE_OFFSET], 0E9h
        mov [driver_probe - PAGE_OFFSET + 1], eax
        mov eax, KERNEL
        jmp eax

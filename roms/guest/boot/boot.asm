; SPDX-License-Identifier: GPL-2.0-or-later
;
; Boot sector of the guest test bench (LBA 0 of a 1.44 MB diskette).
;
; Loads with INT 13h AH=02h, as many sectors a call as the track and the 64 KB DMA page allow:
;   LBA 1   the settings sector            -> 0000:7E00
;   LBA 2.. second stage and kernel        -> 1000:0000 upwards
; then jumps to 1000:0000 with DL = boot drive. PAYLOAD_SECTORS and the like come from the Makefile. When `adapters` is the
; first setting:
;   LBA SEVERAL_LBA..  what serves several adapters -> 4000:0000 upwards
; and the jump goes there (several/head.asm). Whether it does is decided while the next sector is on its way to the
; diskette's head, and takes no time.

        bits 16
        org 7C00h

SECTORS equ 18                          ; a track of a 1.44 MB diskette
PAYLOAD_SEG equ 1000h
SEVERAL_SEG equ 4000h
SETTINGS equ 7E00h
HEADING_BYTES equ 18                    ; "planar-settings 1" and the end of the line

start:  jmp short begin
        nop
        db "PLANAR  "

begin:  cli
        xor ax, ax
        mov ss, ax
        mov sp, 7C00h
        mov ds, ax
        mov es, ax
        sti
        cld
        jmp 0:.here
.here:  mov [drive], dl

        mov bx, SETTINGS                ; LBA 1, one sector
        mov word [lba], 1
        mov word [left], 1
        call load

        cmp dword [SETTINGS + HEADING_BYTES], "adap"
        je .several
.payload:
        mov ax, PAYLOAD_SEG
        mov es, ax
        xor bx, bx
        mov word [lba], 2
        mov word [left], PAYLOAD_SECTORS
        call load

        mov dl, [drive]
.jump:  jmp PAYLOAD_SEG:0

.several:
        mov ax, SEVERAL_SEG
        mov [.jump + 3], ax
        mov es, ax
        xor bx, bx
        mov word [lba], SEVERAL_LBA
        mov word [left], SEVERAL_SECTORS
        call load
        jmp .payload

; Read [left] sectors from [lba] to ES:BX; BX stays, ES moves on.
load:   mov ax, [lba]
        xor dx, dx
        mov cx, SECTORS
        div cx                          ; AX = track, DX = sector in the track
        sub cx, dx                      ; CX = what is left of the track
        cmp cx, [left]
        jbe .page
        mov cx, [left]
.page:  mov si, es                      ; and of the 64 KB page
        and si, 0FFFh
        neg si
        add si, 1000h
        shr si, 5
        cmp cx, si
        jbe .read
        mov cx, si
.read:  mov [count], cx
        mov si, 5                       ; attempts
.again: push ax
        push dx
        mov cl, dl
        inc cl                          ; sectors count from 1
        shr ax, 1
        mov ch, al                      ; cylinder
        mov dh, 0
        adc dh, 0                       ; head
        mov dl, [drive]
        mov al, [count]
        mov ah, 2
        int 13h
        pop dx
        pop ax
        jnc .done
        push ax
        xor ah, ah                      ; reset the drive and try again
        push dx
        mov dl, [drive]
        int 13h
        pop dx
        pop ax
        dec si
        jnz .again
        mov si, message
.print: lodsb
        test al, al
        jz .halt
        mov ah, 0Eh
        mov bx, 7
        int 10h
        jmp .print
.halt:  hlt
        jmp .halt

.done:  mov cx, [count]
        add [lba], cx
        mov ax, cx
        shl ax, 5
        mov dx, es
        add dx, ax
        mov es, dx
        sub [left], cx
        jnz load
        ret

message db "planar guest: diskette read error", 13, 10, 0
drive   db 0
lba     dw 0
left    dw 0
count   dw 0

        times 510 - ($ - $$) db 0
        dw 0AA55h

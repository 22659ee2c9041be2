; SPDX-License-Identifier: GPL-2.0-or-later
;
; Boot sector of the guest test bench (LBA 0 of a 1.44 MB diskette).
;
; Loads with INT 13h AH=02h, as many sectors per call as the track and the 64 KB DMA page allow:
;   LBA 1   the settings sector                       -> 0000:7E00
;   LBA 2.. second stage, programs                    -> 1000:0000 upwards
;   then the kernel that the setting `placement` selects (number 0 without it) -> after them
; and jumps to 1000:0000 with DL = boot drive. PROGRAMS_SECTORS, KERNEL_SECTORS and PLACEMENTS come from the Makefile.

        bits 16
        org 7C00h

SECTORS equ 18                          ; sectors per track of a 1.44 MB diskette
PAYLOAD_SEG equ 1000h
SETTINGS equ 7E00h
SETTINGS_BYTES equ 512
PROGRAMS_LBA equ 2
KERNELS_LBA equ PROGRAMS_LBA + PROGRAMS_SECTORS

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

        mov ax, PAYLOAD_SEG
        mov es, ax
        mov word [lba], PROGRAMS_LBA
        mov word [left], PROGRAMS_SECTORS
        xor bx, bx
        call load

        call placement
        mov cx, KERNEL_SECTORS
        mov [left], cx
        mul cx
        add ax, KERNELS_LBA
        mov [lba], ax
        xor bx, bx
        call load                       ; ES is where the programs end

        mov dl, [drive]
        jmp PAYLOAD_SEG:0

; AX = the digit of the last line "placement=" if such a placement exists, else 0; the kernel checks the setting again.
placement:
        push es
        push ds
        pop es
        xor bx, bx
        mov di, SETTINGS
.line:  mov cx, SETTINGS + SETTINGS_BYTES
        sub cx, di
        jbe .done
        mov al, 10                      ; the end of a line
        repne scasb
        jne .done
        mov si, key
        mov cx, KEY_BYTES
        mov dx, di
        repe cmpsb
        jne .next
        mov al, [di]
        sub al, '0'
        cmp al, PLACEMENTS
        jae .next
        mov bl, al
.next:  mov di, dx
        jmp .line
.done:  mov ax, bx
        pop es
        ret

; Read [left] sectors from [lba] to ES:BX; BX is preserved, ES advances.
load:   mov ax, [lba]
        xor dx, dx
        mov cx, SECTORS
        div cx                          ; AX = track, DX = sector within the track
        sub cx, dx                      ; CX = sectors left in the track
        cmp cx, [left]
        jbe .page
        mov cx, [left]
.page:  mov si, es                      ; ... and in the 64 KB page
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
key     db "placement="
KEY_BYTES equ $ - key
drive   db 0
lba     dw 0
left    dw 0
count   dw 0

        times 510 - ($ - $$) db 0
        dw 0AA55h

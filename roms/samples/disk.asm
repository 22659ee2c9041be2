; SPDX-License-Identifier: GPL-2.0-or-later
; sample-disk: the boot sector of a hard disk of 40960 sectors (20 MB) whose sectors from the second on
; begin with their number (created by the test). Checks what INT 13h reports about the disk, reads by cylinder,
; head and sector across a head boundary, with the geometry of an IBM SCSI adapter's firmware or a PC's,
; writes the last sector by packet and reads it back, and reads past the end. Shows the letter of the first check that fails.
bits 16
cpu 386
org 0x7C00

SECTORS equ 40960
BUFFER  equ 0x8000

        jmp short start
        nop
packet: db 16, 0
count:  dw 1
        dw BUFFER, 0
lba:    dd SECTORS - 1, 0

start:
        xor ax, ax
        mov ds, ax
        mov es, ax
        mov bp, 'A'                     ; the current check
        cmp dl, 0x80
        jne failed
        inc bp                          ; B: parameters
        mov ah, 0x08
        int 0x13
        jc failed
        cmp dx, 63 << 8 | 1             ; 64 heads, one disk
        je .scsi
        mov byte [track], 63
        cmp dx, 15 << 8 | 1             ; 16 heads
        jne failed
        cmp cx, 39 << 8 | 63            ; 40 cylinders, 63 sectors
        jne failed
        jmp .type
.scsi:  cmp cx, 19 << 8 | 32            ; 20 cylinders, 32 sectors
        jne failed
.type:
        inc bp                          ; C: type and size
        mov ax, 0x1500
        mov dl, 0x80
        int 0x13
        jc failed
        cmp ah, 3
        jne failed
        or cx, cx
        jnz failed
        cmp dx, SECTORS
        jne failed
        inc bp                          ; D: three sectors, starting with the last of head 0
        mov ax, 0x0203
        mov bx, BUFFER
        mov ch, 0
        mov cl, [track]
        mov dx, 0x0080
        int 0x13
        jc failed
        cmp al, 3
        jne failed
        mov al, [track]
        mov ah, 0
        cmp [BUFFER + 512], ax
        jne failed
        inc ax
        cmp [BUFFER + 1024], ax
        jne failed
        sub ax, 2
        cmp [BUFFER], ax
        jne failed
        inc bp                          ; E: packets are supported
        mov ah, 0x41
        mov bx, 0x55AA
        mov dl, 0x80
        int 0x13
        jc failed
        cmp bx, 0xAA55
        jne failed
        inc bp                          ; F: the last sector, written and read back
        mov word [BUFFER + 510], 0x1234
        mov ah, 0x43
        call extended
        jc failed
        mov word [BUFFER + 510], 0
        mov ah, 0x42
        call extended
        jc failed
        cmp word [BUFFER + 510], 0x1234
        jne failed
        inc bp                          ; G: past the end
        inc dword [lba]
        mov ah, 0x42
        call extended
        jnc failed
        cmp ah, 0x04
        jne failed
        cmp word [count], 0
        jne failed
        mov si, ok
        call print
        jmp stop
failed:
        mov ax, bp
        mov [letter], al
        mov si, bad
        call print
stop:
        cli
        hlt
        jmp stop

extended:
        mov word [count], 1
        mov al, 0
        mov si, packet
        mov dl, 0x80
        int 0x13
        ret

print:
        lodsb
        or al, al
        jz .end
        mov ah, 0x0E
        mov bx, 7
        int 0x10
        jmp print
.end:
        ret

ok:     db "sample-disk: ok", 13, 10, 0
bad:    db "sample-disk: failed at "
letter: db "?", 13, 10, 0
track:  db 32

        times 510 - ($ - $$) db 0
        dw 0xAA55

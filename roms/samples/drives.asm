; SPDX-License-Identifier: GPL-2.0-or-later
; sample-drives: a boot sector for a diskette, a disk or a CD-ROM that shows what INT 13h reports about the existing drives
; from 80h on, and about the one that it was booted from. Words in hexadecimal; every line begins with a letter and the drive:
;   P 08h: CX DX    T 15h: AX CX DX    E 41h: AX CX    G 48h: its buffer    I the table that 48h points to
;   V the table of vector 41h or 46h   S 4B01h: its buffer                   X 02h and 42h past the end, 01h: AX each
bits 16
cpu 386
org 0x7C00

DRIVES equ 4                            ; 80h to 83h
BUFFER equ 0x8000
READ   equ 0x9000

start:
        xor ax, ax
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov sp, 0x7C00
        cld
        mov [boot], dl
        mov dl, 0x80
.drive: call show
        inc dx
        cmp dl, 0x80 + DRIVES
        jb .drive
        mov dl, [boot]
        mov [drive], dl
        mov al, 'S'
        mov di, BUFFER
        mov byte [di], 0
        mov si, di
        push ax
        mov ax, 0x4B01
        int 0x13
        pop ax
        jc .none
        mov cx, 10
        call line
        cmp dl, 0xE0
        jb .none
        call show
.none:  mov si, ok
        call print
        cli
        hlt

; Drive DL.
show:   mov [drive], dl
        mov ah, 0x08
        int 0x13
        jc .packets
        mov [BUFFER], cx
        mov [BUFFER + 2], dx
        mov cx, 2
        mov al, 'P'
        call line_of_buffer
        mov ax, 0x1500
        mov dl, [drive]
        int 0x13
        jc bad
        mov [BUFFER], ax
        mov [BUFFER + 2], cx
        mov [BUFFER + 4], dx
        mov cx, 3
        mov al, 'T'
        call line_of_buffer
.packets:
        mov ah, 0x41
        mov bx, 0x55AA
        mov dl, [drive]
        int 0x13
        jc .done
        cmp bx, 0xAA55
        jne bad
        mov al, 0
        mov [BUFFER], ax
        mov [BUFFER + 2], cx
        mov cx, 2
        mov al, 'E'
        call line_of_buffer
        mov ah, 0x48
        mov si, BUFFER
        mov word [si], 30
        int 0x13
        jc bad
        mov cx, 15
        mov al, 'G'
        call line_of_buffer
        cmp word [BUFFER], 30
        jb .done
        mov al, 'I'
        lds di, [BUFFER + 26]
        call .table
        mov al, 'V'
        mov bx, 0x41 * 4
        cmp dl, 0x81
        ja .past
        jb .vector
        mov bx, 0x46 * 4
.vector:
        lds di, [bx]
        call .table
.past:  mov al, [BUFFER + 16]           ; the size is the number of the first sector past the end
        mov si, packet
        mov eax, [BUFFER + 16]
        mov [si + 8], eax
        mov ah, 0x42
        int 0x13
        mov al, [packet + 2]
        mov [BUFFER + 2], ax
        mov ah, 0x01
        int 0x13
        mov [BUFFER + 4], ax
        mov ax, 0x0201
        mov bx, READ
        mov cx, 0x003F                  ; a head that no disk has
        mov dh, 0xFF
        int 0x13
        mov [BUFFER], ax
        mov cx, 3
        mov al, 'X'
        call line_of_buffer
.done:  mov dl, [drive]
        ret
.table: mov cx, 8
        call line
        xor bp, bp
        mov ds, bp
        ret

bad:    mov si, failed
        call print
        cli
        hlt

; AL and the drive, then CX words at DS:DI, as a line; preserves DX.
line_of_buffer:
        mov di, BUFFER
line:   mov dl, [cs:drive]
        call put
        mov al, dl
        call byte_hex
.word:  mov al, ' '
        call put
        mov al, [di + 1]
        call byte_hex
        mov al, [di]
        call byte_hex
        add di, 2
        loop .word
        mov al, 13
        call put
        mov al, 10
        jmp put
byte_hex:
        push ax
        shr al, 4
        call .digit
        pop ax
        and al, 15
.digit: cmp al, 10
        sbb al, 0x69
        das
put:    mov ah, 0x0E
        mov bx, 7
        int 0x10
        ret
print:  lodsb
        or al, al
        jz .end
        call put
        jmp print
.end:   ret

ok:     db "sample-drives: ok", 0
failed: db "sample-drives: failed", 0
boot:   db 0
drive:  db 0
packet: dw 16, 1, READ, 0
        dq 0

        times 510 - ($ - $$) db 0
        dw 0xAA55

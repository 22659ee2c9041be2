; SPDX-License-Identifier: GPL-2.0-or-later
; sample-bios: the services a small boot program lives on, each checked by its result. Text goes
; through INT 10h to the screen and through INT 14h to COM1.
%include "diskette.inc"

BUFFER_SEGMENT  equ 0x2000

; Prints "NAME " before a check and jumps to `failed` when the carry flag is set after it.
%macro begin_check 1
        mov si, %%name
        call print
        jmp %%over
%%name: db %1, " ", 0
%%over:
%endmacro
%macro fail_if_carry 0
        jc failed
%endmacro
%macro passed 0
        mov si, text_ok
        call print
%endmacro

program:
        mov ax, 0x00E3                  ; 9600 bit/s, 8 data bits, no parity, 1 stop bit
        xor dx, dx
        int 0x14
        call check_graphics             ; before the first text: a new mode clears the screen
        setc [graphics_failed]
        mov ax, 3
        int 0x10
        mov si, text_title
        call print

        begin_check "INT 10h graphics modes"
        cmp byte [graphics_failed], 1
        cmc
        fail_if_carry
        passed
        begin_check "INT 10h read back"
        call check_screen
        fail_if_carry
        passed
        begin_check "INT 12h base memory KB"
        int 0x12
        call print_decimal
        cmp ax, 512
        fail_if_carry
        passed
        begin_check "INT 15h C0h model"
        call check_configuration
        fail_if_carry
        passed
        begin_check "INT 15h 88h extended memory KB"
        mov ah, 0x88
        stc
        int 0x15
        fail_if_carry
        call print_decimal
        passed
        begin_check "INT 1Ah ticks run"
        call check_ticks
        fail_if_carry
        passed
        begin_check "INT 13h 08h geometry"
        call check_geometry
        fail_if_carry
        passed
        begin_check "INT 13h 02h one sector"
        mov ax, 18                      ; cylinder 0, head 1, sector 1
        mov cx, 1
        call check_read
        fail_if_carry
        passed
        begin_check "INT 13h 02h a track"
        mov ax, 5 * 36 + 18
        mov cx, 18
        call check_read
        fail_if_carry
        passed
        begin_check "INT 13h 02h across the heads"
        mov ax, 40 * 36 + 9
        mov cx, 18
        call check_read
        fail_if_carry
        passed
        begin_check "INT 13h 02h the last sector"
        mov ax, 80 * 36 - 1
        mov cx, 1
        call check_read
        fail_if_carry
        passed
        begin_check "INT 13h 04h verify"
        mov ax, 0x0412
        mov cx, 0x0101                  ; cylinder 1
        mov dx, 0x0100
        mov dl, [boot_drive]
        int 0x13
        fail_if_carry
        passed
        begin_check "INT 13h 02h refuses sector 30"
        call check_missing_sector
        fail_if_carry
        passed
        begin_check "INT 14h COM1"
        cmp byte [serial_dead], 1
        cmc
        fail_if_carry
        passed

        mov si, text_end_ok
        call print
        jmp stop
failed:
        mov si, text_failed
        call print
        mov si, text_end_failed
        call print
stop:
        mov ah, 3                       ; let the last characters leave the port
        xor dx, dx
        int 0x14
        test ah, 0x40
        jnz .quiet
        cmp byte [serial_dead], 1
        jne stop
.quiet:
        mov dx, 0x3F2                   ; no tick will switch the motor off any more
        mov al, 0x0C
        out dx, al
.halt:
        cli
        hlt
        jmp .halt

; --- checks: carry set = failed ---------------------------------------------------------------

; In every graphics mode: a character and a pixel come back as they were drawn, also after scrolling.
check_graphics:
        mov di, .modes
.next:
        movzx ax, byte [di]
        int 0x10
        mov ah, 0x0F
        int 0x10
        cmp al, [di]
        jne .bad
        mov dx, 0x0503
        mov al, 'A'
        call .draw
        mov ax, 0x0601                  ; the screen one row up
        mov bh, 0
        xor cx, cx
        mov dx, 0x1827
        int 0x10
        mov dx, 0x0403
        mov al, 'A'
        call .compare
        jne .bad
        mov dx, 0x0503
        mov al, ' '
        call .compare
        jne .bad
        mov dx, 0x0A05
        mov bh, 0
        mov ah, 2
        int 0x10
        mov ax, 0x0E00 + 'z'
        mov bx, 1
        int 0x10
        mov ah, 3
        mov bh, 0
        int 0x10
        cmp dx, 0x0A06
        jne .bad
        mov dx, 0x0A05
        mov al, 'z'
        call .compare
        jne .bad
        mov al, 1
        call .pixel
        cmp al, 1
        jne .bad
        cmp byte [di], 0x13             ; bit 7 is part of the colour there
        je .passed
        mov al, 0x81                    ; exclusive or
        call .pixel
        cmp al, 0
        jne .bad
.passed:
        inc di
        cmp byte [di], 0
        jne .next
        clc
        ret
.bad:
        stc
        ret
.draw:                                  ; AL at row DH, column DL
        push ax
        mov bh, 0
        mov ah, 2
        int 0x10
        pop ax
        mov ah, 9
        mov bx, 1
        mov cx, 1
        int 0x10
        ret
.compare:                               ; AL with what stands at row DH, column DL
        push ax
        mov bh, 0
        mov ah, 2
        int 0x10
        mov ah, 8
        int 0x10
        pop cx
        cmp cl, ' '                     ; a blank has the same picture as code 0
        jne .exactly
        test al, al
        jz .equal
.exactly:
        cmp al, cl
.equal:
        ret
.pixel:                                 ; writes colour AL, returns the colour read back
        mov ah, 0x0C
        mov bh, 0
        mov cx, 101
        mov dx, 150
        int 0x10
        mov ah, 0x0D
        mov bh, 0
        int 0x10
        ret
.modes: db 0x04, 0x06, 0x0D, 0x0E, 0x10, 0x12, 0x13, 0

; A character written with an attribute can be read back from where the cursor stands.
check_screen:
        mov ah, 3
        mov bh, 0
        int 0x10
        push dx
        mov dx, 0x184F                  ; the last place of the screen
        mov ah, 2
        int 0x10
        mov ax, 0x0900 + '#'
        mov bx, 0x001E
        mov cx, 1
        int 0x10
        mov ah, 8
        mov bh, 0
        int 0x10
        mov di, ax
        mov ax, 0x0920
        mov bx, 0x0007
        mov cx, 1
        int 0x10
        pop dx
        mov ah, 2
        mov bh, 0
        int 0x10
        cmp di, 0x1E00 + '#'
        jne bad
        mov ah, 0x0F
        int 0x10
        cmp ah, 80
        jne bad
        clc
        ret

bad:
        stc
        ret

check_configuration:
        mov ah, 0xC0
        stc
        int 0x15
        jc bad
        cmp word [es:bx], 8
        jb .bad
        mov al, [es:bx+2]
        call print_byte
        mov al, [es:bx+3]
        call print_byte
        mov al, [es:bx+4]
        call print_byte
        mov si, text_channel
        test byte [es:bx+5], 2
        jnz .bus
        mov si, text_isa
.bus:
        xor ax, ax
        mov es, ax
        call print
        clc
        ret
.bad:
        xor ax, ax
        mov es, ax
        stc
        ret

; Two ticks of 55 ms have to come; the limit is far beyond them on any of the machines.
check_ticks:
        mov ah, 0
        int 0x1A
        mov di, dx
        mov ecx, 20000000
.wait:
        push ecx
        mov ah, 0
        int 0x1A
        pop ecx
        sub dx, di
        cmp dx, 2
        jae .good
        dec ecx
        jnz .wait
        stc
        ret
.good:
        clc
        ret

check_geometry:
        mov ah, 8
        mov dl, [boot_drive]
        int 0x13
        push 0
        pop es
        jc bad
        push dx
        movzx ax, ch                    ; last cylinder
        inc ax
        call print_decimal
        movzx ax, dh
        inc ax
        call print_decimal
        movzx ax, cl
        call print_decimal
        pop dx
        cmp ch, 79
        jne bad
        cmp dh, 1
        jne bad
        cmp cl, 18
        jb bad                          ; a 2.88 MB drive says 36
        clc
        ret

; AX = first sector of the diskette, CX = how many, all on one cylinder.
check_read:
        mov [wanted], ax
        mov [count], cx
        xor dx, dx
        mov bx, 18
        div bx                          ; AX = track, DX = sector of the track - 1
        mov cl, dl
        inc cl
        mov dh, al
        and dh, 1
        shr al, 1
        mov ch, al
        mov dl, [boot_drive]
        mov ax, BUFFER_SEGMENT
        mov es, ax
        xor bx, bx
        mov ah, 2
        mov al, [count]
        int 0x13
        jc .bad
        cmp al, [count]
        jne .bad
        xor di, di
        mov cx, [count]
.sector:
        mov ax, [wanted]
        imul ax, ax, 259
        mov bx, 256
.word:
        cmp [es:di], ax
        jne .bad
        add di, 2
        add ax, 7
        dec bx
        jnz .word
        inc word [wanted]
        loop .sector
        push 0
        pop es
        clc
        ret
.bad:
        push 0
        pop es
        stc
        ret

check_missing_sector:
        mov ax, BUFFER_SEGMENT
        mov es, ax
        xor bx, bx
        mov ax, 0x0201
        mov cx, 0x011E
        mov dh, 0
        mov dl, [boot_drive]
        int 0x13
        push 0
        pop es
        jnc bad
        cmp ah, 4                       ; sector not found
        jne bad
        mov ah, 1                       ; and the status stays readable
        mov dl, [boot_drive]
        int 0x13
        cmp ah, 4
        jne bad
        clc
        ret

; --- output -------------------------------------------------------------------------------------

print:
        pusha
.next:
        lodsb
        test al, al
        jz .done
        call print_character
        jmp .next
.done:
        popa
        ret

print_character:
        pusha
        push ax
        mov ah, 0x0E
        mov bx, 7
        int 0x10
        pop ax
        cmp byte [serial_dead], 1       ; a port without answer costs a time-out each time
        je .done
        mov ah, 1
        xor dx, dx
        int 0x14
        test ah, 0x80
        jz .done
        mov byte [serial_dead], 1
.done:
        popa
        ret

; AX in decimal and a space
print_decimal:
        pusha
        mov bx, 10
        xor cx, cx
.divide:
        xor dx, dx
        div bx
        push dx
        inc cx
        test ax, ax
        jnz .divide
.digit:
        pop ax
        add al, '0'
        call print_character
        loop .digit
        mov al, ' '
        call print_character
        popa
        ret

; AL in hexadecimal and a space
print_byte:
        pusha
        mov bl, al
        shr al, 4
        call .nibble
        mov al, bl
        and al, 15
        call .nibble
        mov al, ' '
        call print_character
        popa
        ret
.nibble:
        add al, '0'
        cmp al, '9'
        jbe print_character
        add al, 'A' - '0' - 10
        jmp print_character

text_title:      db "sample-bios: services of the firmware", 13, 10, 0
text_ok:         db "ok", 13, 10, 0
text_failed:     db "FAILED", 13, 10, 0
text_channel:    db "Micro Channel ", 0
text_isa:        db "no Micro Channel ", 0
text_end_ok:     db "sample-bios: ok", 13, 10, 0
text_end_failed: db "sample-bios: failed", 13, 10, 0
serial_dead:     db 0
graphics_failed: db 0
                 align 2
wanted:          dw 0
count:           dw 0

end_of_diskette

; SPDX-License-Identifier: GPL-2.0-or-later
; sample-bios: the services that boot programs and operating systems request from the firmware, each checked
; by its result. Text goes through INT 10h to the screen and through INT 14h to COM1. Writes go to the
; last track of the diskette and are undone; a write-protected diskette is not written to.
%include "diskette.inc"

BUFFER_SEGMENT  equ 0x2000

; A check is a routine that returns with carry set if it fails. It may change any register except the
; segment registers, and may print details, each followed by a space.
%assign check_count 0
%macro check 1
        dw check_name_ %+ check_count, %1
        %assign check_count check_count + 1
%endmacro
; The names of the checks, in the order of the table.
%assign name_count 0
%macro name 1
check_name_ %+ name_count:
        db %1, " ", 0
        %assign name_count name_count + 1
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
        mov di, checks
.next:
        mov si, [di]
        call print
        push di
        call [di+2]
        pop di
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
        mov si, text_failed
        call print
        mov si, text_end_failed
        call print
stop:
        mov ah, 3                       ; let the port send the last characters
        xor dx, dx
        int 0x14
        test ah, 0x40
        jnz .quiet
        cmp byte [serial_dead], 1
        jne stop
.quiet:
        mov dx, 0x3F2                   ; no further tick will turn off the motor
        mov al, 0x0C
        out dx, al
.halt:
        cli
        hlt
        jmp .halt

check_result_of_graphics:
        cmp byte [graphics_failed], 1
        cmc
        ret

check_serial:
        cmp byte [serial_dead], 1
        cmc
        ret

bad:
        stc
        ret

%include "bios_video.inc"
%include "bios_diskette.inc"
%include "bios_system.inc"
%include "bios_memory.inc"
%include "bios_input.inc"

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
        cmp byte [serial_dead], 1       ; a port that does not respond costs a time-out each time
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
        call .digits
        push ax
        mov al, ' '
        call print_character
        pop ax
        ret
.digits:
        pusha
        mov bl, al
        shr al, 4
        call .nibble
        mov al, bl
        and al, 15
        call .nibble
        popa
        ret
.nibble:
        add al, '0'
        cmp al, '9'
        jbe print_character
        add al, 'A' - '0' - 10
        jmp print_character


; AX in hexadecimal and a space
print_word:
        push ax
        mov al, ah
        call print_byte.digits
        pop ax
        jmp print_byte

        align 2
checks:
        check check_result_of_graphics
        check check_screen
        check check_equipment
        check check_base_memory
        check check_geometry
        check check_drive_types
        check check_change_line
        check check_one_sector
        check check_track
        check check_both_heads
        check check_last_sector
        check check_verify
        check check_missing_sector
        check check_write
        check check_serial
        check check_a20
        check check_hooks
        check check_event_wait
        check check_wait
        check check_move
        check check_memory
        check check_protected
        check check_configuration
        check check_ebda
        check check_mouse
        check check_watchdog
        check check_pos
        check check_error_log
        check check_keyboard
        check check_printer
        check check_ticks
        check check_clock
        check check_stray
checks_end:

        name "INT 10h graphics modes"
        name "INT 10h read back"
        name "INT 11h equipment"
        name "INT 12h base memory KB"
        name "INT 13h 08h geometry"
        name "INT 13h 15h drive types"
        name "INT 13h 16h change line"
        name "INT 13h 02h one sector"
        name "INT 13h 02h a track"
        name "INT 13h 02h across the heads"
        name "INT 13h 02h the last sector"
        name "INT 13h 04h verify"
        name "INT 13h 02h refuses sector 30"
        name "INT 13h 03h 05h 18h write, format"
        name "INT 14h COM1"
        name "INT 15h 24h address line 20"
        name "INT 15h 4Fh 80h-85h 90h 91h hooks"
        name "INT 15h 83h event wait"
        name "INT 15h 86h wait"
        name "INT 15h 87h move"
        name "INT 15h 88h E801h E820h C7h memory KB"
        name "INT 15h 89h, resets 5 9 Ah"
        name "INT 15h C0h model"
        name "INT 15h C1h EBDA"
        name "INT 15h C2h mouse"
        name "INT 15h C3h watchdog"
        name "INT 15h C4h POS, slot 1 ID"
        name "INT 15h 21h error log"
        name "INT 16h keyboard"
        name "INT 17h printer status"
        name "INT 1Ah ticks run"
        name "INT 1Ah date and time"
        name "INT 02h 71h 73h return"

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

; SPDX-License-Identifier: GPL-2.0-or-later
; F000:E000 to F000:FFFF. Old software jumps to these addresses of the AT's ROM, so the services have
; their entries here; the rest of the firmware is below. `place` pads with FFh and fails if parts overlap.
bits 16
cpu 386
section .fixed

%include "fixed_board.inc"

%macro place 1
        times (%1 - 0xE000) - ($ - $$) db 0xFF
%endmacro
%macro goto 1
        extern %1
        jmp near %1
%endmacro

        db BOARD_NAME, 0

global post_entry_fixed
place 0xE05B
post_entry_fixed:
        goto reset_entry
place 0xE2C3
        goto int02_entry
place 0xE3FE
        goto int13_entry
place 0xE6F2
        goto int19_entry

; INT 15h C0h table (roms/README.md section 1). The machine builder writes the machine's model and feature
; bytes here and at FFFEh; the initial values are the board's (fixed_board.inc).
global configuration_table
place 0xE6F5
configuration_table:
        dw 8
        db BOARD_MODEL, BOARD_SUBMODEL, BOARD_REVISION
        db BOARD_FEATURES
        db 0x50                 ; INT 16h 09h, INT 15h C7h
        db 0x00
        db 0x08                 ; no ABIOS
        db 0x00

; UART divisors, 110 to 19200 bit/s
place 0xE729
        dw 1047, 768, 384, 192, 96, 48, 24, 12
place 0xE739
        goto int14_entry
place 0xE82E
        goto int16_entry
place 0xE987
        goto int09_entry
place 0xEC59
        goto int13_entry
place 0xEF57
        goto int0e_entry

; Diskette parameters, at vector 1Eh: 1.44 MB
global diskette_parameters
place 0xEFC7
diskette_parameters:
        db 0xAF                 ; step rate 3 ms at 500 kbit/s (A = 6 ms), head unload 240 ms
        db 0x02                 ; head load 2 ms, DMA
        db 0x25                 ; motor off after 37 ticks
        db 2, 18, 0x1B, 0xFF    ; 512 bytes, last sector, gap, data length
        db 0x6C, 0xF6           ; format gap and filler
        db 15                   ; head settle, ms
        db 4                    ; motor start, 1/8 s
place 0xEFD2
        goto int17_entry
place 0xF065
        goto int10_entry
board_tables
place 0xF841
        goto int12_entry
place 0xF84D
        goto int11_entry
place 0xF859
        goto int15_entry

; 8x8 characters 0 to 127
global font8_low
place 0xFA6E
font8_low:
%include "font8_low.inc"
place 0xFE6E
        goto int1a_entry
place 0xFEA5
        goto int08_entry
place 0xFF53
        iret
place 0xFF54
        goto int05_entry

global reset_vector
place 0xFFF0
reset_vector:
        jmp 0xF000:post_entry_fixed
        db "11/20/26"
        db 0
        db BOARD_MODEL          ; see configuration_table
        db 0

; SPDX-License-Identifier: GPL-2.0-or-later
; sample-paging: a demand-paged program. A kernel below 4 MB, and a program in ring 3 with no page present when it
; starts: its code comes from a table, its stack and data are zeros, and one page is shared until it is written. The
; program reaches pages for the first time in every way a program can: by an interrupt's return, sequential execution, a
; jump, a branch, a loop, call, return, an indirect jump, an instruction that crosses a page boundary, pushes, string
; instructions. Then all pages are removed and the program runs again; page faults and result are checked.
%include "diskette.inc"
%include "protected_mode.inc"

CODE            equ 0x08
DATA            equ 0x10
USER_CODE       equ 0x18 | 3
USER_DATA       equ 0x20 | 3
TASK            equ 0x28
VIDEO           equ 0xB8000
COLUMNS         equ 80
COM1            equ 0x3F8

DIRECTORY       equ 0x20000
KERNEL_TABLE    equ 0x21000             ; 0 to 4 MB, identity-mapped
USER_TABLE      equ 0x22000             ; 4 to 8 MB
SHARED          equ 0x23000             ; the page that is shared until written,
SHARED_AT       equ 0x11000             ; and its address in the program's 4 MB
KERNEL_STACK    equ 0x7C00
FRAMES          equ 0x200000            ; allocated in sequence, never freed
USER            equ 0x400000
ROUNDS          equ 5
PRESENT         equ 1
WRITABLE        equ 2
USER_PAGE       equ 4

program:
        mov ax, 3
        int 0x10
        cli
        enter_protected_mode
        mov esp, KERNEL_STACK
        cld
        call serial_init
        mov esi, text_title
        call print
        call fill_idt
        mov ax, TASK
        ltr ax

        mov edi, DIRECTORY
        xor eax, eax
        mov ecx, 0x4000 / 4
        rep stosd
        mov dword [DIRECTORY], KERNEL_TABLE | WRITABLE | PRESENT
        mov dword [DIRECTORY + 4], USER_TABLE | USER_PAGE | WRITABLE | PRESENT
        mov edi, KERNEL_TABLE
        mov eax, WRITABLE | PRESENT
.map:
        stosd
        add eax, 4096
        cmp eax, 0x400000
        jb .map
        mov dword [SHARED], 0x1234
        mov eax, DIRECTORY
        mov cr3, eax
        mov eax, cr0
        or eax, 0x80000000
        mov cr0, eax
        jmp next_round

; The first instruction of the program is not present: the return to it faults.
next_round:
        mov edi, USER_TABLE
        xor eax, eax
        mov ecx, 1024
        rep stosd
        mov eax, cr3
        mov cr3, eax
        push dword USER_DATA
        push dword USER + 0x10000       ; the page of the stack is not present either
        push dword 2                    ; no interrupts
        push dword USER_CODE
        push dword first_at
        mov ax, USER_DATA
        mov ds, ax
        mov es, ax
        iretd

; INT 80h: EAX = 0 the round is done, its sum in EBX; 1 continue at EDX, 2 the same by a far return
system_call:
        push ds
        push eax
        mov ax, DATA
        mov ds, ax
        pop eax
        cmp eax, 1
        je .go_on
        cmp eax, 2
        je .far
        mov ax, DATA
        mov es, ax
        mov esp, KERNEL_STACK
        cmp ebx, SUM
        jne failed
        inc dword [rounds]
        cmp dword [rounds], ROUNDS
        jb next_round
        mov esi, text_faults
        call print
        mov eax, [faults]
        call print_decimal
        mov eax, [copies]
        call print_decimal
        mov esi, text_line
        call print
        cmp dword [faults], ROUNDS * FAULTS
        jne failed
        cmp dword [copies], ROUNDS
        jne failed
        mov esi, text_end_ok
        jmp stop
.go_on:
        mov [esp+4], edx
        pop ds
        iretd
.far:
        pop ds
        add esp, 12                     ; drop EIP, CS, EFLAGS; the caller's stack is above
        push dword USER_CODE
        push edx
        retf

failed:
        mov ax, DATA
        mov ds, ax
        mov es, ax
        mov eax, [faults]
        call print_decimal
        mov eax, cr2
        call print_decimal
        mov esi, text_end_failed
        stop_for_good

; A page that is not present gets a frame with its contents; a write to the shared page gets a copy of it.
; Stack: error code, EIP, CS, EFLAGS, ESP, SS.
page_fault:
        pushad
        push ds
        push es
        mov ax, DATA
        mov ds, ax
        mov es, ax
        mov ebx, cr2
        mov eax, [esp + 40]
        sub ebx, USER
        cmp ebx, 0x400000
        jae failed
        shr ebx, 12
        test al, PRESENT
        jnz .copy
        test al, USER_PAGE
        jz failed
        inc dword [faults]
        cmp ebx, SHARED_AT >> 12
        je .share
        call new_frame
        or eax, USER_PAGE | WRITABLE | PRESENT
        mov [USER_TABLE + ebx * 4], eax ; a page that was not present needs no INVLPG
        mov esi, pieces
.next:
        mov edx, [esi]                  ; a piece's address, length and bytes: copies the part in this page
        cmp edx, -1
        je .done
        mov ecx, [esi + 4]
        mov edi, [esi + 8]
.byte:
        mov eax, edx
        shr eax, 12
        cmp eax, ebx
        jne .other
        mov al, [edi]
        mov [USER + edx], al
.other:
        inc edx
        inc edi
        loop .byte
        add esi, 12
        jmp .next
.share:
        mov dword [USER_TABLE + ebx * 4], SHARED | USER_PAGE | PRESENT
.done:
        pop es
        pop ds
        popad
        add esp, 4
        iretd
.copy:
        cmp ebx, SHARED_AT >> 12
        jne failed
        and al, 7
        cmp al, 7
        jne failed
        inc dword [copies]
        call new_frame
        mov edi, eax
        mov esi, SHARED
        mov ecx, 1024
        or eax, USER_PAGE | WRITABLE | PRESENT
        push eax
        rep movsd
        pop eax
        mov [USER_TABLE + ebx * 4], eax
        mov eax, cr3                    ; a 386 has no INVLPG
        mov cr3, eax
        jmp .done

; EAX = a frame of zeros
new_frame:
        push edi
        push ecx
        mov edi, [frame]
        add dword [frame], 4096
        xor eax, eax
        mov ecx, 1024
        rep stosd
        lea eax, [edi - 4096]
        pop ecx
        pop edi
        ret

fill_idt:
        mov edi, idt
        mov ecx, 256
.next:
        mov word [edi], unexpected
        mov word [edi+2], CODE
        mov word [edi+4], 0x8E00        ; interrupt gate, present
        mov word [edi+6], 0
        add edi, 8
        loop .next
        mov word [idt + 14 * 8], page_fault
        mov word [idt + 0x80 * 8], system_call
        mov word [idt + 0x80 * 8 + 4], 0xEE00
        ret

unexpected:
        jmp failed

%include "protected_output.inc"

; --- the program --------------------------------------------------------------------------------

; A piece of a page: its name and its address in the program's 4 MB. Within it only `near` reaches other pieces.
%macro piece 2
%1_code:
%1_at equ USER + %2
%xdefine PIECE %1
%endmacro

; A jump, branch or call: opcode, destination
%macro near 2
        db %1
        dd %2 - (%[PIECE]_at + ($ - %[PIECE]_code) + 4)
%endmacro

        piece first, 0x00FF8            ; the kernel's IRET leads here
        mov ebx, 1
        mov eax, 0x100                  ; crosses a page boundary
        add ebx, eax
        near 0xE9, jumped_at
first_end:
        piece jumped, 0x02800
        add ebx, 2
        cmp ebx, ebx
        db 0x0F                         ; JE
        near 0x84, branched_at
jumped_end:
        piece branched, 0x03010
        near 0xE8, called_at            ; faults on the stack's page first, then the code's
        add ebx, 4
        push dword returned_at
        ret
branched_end:
        piece called, 0x04100
        add ebx, 8
        ret
called_end:
        piece returned, 0x05200
        mov dword [USER + 0x6000], pointed_at
        jmp [USER + 0x6000]
returned_end:
        piece pointed, 0x07FF0
        mov ecx, 2
        db 0xE2, looped_at - (pointed_at + 7)   ; LOOP
pointed_end:
        piece looped, 0x08004
        mov dword [USER + 0x6004], chosen_at
        call [USER + 0x6004]
        add ebx, 0x10
        mov esi, USER + 0xAFF0          ; both cross a page boundary on the way
        mov edi, USER + 0xCFF8
        mov ecx, 8
        rep movsd
        mov edi, USER + 0xE000
        mov eax, 3
        mov ecx, 4
        rep stosd
        add ebx, [USER + 0xE00C]
        add ebx, [USER + SHARED_AT]     ; 1234h
        add dword [USER + SHARED_AT], 1
        add ebx, [USER + SHARED_AT]
        mov eax, 1
        mov edx, resumed_at
        int 0x80
looped_end:
        piece chosen, 0x09000
        add ebx, 0x1000
        ret
chosen_end:
        piece resumed, 0x12345
        add ebx, 0x20
        mov eax, 2
        mov edx, far_at
        int 0x80
resumed_end:
        piece far, 0x13000
        add ebx, 0x40
        mov esp, USER + 0x16004
        push ebx
        push ebx                        ; into the page below
        add ebx, [esp + 4]
        near 0xE9, last_at
far_end:
        piece last, 0x17FFA             ; its first instruction ends at the end of the page
        add ebx, 0x00010000
        xor eax, eax
        int 0x80
last_end:

BEFORE_LAST     equ 1 + 0x100 + 2 + 8 + 4 + 0x1000 + 0x10 + 3 + 0x1234 + 0x1235 + 0x20 + 0x40
SUM             equ BEFORE_LAST * 2 + 0x10000
FAULTS          equ 23                  ; per round, without the copy

        align 4
pieces:
%macro entry 1
        dd %1_at - USER, %1_end - %1_code, %1_code
%endmacro
        entry first
        entry jumped
        entry branched
        entry called
        entry returned
        entry pointed
        entry looped
        entry chosen
        entry resumed
        entry far
        entry last
        dd -1

text_title:      db "sample-paging: a demand-paged program", 13, 10, 0
text_faults:     db "page faults, copies: ", 0
text_line:       db 13, 10, 0
text_end_ok:     db "sample-paging: ok", 13, 10, 0
text_end_failed: db "sample-paging: failed", 13, 10, 0

        align 8
gdt:
        dq 0
        dq 0x00CF9A000000FFFF           ; 08 code, 4 GB
        dq 0x00CF92000000FFFF           ; 10 data, 4 GB
        dq 0x00CFFA000000FFFF           ; 18 the program's code
        dq 0x00CFF2000000FFFF           ; 20 the program's data
        dw 0x67, task, 0x8900, 0        ; 28 task state: below 64 KB
gdt_pointer:
        dw $ - gdt - 1
        dd gdt
idt             equ 0x9000 + 0x2000     ; 2 KB after the program
idt_pointer:
        dw 256 * 8 - 1
        dd idt
        align 4
task:
        dd 0, KERNEL_STACK, DATA
        times 0x68 - 12 db 0
place:          dd 0
rounds:         dd 0
faults:         dd 0
copies:         dd 0
frame:          dd FRAMES

        bits 16
end_of_diskette

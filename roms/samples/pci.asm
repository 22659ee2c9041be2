; SPDX-License-Identifier: GPL-2.0-or-later
; sample-pci: what a PC's firmware says of PCI and of memory, each checked by its result: the PCI BIOS in INT 1Ah and as a 32-bit
; service, the interrupt routing table, and whether every function's interrupt line, its route in the bridge and ELCR agree. Screen
; only. Nothing is after the first track.
%include "diskette.inc"

ROM_SEGMENT     equ 0xF000
CODE32          equ 0x08
FLAT            equ 0x10
CODE16          equ 0x18
DATA16          equ 0x20
; In 32-bit code the service's own segment, as the specification allows beside a flat one.
SERVICE         equ 0x28

; A check is a routine that returns with carry set when it fails. It may change any register but the segment registers, and may
; print details, each followed by a space.
program:
        mov ax, 3
        int 0x10
        mov si, text_title
        call print
        mov di, checks
.next:  mov si, [di]
        call print
        push di
        call [di+2]
        pop di
        mov si, text_failed
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
        call print
        mov si, text_end_failed
        call print
stop:   mov dx, 0x3F2                   ; the diskette's motor would run for ever
        mov al, 0x0C
        out dx, al
.halt:  cli
        hlt
        jmp .halt

bad:    stc
        ret

; ---- real mode ----------------------------------------------------------------------------------
check_present:
        mov esi, 0x11112222
        mov edi, 0x33334444
        mov ebp, 0x55556666
        mov ax, 0xB101
        stc
        int 0x1A
        jc bad
        cmp ah, 0
        jne bad
        cmp edx, 'PCI '
        jne bad
        test al, 1                      ; mechanism 1
        jz bad
        cmp esi, 0x11112222
        jne bad
        cmp edi, 0x33334444
        jne bad
        cmp ebp, 0x55556666
        jne bad
        push cx
        mov ax, bx
        call print_word
        pop ax
        mov ah, 0                       ; the last bus
        call print_word
        clc
        ret

; The host bridge by its class and by its ID, and what is not there.
check_find:
        mov ecx, 0x060000
        xor si, si
        mov ax, 0xB103
        int 0x1A
        jc bad
        cmp bx, 0
        jne bad
        mov ecx, 0x060000
        mov si, 1
        mov ax, 0xB103
        int 0x1A
        jnc bad
        cmp ah, 0x86
        jne bad
        xor bx, bx
        xor di, di
        mov ax, 0xB10A
        int 0x1A
        jc bad
        mov edx, ecx
        shr ecx, 16
        mov bx, 0xFFFF
        xor si, si
        mov ax, 0xB102
        int 0x1A
        jc bad
        cmp bx, 0
        jne bad
        mov si, 1
        mov ax, 0xB102
        int 0x1A
        jnc bad
        cmp ah, 0x86
        jne bad
        mov dx, 0xFFFF
        mov ax, 0xB102
        int 0x1A
        jnc bad
        cmp ah, 0x83
        jne bad
        clc
        ret

; The same register in every width, of the PCI-to-ISA bridge.
check_read:
        call find_bridge
        jc bad
        xor di, di
        mov ax, 0xB10A
        int 0x1A
        jc bad
        mov ebp, ecx
        mov di, 2
        mov ax, 0xB109
        int 0x1A
        jc bad
        ror ebp, 16
        cmp cx, bp
        jne bad
        mov di, 3
        mov ax, 0xB108
        int 0x1A
        jc bad
        xchg cl, ch
        xor cx, bp
        and cx, 0xFF00
        jnz bad
        mov di, 1                       ; misaligned words and doublewords, and registers that there are not
        mov ax, 0xB109
        call .refused
        jc bad
        mov di, 2
        mov ax, 0xB10D
        call .refused
        jc bad
        mov di, 0x100
        mov ax, 0xB108
        call .refused
        jc bad
        mov ax, 0xB106                  ; special cycles
        int 0x1A
        jnc bad
        cmp ah, 0x81
        jne bad
        clc
        ret
.refused:
        int 0x1A
        cmc
        jc .end
        cmp ah, 0x87
        je .end
        stc
.end:   ret

; The bridge's route register 60h takes a byte, 60h to 63h a doubleword; all of it is put back.
check_write:
        call find_bridge
        jc bad
        mov di, 0x60
        mov ax, 0xB10A
        int 0x1A
        jc bad
        mov ebp, ecx
        mov cl, 0x8B
        mov ax, 0xB10B
        int 0x1A
        jc .restore
        mov ax, 0xB10A
        int 0x1A
        mov edx, ebp
        mov dl, 0x8B
        cmp ecx, edx
        stc
        jne .restore
        mov di, 0x62
        mov cx, 0x8A89
        mov ax, 0xB10C
        int 0x1A
        jc .restore
        mov di, 0x60
        mov ax, 0xB10A
        int 0x1A
        shr ecx, 16
        cmp cx, 0x8A89
        je .restore
        stc
.restore:
        pushf
        mov di, 0x60
        mov ecx, ebp
        mov ax, 0xB10D
        int 0x1A
        mov ax, 0xB10A
        int 0x1A
        popf
        jc bad
        cmp ecx, ebp
        jne bad
        clc
        ret

find_bridge:
        mov ecx, 0x060100
        xor si, si
        mov ax, 0xB103
        int 0x1A
        ret

; ---- interrupts ---------------------------------------------------------------------------------
; $PIR: on a paragraph of F0000h to FFFFFh, its bytes add up to 0.
check_routing:
        push es
        mov ax, ROM_SEGMENT
        mov es, ax
        xor bx, bx
.look:  cmp dword [es:bx], '$PIR'
        je .found
        add bx, 16
        jnz .look
        jmp .bad
.found: mov [routing], bx
        mov cx, [es:bx+6]
        xor al, al
        mov si, bx
.sum:   add al, [es:si]
        inc si
        loop .sum
        cmp al, 0
        jne .bad
        cmp byte [es:bx+9], 0           ; the router is the bridge
        je .bad
        push bx
        call find_bridge
        mov ax, bx
        pop bx
        jc .bad
        cmp [es:bx+9], al
        jne .bad
        mov ax, [es:bx+6]
        sub ax, 32
        shr ax, 4
        call print_word                 ; slots
        pop es
        clc
        ret
.bad:   pop es
        stc
        ret

; Every network adapter: 3Ch, the route of its pin by $PIR, ELCR. Prints device and line of each.
check_lines:
        mov word [count], 0
.next:  mov ecx, 0x020000
        mov si, [count]
        mov ax, 0xB103
        int 0x1A
        jc .done
        inc word [count]
        mov [function], bx
        mov di, 0x3C
        mov ax, 0xB109
        int 0x1A
        mov [line], cx                  ; line and pin
        mov ax, bx
        shr ax, 3
        call print_word
        mov al, [line]
        mov ah, 0
        call print_word
        call slot_of                    ; ES:SI
        jc .bad
        mov bl, [line+1]
        dec bl
        mov bh, 0
        imul bx, 3
        add si, bx
        mov al, [es:si+2]               ; the pin's link, a register of the router
        mov ah, 0
        mov di, ax
        mov cx, [es:si+3]
        mov bl, [line]
        mov bh, 0
        bt cx, bx                       ; lines that it may have
        jnc .bad
        call find_bridge_keep
        mov ax, 0xB108
        int 0x1A
        cmp cl, [line]
        jne .bad
        mov dx, 0x4D1
        in al, dx
        mov ah, al
        dec dx
        in al, dx
        mov bl, [line]
        mov bh, 0
        bt ax, bx
        jnc .bad
        mov bx, [function]              ; enabled, and set up for bursts
        mov di, 4
        mov ax, 0xB109
        int 0x1A
        and cx, 7
        cmp cx, 7
        jne .bad
        mov di, 0x0C
        mov ax, 0xB109
        int 0x1A
        cmp cx, 0x2008
        jne .bad
        xor ax, ax
        mov es, ax
        jmp .next
.done:  cmp word [count], 0
        je bad
        clc
        ret
.bad:   xor ax, ax
        mov es, ax
        stc
        ret

find_bridge_keep:
        push si
        call find_bridge
        pop si
        ret

; The table's entry for [function].
slot_of:
        mov ax, ROM_SEGMENT
        mov es, ax
        mov si, [routing]
        mov cx, [es:si+6]
        sub cx, 32
        shr cx, 4
        add si, 32
        mov al, [function]
        and al, 0xF8
.look:  cmp [es:si+1], al
        je .found
        add si, 16
        loop .look
        stc
.found: ret

; ---- 32-bit service -----------------------------------------------------------------------------
check_service:
        push es
        mov ax, ROM_SEGMENT
        mov es, ax
        xor bx, bx
.look:  cmp dword [es:bx], '_32_'
        jne .on
        mov cx, 16
        xor al, al
        mov si, bx
.sum:   add al, [es:si]
        inc si
        loop .sum
        cmp al, 0
        je .found
.on:    add bx, 16
        jnz .look
        pop es
        jmp bad
.found: mov eax, [es:bx+4]
        mov [directory], eax
        pop es
        cli
        lgdt [gdt_pointer]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp CODE32:.protected
        bits 32
.protected:
        mov ax, FLAT
        mov ds, ax
        mov es, ax
        mov ss, ax
        movzx esp, sp
        call ask_service
        setc [service_failed]
        jmp CODE16:.back
        bits 16
.back:  mov ax, DATA16
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov eax, cr0
        and al, 0xFE
        mov cr0, eax
        jmp 0:.real
.real:  xor ax, ax
        mov ds, ax
        mov es, ax
        mov ss, ax
        sti
        cmp byte [service_failed], 1
        cmc
        ret

        bits 32
; The directory knows $PCI and nothing else; the service says of the host bridge what INT 1Ah says, with a flat code segment and
; with one that begins where the directory says.
ask_service:
        mov eax, 'XXXX'
        xor ebx, ebx
        call far [directory]
        cmp al, 0x80
        jne .bad
        mov eax, '$PCI'
        mov ebx, 1
        call far [directory]
        cmp al, 0x81
        jne .bad
        mov eax, '$PCI'
        xor ebx, ebx
        call far [directory]
        cmp al, 0
        jne .bad
        cmp edx, ecx
        jae .bad
        mov [service], edx
        lea eax, [ebx+edx]
        mov [service_flat], eax
        mov eax, ebx
        mov [service_base], ax
        shr eax, 16
        mov [service_base+2], al
        mov esi, service
        call ask_pci
        jc .bad
        mov esi, service_flat
        jmp ask_pci
.bad:   stc
        ret

; ESI: far pointer
ask_pci:
        mov ebp, esi
        mov eax, 0xB101
        call far [ebp]
        jc .bad
        cmp ah, 0
        jne .bad
        cmp edx, 'PCI '
        jne .bad
        mov ecx, 0x060000
        xor esi, esi
        mov eax, 0xB103
        call far [ebp]
        jc .bad
        cmp bx, 0
        jne .bad
        mov edi, 0
        mov eax, 0xB10A
        call far [ebp]
        jc .bad
        mov edx, ecx
        mov eax, 0x80000000
        push edx
        mov edx, 0xCF8
        out dx, eax
        mov edx, 0xCFC
        in eax, dx
        pop edx
        cmp eax, edx
        jne .bad
        mov edi, 0x101
        mov eax, 0xB108
        call far [ebp]
        jnc .bad
        cmp ah, 0x87
        jne .bad
        clc
        ret
.bad:   stc
        ret
        bits 16

; ---- memory and configuration -------------------------------------------------------------------
; 88h, E801h, and the usable bytes of the map above 1 MB, which have to agree. Prints KB above 1 MB.
check_memory:
        mov ah, 0x88
        int 0x15
        jc bad
        mov [kb88], ax
        mov ax, 0xE801
        int 0x15
        jc bad
        cmp ax, cx
        jne bad
        cmp bx, dx
        jne bad
        movzx eax, ax
        movzx ebx, bx
        shl ebx, 6
        add eax, ebx
        mov [kb], eax
        mov edx, eax
        cmp edx, 0xFC00
        jbe .small
        mov edx, 0xFC00
.small: cmp dx, [kb88]
        jne bad
        call print_dword
        xor ebx, ebx
        xor ebp, ebp
.range: mov eax, 0xE820
        mov edx, 'PAMS'                 ; SMAP, most significant first
        mov ecx, 20
        mov di, range
        int 0x15
        jc bad
        cmp eax, 'PAMS'
        jne bad
        cmp dword [range+16], 1
        jne .skip
        cmp dword [range], 0x100000
        jb .skip
        mov eax, [range+8]
        shr eax, 10
        add ebp, eax
.skip:  test ebx, ebx
        jnz .range
        cmp ebp, [kb]
        jne bad
        mov al, 0x30                    ; CMOS: what POST has found
        call cmos
        mov bl, al
        mov al, 0x31
        call cmos
        mov bh, al
        movzx ebx, bx
        cmp ebp, 0xFFFF
        jbe .cmos
        mov ebp, 0xFFFF
.cmos:  cmp ebx, ebp
        jne bad
        clc
        ret

cmos:   out 0x70, al
        in al, 0x71
        ret

; An AT without a Micro Channel. Prints model, submodel and revision.
check_configuration:
        mov ah, 0xC0
        stc
        int 0x15
        jc bad
        mov al, [es:bx+5]
        mov cx, [es:bx+2]
        xor dx, dx
        mov es, dx
        push ax
        mov ax, cx
        xchg al, ah
        call print_word
        pop ax
        cmp cl, 0xFC
        jne bad
        test al, 2
        jnz bad
        mov ax, 0xC400                  ; no POS
        int 0x15
        jnc bad
        clc
        ret

; INT 1Ah without B1h is the clock's.
check_clock:
        mov ah, 0
        int 0x1A
        mov di, dx
        mov cx, 0x0100
.wait:  push cx
        mov ah, 0
        int 0x1A
        pop cx
        cmp dx, di
        jne .good
        push di
        push cx
        mov ah, 0x86
        xor cx, cx
        mov dx, 1000
        int 0x15
        pop cx
        pop di
        loop .wait
        stc
        ret
.good:  clc
        ret

; ---- text ---------------------------------------------------------------------------------------
print:  pusha
.next:  lodsb
        test al, al
        jz .done
        call print_character
        jmp .next
.done:  popa
        ret

print_character:
        pusha
        mov ah, 0x0E
        mov bx, 7
        int 0x10
        popa
        ret

; EAX, AX in hexadecimal and a space
print_dword:
        ror eax, 16
        call print_word.digits
        ror eax, 16
print_word:
        call .digits
        push ax
        mov al, ' '
        call print_character
        pop ax
        ret
.digits:
        push cx
        mov cx, 4
.digit: rol ax, 4
        push ax
        and al, 15
        add al, '0'
        cmp al, '9'
        jbe .print
        add al, 'A' - '0' - 10
.print: call print_character
        pop ax
        loop .digit
        pop cx
        ret

        align 8
gdt:    dq 0
        dq 0x00CF9B000000FFFF           ; 08 flat 32-bit code
        dq 0x00CF93000000FFFF           ; 10 flat data
        dq 0x00009B000000FFFF           ; 18 real mode's code
        dq 0x000093000000FFFF           ; 20 real mode's data
        dw 0xFFFF                       ; 28 the service: base from the directory
service_base: dw 0
        db 0, 0x9B, 0x40, 0
gdt_pointer:
        dw $ - gdt - 1
        dd gdt
directory:      dd 0
                dw CODE32
service:        dd 0
                dw SERVICE
service_flat:   dd 0
                dw CODE32
service_failed: db 0

routing:  dw 0
count:    dw 0
function: dw 0
line:     dw 0
kb88:     dw 0
kb:       dd 0
range:    times 20 db 0

checks: dw name_present, check_present
        dw name_find, check_find
        dw name_read, check_read
        dw name_write, check_write
        dw name_routing, check_routing
        dw name_lines, check_lines
        dw name_service, check_service
        dw name_memory, check_memory
        dw name_configuration, check_configuration
        dw name_clock, check_clock
checks_end:
name_present: db "PCI BIOS version, last bus ", 0
name_find: db "finds devices and classes ", 0
name_read: db "reads ", 0
name_write: db "writes ", 0
name_routing: db "interrupt routing table, slots ", 0
name_lines: db "adapters, lines ", 0
name_service: db "32-bit service ", 0
name_memory: db "memory KB ", 0
name_configuration: db "model, no Micro Channel ", 0
name_clock: db "clock ", 0
text_title: db "sample-pci: services of a PC's firmware", 13, 10, 0
text_ok: db "ok", 13, 10, 0
text_failed: db "FAILED", 13, 10, 0
text_end_ok: db "sample-pci: ok", 13, 10, 0
text_end_failed: db "sample-pci: failed", 13, 10, 0

        times DISKETTE_BYTES - ($ - $$) db 0

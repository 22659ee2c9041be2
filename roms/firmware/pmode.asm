; SPDX-License-Identifier: GPL-2.0-or-later
; The parts that need protected mode: memory probing, block move (INT 15h 87h), and INT 15h 89h.
bits 16
cpu 386
section .text

; u32 probe_memory(u32 start, u32 end): first address, in steps of 64 KB, that does not hold data.
; Called with caches off and A20 on. Contents are preserved. A block is memory if two patterns read back
; from it with other data on the bus in between, and if the same offset changed neither in the first
; megabyte nor, above 1 MB, in the second (a decoder that ignores address lines makes those appear
; again). The blocks at 0 and at 1 MB must be known to work before the blocks after them are probed.
; The probed offset in each block is 7FF0h; the two guards are at 07FF0h and 107FF0h.
PROBE_OFFSET    equ 0x7FF0
LOW_GUARD       equ PROBE_OFFSET
HIGH_GUARD      equ 0x100000 + PROBE_OFFSET

global probe_memory
probe_memory:
        push ebx
        push esi
        push edi
        push ebp
        push es
        mov edi, eax            ; start
        mov ebp, edx            ; end
        o32 lgdt [cs:probe_gdt_pointer]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp 0x08:.protected
.protected:
        mov ax, 0x10
        mov es, ax
        mov esi, [dword es:LOW_GUARD]
        push esi
        mov esi, [dword es:HIGH_GUARD]
        push esi
        mov dword [dword es:LOW_GUARD], 0x4C4F5721
        cmp edi, 0x100000
        jbe .next
        mov dword [dword es:HIGH_GUARD], 0x48494721
.next:
        cmp edi, ebp
        jae .done
        mov ecx, [es:edi+PROBE_OFFSET]
        push dword [es:edi+PROBE_OFFSET+4]
        mov eax, edi
        xor eax, 0x5AA53CC3
        mov [es:edi+PROBE_OFFSET], eax
        mov ebx, eax
        not ebx
        mov [es:edi+PROBE_OFFSET+4], ebx        ; leaves other data on a floating bus
        mov edx, [es:edi+PROBE_OFFSET]
        mov [es:edi+PROBE_OFFSET], ebx
        mov [es:edi+PROBE_OFFSET+4], eax
        mov esi, [es:edi+PROBE_OFFSET]
        cmp edx, eax
        jne .restore
        cmp esi, ebx
        jne .restore
        cmp dword [dword es:LOW_GUARD], 0x4C4F5721
        jne .restore
        cmp edi, 0x100000
        jbe .good
        cmp dword [dword es:HIGH_GUARD], 0x48494721
        jne .restore
.good:
        mov [es:edi+PROBE_OFFSET], ecx
        pop dword [es:edi+PROBE_OFFSET+4]
        add edi, 0x10000
        jmp .next
.restore:
        mov [es:edi+PROBE_OFFSET], ecx
        pop dword [es:edi+PROBE_OFFSET+4]
.done:
        pop esi
        cmp dword [dword es:HIGH_GUARD], 0x48494721
        jne .guard_done
        mov [dword es:HIGH_GUARD], esi
.guard_done:
        pop esi
        mov [dword es:LOW_GUARD], esi
        mov ax, 0x18
        mov es, ax
        mov eax, cr0
        and al, 0xFE
        mov cr0, eax
        jmp 0xF000:.real
.real:
        mov eax, edi
        pop es
        pop ebp
        pop edi
        pop esi
        pop ebx
        o32 ret

; The descriptors have the accessed bit set: the processor cannot set it in ROM.
align 8
probe_gdt:
        dq 0
        dq 0x00009B0F0000FFFF   ; 08 code, base F0000h
        dq 0x00CF93000000FFFF   ; 10 data, 4 GB
        dq 0x000093000000FFFF   ; 18 data as in real mode
probe_gdt_pointer:
        dw $ - probe_gdt - 1
        dd 0xF0000 + probe_gdt

; void block_move(u16 seg, u16 off, u16 words): INT 15h 87h. The caller's table at seg:off holds the
; source in descriptor 10h and the destination in 18h; 08h, 20h and 28h are filled in by the firmware.
; Interrupts stay off while the processor is in protected mode.
global block_move
block_move:
        push ebx
        push esi
        push edi
        push ebp
        push ds
        push es
        mov ds, ax
        movzx esi, dx
        movzx eax, ax
        shl eax, 4
        add eax, esi            ; linear address of the table
        mov word [esi+0x08], 0x2F
        mov [esi+0x0A], eax
        mov word [esi+0x20], 0xFFFF
        mov dword [esi+0x22], 0x9B0F0000
        mov word [esi+0x26], 0
        mov word [esi+0x28], 0xFFFF
        xor eax, eax
        mov ax, ss
        shl eax, 4
        mov [esi+0x2A], eax
        mov byte [esi+0x2D], 0x93
        mov word [esi+0x2E], 0
        mov bp, ss
        o32 lgdt [esi+0x08]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp 0x20:.protected
.protected:
        mov ax, 0x28
        mov ss, ax
        mov ax, 0x10
        mov ds, ax
        mov ax, 0x18
        mov es, ax
        movzx ecx, cx
        xor esi, esi
        xor edi, edi
        cld
        shr ecx, 1
        a32 rep movsd
        adc cx, cx
        a32 rep movsw
        mov ax, 0x28
        mov ds, ax
        mov es, ax
        mov eax, cr0
        and al, 0xFE
        mov cr0, eax
        jmp 0xF000:.real
.real:
        mov ss, bp
        pop es
        pop ds
        pop ebp
        pop edi
        pop esi
        pop ebx
        o32 ret

; INT 15h 89h, second half: void enter_protected(struct Regs*). ES:SI of the frame points to a table of eight
; descriptors: 08h GDT, 10h IDT, 18h DS, 20h ES, 28h SS, 30h CS of the caller, 38h ours (filled in).
; The byte after a 24-bit base is the descriptor's access byte, so the tables are loaded with 16-bit
; operands, which use 24 bits of the base. Ends with a far return to the caller in protected mode with the
; caller's registers except AX and BP; does not return here.
global enter_protected
enter_protected:
        mov ebp, eax
        mov es, [ebp+36]        ; Regs.es
        movzx esi, word [ebp+4] ; Regs.si
        mov word [es:esi+0x38], 0xFFFF
        mov dword [es:esi+0x3A], 0x9B0F0000
        mov word [es:esi+0x3E], 0
        o16 lgdt [es:esi+0x08]
        o16 lidt [es:esi+0x10]
        mov eax, cr0
        or al, 1
        mov cr0, eax
        jmp 0x38:.protected
.protected:
        mov ax, 0x28
        mov ss, ax
        mov ax, 0x18
        mov ds, ax
        mov ax, 0x20
        mov es, ax
        mov ax, [ss:ebp+40]     ; Regs.ip
        mov edi, [ss:ebp]       ; the caller's SS uses the same offsets
        mov esi, [ss:ebp+4]
        mov ebx, [ss:ebp+16]
        mov edx, [ss:ebp+20]
        mov ecx, [ss:ebp+24]
        lea esp, [ebp+46]       ; above IP, CS and flags
        push word 0x30
        push ax
        xor ax, ax
        retf

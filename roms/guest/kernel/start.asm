; SPDX-License-Identifier: GPL-2.0-or-later
;
; First instructions of the kernel: physical 100000h, 32-bit, paging off, flat segments of
; setup.asm. Clears .bss, maps the first 4 MB at 0 and at C0000000h, turns paging on and jumps to the high half.

        bits 32

PAGE_OFFSET equ 0C0000000h

        extern __bss_start, __bss_end, kernel_main, idle_union
        global _start, swapper_pg_dir, gdt_table, gdt_descriptor

        section .text.start progbits alloc exec nowrite align=16
_start: cld
        mov edi, __bss_start - PAGE_OFFSET
        mov ecx, __bss_end - PAGE_OFFSET
        sub ecx, edi
        shr ecx, 2
        xor eax, eax
        rep stosd

        mov edi, pg0 - PAGE_OFFSET      ; 4 MB of supervisor pages, present and writable
        mov eax, 3
        mov ecx, 1024
.fill:  stosd
        add eax, 1000h
        dec ecx
        jnz .fill
        mov eax, pg0 - PAGE_OFFSET + 3
        mov [swapper_pg_dir - PAGE_OFFSET], eax
        mov [swapper_pg_dir - PAGE_OFFSET + 768 * 4], eax

        mov eax, swapper_pg_dir - PAGE_OFFSET
        mov cr3, eax
        mov eax, cr0
        or eax, 80000000h
        mov cr0, eax
        jmp .flush
.flush: mov eax, .high
        jmp eax
.high:  lgdt [gdt_descriptor]
        jmp 10h:.seg
.seg:   mov eax, 18h
        mov ds, ax
        mov es, ax
        mov ss, ax
        xor eax, eax
        mov fs, ax
        mov gs, ax
        mov esp, idle_union + 8192
        mov dword [swapper_pg_dir], 0   ; remove the identity mapping
        mov eax, cr3
        mov cr3, eax
        push dword 0
        popfd
        call kernel_main
.stop:  hlt
        jmp .stop

        section .data progbits alloc noexec write align=8
gdt_table:
        dq 0, 0
        dq 00CF9A000000FFFFh            ; 10h kernel code
        dq 00CF92000000FFFFh            ; 18h kernel data
        dq 00CFFA000000FFFFh            ; 23h user code
        dq 00CFF2000000FFFFh            ; 2Bh user data
        dq 0, 0                         ; 30h, 38h: task state segments of idle and of the process
        dw 0
gdt_descriptor:
        dw 8 * 8 - 1
        dd gdt_table

        section .pages nobits alloc noexec write align=4096
swapper_pg_dir: resb 4096
pg0:            resb 4096

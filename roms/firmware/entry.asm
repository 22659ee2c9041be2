; SPDX-License-Identifier: GPL-2.0-or-later
; Reset and interrupt entry. Every service saves the registers as struct Regs (io.h), sets up the
; segments that the C code expects and calls it with EAX = frame. Results are written to the frame.
bits 16
cpu 386
section .text

%macro service 2                ; entry label, C function
extern %2
global %1
%1:
        push ds
        push es
        push fs
        push gs
        pushad
        mov ebx, %2
        jmp common_service
%endmacro

common_service:
        movzx esp, sp           ; the C code addresses its locals with 32-bit registers
        cld
        mov ax, ss
        mov ds, ax
        mov ax, cs
        mov gs, ax
        xor ax, ax
        mov fs, ax
        mov eax, esp
        call ebx
        popad
        pop gs
        pop fs
        pop es
        pop ds
        iret

service int02_entry, nmi
service int05_entry, print_screen
service int08_entry, timer_tick
service int0a_entry, unexpected_irq9
service int0e_entry, diskette_interrupt
service int10_entry, video_service
service int11_entry, equipment_service
service int12_entry, memory_size_service
service int13_entry, diskette_service
service int14_entry, serial_service
service int15_entry, system_service
service int16_entry, keyboard_service
service int17_entry, printer_service
service int18_entry, no_boot
service int19_entry, boot
service int1a_entry, clock_service
service int70_entry, clock_interrupt
service int74_entry, mouse_interrupt
service int75_entry, fpu_interrupt
service int76_entry, disk_interrupt
service unexpected_entry, unexpected_interrupt

; IRQ 9 replaces the XT's IRQ 2: acknowledge the second controller, continue at vector 0Ah.
global int71_entry
int71_entry:
        push ax
        mov al, 0x20
        out 0xA0, al
        pop ax
        int 0x0A
        iret

; INT 09h. Software may replace or swallow the scan code through INT 15h AH=4Fh (carry set = keep).
extern keyboard_interrupt
global int09_entry
int09_entry:
        push ds
        push es
        push fs
        push gs
        pushad
        mov al, 0xAD            ; disable the keyboard while its byte is translated
        out 0x64, al
        in al, 0x60             ; this clears IRQ 1
        mov ah, 0x4F
        stc
        int 0x15
        mov bl, al
        setc bh
        movzx esp, sp
        cld
        mov ax, ss
        mov ds, ax
        mov ax, cs
        mov gs, ax
        xor ax, ax
        mov fs, ax
        movzx eax, bl
        movzx edx, bh
        mov ebx, keyboard_interrupt
        call ebx
        popad
        pop gs
        pop fs
        pop es
        pop ds
        iret

global iret_entry
iret_entry:
        iret

; void call_far(u16 seg, u16 off): calls an external far routine; all registers may change.
global call_far
call_far:
        pushad
        push fs
        push gs
        push ds
        push cs
        push word .back
        push ax
        push dx
        retf
.back:
        pop ds
        pop gs
        pop fs
        popad
        movzx esp, sp
        o32 ret

; void call_mouse_handler(u16 seg, u16 off, const u16 words[4]): status, X, Y and 0 are pushed in this
; order and stay on the stack until the handler has returned (INT 15h C207h).
global call_mouse_handler
call_mouse_handler:
        pushad
        push fs
        push gs
        push ds
        push word [ecx]
        push word [ecx+2]
        push word [ecx+4]
        push word [ecx+6]
        push cs
        push word .back
        push ax
        push dx
        retf
.back:
        add sp, 8
        pop ds
        pop gs
        pop fs
        popad
        movzx esp, sp
        o32 ret

; void start_program(u16 seg, u16 off, u8 drive): leaves the firmware for a boot sector.
global start_program
start_program:
        mov bx, ax
        mov si, dx
        mov dl, cl
        xor dh, dh
        xor ax, ax
        mov ss, ax
        mov sp, 0x7C00
        mov ds, ax
        mov es, ax
        mov fs, ax
        mov gs, ax
        sti
        push bx
        push si
        retf

; Reset. The NMI is masked; the shutdown byte (CMOS 0Fh) distinguishes a program's return from protected mode
; by a processor reset from a cold or warm start. It is used only if the 8042's system flag says that POST
; has run before, because CMOS may hold anything after power-on.
global reset_entry
extern post
reset_entry:
        cli
        cld
        in al, 0x64
        test al, 4
        jz cold_start
        cmp al, 0xFF
        je cold_start
        mov al, 0x8F
        out 0x70, al
        in al, 0x71
        mov bl, al
        mov al, 0x8F
        out 0x70, al
        mov al, 0
        out 0x71, al
        xor ax, ax
        mov ds, ax
        cmp bl, 5
        je .acknowledge_and_jump
        cmp bl, 10
        je .jump
        cmp bl, 9
        jne cold_start
        lss sp, [0x467]         ; 9: return from a block move, with a stack prepared by its caller
        in al, 0x92
        and al, 0xFC
        out 0x92, al
        call nmi_on
        popa
        pop es
        pop ds
        iret
.acknowledge_and_jump:
        mov al, 0x20
        out 0xA0, al
        out 0x20, al
.jump:
        mov al, 0x0D
        out 0x70, al
        in al, 0x71
        jmp far [0x467]

nmi_on:
        mov al, 0x0D
        out 0x70, al
        in al, 0x71
        ret

cold_start:
        mov al, 0x8F
        out 0x70, al
        in al, 0x71
        xor ax, ax
        mov ss, ax
        mov esp, 0x7000
        mov ds, ax
        mov es, ax
        mov fs, ax
        mov ax, cs
        mov gs, ax
        mov eax, post
        call eax
        hlt

; u32 cpu_family(void): 3, 4 or the family that CPUID reports. A 386 cannot toggle AC in EFLAGS.
global cpu_family
cpu_family:
        push ebx
        pushfd
        pop eax
        mov ecx, eax
        xor eax, 1 << 18
        push eax
        popfd
        pushfd
        pop eax
        xor eax, ecx
        push ecx
        popfd
        test eax, 1 << 18
        mov eax, 3
        jz .done
        mov eax, ecx
        xor eax, 1 << 21
        push eax
        popfd
        pushfd
        pop eax
        xor eax, ecx
        push ecx
        popfd
        test eax, 1 << 21
        mov eax, 4
        jz .done
        mov eax, 1
cpu 586
        cpuid
cpu 386
        shr eax, 8
        and eax, 15
.done:
        pop ebx
        o32 ret

; void cache_off(void), void cache_on(void): CR0.CD and CR0.NW, 486 and later.
global cache_off
cache_off:
        mov eax, cr0
        or eax, 0x60000000
        mov cr0, eax
cpu 486
        wbinvd
        o32 ret

global cache_on
cache_on:
        wbinvd
cpu 386
        mov eax, cr0
        and eax, ~0x60000000
        mov cr0, eax
        o32 ret

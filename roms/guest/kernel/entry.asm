; SPDX-License-Identifier: GPL-2.0-or-later
;
; Kernel entry and exit: exceptions, interrupts 20h to 2Fh, system call 80h, the return
; paths with their bottom-half, reschedule and signal checks, and the task switch.
;
; Order of the checks on exit (Linux 2.2, docs/hardware/linux-2.2-network-path.md#return-paths):
; a system call checks the bottom halves, then need_resched, then a pending signal; an interrupt
; does so only if it returns to ring 3. An interrupt of kernel code returns at once.
;
; Stack frame = struct regs of kernel.h.

        bits 32

KERNEL_DS equ 18h
TASK_MASK equ 0FFFFE000h
TASK_SIGPENDING   equ 4                 ; struct task of kernel.h
TASK_NEED_RESCHED equ 8
TASK_ESP equ 12
TASK_CR3 equ 16
TASK_TSS equ 20
TASK_FS  equ 24
TASK_GS  equ 28

R_EAX    equ 24
R_CS     equ 44
NR_CALLS equ 33                        ; system/calls.h
ENOSYS   equ 38

        extern do_irq, do_exception, do_bottom_half, schedule, do_signal
        extern bh_mask, bh_active, call_table, gdt_table
        global ret_from_fork, system_call, switch_to, irq_stubs, exception_stubs

%macro SAVE_ALL 0
        cld
        push es
        push ds
        push eax
        push ebp
        push edi
        push esi
        push edx
        push ecx
        push ebx
        mov edx, KERNEL_DS
        mov ds, dx
        mov es, dx
%endmacro

        section .text progbits alloc exec nowrite align=16

system_call:
        push eax
        SAVE_ALL
        mov ebx, esp
        and ebx, TASK_MASK
        cmp eax, NR_CALLS
        jae no_call
        call [call_table + eax * 4]
        mov [esp + R_EAX], eax
ret_from_call:
        mov eax, [bh_mask]
        and eax, [bh_active]
        jnz bottom
work:   cmp dword [ebx + TASK_NEED_RESCHED], 0
        jne reschedule
        cmp dword [ebx + TASK_SIGPENDING], 0
        jne signal_return
restore_all:
        pop ebx
        pop ecx
        pop edx
        pop esi
        pop edi
        pop ebp
        pop eax
        pop ds
        pop es
        add esp, 4
        iret
no_call:
        mov dword [esp + R_EAX], -ENOSYS
        jmp ret_from_call
bottom:
        call do_bottom_half
        jmp ret_from_intr
reschedule:
        call schedule
        jmp ret_from_call
signal_return:
        sti
        mov eax, esp
        push eax
        call do_signal
        add esp, 4
        jmp restore_all

ret_from_intr:
        mov ebx, esp
        and ebx, TASK_MASK
        test byte [esp + R_CS], 3
        jnz work
        jmp restore_all

ret_from_fork:
        mov ebx, esp
        and ebx, TASK_MASK
        jmp ret_from_call

        align 16
irq_stubs:                              ; 16 bytes each
%assign n 0
%rep 16
        align 16
        push dword n - 256
        jmp common_irq
%assign n n + 1
%endrep

        align 16
common_irq:
        SAVE_ALL
        mov eax, esp
        push eax
        call do_irq
        add esp, 4
        jmp ret_from_intr

        align 16
exception_stubs:                        ; 16 bytes each, vectors 0 to 19
%assign n 0
%rep 20
        align 16
%if n == 8 || n == 10 || n == 11 || n == 12 || n == 13 || n == 14 || n == 17
        ; the processor has pushed an error code
%else
        push dword 0
%endif
        push dword n
        jmp common_exception
%assign n n + 1
%endrep

        align 16
common_exception:                       ; stack: vector, error code, eip, cs, eflags
        xchg eax, [esp]                 ; eax = vector
        push es
        push ds
        push eax                        ; the slot of eax holds the vector for now
        push ebp
        push edi
        push esi
        push edx
        push ecx
        push ebx
        cld
        mov edx, KERNEL_DS
        mov ds, dx
        mov es, dx
        mov eax, esp
        push eax
        call do_exception               ; never returns: an exception ends the run
.stop:  cli
        hlt
        jmp .stop

; void switch_to(struct task *prev, struct task *next)
        align 16
switch_to:
        push ebp
        push edi
        push esi
        push ebx
        mov eax, [esp + 20]
        mov edx, [esp + 24]
        mov [eax + TASK_ESP], esp
        mov esp, [edx + TASK_ESP]
        mov word [eax + TASK_FS], fs
        mov word [eax + TASK_GS], gs
        mov ecx, [edx + TASK_TSS]
        and dword [gdt_table + ecx + 4], 0FFFFFDFFh     ; clear the busy bit
        ltr cx
        mov ecx, [edx + TASK_CR3]
        cmp ecx, [eax + TASK_CR3]
        je .same
        mov cr3, ecx
.same:  mov fs, [edx + TASK_FS]
        mov gs, [edx + TASK_GS]
        pop ebx
        pop esi
        pop edi
        pop ebp
        ret

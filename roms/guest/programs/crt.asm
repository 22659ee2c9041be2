; SPDX-License-Identifier: GPL-2.0-or-later
;
; Start of the ring-3 program, system calls, and the return from the alarm handler.

        bits 32
        extern main
        global _start, system_call3, alarm_restorer

        section .text.start progbits alloc exec nowrite align=16
_start: call main
        mov ebx, eax
        mov eax, 0                      ; CALL_EXIT
        int 80h
        jmp $

        section .text progbits alloc exec nowrite align=16
; int system_call3(u32 number, u32 a, u32 b, u32 c)
system_call3:
        push ebx
        mov eax, [esp + 8]
        mov ebx, [esp + 12]
        mov ecx, [esp + 16]
        mov edx, [esp + 20]
        int 80h
        pop ebx
        ret

alarm_restorer:
        mov eax, 10                     ; CALL_SIGRETURN; ESP points at the saved registers
        int 80h
        jmp $

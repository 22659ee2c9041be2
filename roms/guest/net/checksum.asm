; SPDX-License-Identifier: GPL-2.0-or-later
;
; Internet checksums. Per 32 bytes copied: 8 loads, 8 stores, 8 ADC, 2 LEA, DEC, JNZ = 28
; instructions, then 7 per further dword: the cost of the real kernel's routine for a 386
; (docs/hardware/linux-2.2-network-path.md#cost-by-event). Sums are 32-bit one's complement
; accumulators.

        bits 32
        global csum_partial, csum_copy, ip_header_csum

        section .text progbits alloc exec nowrite align=16

; u32 csum_copy(const void *from, void *to, u32 n, u32 sum): `to` is even
csum_copy:
        sub esp, 4
        push edi
        push esi
        push ebx
        mov eax, [esp + 32]
        mov ecx, [esp + 28]
        mov esi, [esp + 20]
        mov edi, [esp + 24]
        mov [esp + 12], ecx
        shr ecx, 5
        jz .dwords
        clc
.block:
%assign o 0
%rep 4
        mov ebx, [esi + o]
        mov edx, [esi + o + 4]
        adc eax, ebx
        mov [edi + o], ebx
        adc eax, edx
        mov [edi + o + 4], edx
%assign o o + 8
%endrep
        lea esi, [esi + 32]
        lea edi, [edi + 32]
        dec ecx
        jnz .block
        adc eax, 0
.dwords:
        mov edx, [esp + 12]
        mov ecx, edx
        and edx, 1Ch
        jz .tail
        shr edx, 2
        clc
.dword: mov ebx, [esi]
        adc eax, ebx
        mov [edi], ebx
        lea esi, [esi + 4]
        lea edi, [edi + 4]
        dec edx
        jnz .dword
        adc eax, 0
.tail:  and ecx, 3
        jz .done
        cmp ecx, 2
        jb .byte
        mov cx, [esi]
        lea esi, [esi + 2]
        mov [edi], cx
        lea edi, [edi + 2]
        je .add
        shl ecx, 16
.byte:  mov cl, [esi]
        mov [edi], cl
.add:   add eax, ecx
        adc eax, 0
.done:  pop ebx
        pop esi
        pop edi
        add esp, 4
        ret

; u32 csum_partial(const void *p, u32 n, u32 sum): `p` is even. The first word is added separately if the
; doublewords would otherwise be misaligned, as after the 14 bytes of an Ethernet header (i386/lib/checksum.S).
        align 16
csum_partial:
        push esi
        push ebx
        mov eax, [esp + 20]
        mov ecx, [esp + 16]
        mov esi, [esp + 12]
        test esi, 2
        jz .even
        sub ecx, 2
        jae .word
        add ecx, 2
        jmp .tail
.word:  mov bx, [esi]
        add esi, 2
        add ax, bx
        adc eax, 0
.even:  mov edx, ecx
        shr ecx, 5
        jz .dwords
        clc
.block:
%assign o 0
%rep 8
        mov ebx, [esi + o]
        adc eax, ebx
%assign o o + 4
%endrep
        lea esi, [esi + 32]
        dec ecx
        jnz .block
        adc eax, 0
.dwords:
        mov ecx, edx
        and edx, 1Ch
        jz .tail
        shr edx, 2
        clc
.dword: adc eax, [esi]
        lea esi, [esi + 4]
        dec edx
        jnz .dword
        adc eax, 0
.tail:  and ecx, 3
        jz .done
        cmp ecx, 2
        jb .byte
        mov cx, [esi]
        lea esi, [esi + 2]
        je .add
        shl ecx, 16
.byte:  mov cl, [esi]
.add:   add eax, ecx
        adc eax, 0
.done:  pop ebx
        pop esi
        ret

; u16 ip_header_csum(const void *header, u32 words): folded and inverted; 0 if correct
        align 16
ip_header_csum:
        push esi
        mov esi, [esp + 8]
        mov ecx, [esp + 12]
        mov eax, [esi]
        sub ecx, 4
        jbe .fold
        add eax, [esi + 4]
        adc eax, [esi + 8]
        adc eax, [esi + 12]
.word:  adc eax, [esi + 16]
        lea esi, [esi + 4]
        dec ecx
        jnz .word
        adc eax, 0
.fold:  mov ecx, eax
        shr eax, 16
        add ax, cx
        adc eax, 0
        not eax
        and eax, 0FFFFh
        pop esi
        ret

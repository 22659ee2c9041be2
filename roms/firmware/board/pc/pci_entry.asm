; SPDX-License-Identifier: GPL-2.0-or-later
; int pci_bios_call(struct Regs*): the PCI BIOS in real mode with the registers of the frame (io.h).
bits 16
cpu 386
section .text

extern routing_table

global pci_bios_call
pci_bios_call:
        pushad
        mov ebp, eax
        mov edi, [ebp]
        mov esi, [ebp+4]
        mov ebx, [ebp+16]
        mov edx, [ebp+20]
        mov ecx, [ebp+24]
        mov eax, [ebp+28]
        call pci_bios
        mov [ebp+16], ebx
        mov [ebp+20], edx
        mov [ebp+24], ecx
        mov [ebp+28], eax
        sbb eax, eax
        neg eax
        mov [esp+28], eax       ; EAX of POPAD
        popad
        o32 ret

pci_bios:
%include "pci_bios.inc"

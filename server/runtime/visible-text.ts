// Makes text from outside safe to print on a terminal.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Replaces characters that would control a terminal, or make text look different, by question marks. */
export const visibleText = (text: string): string => text.replaceAll(INVISIBLE, '?');

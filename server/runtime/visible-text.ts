// Text of others on a terminal.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** With question marks for characters that would act on a terminal, or make text look like other text. */
export const visibleText = (text: string): string => text.replaceAll(INVISIBLE, '?');

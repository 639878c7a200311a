// How names are compared. Identity keeps accents (Bjork is not Björk); sorting and searching do not.

const BLANKS = /[\s\u00a0\u200b\ufeff]+/g;
const MARKS = /\p{M}+/gu;
const ASCII = /^[\x20-\x7e]*$/;

/** Same artist, album title or genre: equal but for width, case and blanks (decisions 8). */
export function identityKey(text: string): string {
  const normal = ASCII.test(text) ? text : text.normalize('NFKC');
  return normal.toLowerCase().replace(BLANKS, ' ').trim();
}

/** Folded for finding: width, case, accents and marks do not count. */
export function searchFold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase().normalize('NFC');
}

/** Key by which names stand in order. Blanks are as one; a name of signs only keeps its signs. */
export const sortKey = (text: string): string => searchFold(text).replace(BLANKS, ' ').trim();

/** `The Quays` → `Quays, The`: how an artist is filed when the tags do not say. */
export function sortName(name: string): string {
  const [, article, rest] = /^(the)\s+(\S.*)$/i.exec(name.trim()) ?? [];
  return rest ? `${rest}, ${article}` : name.trim();
}

// Trims text in linear time. `/[./]+$/` would take time that grows with the square of the length of a run that is not
// at the end.

/** Removes characters at the end that match a pattern for one character. */
export function trimEnd(text: string, characters: RegExp): string {
  let end = text.length;
  while (end > 0 && characters.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Removes matching characters at both ends. */
export function trimBoth(text: string, characters: RegExp): string {
  let start = 0;
  while (start < text.length && characters.test(text.charAt(start))) start++;
  return trimEnd(text.slice(start), characters);
}

/** Splits values of a tag: ID3v2.3 has no lists, so programs write several values with separators between them. */
export const separateValues = (values: readonly string[] = [], sign = /[;\0]/): string[] => [
  ...new Set(values.flatMap((value) => value.split(sign)).flatMap((value) => value.trim() || [])),
];

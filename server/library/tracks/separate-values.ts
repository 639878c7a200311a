/** Splits values of a tag: ID3v2.3 has no lists, and programs write them with signs between. */
export const separateValues = (values: readonly string[] = [], sign = /[;\0]/): string[] => [
  ...new Set(values.flatMap((value) => value.split(sign)).flatMap((value) => value.trim() || [])),
];

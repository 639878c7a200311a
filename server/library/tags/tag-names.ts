// The tags that tracks are filtered by: those that are always read, and those that a person named.
export const FILTERED_TAGS = ['mood', 'grouping'] as const;
type FilteredTag = (typeof FILTERED_TAGS)[number];

const isFilteredTag = (name: string): name is FilteredTag => FILTERED_TAGS.some((tag) => tag === name);

/** Returns the name of a tag as it is stored: in lower case for moods and groupings, in upper case for others. */
export function storedTagName(name: string): string {
  const lowerCaseName = name.trim().toLowerCase();
  return isFilteredTag(lowerCaseName) ? lowerCaseName : name.trim().toUpperCase();
}

// The sections of the settings window, in order, and the addresses of settings in them.
export const SECTION_NAMES = [
  'general',
  'library',
  'storage',
  'metadata',
  'network',
  'playback',
  'remote',
  'account',
  'accounts',
  'about',
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

/** Sections that change the server; the other sections are personal. */
const OWNER_SECTIONS: readonly SectionName[] = ['library', 'storage', 'metadata', 'remote', 'accounts'];
export const isForOwner = (section: SectionName): boolean => OWNER_SECTIONS.includes(section);

/** The name of a server's setting in the address. */
export const settingName = (key: string): string => key.replaceAll('_', '-');

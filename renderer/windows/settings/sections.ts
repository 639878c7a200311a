// The sections of the settings window, in order. The URL contains the open section: /settings#network.
import {
  IconAbout,
  IconAccount,
  IconAccounts,
  IconDiscover,
  IconHeadphones,
  IconLibrary,
  IconMetadata,
  IconPhone,
  IconSettings,
  IconStorage,
} from '../../ui/theme/icons.ts';
import { useSyncExternalStore } from 'react';

/** Owner sections change the server; the other sections are personal. */
const SECTIONS = [
  { name: 'general', icon: IconSettings, forOwner: false },
  { name: 'library', icon: IconLibrary, forOwner: true },
  { name: 'storage', icon: IconStorage, forOwner: true },
  { name: 'metadata', icon: IconMetadata, forOwner: true },
  { name: 'network', icon: IconPhone, forOwner: false },
  { name: 'playback', icon: IconHeadphones, forOwner: false },
  { name: 'remote', icon: IconDiscover, forOwner: true },
  { name: 'account', icon: IconAccount, forOwner: false },
  { name: 'accounts', icon: IconAccounts, forOwner: true },
  { name: 'about', icon: IconAbout, forOwner: false },
] as const;

export type SectionName = (typeof SECTIONS)[number]['name'];

const readHash = (): string => location.hash.slice(1);

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** Returns the open section among those that this user may see. */
export function useSection(isOwner: boolean) {
  const hash = useSyncExternalStore(subscribe, readHash);
  const sections = SECTIONS.filter((section) => isOwner || !section.forOwner);
  return { sections, current: sections.find(({ name }) => name === hash)?.name ?? ('general' satisfies SectionName) };
}

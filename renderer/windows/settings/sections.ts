// The sections of the settings window, in order. The URL has the open one: /settings#network.
import {
  IconBroadcast,
  IconDatabase,
  IconDeviceMobile,
  IconFolder,
  IconInfoCircle,
  IconPlayerPlay,
  IconSettings,
  IconTags,
  IconUsers,
} from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';

/** Sections for the owner change the server; the others are personal. */
export const SECTIONS = [
  { name: 'general', icon: IconSettings, forOwner: false },
  { name: 'library', icon: IconFolder, forOwner: true },
  { name: 'storage', icon: IconDatabase, forOwner: true },
  { name: 'metadata', icon: IconTags, forOwner: false },
  { name: 'network', icon: IconDeviceMobile, forOwner: false },
  { name: 'playback', icon: IconPlayerPlay, forOwner: false },
  { name: 'remote', icon: IconBroadcast, forOwner: true },
  { name: 'accounts', icon: IconUsers, forOwner: true },
  { name: 'about', icon: IconInfoCircle, forOwner: false },
] as const;

export type SectionName = (typeof SECTIONS)[number]['name'];

const readHash = (): string => location.hash.slice(1);

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** The open section, of those this user may see. */
export function useSection(isOwner: boolean) {
  const hash = useSyncExternalStore(subscribe, readHash);
  const sections = SECTIONS.filter((section) => isOwner || !section.forOwner);
  return { sections, current: sections.find(({ name }) => name === hash)?.name ?? ('general' satisfies SectionName) };
}

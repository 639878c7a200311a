// The parts of the settings window, in the order of its list. The address names the one that is open:
// /settings#network.
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

/** Those for the owner change the server; the others are everybody's own. */
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

/** The section that is open, of those that this person has. */
export function useSection(isOwner: boolean) {
  const hash = useSyncExternalStore(subscribe, readHash);
  const sections = SECTIONS.filter((section) => isOwner || !section.forOwner);
  return { sections, current: sections.find(({ name }) => name === hash)?.name ?? ('general' satisfies SectionName) };
}

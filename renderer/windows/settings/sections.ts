// The sections of the settings window, in order. The address contains the open section: /settings#network.
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
  type Icon,
} from '../../ui/theme/icons.ts';
import { useAddress } from '../../features/settings/jump.ts';
import { isForOwner, SECTION_NAMES, type SectionName } from '../../music/setting-sections.ts';

export const SECTION_ICONS: Record<SectionName, Icon> = {
  general: IconSettings,
  library: IconLibrary,
  storage: IconStorage,
  metadata: IconMetadata,
  network: IconPhone,
  playback: IconHeadphones,
  remote: IconDiscover,
  account: IconAccount,
  accounts: IconAccounts,
  about: IconAbout,
};

/** Returns the open section among those that this user may see. */
export function useSection(isOwner: boolean): { sections: SectionName[]; current: SectionName } {
  const { section } = useAddress();
  const sections = SECTION_NAMES.filter((name) => isOwner || !isForOwner(name));
  return { sections, current: sections.find((name) => name === section) ?? 'general' };
}

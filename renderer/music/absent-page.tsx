import { useTranslation } from 'react-i18next';
import { ButtonLink } from '../ui/controls/button.tsx';
import { usePageTitle } from '../ui/page.tsx';
import { AbsentState } from '../ui/states.tsx';
import '../i18n/page-texts.ts';

const LISTS = {
  album: '/albums',
  artist: '/artists',
  playlist: '/playlists',
  person: '/people',
  folder: '/folders',
} as const;

/** The page of an album, artist, playlist, person or folder that does not exist or was deleted. */
export function AbsentPage({ kind }: { kind: keyof typeof LISTS }) {
  const { t } = useTranslation();
  const title = t(`absent.${kind}`);
  usePageTitle(title);
  return (
    <AbsentState title={title} actions={<ButtonLink to={LISTS[kind]}>{t(`absent.all.${kind}`)}</ButtonLink>}>
      {t(kind === 'folder' ? 'absent.folderText' : 'absent.text')}
    </AbsentState>
  );
}

// Displays how much music a folder of the server contains.
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { folderContentsQuery } from '../api/music-folders.ts';
import type { FolderContentsOut } from '../api/routes.ts';
import { addSettingTexts } from '../i18n/setting-texts.ts';
import { formatBytes, formatNumber } from '../ui/format.ts';

/** The number of tracks of a folder in a list. */
export function TrackCount({ path }: { path: string }) {
  const { t } = useTranslation();
  const { data, isPending } = useQuery(folderContentsQuery(path, { isListed: true }));
  addSettingTexts();
  if (isPending) return <>{t('contents.counting')}</>;
  return <>{data && data.unreadable_folders === 0 && countText(t, data)}</>;
}

const countText = (t: TFunction, { audio_files, is_complete }: FolderContentsOut): string => {
  const number = formatNumber(audio_files);
  if (!is_complete) return audio_files === 0 ? '' : t('contents.moreThan', { number });
  return audio_files === 0 ? t('contents.none') : t('contents.tracks', { count: audio_files, number });
};

/** What the folder contains, in a sentence: the music, or what else. */
export function FolderContents({ path }: { path: string }) {
  const { t } = useTranslation();
  const { data, isPending, error } = useQuery(folderContentsQuery(path));
  addSettingTexts();
  if (error) return null; // the field of the path displays the error
  return <p aria-live="polite">{isPending ? t('contents.counting') : describeContents(t, data)}</p>;
}

/** Returns the music of a folder, or, where there is none, what was seen in it. */
export function describeContents(t: TFunction, contents: FolderContentsOut): string {
  const { audio_files, audio_bytes, folders, other_files, protected_files, unreadable_folders, ignored } = contents;
  const sentences: string[] = [];
  addSettingTexts();
  if (audio_files > 0)
    sentences.push(
      t(folders === 0 ? 'contents.music' : 'contents.musicInFolders', {
        tracks: countText(t, contents),
        folders: t('contents.folders', { count: folders, number: formatNumber(folders) }),
        size: formatBytes(audio_bytes),
      }),
    );
  else if (unreadable_folders > 0 && folders === 0) return t('contents.unreadable');
  else if (folders + other_files + ignored === 0) return t('contents.empty');
  else {
    sentences.push(t('contents.noMusic'));
    if (other_files > 0)
      sentences.push(
        t('contents.others', {
          count: other_files,
          number: formatNumber(other_files),
          kinds: contents.other_kinds.map(({ extension }) => `.${extension}`).join(', '),
        }),
      );
    if (ignored > 0) sentences.push(t('contents.ignored', { count: ignored, number: formatNumber(ignored) }));
  }
  if (protected_files > 0)
    sentences.push(t('contents.protected', { count: protected_files, number: formatNumber(protected_files) }));
  if (unreadable_folders > 0)
    sentences.push(
      t('contents.unreadableFolders', { count: unreadable_folders, number: formatNumber(unreadable_folders) }),
    );
  return sentences.join(' ');
}

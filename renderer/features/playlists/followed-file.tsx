import { useId } from 'react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { useFollowFile } from '../../api/playlists.ts';
import { detailOf } from '../../api/problem.ts';
import type { PlaylistOut } from '../../api/routes.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { formatNumber } from '../../ui/format.ts';
import styles from './followed-file.module.css';

type FollowedFile = NonNullable<PlaylistOut['file']>;

/** Says which file a playlist follows, and lists the lines of the file that have no track. */
export function FollowedFile({ playlist, isOwnPlaylist }: { playlist: PlaylistOut; isOwnPlaylist: boolean }) {
  const { t } = useTranslation();
  const notice = useUndoNotice();
  const follow = useFollowFile();
  const { id, file } = playlist;
  if (!file) return null;
  const isFollowing = file.state === 'follows';
  const change = () =>
    follow.mutate({ id, isFollowing: !isFollowing }, { onError: (error) => notice.tell(detailOf(error)) });
  return (
    <section className={styles.file} aria-label={t('playlistFile.title')}>
      <div className={styles.state}>
        <p>
          <strong>{stateText(t, file)}</strong> <span className={styles.path}>{file.path}</span>
          <span className={styles.hint}>{hintText(t, file)}</span>
        </p>
        {isOwnPlaylist && !file.is_gone && (
          <Button disabled={follow.isPending} onClick={change}>
            {t(isFollowing ? 'playlistFile.stop' : 'playlistFile.followAgain')}
          </Button>
        )}
      </div>
      {file.fault !== null && <p className={styles.hint}>{t('playlistFile.fault', { fault: file.fault })}</p>}
      {isOwnPlaylist && isFollowing && file.unmatched_count > 0 && (
        <UnmatchedLines playlist={playlist} count={file.unmatched_count} />
      )}
    </section>
  );
}

function stateText(t: TFunction, { state, is_gone: isGone }: FollowedFile): string {
  if (isGone) return t('playlistFile.gone');
  return t(state === 'follows' ? 'playlistFile.follows' : 'playlistFile.madeOf');
}

function hintText(t: TFunction, { state, is_gone: isGone }: FollowedFile): string | undefined {
  if (isGone) return t('playlistFile.goneHint');
  if (state === 'edited') return t('playlistFile.editedHint');
  return state === 'stopped' ? t('playlistFile.stoppedHint') : undefined;
}

function UnmatchedLines({ playlist, count }: { playlist: PlaylistOut; count: number }) {
  const { t } = useTranslation();
  const titleId = useId();
  const lines = playlist.unmatched ?? [];
  return (
    <details className={styles.unmatched}>
      <summary id={titleId}>{t('playlistFile.unmatched', { count, number: formatNumber(count) })}</summary>
      <p className={styles.hint}>{t('playlistFile.unmatchedHint')}</p>
      <ul tabIndex={0} aria-labelledby={titleId}>
        {lines.map(({ line, text, reason }) => (
          <li key={line}>
            <span>{formatNumber(line)}</span>
            <code>{text}</code>
            <span>{reason}</span>
          </li>
        ))}
      </ul>
      {lines.length > 0 && count > lines.length && (
        <p className={styles.hint}>{t('playlistFile.more', { number: formatNumber(count - lines.length) })}</p>
      )}
    </details>
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { IconDelete, IconEdit, IconFetch, IconIdentify, IconShowFolder, IconUndo } from '../../ui/theme/icons.ts';
import type { TrackOut } from '../../api/routes.ts';
import { detailOf } from '../../api/problem.ts';
import { useMaterialize } from '../../api/remote.ts';
import { useUndoEnrichment } from '../../api/review.ts';
import { matchesQuery, useIdentify } from '../../api/tracks.ts';
import { trackCover } from '../../api/urls.ts';
import { desktop } from '../../desktop.ts';
import { useActions } from '../../music/use-actions.ts';
import { useMayEdit } from '../../music/use-may-edit.ts';
import { Chapters } from '../../music/chapters.tsx';
import { useDeleteTracks } from '../../music/use-delete-tracks.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Cover } from '../../ui/cover.tsx';
import { EditForm } from './edit-form.tsx';
import { EditList } from './edit-list.tsx';
import { FieldList } from './field-list.tsx';
import { FileInfo } from './file-info.tsx';
import { LyricsSection } from './lyrics-section.tsx';
import { Matches } from './matches.tsx';
import { Measured } from './measured.tsx';
import { SoundsLike } from './sounds-like.tsx';
import { TrackCredits } from './track-credits.tsx';
import { TrackRating } from './track-rating.tsx';
import { TrackVersions } from './track-versions.tsx';
import '../../i18n/page-texts.ts';
import styles from './details.module.css';

interface TrackDetailsProps {
  track: TrackOut;
  editing: boolean;
  onEdit: (editing: boolean) => void;
  onClose: () => void;
}

export function TrackDetails({ track, editing, onEdit, onClose }: TrackDetailsProps) {
  const { t } = useTranslation();
  const removeTracks = useDeleteTracks();
  const matches = useQuery(matchesQuery(track.id));
  const identify = useIdentify();
  const undo = useUndoEnrichment();
  const fetchAudio = useMaterialize();
  const showFile = useMutation({ mutationFn: async (id: number) => (await desktop?.showFile(id)) ?? false });
  const { asker } = useActions();
  const mayEdit = useMayEdit(track);
  const error = identify.error ?? undo.error ?? fetchAudio.error;

  const remove = () => {
    onClose();
    removeTracks([track]);
  };

  return (
    <div className={styles.details} data-track={track.id}>
      <div className={styles.head}>
        <Cover src={trackCover(track, 300)} alt="" className={styles.cover} />
        <div>
          <p className={styles.name}>{track.title}</p>
          <p>
            {track.artist_id === null ? (
              (track.artist_name ?? t('library.unknownArtist'))
            ) : (
              <Link to="/artists/$artistId" params={{ artistId: track.artist_id }}>
                {track.artist_name}
              </Link>
            )}
          </p>
          {track.album_id !== null && track.album_title !== null && (
            <p className={styles.quiet}>
              <Link to="/albums/$albumId" params={{ albumId: track.album_id }}>
                {track.album_title}
              </Link>
            </p>
          )}
          <TrackRating track={track} />
        </div>
      </div>

      <p className={styles.status} data-status={track.metadata_status} aria-live="polite">
        <span>{t(`metadataStatus.${track.metadata_status}`)}</span>
        {track.metadata_error ?? t(`metadataStatusText.${track.metadata_status}`)}
      </p>

      <div className={styles.actions}>
        {mayEdit && (
          <>
            <Button icon={IconEdit} aria-pressed={editing} onClick={() => onEdit(!editing)}>
              {t('details.edit')}
            </Button>
            <Button
              icon={IconIdentify}
              disabled={identify.isPending || track.metadata_status === 'manual'}
              onClick={() => identify.mutate(track.id)}
            >
              {t(identify.isSuccess ? 'details.asked' : 'details.identify')}
            </Button>
          </>
        )}
        {track.availability === 'remote' && asker.rights.can_upload && (
          <Button icon={IconFetch} disabled={fetchAudio.isPending} onClick={() => fetchAudio.mutate(track.id)}>
            {t('details.fetch')}
          </Button>
        )}
        {mayEdit && matches.data?.can_undo && (
          <Button icon={IconUndo} disabled={undo.isPending} onClick={() => undo.mutate(track.id)}>
            {t('details.undo')}
          </Button>
        )}
        {canShowFile(track) && (
          <Button icon={IconShowFolder} disabled={showFile.isPending} onClick={() => showFile.mutate(track.id)}>
            {t('details.showFile')}
          </Button>
        )}
        {mayEdit && (
          <Button icon={IconDelete} onClick={remove}>
            {t('details.delete')}
          </Button>
        )}
      </div>
      {error && (
        <p role="alert" className={styles.error}>
          {detailOf(error)}
        </p>
      )}
      {showFile.data === false && (
        <p role="alert" className={styles.error}>
          {t('details.fileElsewhere')}
        </p>
      )}

      {!mayEdit && <p className={styles.quiet}>{t('details.mayNotEdit')}</p>}
      {editing && mayEdit ? (
        <EditForm track={track} onDone={() => onEdit(false)} />
      ) : (
        <FieldList track={track} origins={matches.data?.origins ?? {}} />
      )}
      {!editing && <TrackCredits track={track} />}
      {matches.data && !editing && <Matches track={track} matches={matches.data} />}
      {!editing && <EditList trackId={track.id} mayEdit={mayEdit} />}
      {track.has_chapters && (
        <section aria-label={t('playback.chapters')}>
          <h3>{t('playback.chapters')}</h3>
          <Chapters track={track} />
        </section>
      )}
      {track.has_lyrics && <LyricsSection trackId={track.id} />}
      {track.availability === 'available' && <Measured trackId={track.id} />}
      {!editing && <TrackVersions track={track} />}
      {!editing && <SoundsLike track={track} />}
      <FileInfo track={track} />
    </div>
  );
}

/** Returns whether the desktop app can show the file in its folder, which is impossible for objects in a store. */
const canShowFile = ({ availability, storage_uri }: TrackOut): boolean =>
  desktop !== null && availability === 'available' && /^(?:file|local):/.test(storage_uri ?? '');

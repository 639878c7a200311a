// Merges an album into another album, and splits tracks off, by editing the album of the tracks.
import { Checkbox, Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { sendChange, useUndoEdits } from '../../../api/edits.ts';
import type { AlbumOut, TrackOut } from '../../../api/routes.ts';
import { randomId } from '../../../api/random-id.ts';
import { albumPage, albumFilesQuery, LIBRARY } from '../../../api/library.ts';
import { detailOf } from '../../../api/problem.ts';
import { useMergeAlbums, useUndoRegrouping } from '../../../api/review.ts';
import { albumCover } from '../../../api/urls.ts';
import { edit } from '../../../music/editing.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Cover } from '../../../ui/cover.tsx';
import { ProgressBar } from '../../../ui/controls/progress-bar.tsx';
import { useUndoNotice } from '../../../ui/controls/undo-notice.tsx';
import '../../../i18n/page-texts.ts';
import rows from '../../../ui/lists/rows.module.css';
import { changeOf, type BatchForm } from '../tracks/batch-changes.ts';
import styles from './album-cover.module.css';

const OFFERED_PAGE = { limit: 20, offset: 0 };
const TYPING_PAUSE_MS = 150;

/** Returns a function that assigns tracks to another album and offers to undo this. */
function useMoveTracks() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { done: offerUndo, tell } = useUndoNotice();
  const undo = useUndoEdits();
  const [doneCount, setDone] = useState<number | null>(null);
  const [failure, setFailure] = useState('');
  const move = async (tracks: readonly TrackOut[], form: BatchForm) => {
    const batch = randomId();
    setFailure('');
    try {
      for (const [i, track] of tracks.entries()) {
        const change = changeOf(track, form);
        setDone(i);
        if (change) await sendChange(change, batch);
      }
      edit(null);
      offerUndo(t('regroup.moved', { count: tracks.length, album: form.album }), () =>
        undo.mutate(batch, { onError: (reason) => tell(detailOf(reason)) }),
      );
    } catch (error) {
      setFailure(detailOf(error));
    } finally {
      setDone(null);
      await queries.invalidateQueries({ queryKey: [LIBRARY] });
    }
  };
  return { move, done: doneCount, failure };
}

interface FrameProps {
  title: string;
  moving: ReturnType<typeof useMoveTracks>;
  total: number | null;
  children: ReactNode;
}

function Frame({ title, moving: { done, failure }, total, children }: FrameProps) {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={() => edit(null)} title={title} closeButtonProps={{ 'aria-label': t('edit.cancel') }}>
      <div className={styles.fields}>
        {children}
        {done !== null && <ProgressBar done={done} total={total} label={t('edit.saving')} />}
        {failure && <p role="alert">{failure}</p>}
      </div>
    </Modal>
  );
}

/** Returns a function that merges this album into another album of the same name and offers to undo this. */
function useMergeSameName(album: AlbumOut) {
  const { t } = useTranslation();
  const { done: offerUndo, tell } = useUndoNotice();
  const merge = useMergeAlbums();
  const undo = useUndoRegrouping();
  const report = { onError: (error: Error) => tell(detailOf(error)) };
  const isSameName = ({ title, artist_id }: AlbumOut): boolean =>
    artist_id === album.artist_id && title.toLowerCase() === album.title.toLowerCase();
  const mergeInto = (otherAlbum: AlbumOut) =>
    merge.mutate(
      { id: album.id, into: otherAlbum.id },
      {
        ...report,
        onSuccess: ({ id }) => {
          edit(null);
          offerUndo(t('regroup.merged', { title: album.title }), () => undo.mutate(id, report));
        },
      },
    );
  return { isSameName, mergeInto, isPending: merge.isPending };
}

export function MergeDialog({ album }: { album: AlbumOut }) {
  const { t } = useTranslation();
  const sameName = useMergeSameName(album);
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), TYPING_PAUSE_MS);
  const tracks = useQuery(albumFilesQuery(album.id));
  const moving = useMoveTracks();
  // before a search, the albums of the same artist are listed
  const filter = q === '' && album.artist_id !== null ? { artist_id: album.artist_id } : { ...(q !== '' && { q }) };
  const { data } = useQuery({
    ...albumPage({ ...filter, unnamed: false }, OFFERED_PAGE),
    placeholderData: keepPreviousData,
  });
  const otherAlbums = data?.items.filter(({ id }) => id !== album.id) ?? [];
  return (
    <Frame title={t('regroup.mergeTitle', { title: album.title })} moving={moving} total={tracks.data?.length ?? null}>
      <p>{t('regroup.mergeHelp')}</p>
      <TextInput
        type="search"
        label={t('regroup.find')}
        value={text}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className={styles.list}>
        {otherAlbums.map((otherAlbum) => (
          <button
            key={otherAlbum.id}
            type="button"
            disabled={!tracks.data || moving.done !== null || sameName.isPending}
            onClick={() => {
              if (sameName.isSameName(otherAlbum)) return sameName.mergeInto(otherAlbum);
              void moving.move(tracks.data ?? [], {
                album: otherAlbum.title,
                album_artist: otherAlbum.artist_name ?? '',
                ...(otherAlbum.year !== null && { year: String(otherAlbum.year) }),
              });
            }}
          >
            <Cover src={albumCover(otherAlbum, 160)} alt="" />
            <span className={rows.text}>
              <span className={rows.title}>{otherAlbum.title}</span>
              <span className={rows.by}>
                {[otherAlbum.artist_name, otherAlbum.year, otherAlbum.edition].filter(Boolean).join(' · ')}
              </span>
            </span>
          </button>
        ))}
        {data && otherAlbums.length === 0 && <p>{t('list.noMatch')}</p>}
      </div>
    </Frame>
  );
}

export function SplitDialog({ album }: { album: AlbumOut }) {
  const { t } = useTranslation();
  const { data: tracks } = useQuery(albumFilesQuery(album.id));
  const moving = useMoveTracks();
  const [chosenIds, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [title, setTitle] = useState('');
  const movedTracks = tracks?.filter(({ id }) => chosenIds.has(id)) ?? [];
  const toggle = (id: number) => {
    const next = new Set(chosenIds);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <Frame title={t('regroup.splitTitle', { title: album.title })} moving={moving} total={movedTracks.length}>
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          void moving.move(movedTracks, { album: title });
        }}
      >
        <p>{t('regroup.splitHelp')}</p>
        <div className={styles.list} role="group" aria-label={t('nav.tracks')}>
          {tracks?.map((track) => (
            <Checkbox
              key={track.id}
              label={[track.track_number, track.title].filter(Boolean).join(' · ')}
              checked={chosenIds.has(track.id)}
              onChange={() => toggle(track.id)}
            />
          ))}
        </div>
        <TextInput
          label={t('regroup.name')}
          value={title}
          maxLength={500}
          required
          withAsterisk={false}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <div className={styles.actions}>
          <Button
            type="submit"
            variant="primary"
            disabled={movedTracks.length === 0 || moving.done !== null || title.trim() === album.title}
          >
            {t('regroup.split', { count: movedTracks.length })}
          </Button>
          <Button onClick={() => edit(null)}>{t('edit.cancel')}</Button>
        </div>
      </form>
    </Frame>
  );
}

// Merges an album into another album, and splits tracks off, by editing the album of the tracks.
import '@mantine/core/styles/Checkbox.layer.css';
import { Checkbox, Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { request } from '../../../api/client.ts';
import { sendChange, useUndoEdits } from '../../../api/edits.ts';
import type { AlbumOut, TrackOut } from '../../../api/routes.ts';
import { randomId } from '../../../api/random-id.ts';
import { albumPage, albumFilesQuery, fetchAlbumTracks, LIBRARY } from '../../../api/library.ts';
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
import { discForMerge } from './merge-disc.ts';
import { isPageOf, useOpenAlbum } from './use-edit-album.ts';
import styles from './album-cover.module.css';

const OFFERED_PAGE = { limit: 20, offset: 0 };
const TYPING_PAUSE_MS = 150;

interface Move {
  form: BatchForm;
  /** The message when all tracks are moved. */
  message: string;
  /** The album whose page, if it is open, gives way to the page of the album that the tracks are in then. */
  leaves?: AlbumOut;
}

/** Returns a function that assigns tracks to another album and offers to undo this. */
function useMoveTracks() {
  const queries = useQueryClient();
  const { done: offerUndo, tell } = useUndoNotice();
  const undo = useUndoEdits();
  const [doneCount, setDone] = useState<number | null>(null);
  const [failure, setFailure] = useState('');
  const openAlbum = useOpenAlbum();
  const move = async (tracks: readonly TrackOut[], { form, message, leaves }: Move) => {
    const batch = randomId();
    setFailure('');
    try {
      for (const [i, track] of tracks.entries()) {
        const change = changeOf(track, form);
        setDone(i);
        if (change) await sendChange(change, batch);
      }
      if (leaves && tracks[0] && isPageOf(leaves.id)) {
        const { album_id } = await request('GET /tracks/{id}', { path: { id: tracks[0].id } });
        if (album_id !== null) await openAlbum(album_id);
      }
      edit(null);
      offerUndo(message, () => undo.mutate(batch, { onError: (reason) => tell(detailOf(reason)) }));
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
  const openAlbum = useOpenAlbum();
  const report = { onError: (error: Error) => tell(detailOf(error)) };
  const isSameName = ({ title, artist_id }: AlbumOut): boolean =>
    artist_id === album.artist_id && title.toLowerCase() === album.title.toLowerCase();
  const mergeInto = (otherAlbum: AlbumOut) =>
    merge.mutate(
      { id: album.id, into: otherAlbum.id },
      {
        ...report,
        async onSuccess({ id }) {
          if (isPageOf(album.id)) await openAlbum(otherAlbum.id);
          edit(null);
          offerUndo(t('regroup.mergedInto', { title: album.title, album: otherAlbum.title }), () =>
            undo.mutate(id, report),
          );
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
  const queries = useQueryClient();
  // before a search, the albums of the same artist are listed
  const offersFor = (words: string) =>
    albumPage(
      {
        ...(words !== '' ? { q: words } : album.artist_id !== null && { artist_id: album.artist_id }),
        unnamed: false,
      },
      OFFERED_PAGE,
    );
  const isOther = ({ id }: AlbumOut): boolean => id !== album.id;
  const { data } = useQuery({ ...offersFor(q), placeholderData: keepPreviousData });
  const mergeInto = async (otherAlbum: AlbumOut, joiningTracks: readonly TrackOut[]) => {
    const disc = discForMerge(album.title, joiningTracks, await fetchAlbumTracks(otherAlbum.id));
    await moving.move(joiningTracks, {
      form: {
        album: otherAlbum.title,
        album_artist: otherAlbum.artists.map(({ name }) => name).join('; '),
        ...(otherAlbum.year !== null && { year: String(otherAlbum.year) }),
        ...(disc !== undefined && { disc_number: String(disc) }),
      },
      message: t('regroup.mergedInto', { title: album.title, album: otherAlbum.title }),
      leaves: album,
    });
  };
  const isBusy = !tracks.data || moving.done !== null || sameName.isPending;
  const choose = (otherAlbum: AlbumOut) => {
    if (isBusy || !tracks.data) return;
    if (sameName.isSameName(otherAlbum)) sameName.mergeInto(otherAlbum);
    else void mergeInto(otherAlbum, tracks.data);
  };
  const chooseFirst = async () => {
    const { items } = await queries.ensureQueryData(offersFor(text.trim()));
    const firstAlbum = items.find(isOther);
    if (firstAlbum) choose(firstAlbum);
  };
  const otherAlbums = data?.items.filter(isOther) ?? [];
  return (
    <Frame title={t('regroup.mergeTitle', { title: album.title })} moving={moving} total={tracks.data?.length ?? null}>
      <p>{t('regroup.mergeHelp')}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void chooseFirst();
        }}
      >
        <TextInput
          type="search"
          label={t('regroup.find')}
          value={text}
          data-autofocus
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
      <div className={styles.list}>
        {otherAlbums.map((otherAlbum) => (
          <button key={otherAlbum.id} type="button" disabled={isBusy} onClick={() => choose(otherAlbum)}>
            <Cover src={albumCover(otherAlbum, 160)} alt="" />
            <span className={rows.text}>
              <span className={rows.title}>{otherAlbum.title}</span>
              <span className={rows.by}>
                {[
                  otherAlbum.artist_name,
                  otherAlbum.year,
                  otherAlbum.edition,
                  t('track.count', { count: otherAlbum.track_count }),
                ]
                  .filter(Boolean)
                  .join(' · ')}
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
          void moving.move(movedTracks, {
            form: { album: title },
            message: t('regroup.moved', { count: movedTracks.length, album: title }),
          });
        }}
      >
        <p>{t('regroup.splitHelp')}</p>
        <div className={styles.list} role="group" aria-label={t('nav.tracks')}>
          {tracks?.map((track) => (
            <Checkbox
              color="var(--ink)"
              iconColor="var(--on-ink)"
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

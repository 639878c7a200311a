// The tracks of a playlist: select, play, move by dragging or Alt+arrow, remove. Every change makes a version, so
// Ctrl+Z can restore the one before.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState, type DragEvent, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconRemove, IconToEnd, IconToTop } from '../../ui/icons.ts';
import type { PlaylistEntryOut, PlaylistOut } from '../../../server/playlists/wire.ts';
import { stepTarget } from '../../api/playlist-order.ts';
import type { PagedList } from '../../api/paged-list.ts';
import { fetchEntries, useChangeEntries, usePutBack } from '../../api/playlists.ts';
import { detailOf } from '../../api/problem.ts';
import { markItems } from '../../music/item-marks.ts';
import { trackItems } from '../../music/items.ts';
import { endTrackDrag, someTracks, startTrackDrag } from '../../music/track-drag.ts';
import { currentEntry } from '../../player/player.ts';
import { usePlayer, usePlayerCommands } from '../../player/use-player.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { useUndoNotice } from '../../ui/undo-notice.tsx';
import { chooseByClick, isCovered, useSelection } from '../../ui/use-selection.ts';
import { VirtualTable, type RowChoice } from '../../ui/virtual-table.tsx';
import { entryColumns } from './entry-columns.tsx';
import selectionBar from '../../ui/selection-bar.module.css';
import styles from './playlists.module.css';

interface EntryTableProps {
  playlist: PlaylistOut;
  list: PagedList<PlaylistEntryOut>;
  isEditable: boolean;
}

const ENTRY_DRAG = 'application/x-tonearm-entries';
const nothing = () => {};

export function EntryTable({ playlist, list, isEditable }: EntryTableProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const player = usePlayerCommands();
  const currentId = usePlayer((state) => currentEntry(state)?.track.id);
  const notice = useUndoNotice();
  const change = useChangeEntries(playlist.id);
  const putBack = usePutBack();
  const total = list.total ?? 0;
  const chosen = useSelection({ total, item: list.item, idOf: (entry) => entry.entry_id, fetchRows: list.fetchRows });
  const [said, setSaid] = useState('');
  const [goTo, setGoTo] = useState<{ row: number } | undefined>();
  /** Versions before each change made here, oldest first. */
  const undo = useRef<number[]>([]);

  /** Positions of the selection, as far as loaded; the row itself when it is not selected. */
  const placesFor = (index: number): number[] => {
    const entry = list.item(index);
    if (!entry || !chosen.has(entry.entry_id)) return entry ? [index] : [];
    const places: number[] = [];
    for (let i = 0; i < total; i += 1) {
      const one = list.item(i);
      if (one && chosen.has(one.entry_id)) places.push(i);
    }
    return places;
  };
  const idsAt = (places: readonly number[]) => places.flatMap((place) => list.item(place)?.entry_id ?? []);
  const tracksAt = (places: readonly number[]) => places.flatMap((place) => list.item(place)?.track ?? []);

  const made = (before: number) => void undo.current.push(before);
  const takeBack = () => {
    const version = undo.current.pop();
    if (version === undefined) return;
    putBack.mutate(
      { id: playlist.id, version },
      { onSuccess: () => setSaid(t('playlist.undone')), onError: (error) => notice.tell(detailOf(error)) },
    );
  };

  const move = (places: readonly number[], beforeIndex: number | null) => {
    const ids = idsAt(places);
    const before = beforeIndex === null ? null : list.item(beforeIndex)?.entry_id;
    if (ids.length === 0 || before === undefined || (before !== null && ids.includes(before))) return;
    const to = (beforeIndex ?? total) - places.filter((place) => place < (beforeIndex ?? total)).length;
    change.mutateAsync({ kind: 'move', ids, before }).then(
      (next) => made(next.version - 1),
      (error: unknown) => notice.tell(detailOf(error)),
    );
    setGoTo({ row: to });
    setSaid(
      t('playlist.movedTo', { title: tracksAt(places)[0]?.title, count: places.length, position: to + 1, of: total }),
    );
  };

  const remove = (places: readonly number[]) => {
    const ids = idsAt(places);
    if (ids.length === 0) return;
    const title = tracksAt(places)[0]?.title;
    chosen.clear();
    change.mutateAsync({ kind: 'remove', ids }).then(
      (next) => {
        made(next.version - 1);
        const words =
          ids.length === 1
            ? t('playlist.removedOne', { title })
            : t('playlist.removed', { count: ids.length, number: formatNumber(ids.length) });
        notice.done(words, takeBack);
      },
      (error: unknown) => notice.tell(detailOf(error)),
    );
    if (total > ids.length) setGoTo({ row: Math.min(places[0] ?? 0, total - ids.length - 1) });
  };

  const playFrom = async (index: number) => {
    const entries = await fetchEntries(queries, playlist.id);
    player.playTracks(
      entries.map((entry) => entry.track),
      { startAt: index, shuffle: false, from: playlist.name },
    );
  };

  const onKey = (event: KeyboardEvent, index: number): boolean => {
    const control = event.ctrlKey || event.metaKey;
    if (event.altKey && isEditable) {
      const places = placesFor(index);
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
      if (step && places.length > 0) {
        const target = stepTarget(places, step, total);
        if (target) move(places, target.beforeIndex);
      } else if (event.key === 'Home') move(places, 0);
      else if (event.key === 'End') move(places, null);
      else return false;
    } else if (control && event.key === 'a') chosen.all();
    else if (control && event.key === 'z') takeBack();
    else if (event.key === ' ') {
      if (event.shiftKey) chosen.extend(index);
      else chosen.toggle(index);
    } else if (event.key === 'Escape' && chosen.count > 0 && !isCovered()) chosen.clear();
    else if ((event.key === 'Delete' || event.key === 'Backspace') && isEditable) remove(placesFor(index));
    else return false;
    return true;
  };

  const isAfter = (event: DragEvent, row: HTMLElement) => {
    const box = row.getBoundingClientRect();
    return event.clientY > box.top + box.height / 2;
  };
  const choice: RowChoice<PlaylistEntryOut> = {
    isChosen: (entry) => chosen.has(entry.entry_id),
    onExtend: chosen.extend,
    onKey,
    onClick: (event, index) => chooseByClick(chosen, event, index, () => void playFrom(index)),
    onDragStart: (event, index) => {
      const places = placesFor(index);
      startTrackDrag(
        event,
        someTracks(tracksAt(places)),
        places.length === 1 ? (list.item(index)?.track.title ?? '') : t('track.count', { count: places.length }),
      );
      if (!isEditable) return;
      event.dataTransfer.effectAllowed = 'copyMove';
      event.dataTransfer.setData(ENTRY_DRAG, places.join(','));
    },
    onDragEnd: endTrackDrag,
    onDragOver: (event, _, row) => {
      if (!event.dataTransfer.types.includes(ENTRY_DRAG)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move';
      row.dataset['drop'] = isAfter(event, row) ? 'after' : 'before';
    },
    onDragLeave: (_event, _index, row) => {
      delete row.dataset['drop'];
    },
    onDrop: (event, index, row) => {
      delete row.dataset['drop'];
      const places = event.dataTransfer.getData(ENTRY_DRAG);
      if (places === '') return;
      event.preventDefault();
      const target = index + (isAfter(event, row) ? 1 : 0);
      move(places.split(',').map(Number), target < total ? target : null);
    },
  };

  const columns = useMemo(() => entryColumns(t, (index) => void playFrom(index)), [t, playlist.id]);
  const marked = markItems((target) => {
    const row = target.closest('[data-index]');
    const places = row ? placesFor(Number(row.getAttribute('data-index'))) : [];
    if (places.length === 0) return null;
    return trackItems(someTracks(tracksAt(places)), {
      playlistId: playlist.id,
      ...(isEditable && {
        toTop: () => move(places, 0),
        toEnd: () => move(places, null),
        remove: () => remove(places),
      }),
    });
  });
  return (
    <>
      <div role="status" className="visually-hidden">
        {said}
      </div>
      <div className={styles.table} {...marked}>
        <VirtualTable
          label={t('playlist.tracksOf', { name: playlist.name })}
          columns={columns}
          count={total}
          item={list.item}
          sort={{ id: '', descending: false }}
          onSort={nothing}
          onRange={list.show}
          onOpen={(index) => void playFrom(index)}
          isCurrent={(entry) => entry.track.id === currentId}
          goTo={goTo}
          choice={choice}
          marks={(entry) => ({ 'data-track': entry.track.id })}
        />
      </div>
      {chosen.count > 1 && (
        <div className={selectionBar.bar} role="toolbar" aria-label={t('select.label')}>
          <p role="status">{t('select.chosen', { count: chosen.count, number: formatNumber(chosen.count) })}</p>
          {isEditable && (
            <IconButton
              label={t('playlist.toTop')}
              icon={IconToTop}
              iconSize={18}
              onClick={() => move(chosenPlaces(), 0)}
            />
          )}
          {isEditable && (
            <IconButton
              label={t('playlist.toEnd')}
              icon={IconToEnd}
              iconSize={18}
              onClick={() => move(chosenPlaces(), null)}
            />
          )}
          {isEditable && (
            <IconButton
              label={t('playlist.remove')}
              icon={IconRemove}
              iconSize={18}
              onClick={() => remove(chosenPlaces())}
            />
          )}
          <Button variant="plain" onClick={chosen.clear}>
            {t('select.clear')}
          </Button>
        </div>
      )}
    </>
  );

  function chosenPlaces(): number[] {
    const places: number[] = [];
    for (let i = 0; i < total; i += 1) {
      const entry = list.item(i);
      if (entry && chosen.has(entry.entry_id)) places.push(i);
    }
    return places;
  }
}

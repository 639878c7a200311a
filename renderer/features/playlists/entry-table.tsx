// The tracks of a playlist: select, play, move by dragging or Alt+arrow, remove. Every change creates a version, so
// Ctrl+Z can restore the previous version.
import { useMemo, useRef, useState, type DragEvent, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { PlaylistEntryOut, PlaylistOut } from '../../api/routes.ts';
import { stepTarget } from '../../api/playlist-order.ts';
import type { PagedList } from '../../api/paged-list.ts';
import { useChangeEntries, usePutBack, type EntryChoice } from '../../api/playlists.ts';
import { detailOf } from '../../api/problem.ts';
import { markItems } from '../../music/item-marks.ts';
import { trackItems, type Items } from '../../music/items.ts';
import { SelectionBar } from '../../music/selection-bar.tsx';
import { usePlayList } from '../../music/use-play-list.ts';
import { endTrackDrag, someTracks, startTrackDrag, type TrackGroup } from '../../music/track-drag.ts';
import { currentEntry } from '../../player/player.ts';
import { usePlayer } from '../../player/use-player.ts';
import { formatNumber } from '../../ui/format.ts';
import { MAX_SELECTED_ROWS } from '../../ui/lists/selection.ts';
import { useUndoNotice } from '../../ui/controls/undo-notice.tsx';
import { chooseByClick, isCovered, useSelection } from '../../ui/lists/use-selection.ts';
import { VirtualTable, type RowChoice } from '../../ui/lists/virtual-table.tsx';
import { entryColumns } from './entry-columns.tsx';
import styles from './playlists.module.css';

interface EntryTableProps {
  playlist: PlaylistOut;
  /** The displayed entries: all of them, or those that match `q`. */
  list: PagedList<PlaylistEntryOut>;
  /** The words that the list is filtered by; empty if it is not. */
  q: string;
  /** The first entry of the whole playlist. */
  firstEntry: PlaylistEntryOut | undefined;
  isEditable: boolean;
}

/** Entries for an action; they may be a whole list that is not loaded. */
interface EntryGroup {
  choice: EntryChoice;
  count: number;
  /** Ascending positions of the entries; empty for a whole list. */
  places: readonly number[];
  group: TrackGroup;
}

const groupOf = (entries: readonly PlaylistEntryOut[]): EntryGroup => ({
  choice: { ids: entries.map(({ entry_id }) => entry_id) },
  count: entries.length,
  places: entries.map(({ position }) => position),
  group: someTracks(entries.map(({ track }) => track)),
});

const ENTRY_DRAG = 'application/x-tonearm-entries';
const doNothing = () => {};

export function EntryTable({ playlist, list, q, firstEntry, isEditable }: EntryTableProps) {
  const { t } = useTranslation();
  const play = usePlayList();
  const currentId = usePlayer((state) => currentEntry(state)?.track.id);
  const notice = useUndoNotice();
  const change = useChangeEntries(playlist.id);
  const putBack = usePutBack();
  const total = list.total ?? 0;
  const wholeTotal = q === '' ? total : playlist.track_count;
  /** The query of the displayed tracks. */
  const query = { playlist: playlist.id, ...(q !== '' && { q }) };
  /** Selected entries, stored because their rows may be unloaded later. */
  const entriesById = useRef(new Map<number, PlaylistEntryOut>());
  const storeEntry = (entry: PlaylistEntryOut | undefined) => {
    if (entry) entriesById.current.set(entry.entry_id, entry);
    return entry;
  };
  const fetchRows = async (firstRow: number, lastRow: number) => {
    const entries = await list.fetchRows(firstRow, lastRow);
    entries.forEach(storeEntry);
    return entries;
  };
  const rowSelection = useSelection({
    total,
    item: (index) => storeEntry(list.item(index)),
    idOf: (entry) => entry.entry_id,
    fetchRows,
  });
  const [announcement, setSaid] = useState('');
  const [goTo, setGoTo] = useState<{ row: number } | undefined>();
  /** Versions before each change made here, oldest first; undefined if the server rejected the change. */
  const undo = useRef<Promise<number | undefined>[]>([]);

  const item = (index: number) => {
    const entry = list.item(index);
    return entry && rowSelection.has(entry.entry_id) ? storeEntry(entry) : entry;
  };
  const selected = (): EntryGroup => {
    const { selection, count } = rowSelection;
    if (!selection.all) {
      const entries = [...selection.ids].flatMap((id) => entriesById.current.get(id) ?? []);
      return groupOf(entries.toSorted((a, b) => a.position - b.position));
    }
    return {
      choice: { allBut: [...selection.except] },
      count,
      places: [],
      group: {
        count,
        ...(selection.except.size === 0 && { source: { name: playlist.name, query } }),
        load: async () => {
          if (count > MAX_SELECTED_ROWS)
            throw new Error(t('select.tooMany', { most: formatNumber(MAX_SELECTED_ROWS) }));
          const allEntries = await list.fetchRows(0, total - 1);
          return allEntries.filter((entry) => rowSelection.has(entry.entry_id)).map(({ track }) => track);
        },
      },
    };
  };
  /** Returns the selection if it contains the row, otherwise the row. */
  const someAt = (index: number): EntryGroup | undefined => {
    const entry = list.item(index);
    if (!entry) return undefined;
    return rowSelection.has(entry.entry_id) ? selected() : groupOf([entry]);
  };

  const rememberChange = (changeRequest: Promise<{ version: number }>) =>
    void undo.current.push(
      changeRequest.then(
        ({ version }) => version - 1,
        () => undefined,
      ),
    );
  const takeBack = async () => {
    let version: number | undefined;
    while (version === undefined && undo.current.length > 0) version = await undo.current.pop();
    if (version === undefined) return;
    putBack.mutate(
      { id: playlist.id, version },
      { onSuccess: () => setSaid(t('playlist.undone')), onError: (error) => notice.tell(detailOf(error)) },
    );
  };

  const move = ({ choice, count, places, group }: EntryGroup, beforeIndex: number | null) => {
    // where the list is filtered, entries can only be moved to the ends of the playlist
    const beforeEntry = beforeIndex === 0 ? firstEntry : beforeIndex === null ? null : list.item(beforeIndex);
    if (beforeEntry === undefined) return;
    const to =
      beforeIndex === null ? wholeTotal - count : beforeIndex - places.filter((place) => place < beforeIndex).length;
    const changeRequest = change.mutateAsync({ kind: 'move', ...choice, before: beforeEntry?.entry_id ?? null });
    rememberChange(changeRequest);
    changeRequest.catch((error: unknown) => notice.tell(detailOf(error)));
    if (q === '') setGoTo({ row: to });
    const ids = 'ids' in choice ? choice.ids : [];
    const title = (entriesById.current.get(ids[0] ?? 0)?.track ?? group.only)?.title;
    setSaid(t('playlist.movedTo', { title, count, position: to + 1, of: wholeTotal }));
    for (const [i, id] of ids.entries()) {
      const entry = entriesById.current.get(id);
      if (entry) storeEntry({ ...entry, position: to + i });
    }
  };

  const remove = ({ choice, count, places, group }: EntryGroup) => {
    rowSelection.clear();
    const changeRequest = change.mutateAsync({ kind: 'remove', ...choice });
    rememberChange(changeRequest);
    changeRequest.then(
      () => {
        const words = group.only
          ? t('playlist.removedOne', { title: group.only.title })
          : t('playlist.removed', { count, number: formatNumber(count) });
        notice.done(words, () => void takeBack());
      },
      (error: unknown) => notice.tell(detailOf(error)),
    );
    if (q === '' && total > count) setGoTo({ row: Math.min(places[0] ?? 0, total - count - 1) });
  };

  const playFrom = (index: number) => play({ name: playlist.name, query }, index);

  const canReorder = isEditable && q === '';
  /**
   * “Everything” of a filtered list cannot be removed or moved, because the server knows only everything of the
   * playlist; up to a limit, the rows are therefore selected one by one.
   */
  const canChange = isEditable && !(q !== '' && rowSelection.selection.all);
  const selectAll = () => {
    if (q === '') return rowSelection.all();
    rowSelection.only(0);
    rowSelection.extend(total - 1);
  };
  const itemsOf = (entries: EntryGroup): Items =>
    trackItems(entries.group, {
      playlistId: playlist.id,
      ...(canChange && {
        toTop: () => move(entries, 0),
        toEnd: () => move(entries, null),
        remove: () => remove(entries),
      }),
    });

  const onKey = (event: KeyboardEvent, index: number): boolean => {
    const control = event.ctrlKey || event.metaKey;
    const draggedRows = someAt(index);
    if (event.altKey && canReorder && draggedRows) {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
      if (step) {
        const target = draggedRows.places.length > 0 ? stepTarget(draggedRows.places, step, total) : undefined;
        if (target) move(draggedRows, target.beforeIndex);
      } else if (event.key === 'Home') move(draggedRows, 0);
      else if (event.key === 'End') move(draggedRows, null);
      else return false;
    } else if (control && event.key === 'a') selectAll();
    else if (control && event.key === 'z') void takeBack();
    else if (event.key === ' ') {
      if (event.shiftKey) rowSelection.extend(index);
      else rowSelection.toggle(index);
    } else if (event.key === 'Escape' && rowSelection.count > 0 && !isCovered()) rowSelection.clear();
    else if ((event.key === 'Delete' || event.key === 'Backspace') && canChange) {
      if (draggedRows) remove(draggedRows);
    } else return false;
    return true;
  };

  const isAfter = (event: DragEvent, row: HTMLElement) => {
    const box = row.getBoundingClientRect();
    return event.clientY > box.top + box.height / 2;
  };
  const choice: RowChoice<PlaylistEntryOut> = {
    isChosen: (entry) => rowSelection.has(entry.entry_id),
    onExtend: rowSelection.extend,
    onKey,
    onClick: (event, index) => chooseByClick(rowSelection, event, index, () => playFrom(index)),
    onDragStart: (event, index) => {
      const draggedRows = someAt(index);
      if (!draggedRows) return;
      startTrackDrag(
        event,
        draggedRows.group,
        draggedRows.group.only?.title ?? t('track.count', { count: draggedRows.count }),
      );
      if (!canReorder) return;
      event.dataTransfer.effectAllowed = 'copyMove';
      event.dataTransfer.setData(ENTRY_DRAG, String(index));
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
      const from = event.dataTransfer.getData(ENTRY_DRAG);
      const draggedRows = from === '' ? undefined : someAt(Number(from));
      if (!draggedRows) return;
      event.preventDefault();
      const target = index + (isAfter(event, row) ? 1 : 0);
      move(draggedRows, target < total ? target : null);
    },
  };

  const columns = useMemo(() => entryColumns(t, playlist.track_count, playFrom), [t, playlist, q]);
  const rowMarks = markItems((target) => {
    const row = target.closest('[data-index]');
    const menuRows = row && someAt(Number(row.getAttribute('data-index')));
    return menuRows ? itemsOf(menuRows) : null;
  });
  return (
    <>
      <div role="status" className="visually-hidden">
        {announcement}
      </div>
      <div className={styles.table} {...rowMarks}>
        <VirtualTable
          label={t('playlist.tracksOf', { name: playlist.name })}
          columns={columns}
          count={total}
          item={item}
          sort={{ id: '', descending: false }}
          onSort={doNothing}
          onRange={list.show}
          onOpen={playFrom}
          isCurrent={(entry) => entry.track.id === currentId}
          goTo={goTo}
          choice={choice}
          marks={(entry) => ({ 'data-track': entry.track.id })}
        />
      </div>
      {rowSelection.count > 1 && (
        <SelectionBar count={rowSelection.count} items={() => itemsOf(selected())} onClear={rowSelection.clear} />
      )}
    </>
  );
}

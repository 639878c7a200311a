// The table of tracks, of any length: selection, context menu, drag and drop, type-ahead. A bar above the player shows
// the selection.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { TrackSort } from '../../../../server/library/wire.ts';
import type { TrackOut } from '../../../api/routes.ts';
import { trackPage, type TrackFilter } from '../../../api/library.ts';
import type { PagedList } from '../../../api/paged-list.ts';
import { markItems } from '../../../music/item-marks.ts';
import { trackItems } from '../../../music/items.ts';
import { endTrackDrag, someTracks, type TrackGroup } from '../../../music/track-drag.ts';
import { SelectionBar } from '../../../music/selection-bar.tsx';
import { useActions } from '../../../music/use-actions.ts';
import { trackKey } from '../../../music/use-delete-tracks.ts';
import { usePlayList } from '../../../music/use-play-list.ts';
import { currentEntry } from '../../../player/player.ts';
import { usePlayer } from '../../../player/use-player.ts';
import { formatNumber } from '../../../ui/format.ts';
import { LetterRail } from '../../../ui/lists/letter-rail.tsx';
import { MAX_SELECTED_ROWS } from '../../../ui/lists/selection.ts';
import { usePutAway } from '../../../ui/controls/undoable.ts';
import { chooseByClick, isCovered, useSelection } from '../../../ui/lists/use-selection.ts';
import { VirtualTable, type RowChoice } from '../../../ui/lists/virtual-table.tsx';
import { laidOut, movedColumn, type ChoosableColumn, type ColumnLayout } from './column-layout.ts';
import { useJump } from '../../../music/type-ahead.ts';
import styles from './tracks-table.module.css';

interface TracksTableProps {
  label: string;
  list: PagedList<TrackOut>;
  /** Number of placeholder rows until the total is known. */
  placeholders: number;
  filter: TrackFilter;
  sort: TrackSort;
  descending: boolean;
  onSort: (id: string) => void;
  columns: readonly ChoosableColumn<TrackOut>[];
  layout: ColumnLayout;
  onLayout: (layout: ColumnLayout) => void;
}

const COLUMN_NAMES: Partial<Record<TrackSort, (track: TrackOut) => string | null>> = {
  title: (track) => track.title,
  artist: (track) => track.artist_name?.replace(/^the /i, '') ?? null,
  album: (track) => track.album_title,
};

export function TracksTable({
  label,
  list,
  placeholders,
  filter,
  sort,
  descending,
  onSort,
  columns,
  layout,
  onLayout,
}: TracksTableProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const play = usePlayList();
  const source = { name: label, query: filter };
  const currentId = usePlayer((state) => currentEntry(state)?.track.id);
  const hiddenKeys = usePutAway();
  const { actionOfKey, run } = useActions();
  const total = list.total ?? 0;
  /** Selected tracks, stored so that they need not be fetched again. */
  const tracksById = useRef(new Map<number, TrackOut>());
  const fetchRows = async (firstRow: number, lastRow: number) => {
    const tracks = await list.fetchRows(firstRow, lastRow);
    for (const track of tracks) tracksById.current.set(track.id, track);
    return tracks;
  };
  /** Stores a selected track, because rows of a selected range may be unloaded later. */
  const toSelect = (index: number) => {
    const track = list.item(index);
    if (track) tracksById.current.set(track.id, track);
    return track;
  };
  const rowSelection = useSelection({ total, item: toSelect, idOf: (track) => track.id, fetchRows });
  const order = JSON.stringify(filter);
  useEffect(() => {
    rowSelection.clear();
    tracksById.current.clear();
  }, [order]);

  /** Returns the current selection. “All” is fetched when it is used, up to a limit. */
  const chosenGroup = (): TrackGroup => {
    const { selection, count } = rowSelection;
    if (!selection.all) return someTracks([...selection.ids].flatMap((id) => tracksById.current.get(id) ?? []));
    return {
      count,
      source: { ...source, without: [...selection.except] },
      load: async () => {
        if (count > MAX_SELECTED_ROWS) throw new Error(t('select.tooMany', { most: formatNumber(MAX_SELECTED_ROWS) }));
        return (await list.fetchRows(0, total - 1)).filter((track) => rowSelection.has(track.id));
      },
    };
  };
  const item = (index: number) => {
    const track = list.item(index);
    if (track && !rowSelection.selection.all && rowSelection.has(track.id)) tracksById.current.set(track.id, track);
    return track;
  };

  const playFrom = (index: number) => play(source, index);
  const nameOf = COLUMN_NAMES[sort];
  const nameAt =
    nameOf &&
    (async (row: number) => {
      const track = list.item(row) ?? (await queries.fetchQuery(trackPage(filter, { limit: 1, offset: row }))).items[0];
      return (track && nameOf(track)) ?? undefined;
    });
  const { goTo, onType, letters } = useJump({ count: total, nameAt, descending });

  /** Returns the tracks for menu, keys and drag: the selection if the row is selected, otherwise the row's track. */
  const groupAt = (index: number): TrackGroup | null => {
    const track = item(index);
    if (!track) return null;
    return rowSelection.has(track.id) ? chosenGroup() : someTracks([track]);
  };

  const onKey = (event: KeyboardEvent, index: number): boolean => {
    const control = event.ctrlKey || event.metaKey;
    const track = item(index);
    if (control && event.key === 'a') rowSelection.all();
    else if (control && event.key === ' ') rowSelection.toggle(index);
    else if (control || event.altKey) return false;
    else if (event.key === ' ') {
      if (event.shiftKey) rowSelection.extend(index);
      else rowSelection.toggle(index);
    } else if (event.key === 'Escape' && rowSelection.count > 0 && !isCovered()) rowSelection.clear();
    else if (event.key === 'Delete') {
      const items = trackItems(rowSelection.count > 0 ? chosenGroup() : someTracks(track ? [track] : []));
      const action = actionOfKey(event.key, items);
      if (action) void run(action, items).then(rowSelection.clear);
    } else return onType(event);
    return true;
  };

  const choice: RowChoice<TrackOut> = {
    isChosen: (track) => rowSelection.has(track.id),
    onExtend: rowSelection.extend,
    onKey,
    onClick: (event, index) => chooseByClick(rowSelection, event, index, () => playFrom(index)),
    onDragEnd: endTrackDrag,
  };

  const rowMarks = markItems((target) => {
    const row = target.closest('[data-index]');
    const group = row && groupAt(Number(row.getAttribute('data-index')));
    return group && trackItems(group);
  });

  const shownColumns = useMemo(() => laidOut(columns, layout), [columns, layout]);
  return (
    <>
      {letters && <LetterRail {...letters} />}
      <div className={styles.table} {...rowMarks}>
        <VirtualTable
          label={label}
          columns={shownColumns}
          count={list.total ?? placeholders}
          item={item}
          sort={{ id: sort, descending }}
          onSort={onSort}
          onRange={list.show}
          onOpen={playFrom}
          isCurrent={(track) => track.id === currentId}
          goTo={goTo}
          choice={choice}
          marks={(track) => ({ 'data-track': track.id, 'data-away': hiddenKeys.has(trackKey(track.id)) || undefined })}
          sizing={{
            canResize: (id) => !['title', 'liked', 'menu'].includes(id),
            onResize: (id, width) => {
              const { [id]: _, ...widths } = layout.widths;
              onLayout({ ...layout, widths: width === null ? widths : { ...widths, [id]: width } });
            },
            onMove: (id, beforeId) => onLayout(movedColumn(columns, layout, id, beforeId)),
          }}
        />
      </div>
      {rowSelection.count > 1 && (
        <SelectionBar count={rowSelection.count} items={() => trackItems(chosenGroup())} onClear={rowSelection.clear} />
      )}
    </>
  );
}

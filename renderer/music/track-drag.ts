// Drag and drop of tracks from a list to a playlist or the queue, with the browser's own drag events, which work
// across the whole window.
import type { DragEvent } from 'react';
import type { ListSource, QueueTrack } from '../player/player.ts';
import type { TrackOut } from '../api/routes.ts';

const TRACK_DRAG_TYPE = 'application/x-tonearm-tracks';

/** A track with at least the fields that the queue stores; actions on tracks need no other fields. */
export type ItemTrack = QueueTrack & Partial<TrackOut>;

/** The dragged tracks; a list may have more rows than are loaded, so the tracks are fetched on drop. */
export interface TrackGroup {
  count: number;
  /** The track, if there is exactly one. */
  only?: ItemTrack | undefined;
  /** The tracks, if all of them are loaded. */
  loaded?: readonly ItemTrack[] | undefined;
  /** The query of the tracks, if they are a whole list. */
  source?: ListSource;
  load: () => Promise<TrackOut[]>;
}

export const oneTrack = (track: TrackOut): TrackGroup => ({ count: 1, only: track, load: async () => [track] });
export const someTracks = (tracks: TrackOut[]): TrackGroup => ({
  count: tracks.length,
  only: tracks.length === 1 ? tracks[0] : undefined,
  loaded: tracks,
  load: async () => tracks,
});

/** The browser's own drag event, or React's. */
type DragStart = Pick<globalThis.DragEvent, 'dataTransfer'>;

/** The dragged group. Drags stay within one window, so the group need not be serialized. */
let dragged: TrackGroup | null = null;

export function startTrackDrag(event: DragStart, group: TrackGroup, label: string): void {
  if (!event.dataTransfer) return;
  dragged = group;
  event.dataTransfer.effectAllowed = 'copy';
  event.dataTransfer.setData(TRACK_DRAG_TYPE, '');
  event.dataTransfer.setData('text/plain', label);
  const picture = document.createElement('div');
  picture.textContent = label;
  picture.className = 'drag-label';
  document.body.append(picture);
  event.dataTransfer.setDragImage(picture, 12, 12);
  setTimeout(() => picture.remove());
}

export const isTrackDrag = ({ dataTransfer }: DragStart): boolean =>
  dataTransfer?.types.includes(TRACK_DRAG_TYPE) === true;

export function endTrackDrag(): void {
  dragged = null;
  for (const element of document.querySelectorAll<HTMLElement>('[data-over]')) delete element.dataset['over'];
}

/** Returns the dragged tracks to the element on which they were dropped. */
export function takeDragged(event: DragStart): TrackGroup | null {
  if (!isTrackDrag(event)) return null;
  const group = dragged;
  endTrackDrag();
  return group;
}

/**
 * Returns handlers that make an element accept dragged tracks: spread them on the element, which has `data-over` while
 * tracks are above it.
 */
export function trackDrop(onDrop: (group: TrackGroup) => void) {
  const isTracks = (event: DragEvent) => dragged !== null && event.dataTransfer.types.includes(TRACK_DRAG_TYPE);
  return {
    onDragOver: (event: DragEvent<HTMLElement>) => {
      if (!isTracks(event)) return;
      event.preventDefault();
      event.stopPropagation();
      event.dataTransfer.dropEffect = 'copy';
      event.currentTarget.dataset['over'] = '';
    },
    onDragLeave: (event: DragEvent<HTMLElement>) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) delete event.currentTarget.dataset['over'];
    },
    onDrop: (event: DragEvent<HTMLElement>) => {
      if (!isTracks(event) || !dragged) return;
      event.preventDefault();
      event.stopPropagation();
      onDrop(dragged);
      endTrackDrag();
    },
  };
}

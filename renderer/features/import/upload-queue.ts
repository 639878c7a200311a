// The uploads of this window, two at a time, with progress and result. The state is outside React, so that uploads
// survive navigation.
import { useSyncExternalStore } from 'react';
import { ApiError, detailOf } from '../../api/problem.ts';
import type { TrackOut } from '../../api/routes.ts';
import { uploadFile } from '../../api/upload.ts';

export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly status: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled';
  /** Fraction of the body that was sent, 0 to 1. */
  readonly progress: number;
  readonly track: TrackOut | null;
  /** A message for the user. */
  readonly error: string | null;
}

const MAX_PARALLEL_UPLOADS = 2;
const listeners = new Set<() => void>();
const files = new Map<number, File>();
const running = new Map<number, AbortController>();
let uploads: readonly Upload[] = [];
let nextId = 1;

function publish(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

const change = (id: number, values: Partial<Upload>) =>
  publish(uploads.map((upload) => (upload.id === id ? { ...upload, ...values } : upload)));

export function enqueueUploads(addedFiles: File[]): void {
  const newUploads = addedFiles.map((file): Upload => {
    const id = nextId++;
    files.set(id, file);
    return { id, name: file.name, size: file.size, status: 'waiting', progress: 0, track: null, error: null };
  });
  publish([...uploads, ...newUploads]);
  pump();
}

export function cancelUploads(): void {
  for (const controller of running.values()) controller.abort();
  publish(uploads.map((upload) => (upload.status === 'waiting' ? { ...upload, status: 'cancelled' } : upload)));
}

export function clearUploads(): void {
  publish(uploads.filter((upload) => upload.status === 'waiting' || upload.status === 'sending'));
}

function pump(): void {
  while (running.size < MAX_PARALLEL_UPLOADS) {
    const next = uploads.find((upload) => upload.status === 'waiting');
    if (!next) return;
    void send(next.id);
  }
}

async function send(id: number): Promise<void> {
  const file = files.get(id);
  if (!file) return;
  const controller = new AbortController();
  running.set(id, controller);
  change(id, { status: 'sending' });
  try {
    const { items, errors } = await uploadFile(file, (progress) => change(id, { progress }), controller.signal);
    const track = items[0] ?? null;
    change(id, track ? { status: 'done', progress: 1, track } : { status: 'failed', error: errors[0]?.detail ?? null });
  } catch (error) {
    change(id, controller.signal.aborted ? { status: 'cancelled' } : { status: 'failed', error: reasonOf(error) });
  } finally {
    running.delete(id);
    files.delete(id);
    pump();
  }
}

/** Returns the reason for a rejected file, which is displayed next to the file's name. */
const reasonOf = (error: unknown): string =>
  (error instanceof ApiError ? error.fields[0]?.message : undefined) ?? detailOf(error);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useUploads = (): readonly Upload[] => useSyncExternalStore(subscribe, () => uploads);

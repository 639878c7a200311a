// The files that this window adds, two at a time, with progress and result. The state is outside React, so that uploads
// survive navigation. Uploads that lose the connection wait until the server answers, and are sent again.
import i18next from 'i18next';
import { useSyncExternalStore } from 'react';
import { AUDIO_EXTENSIONS } from '../../../server/media/audio-formats.ts';
import { waitForServer } from '../../api/client.ts';
import { ApiError, detailOf, isUnreachable } from '../../api/problem.ts';
import { noteReachable } from '../../api/reachability.ts';
import type { TrackOut } from '../../api/routes.ts';
import { getSession, onSessionChange } from '../../api/session.ts';
import { uploadFile } from '../../api/upload.ts';
import { formatBytes } from '../../ui/format.ts';
import '../../i18n/page-texts.ts';

type UploadStatus = 'waiting' | 'sending' | 'offline' | 'added' | 'existing' | 'failed' | 'cancelled';

export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly status: UploadStatus;
  /** Fraction of the body that was sent, 0 to 1. */
  readonly progress: number;
  readonly track: TrackOut | null;
  /** The reason of a failure, in the language of the window. */
  readonly error: string | null;
}

export interface ChosenFiles {
  files: readonly File[];
  /** Files of folders that were chosen as a whole; those that are not audio are left out. */
  inFolders: readonly File[];
}

interface UploadState {
  readonly uploads: readonly Upload[];
  /** Number of files in chosen folders that are not audio. */
  readonly leftOutCount: number;
}

const MAX_PARALLEL_UPLOADS = 2;
/** A server that answers, but breaks off the same upload again and again, does not want the file. */
const MAX_BROKEN_CONNECTIONS = 5;
/** Smaller steps of the progress are not displayed. */
const PROGRESS_STEP = 0.01;

const listeners = new Set<() => void>();
const files = new Map<number, File>();
const running = new Map<number, AbortController>();
const brokenConnections = new Map<number, number>();
let state: UploadState = { uploads: [], leftOutCount: 0 };
let isWaitingForServer = false;
let isClosingAsked = false;
let nextId = 1;

const isOpen = ({ status }: Upload): boolean => status === 'waiting' || status === 'sending' || status === 'offline';
export const hasOpenUploads = (): boolean => state.uploads.some(isOpen);

function publish(changes: Partial<UploadState>): void {
  state = { ...state, ...changes };
  if (hasOpenUploads() !== isClosingAsked) {
    isClosingAsked = !isClosingAsked;
    (isClosingAsked ? addEventListener : removeEventListener)('beforeunload', askBeforeClosing);
  }
  for (const listener of listeners) listener();
}

/** Makes the browser ask before it closes the window. */
const askBeforeClosing = (event: Event): void => event.preventDefault();

const change = (id: number, values: Partial<Upload>) =>
  publish({ uploads: state.uploads.map((upload) => (upload.id === id ? { ...upload, ...values } : upload)) });

const isAudio = ({ name }: File): boolean => AUDIO_EXTENSIONS.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
const isSameFile = (a: File, b: File | undefined): boolean =>
  b?.name === a.name &&
  b.size === a.size &&
  b.lastModified === a.lastModified &&
  b.webkitRelativePath === a.webkitRelativePath;

/** Adds files to the queue. A file that is in the queue is not sent twice, and one that failed is tried again. */
export function enqueueUploads({ files: chosenFiles, inFolders }: ChosenFiles): void {
  if (chosenFiles.length + inFolders.length === 0) return;
  if (!hasOpenUploads()) clearUploads();
  const audioFiles = inFolders.filter(isAudio);
  const newFiles = [...chosenFiles, ...audioFiles].filter(
    (file) => !state.uploads.some(({ id }) => isSameFile(file, files.get(id))),
  );
  const newUploads = newFiles.map((file): Upload => {
    const id = nextId++;
    files.set(id, file);
    const name = file.name.normalize('NFC');
    const error = file.size === 0 ? i18next.t('adding.error.empty') : null;
    const status = error === null ? 'waiting' : 'failed';
    return { id, name, size: file.size, status, progress: 0, track: null, error };
  });
  publish({
    uploads: [...state.uploads, ...newUploads],
    leftOutCount: state.leftOutCount + inFolders.length - audioFiles.length,
  });
  pump();
}

export function retryUpload(id: number): void {
  brokenConnections.delete(id);
  change(id, { status: 'waiting', progress: 0, error: null });
  pump();
}

export function cancelUploads(): void {
  const openUploads = state.uploads.filter(isOpen);
  publish({
    uploads: state.uploads.map((upload) => (isOpen(upload) ? { ...upload, status: 'cancelled' as const } : upload)),
  });
  for (const { id } of openUploads) running.get(id)?.abort();
}

/** Removes all uploads that have ended from the list. */
export function clearUploads(): void {
  const uploads = state.uploads.filter(isOpen);
  for (const id of files.keys()) if (!uploads.some((upload) => upload.id === id)) files.delete(id);
  publish({ uploads, leftOutCount: 0 });
}

onSessionChange(() => {
  if (getSession()) return;
  cancelUploads();
  clearUploads();
});

function pump(): void {
  while (running.size < MAX_PARALLEL_UPLOADS && !isWaitingForServer) {
    const next = state.uploads.find((upload) => upload.status === 'waiting');
    if (!next) return;
    void send(next.id);
  }
}

async function send(id: number): Promise<void> {
  const file = files.get(id);
  if (!file) return;
  const controller = new AbortController();
  running.set(id, controller);
  change(id, { status: 'sending', progress: 0 });
  let shownProgress = 0;
  const onProgress = (progress: number) => {
    if (progress - shownProgress < PROGRESS_STEP) return;
    shownProgress = progress;
    change(id, { progress });
  };
  try {
    const { track, isNew } = await uploadFile(file, onProgress, controller.signal);
    change(id, { status: isNew ? 'added' : 'existing', progress: 1, track });
  } catch (error) {
    if (!controller.signal.aborted) noteFailure(id, file, error);
  } finally {
    running.delete(id);
    pump();
  }
}

function noteFailure(id: number, file: File, error: unknown): void {
  const brokenCount = (brokenConnections.get(id) ?? 0) + 1;
  if (!isUnreachable(error) || brokenCount > MAX_BROKEN_CONNECTIONS)
    return change(id, { status: 'failed', error: reasonOf(error, file) });
  brokenConnections.set(id, brokenCount);
  change(id, { status: 'offline', progress: 0 });
  void continueLater();
  return undefined;
}

/** Sends what lost its connection again, as soon as the server answers. */
async function continueLater(): Promise<void> {
  if (isWaitingForServer) return;
  isWaitingForServer = true;
  noteReachable(false);
  await waitForServer();
  isWaitingForServer = false;
  publish({
    uploads: state.uploads.map((upload) =>
      upload.status === 'offline' ? { ...upload, status: 'waiting' as const } : upload,
    ),
  });
  pump();
}

/** Returns the reason for a rejected file, which is displayed next to the file's name. */
function reasonOf(error: unknown, file: File): string {
  if (!(error instanceof ApiError)) return detailOf(error);
  const quota = getSession()?.user.quota_bytes ?? null;
  if (error.status === 403) return i18next.t('import.mayNot');
  if (error.status === 413) return i18next.t('adding.error.tooLarge', { size: formatBytes(file.size) });
  if (error.status === 422)
    return i18next.t(/not supported/.test(error.detail) ? 'adding.error.format' : 'adding.error.notMusic');
  if (error.status !== 507) return error.fields[0]?.message ?? error.detail;
  return error.field('quota_bytes') !== undefined && quota !== null
    ? i18next.t('adding.error.quota', { size: formatBytes(quota) })
    : i18next.t('adding.error.disk');
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useUploads = (): UploadState => useSyncExternalStore(subscribe, () => state);

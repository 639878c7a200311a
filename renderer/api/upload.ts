// Uploads one file with XMLHttpRequest, because fetch reports no upload progress.
import { queryOptions } from '@tanstack/react-query';
import i18next from 'i18next';
import { API, parseNamed, request } from './client.ts';
import type { TrackOut } from './routes.ts';
import { ApiError, parseProblem } from './problem.ts';
import { getSession, signOut } from './session.ts';

/** The quota changes with each upload, so the limits are requested anew each time. */
export const uploadLimitsQuery = () =>
  queryOptions({
    queryKey: ['upload-limits'],
    queryFn: ({ signal }) => request('GET /uploads/limits', { signal }),
    staleTime: 0,
  });

/** A connection on which nothing is sent for this long is lost; a browser would wait for minutes. */
const STALLED_MS = 30_000;

interface UploadedFile {
  track: TrackOut;
  /** False if the library had the file already. */
  isNew: boolean;
}

/** Rejects with status 0 when the connection is lost. */
export function uploadFile(
  file: File,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    form.append('file', file, file.name);
    const xhr = new XMLHttpRequest();
    xhr.open('POST', `${API}/tracks/upload`);
    const session = getSession();
    if (session) xhr.setRequestHeader('Authorization', `Bearer ${session.token}`);
    let stallTimer: ReturnType<typeof setTimeout> | undefined;
    const listening = new AbortController();
    const lose = () => xhr.abort();
    const onSent = () => {
      clearTimeout(stallTimer);
      if (!isAllSent) stallTimer = setTimeout(lose, STALLED_MS);
    };
    let isAllSent = false;
    xhr.upload.addEventListener('progress', (event) => {
      onSent();
      onProgress(event.lengthComputable ? event.loaded / event.total : 0);
    });
    xhr.upload.addEventListener('load', () => {
      isAllSent = true; // storing a large file may take longer than any pause while it is sent
      onSent();
    });
    xhr.addEventListener('load', () => {
      if (xhr.status < 300)
        return resolve({ track: parseNamed(xhr.responseText) as TrackOut, isNew: xhr.status === 201 });
      if (xhr.status === 401) signOut();
      const problem = new Response(xhr.responseText).json().catch(() => null);
      return void problem.then((body: unknown) => reject(parseProblem(xhr.status, xhr.statusText, body)));
    });
    for (const event of ['error', 'abort'])
      xhr.addEventListener(event, () => reject(new ApiError(0, i18next.t('error.unreachable'))));
    xhr.addEventListener('loadend', () => {
      clearTimeout(stallTimer);
      listening.abort();
    });
    signal.addEventListener('abort', lose, { signal: listening.signal });
    addEventListener('offline', lose, { signal: listening.signal });
    onSent();
    xhr.send(form);
  });
}

// Uploads one file with XMLHttpRequest, because fetch reports no upload progress.
import i18next from 'i18next';
import { API } from './client.ts';
import type { UploadOut } from './routes.ts';
import { ApiError, parseProblem } from './problem.ts';
import { getSession, signOut } from './session.ts';

export function uploadFile(
  file: File,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<UploadOut> {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    form.append('files', file, file.name);
    const xhr = new XMLHttpRequest();
    xhr.open('POST', `${API}/tracks/upload`);
    xhr.responseType = 'json';
    const session = getSession();
    if (session) xhr.setRequestHeader('Authorization', `Bearer ${session.token}`);
    xhr.upload.addEventListener('progress', (event) =>
      onProgress(event.lengthComputable ? event.loaded / event.total : 0),
    );
    xhr.addEventListener('load', () => {
      if (xhr.status < 300) return resolve(xhr.response as UploadOut);
      if (xhr.status === 401) signOut();
      return reject(parseProblem(xhr.status, xhr.statusText, xhr.response));
    });
    xhr.addEventListener('error', () => reject(new ApiError(0, i18next.t('error.unreachable'))));
    xhr.addEventListener('abort', () => reject(new ApiError(0, i18next.t('error.cancelled'))));
    signal.addEventListener('abort', () => xhr.abort());
    xhr.send(form);
  });
}

// What a track's `storage_uri` says: `<backend>:<key>` names an object of the storage, `file:<relative path>` a file
// below the music folder that was never copied. Pure: the desktop shell reads it too.

/** No backend can have this name. */
export const FILE_SCHEME = 'file';
/** Of objects that are files below the storage's folder. */
export const LOCAL_SCHEME = 'local';

interface Named {
  backend: { name: string };
}

export const toUri = ({ backend }: Named, key: string): string => `${backend.name}:${key}`;

/** Of a file below the music folder. */
export const toFileUri = (path: string): string => `${FILE_SCHEME}:${path}`;

/** Undefined when the URI names no file below the music folder. */
export function filePathOf(uri: string): string | undefined {
  const { scheme, rest } = splitUri(uri);
  return scheme === FILE_SCHEME ? rest : undefined;
}

/** Undefined when the URI names no object of this storage. */
export function keyOfUri({ backend }: Named, uri: string): string | undefined {
  const { scheme, rest } = splitUri(uri);
  return scheme === backend.name ? rest : undefined;
}

export function splitUri(uri: string): { scheme: string; rest: string } {
  const colon = uri.indexOf(':');
  return { scheme: uri.slice(0, Math.max(colon, 0)), rest: uri.slice(colon + 1) };
}

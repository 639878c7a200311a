// A track's `storage_uri`: `<backend>:<key>` is an object in storage, `file:<relative path>` a file in the music folder
// that is only referenced. Pure: the desktop shell uses it too.

/** Reserved: no backend may have this name. */
export const FILE_SCHEME = 'file';
/** Of objects in the local storage. */
export const LOCAL_SCHEME = 'local';

interface Named {
  backend: { name: string };
}

export const toUri = ({ backend }: Named, key: string): string => `${backend.name}:${key}`;

/** `path` is relative to the music folder. */
export const toFileUri = (path: string): string => `${FILE_SCHEME}:${path}`;

/** Relative path of a referenced file; undefined for other URIs. */
export function filePathOf(uri: string): string | undefined {
  const { scheme, rest } = splitUri(uri);
  return scheme === FILE_SCHEME ? rest : undefined;
}

/** Undefined for URIs of other backends and referenced files. */
export function keyOfUri({ backend }: Named, uri: string): string | undefined {
  const { scheme, rest } = splitUri(uri);
  return scheme === backend.name ? rest : undefined;
}

export function splitUri(uri: string): { scheme: string; rest: string } {
  const colon = uri.indexOf(':');
  return { scheme: uri.slice(0, Math.max(colon, 0)), rest: uri.slice(colon + 1) };
}

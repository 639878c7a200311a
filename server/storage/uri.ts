// A track's `storage_uri`: `<backend>:<key>` is an object in storage, `file:<relative path>` a file in the music folder
// that is only referenced. Pure functions: the desktop shell uses them too.

/** Scheme of files in the music folder; reserved, no backend may have this name. */
export const FILE_SCHEME = 'file';
/** Scheme of objects in the local storage. */
export const LOCAL_SCHEME = 'local';

interface HasBackendName {
  backend: { name: string };
}

export const toUri = ({ backend }: HasBackendName, key: string): string => `${backend.name}:${key}`;

/** Returns the URI of a file; `path` is relative to the music folder. */
export const toFileUri = (path: string): string => `${FILE_SCHEME}:${path}`;

/** Returns the relative path of a referenced file; undefined for other URIs. */
export function filePathOf(uri: string): string | undefined {
  const { scheme, path } = splitUri(uri);
  return scheme === FILE_SCHEME ? path : undefined;
}

/** Returns the key of an object of this backend; undefined for URIs of other backends and referenced files. */
export function keyOfUri({ backend }: HasBackendName, uri: string): string | undefined {
  const { scheme, path } = splitUri(uri);
  return scheme === backend.name ? path : undefined;
}

export function splitUri(uri: string): { scheme: string; path: string } {
  const colon = uri.indexOf(':');
  return { scheme: uri.slice(0, Math.max(colon, 0)), path: uri.slice(colon + 1) };
}

// The last known place of a track's file inside the music folder.
import type { TrackOut } from '../../api/routes.ts';

interface Place {
  folder: string;
  name: string;
}

const FILE_URI = 'file:';

/** Returns null for audio in the library's own storage. */
export function fileLocation({ storage_uri: uri }: TrackOut): Place | null {
  if (!uri?.startsWith(FILE_URI)) return null;
  const path = uri.slice(FILE_URI.length);
  const slash = path.lastIndexOf('/');
  return { folder: path.slice(0, slash + 1), name: path.slice(slash + 1) };
}

// Last stage: reads the playlist files that are new or changed, when the tracks that they name are in the library.
import type { Scan } from '../scan-context.ts';
import { recordPlaylists } from '../scan-record.ts';

export async function followPlaylists({ deps: { playlistFiles }, options: { signal }, record }: Scan): Promise<void> {
  playlistFiles.noteChanges([...record.playlistChanges.values()]);
  if (playlistFiles.isEnabled()) recordPlaylists(record, await playlistFiles.follow({ signal }));
  playlistFiles.noteScanned();
}

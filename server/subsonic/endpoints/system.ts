// Endpoints of the server itself: ping, extensions, scans.
import type { Jobs } from '../../jobs/service.ts';
import type { LikenessOffer } from '../../likeness/module.ts';
import type { LibraryService } from '../../library/service.ts';
import type { Sources } from '../../sources/registry.ts';
import { EMPTY_PAYLOAD, publicEndpoint, superuserEndpoint, userEndpoint, type Endpoints } from '../endpoint.ts';
import type { Fields } from '../xml.ts';
import { SCAN_LOCAL_FOLDER } from '../../scan/tasks.ts';

export interface SystemDeps {
  library: Pick<LibraryService, 'countLibrary'>;
  sources: Pick<Sources, 'find'>;
  jobs: Pick<Jobs, 'enqueue' | 'list'>;
  /** Throws when no music folder can be scanned. */
  assertScannable: () => Promise<void>;
  /** Returns whether ffmpeg is installed; without ffmpeg the extensions for transcoding are not announced. */
  canTranscode: () => Promise<boolean>;
  likeness: Pick<LikenessOffer, 'sounds'>;
}

export function systemEndpoints({
  library,
  sources,
  jobs,
  assertScannable,
  canTranscode,
  likeness,
}: SystemDeps): Endpoints {
  const scanStatus = (): Fields => {
    const activeScan =
      jobs.list({ status: 'running', task: SCAN_LOCAL_FOLDER.name }, { limit: 1, offset: 0 }).items[0] ??
      jobs.list({ status: 'queued', task: SCAN_LOCAL_FOLDER.name }, { limit: 1, offset: 0 }).items[0];
    return {
      scanning: activeScan !== undefined,
      count: activeScan ? (activeScan.progressDone ?? 0) : library.countLibrary().tracks,
    };
  };
  const lastScanFields = (): Fields => ({ lastScan: sources.find('local_folder')?.lastScan ?? undefined });

  return {
    ping: userEndpoint(() => EMPTY_PAYLOAD),
    getLicense: userEndpoint(() => ({ license: { valid: true } })),
    tokenInfo: userEndpoint(({ user: { username } }) => ({ tokenInfo: { username } })),
    getOpenSubsonicExtensions: publicEndpoint(async () => ({
      openSubsonicExtensions: extensions(await canTranscode(), likeness.sounds.isKnown()),
    })),

    getScanStatus: userEndpoint(({ shapes }) => ({ scanStatus: { ...scanStatus(), ...shapes.open(lastScanFields) } })),
    /** Starts a scan. If a scan is already running, returns its progress, since clients poll with this call. */
    startScan: superuserEndpoint(async ({ shapes }) => {
      await assertScannable();
      await jobs.enqueue(SCAN_LOCAL_FOLDER, {});
      return { scanStatus: { ...scanStatus(), ...shapes.open(lastScanFields) } };
    }),
  };
}

const extensions = (canTranscode: boolean, knowsSounds: boolean): { name: string; versions: number[] }[] => [
  { name: 'apiKeyAuthentication', versions: [1] },
  { name: 'formPost', versions: [1] },
  { name: 'getPodcastEpisode', versions: [1] },
  { name: 'indexBasedQueue', versions: [1] },
  { name: 'playbackReport', versions: [1] },
  { name: 'songLyrics', versions: [1, 2] },
  ...(knowsSounds ? [{ name: 'sonicSimilarity', versions: [1] }] : []),
  { name: 'topSongsByArtistId', versions: [1] },
  ...(canTranscode
    ? [
        { name: 'transcodeOffset', versions: [1] },
        { name: 'transcoding', versions: [1] },
      ]
    : []),
];

import { Cover } from '../ui/cover.tsx';
import styles from './mosaic.module.css';

/** A mosaic of four covers, or only the first cover if there are fewer than four. */
export function Mosaic({ covers }: { covers: readonly string[] }) {
  if (covers.length < 4) return <Cover src={covers[0] ?? null} alt="" />;
  return (
    <div className={styles.mosaic}>
      {covers.slice(0, 4).map((src) => (
        <img key={src} src={src} alt="" loading="lazy" decoding="async" draggable={false} />
      ))}
    </div>
  );
}

/** Returns the covers of the first different albums. */
export function coversOf<T extends { album_id: number | null; has_cover: boolean }>(
  tracks: readonly T[],
  toUrl: (track: T) => string | null,
): string[] {
  const byAlbum = new Map(
    tracks
      .filter((track) => track.has_cover && track.album_id !== null)
      .map((track) => [track.album_id, track] as const)
      .reverse(),
  );
  return [...byAlbum.values()]
    .reverse()
    .slice(0, 4)
    .flatMap((track) => toUrl(track) ?? []);
}

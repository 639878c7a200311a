// A QR code, always dark on white in every theme, because many cameras do not read inverted codes.
import { encode } from 'uqr';
import styles from './qr-code.module.css';

/** Width of the quiet zone in modules, as the standard requires. */
const QUIET_ZONE = 4;

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className={styles.code}
      shapeRendering="crispEdges"
    >
      <path d={data.map(toRuns).join('')} />
    </svg>
  );
}

/** Returns one row as bars of adjacent dark modules. */
function toRuns(row: boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    const from = x;
    while (row[x]) x++;
    if (x > from) path += `M${from} ${y}h${x - from}v1h${from - x}z`;
  }
  return path;
}

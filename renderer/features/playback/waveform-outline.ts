// The shape of a waveform as an SVG path, mirrored at its middle. Pure.

/** Height of the upper half. */
export const FULL_HEIGHT = 255;
/** Minimum height, so that a silent part is still a line. */
const MIN_HEIGHT = 6;

/** Returns the outline of `points`: peaks from 0 to 255, one byte each, in base64. */
export function outlineOf(points: string): { path: string; width: number } {
  const peaks = Array.from(atob(points), (byte) => Math.max(MIN_HEIGHT, byte.charCodeAt(0)));
  const edge = (sign: 1 | -1) => peaks.map((peak, x) => `L${x} ${FULL_HEIGHT - sign * peak}`);
  const path = `M0 ${FULL_HEIGHT}${edge(1).join('')}${edge(-1).toReversed().join('')}Z`;
  return { path, width: Math.max(1, peaks.length - 1) };
}

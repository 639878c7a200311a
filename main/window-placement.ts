// The last position of a window, adjusted to the current screens.

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface Place extends Area {
  isMaximized: boolean;
}
export interface Size {
  width: number;
  height: number;
}

/** Names what is connected, so that a window is put where it was with the same screens. */
export const arrangementOf = (screens: readonly Area[]): string =>
  screens
    .map(({ x, y, width, height }) => [x, y, width, height].join(' '))
    .sort()
    .join(', ');

/** Pixels of the title bar that must stay in reach. */
const IN_REACH = 80;

/** `screens` are work areas, the primary one first. A window on a screen that is gone is centred on the primary one. */
export function placeWindow(screens: readonly Area[], wanted: Place | undefined, usual: Size): Partial<Area> & Size {
  const screen = wanted && screens.find((one) => isInReach(wanted, one));
  if (!wanted || !screen) {
    const main = screens[0];
    const { width, height } = wanted ?? usual;
    // without a position it is centred
    return { width: Math.min(width, main?.width ?? width), height: Math.min(height, main?.height ?? height) };
  }
  const [width, height] = [Math.min(wanted.width, screen.width), Math.min(wanted.height, screen.height)];
  return {
    width,
    height,
    x: between(wanted.x, screen.x - width + IN_REACH, screen.x + screen.width - IN_REACH),
    y: between(wanted.y, screen.y, screen.y + screen.height - IN_REACH),
  };
}

function isInReach({ x, y, width }: Area, screen: Area): boolean {
  const across = Math.min(x + width, screen.x + screen.width) - Math.max(x, screen.x);
  return across >= IN_REACH && y >= screen.y - IN_REACH && y < screen.y + screen.height - IN_REACH / 2;
}

const between = (value: number, least: number, most: number): number => Math.max(least, Math.min(value, most));

/** Of each window, by the screens that were connected; the latest last. */
type Places<Name extends string> = Readonly<Record<string, { [N in Name]?: Place | undefined }>>;

const MOST_ARRANGEMENTS = 8;

/** With these screens, or else wherever it was last. */
export const lastPlace = <Name extends string>(
  places: Places<Name>,
  arrangement: string,
  name: Name,
): Place | undefined =>
  places[arrangement]?.[name] ?? Object.values(places).findLast((here) => here[name] !== undefined)?.[name];

/** With one more; those of screens that were not connected for long are dropped. */
export function withPlace<Name extends string>(
  places: Places<Name>,
  arrangement: string,
  name: Name,
  place: Place,
): Places<Name> {
  const { [arrangement]: here, ...others } = places;
  const kept = Object.entries(others).slice(1 - MOST_ARRANGEMENTS);
  return { ...Object.fromEntries(kept), [arrangement]: { ...here, [name]: place } };
}

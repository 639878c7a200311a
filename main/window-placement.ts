// The last position of a window, adjusted to the current screens.

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface WindowPlace extends Area {
  isMaximized: boolean;
}
export interface Size {
  width: number;
  height: number;
}

/** Returns a key for the connected screens, under which window positions are stored. */
export const arrangementOf = (screens: readonly Area[]): string =>
  screens
    .map(({ x, y, width, height }) => [x, y, width, height].join(' '))
    .sort()
    .join(', ');

/** Pixels of the title bar that must stay within reach. */
const MIN_REACHABLE_PX = 80;

/**
 * Returns the position of a window. `screens` are work areas, the primary screen first. A window whose screen is gone
 * is centred on the primary screen.
 */
export function placeWindow(
  screens: readonly Area[],
  savedPlace: WindowPlace | undefined,
  defaultSize: Size,
): Partial<Area> & Size {
  const screen = savedPlace && screens.find((area) => isInReach(savedPlace, area));
  if (!savedPlace || !screen) {
    const primaryScreen = screens[0];
    const { width, height } = savedPlace ?? defaultSize;
    // Electron centres a window without a position
    return {
      width: Math.min(width, primaryScreen?.width ?? width),
      height: Math.min(height, primaryScreen?.height ?? height),
    };
  }
  const [width, height] = [Math.min(savedPlace.width, screen.width), Math.min(savedPlace.height, screen.height)];
  return {
    width,
    height,
    x: clamp(savedPlace.x, screen.x - width + MIN_REACHABLE_PX, screen.x + screen.width - MIN_REACHABLE_PX),
    y: clamp(savedPlace.y, screen.y, screen.y + screen.height - MIN_REACHABLE_PX),
  };
}

function isInReach({ x, y, width }: Area, screen: Area): boolean {
  const across = Math.min(x + width, screen.x + screen.width) - Math.max(x, screen.x);
  return (
    across >= MIN_REACHABLE_PX &&
    y >= screen.y - MIN_REACHABLE_PX &&
    y < screen.y + screen.height - MIN_REACHABLE_PX / 2
  );
}

const clamp = (value: number, min: number, max: number): number => Math.max(min, Math.min(value, max));

/** Position of each window, by the screens that were connected, the latest last. */
type Places<Name extends string> = Readonly<Record<string, { [N in Name]?: WindowPlace | undefined }>>;

const MAX_ARRANGEMENTS = 8;

/** Returns the position with these screens, or else the most recent position. */
export const lastPlace = <Name extends string>(
  places: Places<Name>,
  arrangement: string,
  name: Name,
): WindowPlace | undefined =>
  places[arrangement]?.[name] ?? Object.values(places).findLast((placesHere) => placesHere[name] !== undefined)?.[name];

/** Adds a position; the screens that were not used for the longest time are dropped. */
export function withPlace<Name extends string>(
  places: Places<Name>,
  arrangement: string,
  name: Name,
  place: WindowPlace,
): Places<Name> {
  const { [arrangement]: current, ...otherArrangements } = places;
  const recentArrangements = Object.entries(otherArrangements).slice(1 - MAX_ARRANGEMENTS);
  return { ...Object.fromEntries(recentArrangements), [arrangement]: { ...current, [name]: place } };
}

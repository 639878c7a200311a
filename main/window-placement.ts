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

// User names that look alike (Unicode TR39).
import skeleton from 'unhomoglyph';
import { usernameKey } from './username.ts';

/**
 * Returns equal texts for names that look alike (`аdmin` with a Cyrillic а). The texts are for comparing, not for
 * display.
 */
export const appearanceOf = (username: string): string =>
  skeleton(usernameKey(username).normalize('NFD')).normalize('NFD').toLowerCase();

// User names that look alike (Unicode TR39).
import skeleton from 'unhomoglyph';
import { usernameKey } from './username.ts';

/** Equal for names that look alike: `аdmin` with a Cyrillic а is no second `admin`. To compare, not to show. */
export const lookOf = (username: string): string =>
  skeleton(usernameKey(username).normalize('NFD')).normalize('NFD').toLowerCase();

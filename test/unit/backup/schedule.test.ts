import { describe, expect, it } from 'vitest';
import { isDue, lastDue, nextDue } from '../../../server/backup/schedule.ts';

const at = (day: number, hours: number, minutes = 0): Date => new Date(2026, 10, day, hours, minutes);

describe('a backup every day at 03:30', () => {
  it.each<[string, Date, Date, Date]>([
    ['before it', at(21, 3, 29), at(20, 3, 30), at(21, 3, 30)],
    ['at it', at(21, 3, 30), at(21, 3, 30), at(22, 3, 30)],
    ['after it', at(21, 15), at(21, 3, 30), at(22, 3, 30)],
    ['on the first of a month', at(1, 1), new Date(2026, 9, 31, 3, 30), at(1, 3, 30)],
  ])('%s', (_when, now, last, next) => {
    expect(lastDue('03:30', now)).toEqual(last);
    expect(nextDue('03:30', now)).toEqual(next);
  });

  it.each<[string, Date, Date, boolean]>([
    ['not twice for one time', at(21, 3, 30), at(21, 9), false],
    ['again the next day', at(21, 3, 31), at(22, 3, 30), true],
    ['for a time that passed while the server was off', at(18, 3, 31), at(21, 9), true],
    ['not for times before there was a schedule', at(21, 9), at(21, 10), false],
    ['not because of one that was made by hand after it', at(21, 4), at(21, 10), false],
    ['when the last one was made by a clock that was ahead', at(28, 4), at(21, 4), true],
  ])('is due %s', (_when, since, now, due) => {
    expect(isDue('03:30', since, now)).toBe(due);
  });
});

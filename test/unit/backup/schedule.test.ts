import { describe, expect, it } from 'vitest';
import { isDue, lastDue, nextDue } from '../../../server/backup/schedule.ts';

const timeOn = (day: number, hours: number, minutes = 0): Date => new Date(2026, 10, day, hours, minutes);

describe('a backup every day at 03:30', () => {
  it.each<[string, Date, Date, Date]>([
    ['before it', timeOn(21, 3, 29), timeOn(20, 3, 30), timeOn(21, 3, 30)],
    ['at it', timeOn(21, 3, 30), timeOn(21, 3, 30), timeOn(22, 3, 30)],
    ['after it', timeOn(21, 15), timeOn(21, 3, 30), timeOn(22, 3, 30)],
    ['on the first of a month', timeOn(1, 1), new Date(2026, 9, 31, 3, 30), timeOn(1, 3, 30)],
  ])('%s', (_title, now, lastBackup, next) => {
    expect(lastDue('03:30', now)).toEqual(lastBackup);
    expect(nextDue('03:30', now)).toEqual(next);
  });

  it.each<[string, Date, Date, boolean]>([
    ['not twice for one time', timeOn(21, 3, 30), timeOn(21, 9), false],
    ['again the next day', timeOn(21, 3, 31), timeOn(22, 3, 30), true],
    ['for a time that passed while the server was off', timeOn(18, 3, 31), timeOn(21, 9), true],
    ['not for times before there was a schedule', timeOn(21, 9), timeOn(21, 10), false],
    ['not because of one that was made by hand after it', timeOn(21, 4), timeOn(21, 10), false],
    ['when the last one was made by a clock that was ahead', timeOn(28, 4), timeOn(21, 4), true],
  ])('is due %s', (_title, lastBackup, now, isExpectedDue) => {
    expect(isDue('03:30', lastBackup, now)).toBe(isExpectedDue);
  });
});

import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../support/test-random.ts';
import { longestStreak } from '../../../server/stats/streaks.ts';
import { openZone, toDay, toDayText, type Zone } from '../../../server/stats/time-zones.ts';

const zone = (name: string): Zone => openZone(name) as Zone;

test.each([
  ['UTC', '2026-03-29T23:59:59.999Z', '2026-03-29', 23],
  ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29', 1], // a second before clocks go forward
  ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29', 3],
  ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25', 2], // this hour comes twice
  ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25', 2],
  ['America/New_York', '2026-01-01T04:59:59Z', '2025-12-31', 23],
  ['Asia/Kathmandu', '2026-01-01T18:15:00Z', '2026-01-02', 0], // the offset is +05:45
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05', 1], // clocks go back by half an hour
  ['Pacific/Kiritimati', '2026-01-01T10:00:00Z', '2026-01-02', 0], // the offset is +14 hours
])('in %s, %s is %s at %i o’clock', (name, time, day, hour) => {
  const local = zone(name).dayAndHourAt(Date.parse(time));
  expect([toDayText(local.day), local.hour]).toEqual([day, hour]);
});

test.each(['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Africa/Cairo', 'UTC'])(
  'a day in %s starts when the one before ends',
  (name) => {
    const timeZone = zone(name);
    for (let day = toDay(2017); day < toDay(2019); day++) {
      const start = timeZone.startOf(day);
      expect([timeZone.dayAndHourAt(start).day, timeZone.dayAndHourAt(start - 1).day], toDayText(day)).toEqual([
        day,
        day - 1,
      ]);
    }
  },
);

test('hours agree with the system, over thirty years', () => {
  const random = seededRandom(5);
  for (const name of ['Europe/London', 'America/St_Johns', 'Asia/Tehran']) {
    const [timeZone, clock] = [
      zone(name),
      new Intl.DateTimeFormat('sv-SE', { timeZone: name, dateStyle: 'short', timeStyle: 'medium' }),
    ];
    for (let i = 0; i < 300; i++) {
      const time = Math.floor(random() * 30 * 365 * 86_400_000) + Date.UTC(1996, 0, 1);
      const { day, hour } = timeZone.dayAndHourAt(time);
      expect(`${toDayText(day)} ${String(hour).padStart(2, '0')}`).toBe(clock.format(time).slice(0, 13));
    }
  }
});

test.each(['Nowhere/City', '', 'UTC; DROP', '../etc'])('%s is not a time zone', (name) => {
  expect(openZone(name)).toBeUndefined();
});

describe('the longest run of days', () => {
  test.each([
    [[], undefined],
    [[5], { days: 1, first: 5, last: 5 }],
    [[1, 2, 3, 7, 8], { days: 3, first: 1, last: 3 }],
    [[1, 3, 4, 6, 7], { days: 2, first: 3, last: 4 }],
    [[1, 5, 6, 7], { days: 3, first: 5, last: 7 }],
  ])('of %j is %j', (days, streak) => {
    expect(longestStreak(days)).toEqual(streak);
  });
});

import { expect, test } from 'vitest';
import {
  areaOf,
  fetchedArea,
  MAP_SIZE,
  moveView,
  nearest,
  thinned,
  toMap,
  toScreen,
  wholeMap,
  zoomed,
} from '../../../renderer/features/likeness/map-view.ts';

const size = { width: 1_000, height: 600 };
const fullView = wholeMap(size);

test('a place of the map is drawn where a click on it is read', () => {
  const view = { x: 20_000, y: 40_000, scale: 12 };
  const screenPoint = toScreen({ x: 21_200, y: 39_400 }, view, size);
  expect(screenPoint).toEqual({ x: 600, y: 250 });
  expect(toMap(screenPoint, view, size)).toEqual({ x: 21_200, y: 39_400 });
});

test('all of the map is seen at first', () => {
  expect(areaOf(fullView, size)).toEqual({ min_x: 0, min_y: 0, max_x: MAP_SIZE, max_y: MAP_SIZE });
});

test('zooming keeps what is under the pointer there', () => {
  const pointer = { x: 300, y: 200 };
  const nearView = zoomed(fullView, size, 3, pointer);
  expect(nearView.scale).toBeCloseTo(fullView.scale / 3);
  const [pointBefore, pointAfter] = [toMap(pointer, fullView, size), toMap(pointer, nearView, size)];
  expect(pointAfter.x).toBeCloseTo(pointBefore.x, 3);
  expect(pointAfter.y).toBeCloseTo(pointBefore.y, 3);
});

test.each([
  { name: 'farther than the whole map', view: zoomed(fullView, size, 0.01, { x: 0, y: 0 }), scale: fullView.scale },
  { name: 'nearer than a point', view: zoomed(fullView, size, 1e9, { x: 500, y: 300 }), scale: 0.25 },
])('there is an end to zooming: $name', ({ view, scale }) => {
  expect(view.scale).toBe(scale);
});

test('nobody walks off the map', () => {
  const view = moveView({ x: 100, y: 100, scale: 50 }, size, 10_000, -10_000_000);
  expect([view.x, view.y]).toEqual([0, MAP_SIZE]);
});

test('a short walk asks for nothing new, and what is fetched has all that is seen', () => {
  const view = { x: 30_000, y: 30_000, scale: 8 };
  expect(fetchedArea(moveView(view, size, 3, 2), size)).toEqual(fetchedArea(view, size));
  const [seenArea, areaToFetch] = [areaOf(view, size), fetchedArea(view, size)];
  expect(areaToFetch.min_x <= seenArea.min_x && areaToFetch.max_x >= seenArea.max_x).toBe(true);
  expect(areaToFetch.min_y <= seenArea.min_y && areaToFetch.max_y >= seenArea.max_y).toBe(true);
});

test('a line keeps its ends when points are left out', () => {
  const line = Array.from({ length: 1_000 }, (_, x) => ({ x, y: 2 * x }));
  const thinnedLine = thinned(line, 200);
  expect([thinnedLine.length, thinnedLine[0], thinnedLine.at(-1)]).toEqual([200, line[0], line.at(-1)]);
  expect(thinned(line.slice(0, 3), 200)).toHaveLength(3);
});

test('the nearest point within reach is found', () => {
  const [xValues, yValues] = [
    [0, 50, 100],
    [0, 50, 100],
  ];
  expect(nearest(xValues, yValues, { x: 60, y: 60 }, 20)).toBe(1);
  expect(nearest(xValues, yValues, { x: 75, y: 20 }, 20)).toBe(-1);
});

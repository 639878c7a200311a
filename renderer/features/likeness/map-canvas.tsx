// The map canvas: users pan and zoom it with a pointer, fingers or keys, and draw a line on it.
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { MapArea, MapPart } from '../../api/likeness.ts';
import { useScheme } from '../../ui/theme/scheme.ts';
import { coloursOf, densityOf, drawMap } from './map-drawing.ts';
import { moveView, nearest, toMap, toScreen, zoomed, type Point, type Size, type View } from './map-view.ts';
import styles from './map.module.css';

const STEP_PX = 80;
export const ZOOM_STEP = 1.6;
/** Maximum distance between the pointer and a track that is selected. */
const REACH_PX = 14;
/** A pointer that moved less than this has clicked. */
const CLICK_PX = 5;

interface MapCanvasProps {
  part: MapPart;
  /** The area that `part` covers. */
  area: MapArea;
  view: View;
  onView: (view: View) => void;
  onSize: (size: Size) => void;
  isDrawing: boolean;
  line: readonly Point[];
  onLine: (line: Point[]) => void;
  /** Called when the line is completely drawn. */
  onDrawn: () => void;
  /** Id of the selected track. */
  chosenId: number | null;
  onChoose: (id: number) => void;
}

export function MapCanvas({
  part,
  area,
  view,
  onView,
  onSize,
  isDrawing,
  line,
  onLine,
  onDrawn,
  chosenId,
  onChoose,
}: MapCanvasProps) {
  const { t } = useTranslation();
  const scheme = useScheme();
  const { ref: measuredRef, width, height } = useElementSize<HTMLDivElement>();
  const box = useRef<HTMLDivElement>(null);
  const place = useMergedRef(box, measuredRef);
  const [behind, front] = [useRef<HTMLCanvasElement>(null), useRef<HTMLCanvasElement>(null)];
  const [isGrabbed, setGrabbed] = useState(false);
  const pointers = useRef(new Map<number, Point>());
  const travelled = useRef(0);
  const size = useMemo(() => ({ width, height }), [width, height]);
  const colours = useMemo(
    () => (front.current ? coloursOf(front.current, part.genres.length) : null),
    [part.genres, scheme, width],
  );
  const density = useMemo(() => (colours ? densityOf(part, colours.ink) : null), [part, colours]);
  const chosenAt = useMemo(() => (chosenId === null ? -1 : part.points.id.indexOf(chosenId)), [part, chosenId]);

  useEffect(() => {
    if (width > 0) onSize(size);
  }, [size]);
  useEffect(() => {
    const [back, top] = [behind.current, front.current];
    if (!back || !top || !colours || width === 0) return undefined;
    const frame = requestAnimationFrame(() =>
      drawMap(back, top, {
        view,
        size,
        part,
        area,
        density,
        colours,
        line,
        chosenIndex: chosenAt,
        ratio: Math.min(2, devicePixelRatio),
        font: getComputedStyle(top).font,
      }),
    );
    return () => cancelAnimationFrame(frame);
  }, [view, size, part, area, density, colours, line, chosenAt]);

  const latestProps = useRef({ view, size, onView });
  latestProps.current = { view, size, onView };
  useEffect(() => {
    const element = box.current;
    // React's own wheel listeners are passive, so the page would scroll
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const rect = element!.getBoundingClientRect();
      const pointer = { x: event.clientX - rect.left, y: event.clientY - rect.top };
      const now = latestProps.current;
      now.onView(zoomed(now.view, now.size, 2 ** (-event.deltaY / 300), pointer));
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, []);

  const placeOf = ({ clientX, clientY }: PointerEvent): Point => {
    const rect = box.current!.getBoundingClientRect();
    return { x: clientX - rect.left, y: clientY - rect.top };
  };
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    box.current?.setPointerCapture(event.pointerId);
    pointers.current.set(event.pointerId, placeOf(event));
    travelled.current = 0;
    setGrabbed(!isDrawing);
    if (isDrawing && pointers.current.size === 1) onLine([toMap(placeOf(event), view, size)]);
  };
  const onPointerMove = (event: PointerEvent) => {
    const previous = pointers.current.get(event.pointerId);
    if (!previous) return;
    const now = placeOf(event);
    travelled.current += Math.hypot(now.x - previous.x, now.y - previous.y);
    const [otherPointer] = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    pointers.current.set(event.pointerId, now);
    if (otherPointer) {
      const distanceTo = (point: Point) => Math.max(1, Math.hypot(point.x - otherPointer.x, point.y - otherPointer.y));
      onView(
        zoomed(view, size, distanceTo(now) / distanceTo(previous), {
          x: (now.x + otherPointer.x) / 2,
          y: (now.y + otherPointer.y) / 2,
        }),
      );
    } else if (isDrawing) onLine([...line, toMap(now, view, size)]);
    else onView(moveView(view, size, now.x - previous.x, now.y - previous.y));
  };
  const onPointerUp = (event: PointerEvent) => {
    if (!pointers.current.delete(event.pointerId)) return;
    setGrabbed(false);
    if (travelled.current > CLICK_PX) {
      if (isDrawing && pointers.current.size === 0) onDrawn();
      return;
    }
    const mapPoint = toMap(placeOf(event), view, size);
    const nearestIndex = nearest(part.points.x, part.points.y, mapPoint, REACH_PX * view.scale);
    if (isDrawing) onLine([]);
    if (nearestIndex >= 0) onChoose(part.points.id[nearestIndex]!);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = { x: width / 2, y: height / 2 };
    const walk = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (walk) onView(moveView(view, size, walk[0]! * STEP_PX, walk[1]! * STEP_PX));
    else if (event.key === '+' || event.key === '=') onView(zoomed(view, size, ZOOM_STEP, middle));
    else if (event.key === '-') onView(zoomed(view, size, 1 / ZOOM_STEP, middle));
    else if (isDrawing && event.key === ' ') onLine([...line, toMap(middle, view, size)]);
    else if (isDrawing && event.key === 'Enter' && line.length > 1) onDrawn();
    else if (isDrawing && event.key === 'Escape' && line.length > 0) onLine([]);
    else if (!isDrawing && event.key === 'Enter') {
      const nearestIndex = nearest(part.points.x, part.points.y, toMap(middle, view, size), Infinity);
      if (nearestIndex >= 0) onChoose(part.points.id[nearestIndex]!);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const middle = toScreen(view, view, size);
  return (
    <div
      ref={place}
      className={styles.map}
      role="application"
      aria-label={t('place.map')}
      aria-describedby="map-keys"
      tabIndex={0}
      data-drawing={isDrawing || undefined}
      data-grabbed={isGrabbed || undefined}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
    >
      <canvas ref={behind} aria-hidden />
      <canvas ref={front} aria-hidden />
      <span className={styles.middle} style={{ left: middle.x, top: middle.y }} aria-hidden />
      <p id="map-keys" hidden>
        {t(isDrawing ? 'map.drawKeys' : 'map.keys')}
      </p>
    </div>
  );
}

// The curve of the equalizer, with a handle for each band, which is dragged or moved with the arrow keys.
import { useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { FREQUENCY, GAIN_DB, Q, responseDb, type Band } from '../player/equalizer.ts';
import { formatNumber } from '../ui/format.ts';
import styles from './equalizer.module.css';

const WIDTH = 640;
const HEIGHT = 240;
const RATE = 48_000;
const POINTS = 160;
const SHOWN_DB = 18;
const LINES_HZ = [20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000];
const LINES_DB = [-12, -6, 0, 6, 12];
const OCTAVES = Math.log2(FREQUENCY.max / FREQUENCY.min);

const toX = (frequency: number): number => (Math.log2(frequency / FREQUENCY.min) / OCTAVES) * WIDTH;
const toY = (db: number): number =>
  HEIGHT / 2 - (Math.min(SHOWN_DB, Math.max(-SHOWN_DB, db)) / SHOWN_DB) * (HEIGHT / 2);
const toFrequency = (x: number): number => FREQUENCY.min * 2 ** ((x / WIDTH) * OCTAVES);
const toDb = (y: number): number => ((HEIGHT / 2 - y) / (HEIGHT / 2)) * SHOWN_DB;
const tenths = (value: number): number => Math.round(value * 10) / 10;

const hertz = (value: number): string => (value >= 1_000 ? `${value / 1_000}k` : `${value}`);

interface CurveProps {
  bands: readonly Band[];
  isGraphic: boolean;
  onChange: (index: number, change: Partial<Band>) => void;
}

export function EqualizerCurve({ bands, isGraphic, onChange }: CurveProps) {
  const { t } = useTranslation();
  const box = useRef<SVGSVGElement>(null);
  const path = Array.from({ length: POINTS + 1 }, (_, point) => {
    const x = (point / POINTS) * WIDTH;
    return `${point === 0 ? 'M' : 'L'}${x.toFixed(1)} ${toY(responseDb(bands, toFrequency(x), RATE)).toFixed(1)}`;
  }).join('');

  const drag = (index: number) => (event: PointerEvent<SVGCircleElement>) => {
    const area = box.current?.getBoundingClientRect();
    if (!area || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const x = ((event.clientX - area.left) / area.width) * WIDTH;
    const y = ((event.clientY - area.top) / area.height) * HEIGHT;
    onChange(index, { gainDb: tenths(toDb(y)), ...(!isGraphic && { frequency: toFrequency(x) }) });
  };

  const press = (index: number, band: Band) => (event: KeyboardEvent) => {
    const step = event.shiftKey ? 3 : 0.5;
    const third = 2 ** (1 / 6);
    const changes: Record<string, Partial<Band> | undefined> = {
      ArrowUp: { gainDb: tenths(band.gainDb + step) },
      ArrowDown: { gainDb: tenths(band.gainDb - step) },
      Home: { gainDb: GAIN_DB.min },
      End: { gainDb: GAIN_DB.max },
      Delete: { gainDb: 0 },
      ...(!isGraphic && {
        ArrowLeft: { frequency: band.frequency / third },
        ArrowRight: { frequency: band.frequency * third },
        PageUp: { q: Math.min(Q.max, band.q * 1.1) },
        PageDown: { q: Math.max(Q.min, band.q / 1.1) },
      }),
    };
    const change = changes[event.key];
    if (!change) return;
    event.preventDefault();
    onChange(index, change);
  };

  return (
    <svg
      ref={box}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className={styles.curve}
      role="group"
      aria-label={t('equalizer.curve')}
      direction="ltr"
    >
      <g className={styles.grid} aria-hidden>
        {LINES_HZ.map((frequency) => (
          <g key={frequency}>
            <line x1={toX(frequency)} x2={toX(frequency)} y1={0} y2={HEIGHT} />
            <text
              {...(frequency === FREQUENCY.max ? { x: WIDTH - 2, textAnchor: 'end' } : { x: toX(frequency) + 3 })}
              y={HEIGHT - 4}
            >
              {hertz(frequency)}
            </text>
          </g>
        ))}
        {LINES_DB.map((db) => (
          <g key={db}>
            <line x1={0} x2={WIDTH} y1={toY(db)} y2={toY(db)} data-zero={db === 0 || undefined} />
            <text x={3} y={toY(db) - 3}>
              {db > 0 ? `+${db}` : db}
            </text>
          </g>
        ))}
      </g>
      <path d={path} className={styles.line} />
      {bands.map((band, index) => (
        <circle
          key={index}
          className={styles.handle}
          cx={toX(band.frequency)}
          cy={toY(isGraphic ? band.gainDb : responseDb([band], handleHz(band), RATE))}
          r={9}
          tabIndex={0}
          role="slider"
          aria-orientation="vertical"
          aria-label={t('equalizer.handle', { number: index + 1, frequency: formatNumber(Math.round(band.frequency)) })}
          aria-valuemin={GAIN_DB.min}
          aria-valuemax={GAIN_DB.max}
          aria-valuenow={tenths(band.gainDb)}
          aria-valuetext={t('equalizer.decibels', { value: formatNumber(tenths(band.gainDb)) })}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={drag(index)}
          onKeyDown={press(index, band)}
        />
      ))}
    </svg>
  );
}

/** Returns the frequency at which a band has its full gain; a shelf has its full gain at its end. */
const handleHz = ({ type, frequency }: Band): number =>
  type === 'lowshelf' ? FREQUENCY.min : type === 'highshelf' ? FREQUENCY.max : frequency;

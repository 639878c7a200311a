// Plays by weekday and hour: darker cells have more plays.
import { MatrixChart } from '@mantine/charts';
import { useElementSize } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import type { ListeningOut } from '../../../server/stats/wire.ts';
import { formatDay, formatHour, formatNumber } from '../../ui/format.ts';

const LABELS_WIDTH = 40;
const GAP = 2;
const HOURS = 24;
/** Narrower cells have room for every sixth label only. */
const WIDE_CELL = 18;
/** 1 January 2024 was a Monday. */
export const weekdayName = (weekday: number, style: 'short' | 'long' = 'short'): string =>
  formatDay(`2024-01-0${weekday}`, { weekday: style });
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];
const SHADES = [18, 36, 54, 72, 90].map((share) => `color-mix(in oklab, var(--plot) ${share}%, var(--bg))`);

export function HeatMap({ week }: { week: ListeningOut['week'] }) {
  const { t } = useTranslation();
  const { ref, width } = useElementSize();
  const cellSize = Math.floor((Math.max(320, width) - LABELS_WIDTH) / HOURS) - GAP;
  const cellHeight = Math.min(cellSize, 36);
  // Labels must be unique, so hidden labels consist of zero-width spaces.
  const labels = Array.from({ length: HOURS }, (_, hour) =>
    cellSize >= WIDE_CELL || hour % 6 === 0 ? String(hour) : '\u200B'.repeat(hour),
  );
  return (
    <div ref={ref}>
      {width > 0 && (
        <MatrixChart
          aria-label={t('statistics.week')}
          data={week.map(({ weekday, hour, plays }) => ({
            x: labels[hour] ?? '',
            y: weekdayName(weekday),
            value: plays || null,
          }))}
          xLabels={labels}
          yLabels={WEEKDAYS.map((weekday) => weekdayName(weekday))}
          colors={SHADES}
          emptyColor="var(--hover)"
          cellSize={cellHeight}
          gap={Math.max(GAP, Math.floor((Math.max(320, width) - LABELS_WIDTH) / HOURS) - cellHeight)}
          cellRadius={3}
          yLabelsWidth={LABELS_WIDTH}
          xLabelsHeight={20}
          withXLabels
          withYLabels
          xLabelsRotation={0}
          fontSize={11}
          withTooltip
          getTooltipLabel={({ x, y, value }) =>
            t('statistics.cell', {
              count: value ?? 0,
              number: formatNumber(value ?? 0),
              day: y,
              hour: formatHour(labels.indexOf(x)),
            })
          }
        />
      )}
    </div>
  );
}

// Bars over time or over years.
import { BarChart } from '@mantine/charts';

interface BarPlotProps<Key extends string> {
  data: readonly (Record<Key, number> & { label: string })[];
  value: Key;
  name: string;
  format: (value: number) => string;
  height?: number;
}

export function BarPlot<Key extends string>({ data, value, name, format, height = 220 }: BarPlotProps<Key>) {
  return (
    <BarChart
      h={height}
      data={data as unknown as Record<string, unknown>[]}
      dataKey="label"
      series={[{ name: value, label: name, color: 'var(--plot)' }]}
      valueFormatter={format}
      tickLine="none"
      gridAxis="x"
      strokeDasharray="0"
      gridColor="var(--hairline)"
      textColor="var(--ink-2)"
      maxBarWidth={28}
      barProps={{ radius: [3, 3, 0, 0], isAnimationActive: false }}
      barChartProps={{
        barCategoryGap: data.length > 40 ? 1 : '18%',
        accessibilityLayer: false,
        margin: { top: 8, right: 0, bottom: 0, left: 0 },
      }}
      xAxisProps={{ minTickGap: 24, axisLine: false }}
      yAxisProps={{ width: 44, allowDecimals: false, tickFormatter: format }}
      tooltipAnimationDuration={0}
      cursorFill="var(--hover)"
    />
  );
}

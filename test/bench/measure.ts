// The result of a benchmark: Tonearm's figure, and a bound that was measured in the same run, because machines differ
// and are noisy.

export interface Measure {
  suite: string;
  name: string;
  unit: string;
  /** Median of Tonearm's runs. */
  product: number;
  bound: { name: string; value: number };
  /** The product's figure divided by the bound's. */
  ratio: number;
  /** The lowest and the highest ratio of several rounds. */
  spread?: [number, number];
  goal: { op: '>=' | '<='; value: number };
  met: boolean;
}

export const median = (values: number[]): number => {
  const sortedValues = values.toSorted((a, b) => a - b);
  const middle = sortedValues.length >> 1;
  return sortedValues.length % 2
    ? (sortedValues[middle] as number)
    : ((sortedValues[middle - 1] as number) + (sortedValues[middle] as number)) / 2;
};

/** Runs bound and product in turn, so that a slow minute of the machine affects both. */
export async function inTurn(
  rounds: number,
  bound: (round: number) => Promise<number> | number,
  product: (round: number) => Promise<number> | number,
): Promise<{ bound: number; product: number }> {
  const [bounds, products]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    bounds.push(await bound(round));
    products.push(await product(round));
  }
  return { bound: median(bounds), product: median(products) };
}

export function measure(m: Omit<Measure, 'ratio' | 'met'>): Measure {
  const ratio = m.product / m.bound.value;
  return { ...m, ratio, met: isMet(ratio, m.goal) };
}

const isMet = (ratio: number, { op, value }: Measure['goal']): boolean =>
  op === '>=' ? ratio >= value : ratio <= value;

/** Returns the medians of a suite's measurements over several rounds. */
export function medians(rounds: Measure[][]): Measure[] {
  const [firstRound = [], ...otherRounds] = rounds;
  if (otherRounds.length === 0) return firstRound;
  return firstRound.map((firstMeasure) => {
    const sameMeasures = rounds.flatMap((measures) => measures.filter(({ name }) => name === firstMeasure.name));
    const ratios = sameMeasures.map(({ ratio }) => ratio);
    const ratio = median(ratios);
    return {
      ...firstMeasure,
      product: median(sameMeasures.map(({ product }) => product)),
      bound: { ...firstMeasure.bound, value: median(sameMeasures.map(({ bound }) => bound.value)) },
      ratio,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      met: isMet(ratio, firstMeasure.goal),
    };
  });
}

const shortNumber = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2);

const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;
const TABLE_HEAD = ['suite', 'path', 'Tonearm', 'bound', 'ratio', 'goal', 'met'];

export const tableHead = [TABLE_HEAD, TABLE_HEAD.map(() => '---')].map(row).join('\n');

export const toRows = (measures: Measure[]): string =>
  measures
    .map((m) =>
      row([
        m.suite,
        m.name,
        `${shortNumber(m.product)} ${m.unit}`,
        `${m.bound.name}: ${shortNumber(m.bound.value)} ${m.unit}`,
        `${m.ratio.toFixed(2)}×${m.spread ? ` (${m.spread.map((ratio) => ratio.toFixed(2)).join('–')})` : ''}`,
        `${m.goal.op === '>=' ? '≥' : '≤'} ${m.goal.value}×`,
        m.met ? 'yes' : '**no**',
      ]),
    )
    .join('\n');

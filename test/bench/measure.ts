// The result of a benchmark: Tonearm's figure and a bound of the same run, because machines differ and are noisy.

export interface Measure {
  suite: string;
  name: string;
  unit: string;
  /** Median of the product's runs. */
  product: number;
  bound: { name: string; value: number };
  /** product ÷ bound. */
  ratio: number;
  /** The lowest and the highest ratio of several rounds. */
  spread?: [number, number];
  goal: { op: '>=' | '<='; value: number };
  met: boolean;
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};

/** Runs bound and product in turn, so that a slow minute of the machine hits both. */
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

/** Medians of what a suite measured in several rounds. */
export function medians(rounds: Measure[][]): Measure[] {
  const [first = [], ...others] = rounds;
  if (others.length === 0) return first;
  return first.map((one) => {
    const all = rounds.flatMap((measures) => measures.filter(({ name }) => name === one.name));
    const ratios = all.map(({ ratio }) => ratio);
    const ratio = median(ratios);
    return {
      ...one,
      product: median(all.map(({ product }) => product)),
      bound: { ...one.bound, value: median(all.map(({ bound }) => bound.value)) },
      ratio,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      met: isMet(ratio, one.goal),
    };
  });
}

const short = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2);

const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;
const HEAD = ['suite', 'path', 'Tonearm', 'bound', 'ratio', 'goal', 'met'];

export const tableHead = [HEAD, HEAD.map(() => '---')].map(row).join('\n');

export const toRows = (measures: Measure[]): string =>
  measures
    .map((m) =>
      row([
        m.suite,
        m.name,
        `${short(m.product)} ${m.unit}`,
        `${m.bound.name}: ${short(m.bound.value)} ${m.unit}`,
        `${m.ratio.toFixed(2)}×${m.spread ? ` (${m.spread.map((ratio) => ratio.toFixed(2)).join('–')})` : ''}`,
        `${m.goal.op === '>=' ? '≥' : '≤'} ${m.goal.value}×`,
        m.met ? 'yes' : '**no**',
      ]),
    )
    .join('\n');

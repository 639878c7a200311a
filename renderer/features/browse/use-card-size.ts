// The size of covers in the grids. The size is a preference, so it is stored in the browser and not in the URL.
import { asJson, storedChoice } from '../../stored-choice.ts';

export const CARD_SIZES = { min: 112, max: 280, step: 4 } as const;

const choice = storedChoice<number>({
  name: 'cardSize',
  key: 'tonearm.card-size',
  initial: 172,
  ...asJson((size) =>
    typeof size === 'number' && Number.isFinite(size)
      ? Math.min(CARD_SIZES.max, Math.max(CARD_SIZES.min, size))
      : undefined,
  ),
});

export function useCardSize(): [number, (size: number) => void] {
  const size = choice.use();
  const narrow = innerWidth < 768;
  return [narrow ? Math.min(size, 148) : size, choice.set];
}

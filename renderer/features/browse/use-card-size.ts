// The size of covers in the grids: a preference, so it is stored in the browser and not in the URL.
import { useLocalStorage } from '@mantine/hooks';

export const CARD_SIZES = { min: 112, max: 280, step: 4 } as const;

export function useCardSize(): [number, (size: number) => void] {
  const [size, setSize] = useLocalStorage<number>({
    key: 'tonearm.card-size',
    defaultValue: 172,
    getInitialValueInEffect: false,
  });
  const narrow = innerWidth < 768;
  return [narrow ? Math.min(size, 148) : Math.min(CARD_SIZES.max, Math.max(CARD_SIZES.min, size)), setSize];
}

/** Row heights in pixels by density, equal to `--row` in tokens.css. */
export const ROW_HEIGHTS = { comfortable: 48, compact: 32, dense: 24 } as const;
export type Density = keyof typeof ROW_HEIGHTS;
export const DENSITIES = Object.keys(ROW_HEIGHTS) as Density[];

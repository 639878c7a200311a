// Search parameters of the statistics. Apart from the page, which is loaded on demand.
import { parseRangeSearch, type RangeSearch } from '../../ui/day-range.ts';

export interface StatisticsSearch extends RangeSearch {
  measure?: 'minutes';
  year?: number;
}

export const parseStatisticsSearch = (input: Record<string, unknown>): StatisticsSearch => ({
  ...parseRangeSearch(input),
  ...(input['measure'] === 'minutes' && { measure: 'minutes' }),
  ...(/^(19|20|21)\d\d$/.test(String(input['year'])) && { year: Number(input['year']) }),
});

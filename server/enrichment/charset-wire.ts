import { z } from 'zod';
import { AlbumIdIn } from '../db/ids.ts';
import { CHARSETS } from '../media/charset.ts';

const Charset = z.enum(CHARSETS);

/** The charset of texts in an album's tags that do not declare their charset. */
export const AlbumCharsetOut = z
  .object({
    charset: Charset.nullable().meta({ description: 'of most tracks; null when their tags all say theirs' }),
    is_chosen: z.boolean().meta({ description: 'a person chose it, and it is kept' }),
    track_count: z.int().meta({ description: 'tracks with such tags' }),
    charsets: z.array(Charset).meta({ description: 'what can be chosen; the first seven are also detected' }),
  })
  .meta({ id: 'AlbumCharsetOut' });
export type AlbumCharsetOut = z.output<typeof AlbumCharsetOut>;

export const ChooseCharsetIn = z.strictObject({ charset: Charset }).meta({ id: 'ChooseCharsetIn' });

export const ChosenCharsetOut = z
  .object({
    album_id: AlbumIdIn.nullable().meta({ description: 'the album that the tracks are in now' }),
    changed: z.int().meta({ description: 'tracks that were read again' }),
    failed: z.int().meta({ description: 'tracks whose files could not be read now; they stay as they were' }),
  })
  .meta({ id: 'ChosenCharsetOut' });
export type ChosenCharsetOut = z.output<typeof ChosenCharsetOut>;

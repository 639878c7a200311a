// Declares settings: the rule for their value, and how they are shown.
import { z } from 'zod';
import { BYTES_SYNTAX, bytesFromText, numberFromText, percentFromText } from './runtime/number-text.ts';
import { trimEnd } from './runtime/trim-text.ts';

export const SETTING_GROUPS = [
  'general',
  'library',
  'storage',
  'backup',
  'metadata',
  'network',
  'remote',
  'accounts',
] as const;
type SettingGroup = (typeof SETTING_GROUPS)[number];

/**
 * What a setting decides. `plain` settings are restored with a backup. `program`: which program is run. `folder`: what
 * is read and written. `address`: who is served, and which servers are requested. `account`: who can sign in. `guard`:
 * what deletes, writes outside of the data folder, hides what happened, or keeps people signed in for longer. `secret`:
 * never sent to clients, only whether it is set. All these are restored only after a confirmation. `place`: where the
 * library itself is; never restored.
 */
export const SETTING_KINDS = ['plain', 'program', 'folder', 'address', 'account', 'guard', 'secret', 'place'] as const;
export type SettingKind = (typeof SETTING_KINDS)[number];

interface SettingMeta {
  kind: SettingKind;
  group: SettingGroup;
  help: string;
  /** The kind of value, for the input in the settings page. */
  unit?: 'bytes' | 'duration' | 'folder';
  /** True if the setting is rarely needed; the settings page collapses these. */
  advanced?: boolean;
  /** Set if the setting only has an effect while another setting has one of these values. */
  onlyFor?: { setting: string; values: readonly string[] };
  /** True if a change takes effect at the next start. */
  restart?: boolean;
}

export const setting = <S extends z.ZodType>(schema: S, meta: SettingMeta) => ({
  schema,
  ...meta,
  secret: meta.kind === 'secret',
});

const words = ['true', 'false', '1', '0', 'yes', 'no', 'on', 'off'] as const;
export const bool = z.union(
  [
    z.boolean(),
    z
      .string()
      .toLowerCase()
      .pipe(z.enum(words))
      .transform((w) => ['true', '1', 'yes', 'on'].includes(w)),
  ],
  {
    error: 'must be true or false',
  },
);
type FromText = (text: string) => number | undefined;

/** Declares a number, also as text; `allowed` describes the allowed values for messages. */
export const number = (rule: z.ZodType<number, number>, allowedText: string, fromText: FromText = numberFromText) =>
  z
    .union([z.number(), z.string().transform((writtenText) => fromText(writtenText) ?? NaN)], {
      error: `must be ${allowedText}`,
    })
    .refine((v) => rule.safeParse(v).success, { error: `must be ${allowedText}` });
/** Declares a size, also with a unit. */
export const bytes = (minBytes = 0) =>
  number(z.int().min(minBytes), `${BYTES_SYNTAX}${minBytes > 0 ? `, at least ${minBytes}` : ''}`, bytesFromText);
export const percent = number(z.number().min(0).max(100), 'a number from 0 to 100, or 0% to 100%', percentFromText);
/** Text without NUL, at which the system would end names of files and hosts. */
export const text = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .refine((value) => !value.includes('\0'), 'must not contain the character NUL');
export const path = text;
export const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .transform((v) => trimEnd(v, /\//));

const UNITS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
/** Parses a duration to seconds: `7d`, `12h`, `30m`. */
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, 'must be a number and s, m, h or d, such as 7d')
  .transform((v) => Number(v.slice(0, -1)) * UNITS[v.slice(-1) as keyof typeof UNITS]);

type Setting = SettingMeta & { schema: z.ZodType };
export type SettingTable = Readonly<Record<string, Setting>>;
export type ValuesOf<Table extends SettingTable> = { [Name in keyof Table]: z.output<Table[Name]['schema']> };

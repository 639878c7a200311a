// The rules of a smart playlist in the editor: they have the API's shape, but may be incomplete. Pure.
import type { CreditRole } from '../../api/routes.ts';
import type { Rules, SmartFields } from '../../api/playlists.ts';
import { MOODS } from '../../music/moods.ts';
import { isFieldName } from '../../music/track-fields.ts';

export type Joiner = 'all' | 'any';
export interface Condition {
  field: string;
  /** The name of the tag, for the field `tag`. */
  tag?: string;
  op: string;
  value?: unknown;
}
export interface Group {
  joiner: Joiner;
  nodes: Node[];
}
export type Node = Condition | Group;
export interface RuleForm extends Group {
  sort?: { field: string; order: 'asc' | 'desc' } | undefined;
  limit?: number | undefined;
  limitBy: 'tracks' | 'minutes' | 'megabytes';
  seed?: number | undefined;
}

/** Maximum nesting of groups; the server accepts five levels. */
export const MAX_DEPTH = 4;

/** Number of the API's units in one unit of the form. */
const UNITS: Record<string, number> = { duration_ms: 60_000, size_bytes: 1_000_000, sample_rate_hz: 1_000 };
export const unitOf = (field: string): number => UNITS[field] ?? 1;

/** Fields that are named like a role of credits. */
const CREDIT_FIELDS: Readonly<Record<Exclude<CreditRole, 'composer'>, true>> = {
  conductor: true,
  lyricist: true,
  arranger: true,
  producer: true,
  director: true,
  engineer: true,
  mixer: true,
  djmixer: true,
  remixer: true,
  performer: true,
};
const isCreditField = (field: string): field is keyof typeof CREDIT_FIELDS => field in CREDIT_FIELDS;

/** Returns the translation key of a field. */
export function labelOfRule(field: string) {
  if (isFieldName(field)) return `field.${field}` as const;
  return isCreditField(field) ? (`credits.role.${field}` as const) : (`rules.fields.${field as 'title'}` as const);
}

export const isGroup = (node: Node): node is Group => 'nodes' in node;
export const emptyGroup = (): Group => ({ joiner: 'all', nodes: [newCondition('genre', 'is')] });
export const emptyForm = (): RuleForm => ({ ...emptyGroup(), limitBy: 'tracks' });

/** Returns how many values an operator takes: two, none, or one. */
export const valuesOf = (op: string): 0 | 1 | 2 =>
  op === 'between' ? 2 : op === 'is_set' || op === 'is_not_set' ? 0 : 1;

export function newCondition(field: string, op: string, kind = 'text'): Condition {
  if (kind === 'boolean') return { field, op, value: true };
  if (kind === 'mood') return { field, op, value: MOODS[0] };
  return valuesOf(op) === 2 ? { field, op, value: ['', ''] } : { field, op };
}

const TAG_OPTION = 'tag:';

/** Returns the value of a rule's field in the menu of fields: a field, or `tag:` and the name of a tag. */
export const optionOf = ({ field, tag }: Condition): string => (tag === undefined ? field : `${TAG_OPTION}${tag}`);

/** Returns the rule with another field or tag; the operator stays if the new field supports it. */
export function withOption(node: Condition, option: string, fields: SmartFields): Condition {
  if (!option.startsWith(TAG_OPTION)) return withField(node, option, fields);
  return { ...withField(node, 'tag', fields), tag: option.slice(TAG_OPTION.length) };
}

/** Returns the rule with another field; the operator stays if the new field supports it. */
export function withField(node: Condition, field: string, { fields }: SmartFields): Condition {
  const fieldInfo = fields.find((candidate) => candidate.field === field);
  const op = fieldInfo?.operators.includes(node.op) ? node.op : (fieldInfo?.operators[0] ?? 'is');
  return newCondition(field, op, fieldInfo?.kind);
}

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(typeof value === 'number' && Number.isNaN(value));

export function isComplete(node: Node): boolean {
  if (isGroup(node)) return node.nodes.length > 0 && node.nodes.every(isComplete);
  const valueCount = valuesOf(node.op);
  if (valueCount === 0) return true;
  return valueCount === 2
    ? Array.isArray(node.value) && node.value.length === 2 && node.value.every(isFilled)
    : isFilled(node.value);
}

const toWire = (node: Node): object => {
  if (isGroup(node)) return { [node.joiner]: node.nodes.map(toWire) };
  const { field, tag, op, value } = node;
  return { field, ...(tag !== undefined && { tag }), op, ...(valuesOf(op) > 0 && { value }) };
};

/** Returns undefined while the rules are incomplete. */
export function toRules(form: RuleForm): Rules | undefined {
  if (!isComplete(form)) return undefined;
  return {
    ...toWire({ joiner: form.joiner, nodes: form.nodes }),
    ...(form.sort && { sort: [form.sort] }),
    ...(form.limit && { limit: form.limit, limit_by: form.limitBy }),
    ...(form.seed !== undefined && { seed: form.seed }),
  } as Rules;
}

interface WireNode {
  field?: string;
  tag?: string;
  op?: string;
  value?: unknown;
  all?: WireNode[];
  any?: WireNode[];
}
interface WireRules extends WireNode {
  sort?: { field: string; order: 'asc' | 'desc' }[] | undefined;
  limit?: number | undefined;
  limit_by?: RuleForm['limitBy'] | undefined;
  seed?: number | undefined;
}

const fromNode = (node: WireNode): Node =>
  node.all || node.any
    ? { joiner: node.all ? 'all' : 'any', nodes: (node.all ?? node.any ?? []).map(fromNode) }
    : {
        field: node.field ?? '',
        ...(node.tag !== undefined && { tag: node.tag }),
        op: node.op ?? '',
        ...(node.value !== undefined && { value: node.value }),
      };

export function fromRules(rules: object): RuleForm {
  const wire = rules as WireRules;
  const root = fromNode({ ...(wire.all && { all: wire.all }), ...(wire.any && { any: wire.any }) });
  return {
    ...(isGroup(root) ? root : emptyGroup()),
    sort: wire.sort?.[0],
    limit: wire.limit,
    limitBy: wire.limit_by ?? 'tracks',
    seed: wire.seed,
  };
}

// A line of the log as people read it on a terminal: `22:14:03 warn  music folder not watched (reason: …)`.
import { stripVTControlCharacters, styleText } from 'node:util';

interface LoggedError {
  name?: unknown;
  message?: unknown;
  code?: unknown;
  stack?: unknown;
  cause?: unknown;
}

interface Line extends Record<string, unknown> {
  level: string;
  time: string;
  msg?: string;
  err?: unknown;
}

const COLORS: Record<string, Parameters<typeof styleText>[0]> = { warn: 'yellow', error: 'red', fatal: 'red' };
/** Removes what a progress bar has drawn on the line; it draws itself again. */
const CLEAR = '\r\u001B[K';
/** Of names in the library; they could move the cursor or clear the screen. */
const CONTROLS = /\p{Cc}+/gu;
const MAX_CAUSES = 5;
const MAX_DETAIL_CHARS = 200;

/** `line` is JSON. Stacks are shown of errors that nobody expected, or of all. */
export function terminalLine(line: string, { withStacks }: { withStacks: boolean }): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(line) as Line;
  const color = COLORS[level];
  const label = level.padEnd(5);
  const words = err === undefined ? msg : [msg, wordsOf(err)].filter(Boolean).join(': ');
  const details = Object.entries(fields).map(([name, value]) => `${name}: ${shortened(textOf(value))}`);
  const text = plain(`${words}${details.length > 0 ? ` (${details.join(', ')})` : ''}`);
  const isUnexpected = (level === 'error' || level === 'fatal') && causesOf(err).every(isUnknown);
  const stack = withStacks || isUnexpected ? stackOf(err) : '';
  const shown = color === undefined ? label : styleText(color, label, { stream: process.stderr });
  return `${CLEAR}${clockOf(time)} ${shown} ${text}\n${stack}`;
}

/** An error and its causes, outermost first. */
function causesOf(err: unknown): LoggedError[] {
  const causes: LoggedError[] = [];
  for (
    let at = err;
    typeof at === 'object' && at !== null && causes.length < MAX_CAUSES;
    at = (at as LoggedError).cause
  )
    causes.push(at);
  return causes;
}

/** Errors of Tonearm and of the system have a code, and say in words what happened. */
const isUnknown = ({ name, code }: LoggedError): boolean => name !== 'AppError' && code === undefined;

/** Messages that repeat their cause's are said once. */
function wordsOf(err: unknown): string {
  const messages = causesOf(err).flatMap(({ message }) => (typeof message === 'string' ? [message] : []));
  if (messages.length === 0) return textOf(err);
  return messages.filter((message, i) => !messages.slice(0, i).some((said) => said.includes(message))).join(': ');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const shortened = (text: string): string =>
  text.length > MAX_DETAIL_CHARS ? `${text.slice(0, MAX_DETAIL_CHARS)}…` : text;

const plain = (text: string): string => stripVTControlCharacters(text).replace(CONTROLS, ' ');

const stackOf = (err: unknown): string =>
  causesOf(err)
    .flatMap(({ stack }) => (typeof stack === 'string' ? stack.split('\n') : []))
    .map((frame) => `    ${plain(frame)}\n`)
    .join('');

/** Local time of day, as the clock on the wall. */
const clockOf = (time: string): string => new Date(time).toTimeString().slice(0, 8);

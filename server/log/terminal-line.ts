// Formats a line of the log for a terminal: `22:14:03 warn  music folder not watched (reason: …)`.
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
/** Clears a progress bar from the line; the bar draws itself again. */
const CLEAR_LINE = '\r\u001B[K';
/** Control characters, which could move the cursor or clear the screen. */
const CONTROL_CHARACTERS = /\p{Cc}+/gu;
const MAX_CAUSES = 5;
const MAX_DETAIL_CHARS = 200;

/** Formats a line of JSON. Stacks are shown for unexpected errors, or for all errors with `withStacks`. */
export function toTerminalLine(line: string, { withStacks }: { withStacks: boolean }): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(line) as Line;
  const color = COLORS[level];
  const label = level.padEnd(5);
  const message = err === undefined ? msg : [msg, describeError(err)].filter(Boolean).join(': ');
  const details = Object.entries(fields).map(([name, value]) => `${name}: ${shorten(textOf(value))}`);
  const text = stripControls(`${message}${details.length > 0 ? ` (${details.join(', ')})` : ''}`);
  const isUnexpected = (level === 'error' || level === 'fatal') && causesOf(err).every(isUnknown);
  const stack = withStacks || isUnexpected ? stackOf(err) : '';
  const coloredLabel = color === undefined ? label : styleText(color, label, { stream: process.stderr });
  return `${CLEAR_LINE}${timeOfDay(time)} ${coloredLabel} ${text}\n${stack}`;
}

/** Lists an error and its causes, outermost first. */
function causesOf(err: unknown): LoggedError[] {
  const causes: LoggedError[] = [];
  for (
    let cause = err;
    typeof cause === 'object' && cause !== null && causes.length < MAX_CAUSES;
    cause = (cause as LoggedError).cause
  )
    causes.push(cause);
  return causes;
}

/**
 * Returns whether an error is unexpected. Errors of Tonearm and of the system have a code, and a message that explains
 * what happened.
 */
const isUnknown = ({ name, code }: LoggedError): boolean => name !== 'AppError' && code === undefined;

/** Joins the messages of an error and its causes; a message that an earlier one contains is left out. */
function describeError(err: unknown): string {
  const messages = causesOf(err).flatMap(({ message }) => (typeof message === 'string' ? [message] : []));
  if (messages.length === 0) return textOf(err);
  return messages
    .filter((message, i) => !messages.slice(0, i).some((earlierMessage) => earlierMessage.includes(message)))
    .join(': ');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const shorten = (text: string): string =>
  text.length > MAX_DETAIL_CHARS ? `${text.slice(0, MAX_DETAIL_CHARS)}…` : text;

const stripControls = (text: string): string => stripVTControlCharacters(text).replace(CONTROL_CHARACTERS, ' ');

const stackOf = (err: unknown): string =>
  causesOf(err)
    .flatMap(({ stack }) => (typeof stack === 'string' ? stack.split('\n') : []))
    .map((frame) => `    ${stripControls(frame)}\n`)
    .join('');

/** Formats the local time of day. */
const timeOfDay = (time: string): string => new Date(time).toTimeString().slice(0, 8);

// The log of a command: on stderr, and in the data folder where nobody else keeps what is printed.
import { existsSync, fstatSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { createLogFile } from '../log/log-file.ts';
import { createLog, type Log } from '../log/log.ts';

const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

/** `isShell`: the desktop app has started this server, and keeps what it prints. */
export function openCommandLog({ settings, paths }: Config, env: NodeJS.ProcessEnv, isShell: boolean): Log {
  const { LOG_FILES: files, LOG_LEVEL: level } = settings;
  if (files === 'never' || (files === 'auto' && (isShell || isKeptElsewhere(env)))) return createLog(level);
  return createLog(level, process.stderr, createLogFile({ folder: paths.logs }));
}

/** By systemd's journal or by a container. A terminal is read by a person, in a container too. */
const isKeptElsewhere = (env: NodeJS.ProcessEnv): boolean =>
  isJournal(env['JOURNAL_STREAM']) || (!process.stderr.isTTY && isContainer(env));

/** Programs that a service starts inherit the variable, so it names the stream that it is about. */
export function isJournal(stream: string | undefined, fd: number = process.stderr.fd): boolean {
  if (!stream) return false;
  const { dev, ino } = fstatSync(fd);
  return stream === `${dev}:${ino}`;
}

const isContainer = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env['container'] ?? env['KUBERNETES_SERVICE_HOST']) || CONTAINER_MARKS.some((mark) => existsSync(mark));

// Opens the log of a command: on stderr, and in the data folder unless the output is stored elsewhere.
import { existsSync, fstatSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { createLogFile } from '../log/log-file.ts';
import { createLog, type Log } from '../log/log.ts';

const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

/** `isShell`: the desktop app has started this server, and stores its output. */
export function openCommandLog({ settings, paths }: Config, env: NodeJS.ProcessEnv, isShell: boolean): Log {
  const { LOG_FILES: files, LOG_LEVEL: level } = settings;
  if (files === 'never' || (files === 'auto' && (isShell || isCapturedElsewhere(env)))) return createLog(level);
  return createLog(level, process.stderr, createLogFile({ folder: paths.logs }));
}

/**
 * Returns whether systemd's journal or a container stores the output. A person reads a terminal, in containers, too.
 */
const isCapturedElsewhere = (env: NodeJS.ProcessEnv): boolean =>
  isJournal(env['JOURNAL_STREAM']) || (!process.stderr.isTTY && isContainer(env));

/** Compares the stream that the variable names: child processes of a service inherit the variable. */
export function isJournal(stream: string | undefined, fd: number = process.stderr.fd): boolean {
  if (!stream) return false;
  const { dev, ino } = fstatSync(fd);
  return stream === `${dev}:${ino}`;
}

const isContainer = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env['container'] ?? env['KUBERNETES_SERVICE_HOST']) || CONTAINER_MARKS.some((mark) => existsSync(mark));

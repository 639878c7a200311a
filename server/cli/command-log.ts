// Opens the log of a command: on stderr, and in the data folder unless something else stores the output.
import { existsSync, fstatSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { createLogFile } from '../log/log-file.ts';
import { createLog, type Log } from '../log/log.ts';

const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'];

/** `isShell` says that the desktop app has started this server, and stores its output. */
export function openCommandLog({ settings, paths }: Config, env: NodeJS.ProcessEnv, isShell: boolean): Log {
  const { LOG_FILES: files, LOG_LEVEL: level } = settings;
  if (files === 'never' || (files === 'auto' && (isShell || isCapturedElsewhere(env)))) return createLog(level);
  return createLog(level, process.stderr, createLogFile({ folder: paths.logs }));
}

/**
 * Returns whether systemd's journal or a container stores the output. Output on a terminal counts as read by a person,
 * even in a container.
 */
const isCapturedElsewhere = (env: NodeJS.ProcessEnv): boolean =>
  isJournal(env['JOURNAL_STREAM']) || (!process.stderr.isTTY && isContainer(env));

/**
 * Returns whether stderr goes to systemd's journal. The variable is not enough, because child processes of a service
 * inherit it, so its value is compared with the stream.
 */
export function isJournal(stream: string | undefined, fd: number = process.stderr.fd): boolean {
  if (!stream) return false;
  const { dev, ino } = fstatSync(fd);
  return stream === `${dev}:${ino}`;
}

const isContainer = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env['container'] ?? env['KUBERNETES_SERVICE_HOST']) || CONTAINER_MARKS.some((mark) => existsSync(mark));

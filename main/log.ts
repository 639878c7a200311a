// The app's own log and error reports, kept in the profile; nothing leaves this computer. The server's output is
// written to a second file. electron-log rotates both files at 1 MB and keeps one old file of each.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import electronLog from 'electron-log/node';

const MAX_LOG_BYTES = 1_000_000;
const MAX_REPORTS = 10;

export type ShellLog = ReturnType<typeof openLog>;

export function openLog(folder: string, { version, now }: { version: string; now: () => Date }) {
  const [mainLog, server] = ['main', 'server'].map((name) => fileLog(name, join(folder, `${name}.log`)));
  const reports = join(folder, 'reports');
  const lastLines: string[] = [];
  let count = 0;

  const write = (level: 'info' | 'warn' | 'error', text: string): void => {
    lastLines.push(`${now().toISOString()} ${level} ${text}`);
    if (lastLines.length > 50) lastLines.shift();
    mainLog?.[level](text);
  };

  return {
    folder,
    info: (text: string): void => write('info', text),
    warn: (text: string): void => write('warn', text),

    /** Writes the output of the server unchanged. */
    server: (chunk: Buffer): void => server?.info(chunk.toString().trimEnd()),

    /**
     * Writes an error and the last lines of the log into a new file. Returns the file's path, or the log's path if the
     * file cannot be written.
     */
    report(summary: string, error: unknown): string {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      write('error', `${summary}: ${stack}`);
      const path = join(reports, `${now().toISOString().replaceAll(':', '-')}-${(count += 1)}.txt`);
      const system = `${process.platform} ${process.arch}, Node ${process.versions.node}`;
      try {
        mkdirSync(reports, { recursive: true });
        writeFileSync(path, [`Tonearm ${version}, ${system}`, summary, stack, '', ...lastLines, ''].join('\n'));
        for (const name of readdirSync(reports).toSorted().slice(0, -MAX_REPORTS)) rmSync(join(reports, name));
        return path;
      } catch (fault) {
        write('warn', `no report: ${String(fault)}`); // the disk may be full, and another error here would end the app
        return join(folder, 'main.log');
      }
    },
  };
}

function fileLog(logId: string, path: string) {
  const log = electronLog.create({ logId });
  log.transports.console.level = false;
  log.transports.file.resolvePathFn = () => path;
  log.transports.file.maxSize = MAX_LOG_BYTES;
  log.transports.file.format = logId === 'server' ? '{text}' : '{y}-{m}-{d} {h}:{i}:{s}.{ms} {level} {text}';
  return log;
}

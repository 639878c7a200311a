// Files that another process keeps writing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { silentMp3 } from './audio-bytes.ts';

interface Writer {
  /** Stops the writing process. */
  stop(): Promise<void>;
}

/** Starts a process that keeps appending frames to these files until it is stopped. */
export async function startWriter(files: string[]): Promise<Writer> {
  const program = `const fs = require('node:fs');
    const [frame, ...files] = process.argv.slice(1);
    const fds = files.map((file) => fs.openSync(file, 'a'));
    const write = () => { for (const fd of fds) fs.writeSync(fd, Buffer.from(frame, 'base64')); };
    setInterval(write, 1);
    process.stdin.on('data', () => process.exit()).on('end', () => process.exit());
    write();
    console.log('writing');`;
  const child = spawn(process.execPath, ['-e', program, silentMp3(1).toString('base64'), ...files], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    async stop() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

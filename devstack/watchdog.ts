/**
 * Kills a stack's servers when the process that started them is gone, however it went. A small shell in a session of
 * its own reads a pipe that only the parent holds; when the parent dies, even by SIGKILL, the kernel closes the pipe.
 */
import { spawn } from 'node:child_process';

const SCRIPT = `
trap '' INT TERM HUP
groups=
while read -r op group; do
  rest=
  for known in $groups; do [ "$known" = "$group" ] || rest="$rest $known"; done
  groups=$rest
  [ "$op" = add ] && groups="$groups $group"
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

export interface Watchdog {
  /** From now on this process group dies with the parent. */
  add(group: number): void;
  /** The group ended by itself: its number may be reused by somebody else. */
  remove(group: number): void;
  close(): void;
}

/** Starts the watchdog; it ends on `close` or with this process. */
export function startWatchdog(): Watchdog {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
  shell.unref();
  const { stdin } = shell;
  stdin.on('error', () => {});
  return {
    add: (group) => void stdin.write(`add ${group}\n`),
    remove: (group) => void (stdin.writable && stdin.write(`remove ${group}\n`)),
    close: () => void stdin.end(),
  };
}

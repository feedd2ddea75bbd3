import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../crds/kubernetes.ts';
import { readEvents, readLines } from './watch-stream.ts';

async function* chunks(...texts: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text as string);
}

const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of source) all.push(item);
  return all;
};

describe('lines', () => {
  const umlaut = Buffer.from('ä\n');
  test.each<[string, (string | Buffer)[], string[]]>([
    ['several in one chunk', ['a\nb\n'], ['a', 'b']],
    ['one over several chunks', ['a', 'b', 'c\n'], ['abc']],
    ['a character cut in two', [umlaut.subarray(0, 1), umlaut.subarray(1)], ['ä']],
    ['a last one without its end is dropped', ['a\nb'], ['a']],
    ['empty ones are kept apart', ['\n\na\n'], ['', '', 'a']],
    ['an end alone in its chunk', ['a', '\n', 'b\n'], ['a', 'b']],
  ])('%s', async (_what, texts, want) => {
    expect(await collect(readLines(chunks(...texts)))).toEqual(want);
  });
});

describe('events', () => {
  const event = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
  const read = (...texts: string[]) => collect(readEvents<KubernetesObject>(chunks(...texts)));

  test('objects and bookmarks', async () => {
    const object = { metadata: { name: 'a', resourceVersion: '5' } };
    const bookmark = { metadata: { resourceVersion: '9' } };
    const last = { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } };
    const text = event('ADDED', object) + event('BOOKMARK', bookmark) + event('BOOKMARK', last);
    expect(await read(text)).toEqual([
      { type: 'ADDED', object },
      { type: 'BOOKMARK', resourceVersion: '9', initialEnd: false },
      { type: 'BOOKMARK', resourceVersion: '9', initialEnd: true },
    ]);
  });

  test('an ERROR event is the error it tells of', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
    await expect(read(event('ERROR', status))).rejects.toMatchObject({ reason: 'expired', status: 410 });
  });

  test.each([
    ['a line that is no JSON', 'oops\n'],
    ['an unknown type', event('RENAMED', {})],
  ])('%s ends the stream', async (_what, text) => {
    await expect(read(text)).rejects.toMatchObject({ reason: 'other' });
  });

  test('nothing is read ahead of the consumer', async () => {
    let pulled = 0;
    async function* source() {
      for (;;) {
        pulled += 1;
        yield Buffer.from(event('ADDED', { metadata: { name: String(pulled) } }));
      }
    }
    const events = readEvents<KubernetesObject>(source());
    await events.next();
    await events.next();
    expect(pulled).toBe(2);
  });
});

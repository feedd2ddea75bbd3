/** What is masked, and how often a Secret is read. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../kubernetes/errors.ts';
import type { ObjectRef, ResourceType } from '../../kubernetes/resource-types.ts';
import { problemOf } from './providers/provider-scene.ts';
import { SecretReader } from './secrets.ts';

const encode = (text: string) => Buffer.from(text).toString('base64');

function scene(data: Record<string, string>) {
  const state = { reads: [] as string[], nowMs: 0, reason: undefined as ApiError['reason'] | undefined };
  const get = async (_type: ResourceType, { namespace, name }: ObjectRef) => {
    state.reads.push(`${namespace}/${name}`);
    if (state.reason !== undefined) throw new ApiError(state.reason, { reason: state.reason, sent: true });
    const entries = Object.entries(data).map(([key, value]) => [key, encode(value)]);
    return { metadata: { name }, data: Object.fromEntries(entries) };
  };
  return { state, reader: new SecretReader({ get: get as never }, () => state.nowMs) };
}

describe('masking', () => {
  const secret = 'p@ss "word" & more';
  const forms = [secret, encode(secret), encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  it.each(forms)('%s is not told', async (form) => {
    const values = scene({ key: secret }).reader.open('default');
    await values.read('f', { name: 's', key: 'key' });
    expect(values.redact(`before ${form} after ${form}`)).toBe('before *** after ***');
  });

  it('the longer one first, each line of many, and nothing that was not read', async () => {
    const values = scene({ a: 'abcd', b: 'abcdefgh', c: 'line one\nline two', d: 'never read' }).reader.open('default');
    for (const key of ['a', 'b', 'c']) await values.read('f', { name: 's', key });
    expect(values.redact('abcdefgh abcd | line two | never read')).toBe('*** *** | *** | never read');
  });

  it('of a whole Secret: what is long enough to be told from other words', async () => {
    const values = scene({ port: '80', password: 'hunter2' }).reader.open('default');
    await values.maskAll('s');
    expect(values.redact('80 hunter2')).toBe('80 ***');
  });

  it('of a whole Secret that is not there: nothing, and no problem', async () => {
    const { state, reader } = scene({});
    state.reason = 'notFound';
    const values = reader.open('default');
    await values.maskAll('s');
    expect(values.redact('text')).toBe('text');
  });
});

describe('reading', () => {
  it('is not repeated within seconds, apart by namespace, and sees a new value soon', async () => {
    const data = { key: 'old' };
    const { state, reader } = scene(data);
    const read = (namespace: string) => reader.open(namespace).read('f', { name: 's', key: 'key' });
    await Promise.all([read('a'), read('a'), read('b')]);
    expect(state.reads).toEqual(['a/s', 'b/s']);
    data.key = 'new';
    state.nowMs = 10_001;
    expect(await read('a')).toBe('new');
  });

  it('a failure is not kept', async () => {
    const { state, reader } = scene({ key: 'value' });
    state.reason = 'network';
    const read = () => reader.open('a').read('f', { name: 's', key: 'key' });
    expect(await problemOf(read())).toBe('f: Secret a/s could not be read: network');
    state.reason = undefined;
    expect(await read()).toBe('value');
  });
});

import { describe, expect, test } from 'vitest';
import { type Flags, readConfig, SETTINGS } from './config.ts';
import type { CannotStart } from './startup-error.ts';

test('without flags and variables it listens everywhere and is named after the process', () => {
  const { listen, identity, writes, logLevel } = readConfig({}, {});
  expect(listen).toEqual({ host: '0.0.0.0', port: 10_251 });
  expect(identity).toMatch(new RegExp(`-${process.pid}$`));
  expect(writes).toEqual({ qps: 500, burst: 1_000 });
  expect(logLevel).toBe('info');
});

test('a flag wins over a variable, a variable over the default', () => {
  const env = { HOLDFAST_WRITE_QPS: '7', HOLDFAST_WRITE_BURST: '9', POD_NAME: 'holdfast-0' };
  const { writes, identity } = readConfig({ 'write-qps': '8' }, env);
  expect(writes).toEqual({ qps: 8, burst: 9 });
  expect(identity).toBe('holdfast-0');
});

test('a switch is true when it is typed, or by its variable', () => {
  expect(readConfig({ 'register-search-attributes': true }, {}).registerSearchAttributes).toBe(true);
  expect(readConfig({}, { HOLDFAST_REGISTER_SEARCH_ATTRIBUTES: 'true' }).registerSearchAttributes).toBe(true);
  expect(readConfig({}, {}).registerSearchAttributes).toBe(false);
});

describe('addresses', () => {
  const cases: [string, { host: string; port: number }][] = [
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    [':9090', { host: '0.0.0.0', port: 9_090 }],
    ['[::1]:9090', { host: '::1', port: 9_090 }],
  ];
  test.each(cases)('--listen %s', (text, want) => {
    expect(readConfig({ listen: text }, {}).listen).toEqual(want);
  });
});

describe('what hooks may reach', () => {
  test('by default: pods, and no address that is link-local', () => {
    const { addresses, kinds } = readConfig({}, {}).hooks;
    expect(addresses.allow).toEqual([]);
    expect(addresses.deny).toContain('169.254.0.0/16');
    expect(kinds).toEqual([]);
  });

  test('networks and kinds are lists; an empty one is empty', () => {
    const flags = {
      'hook-deny': '',
      'hook-allow': '10.0.0.0/8, ::1',
      'hook-kinds': 'deployments.v1.apps=Deployment,pods.v1=Pod',
    };
    const { addresses, kinds } = readConfig(flags, {}).hooks;
    expect(addresses).toEqual({ deny: [], allow: ['10.0.0.0/8', '::1'] });
    expect(kinds).toEqual([
      { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true },
      { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true },
    ]);
  });
});

describe('a wrong value names its flag or variable and says why', () => {
  const cases: [Flags, Record<string, string>, RegExp][] = [
    [{ listen: 'nowhere' }, {}, /^--listen is "nowhere": must be host:port$/],
    [{ listen: 'h:70000' }, {}, /^--listen is "h:70000": must have a port below 65536$/],
    [{ 'write-qps': 'many' }, {}, /^--write-qps is "many": must be a whole number$/],
    [{ 'write-qps': '1.5' }, {}, /^--write-qps is "1.5": must be a whole number$/],
    [{}, { HOLDFAST_MOVE_SLOTS: '0' }, /^HOLDFAST_MOVE_SLOTS is "0": must be between 1 and 10000$/],
    [{}, { HOLDFAST_LOG_LEVEL: 'loud' }, /^HOLDFAST_LOG_LEVEL is "loud": must be one of trace, debug, /],
    [{}, { HOLDFAST_REGISTER_SEARCH_ATTRIBUTES: 'si' }, /must be true or false$/],
    [
      { 'hook-deny': '10.0.0.0/8,10.0.0.0/33' },
      {},
      /^--hook-deny is ".*": 10.0.0.0\/33 is no network such as 10.0.0.0\/8$/,
    ],
    [{}, { HOLDFAST_HOOK_ALLOW: 'localhost' }, /^HOLDFAST_HOOK_ALLOW is "localhost": localhost is no network/],
    [{ 'hook-kinds': 'Deployment' }, {}, /Deployment is no kind such as deployments.v1.apps=Deployment$/],
    [{ 'hook-kinds': 'secrets.v1=Secret' }, {}, /secrets.v1=Secret is no kind/],
  ];
  test.each(cases)('%j %j', (flags, env, want) => {
    const read = () => readConfig(flags, env);
    expect(read).toThrow(want);
    try {
      read();
    } catch (error) {
      expect((error as CannotStart).exitCode).toBe(2);
    }
  });
});

test('every setting has a flag and a variable of its own', () => {
  expect(new Set(SETTINGS.map(({ flag }) => flag)).size).toBe(SETTINGS.length);
  expect(SETTINGS.every(({ env }) => /^HOLDFAST_[A-Z_]+$/.test(env))).toBe(true);
});

/** Which addresses hooks may ask, in every way of writing them. */
import { describe, expect, it } from 'vitest';
import { AddressPolicy, isNetwork } from './addresses.ts';

describe('without rules of the installation', () => {
  const policy = new AddressPolicy();
  it.each([
    ...['127.0.0.1', '::1', '10.1.2.3', '192.168.0.1', '8.8.8.8', 'fd00::1', '2001:db8::1', '::ffff:10.0.0.1'],
    ...['64:ff9b::808:808', '64:ff9b::10.0.0.1', '64:ff9b::', '64:ff9b:2::a9fe:a9fe'],
  ])('%s may be asked', (address) => {
    expect(policy.permits(address)).toBe(true);
  });

  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::169.254.0.1',
    '0064:FF9B:0:0:0:0:A9FE:1',
    '64:ff9b::6464:64c8',
    '64:ff9b::168.63.129.16',
    '64:ff9b::c000:c0',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:2:3:4:100.100.100.200',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
  ])('%s may not', (address) => {
    expect(policy.permits(address)).toBe(false);
  });
});

describe('with rules', () => {
  it('only what is allowed, and never what is denied', () => {
    const policy = new AddressPolicy({ deny: ['10.0.0.0/24', '10.1.0.9'], allow: ['10.0.0.0/8', 'fd00::/8'] });
    const asked = ['10.1.0.1', '10.1.0.9', '10.0.0.5', '127.0.0.1', 'fd00::5', '::1', '::ffff:10.0.0.5'];
    expect(asked.filter((address) => policy.permits(address))).toEqual(['10.1.0.1', 'fd00::5']);
  });

  it('they hold for what NAT64 leads to', () => {
    const policy = new AddressPolicy({ deny: ['10.0.0.0/24', '64:ff9b::a02:0/112'], allow: ['10.0.0.0/8'] });
    const asked = ['64:ff9b::a01:1', '64:ff9b::10.0.0.5', '64:ff9b::a02:3', '64:ff9b::8.8.8.8', '64:ff9b::1'];
    expect(asked.filter((address) => policy.permits(address))).toEqual(['64:ff9b::a01:1']);
    const all = new AddressPolicy({ deny: ['10.0.0.0/24'], allow: ['64:ff9b::/96'] });
    expect(asked.filter((address) => all.permits(address))).toEqual(asked.filter((text) => !text.includes('.0.5')));
  });

  it('a list that denies nothing opens everything', () => {
    expect(new AddressPolicy({ deny: [], allow: [] }).permits('169.254.169.254')).toBe(true);
  });
});

it('what is a network, and what is none', () => {
  const texts = [
    '10.0.0.0/8',
    '10.0.0.1',
    '::1',
    'fd00::/128',
    '10.0.0.0/33',
    '10.0.0/8',
    'x',
    '',
    '::/129',
    '10.0.0.0/8/8',
  ];
  expect(texts.filter(isNetwork)).toEqual(['10.0.0.0/8', '10.0.0.1', '::1', 'fd00::/128']);
});

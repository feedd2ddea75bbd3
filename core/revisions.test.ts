import { describe, expect, it } from 'vitest';
import type { ControllerRevision, PodTemplateSpec } from '../crds/kubernetes.ts';
import {
  findEqualRevision,
  isRecorded,
  leavingBlocker,
  newControllerRevision,
  nextRevisionNumber,
  oldestLiveRevision,
  type RecordedRevision,
  revisionName,
  revisionsToDelete,
  standingNames,
  templateOf,
  toRevisions,
} from './revisions.ts';

const template = (image: string): PodTemplateSpec => ({
  metadata: { labels: { app: 'lobby' } },
  spec: { containers: [{ name: 'game', image }] },
});

const object = (
  name: string,
  revision: number,
  data: unknown,
  metadata: Partial<ControllerRevision['metadata']> = {},
) =>
  ({
    metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    revision,
    data,
  }) as ControllerRevision;

const recorded = (
  name: string,
  number: number,
  image: string,
  createdAt = '2026-01-01T00:00:00Z',
): RecordedRevision => ({
  name,
  number,
  template: template(image),
  createdAt,
});

/** Being deleted, and held by somebody's finalizer. */
const leaving = (revision: RecordedRevision): RecordedRevision => ({
  ...revision,
  leaving: { finalizers: ['example.com/backup'] },
});

const NOTHING: ReadonlySet<string> = new Set();

const numbers = (list: number[]): RecordedRevision[] =>
  list.map((number) => recorded(`r${number}`, number, `game:${number}`));

/** As a Go operator writes it: every struct field that is no pointer, a patch directive, a creationTimestamp of null. */
const existingEncoding = {
  spec: {
    template: {
      $patch: 'replace',
      metadata: { creationTimestamp: null, labels: { app: 'lobby' } },
      spec: { containers: [{ name: 'game', image: 'game:1', resources: {} }] },
    },
  },
};

describe('templateOf', () => {
  it('reads our own encoding', () => {
    expect(templateOf(object('a', 1, { spec: { template: template('game:1') } }))).toEqual(template('game:1'));
  });

  it('reads an existing operator without its directive, as object and as text', () => {
    const { $patch: _, ...rest } = existingEncoding.spec.template;
    expect(templateOf(object('a', 1, existingEncoding))).toEqual(rest);
    expect(templateOf(object('a', 1, JSON.stringify(existingEncoding)))).toEqual(rest);
  });

  it.each([[undefined], [null], ['{'], [{ spec: {} }], [{ spec: { template: { spec: {} } } }]])(
    'answers null where there is none: %j',
    (data) => {
      expect(templateOf(object('a', 1, data))).toBeNull();
      expect(toRevisions([object('a', 1, data)])).toEqual([]);
    },
  );
});

describe('finding the revision of a template', () => {
  it("taking over: an existing operator's revision equals the template it was made from", () => {
    const [taken] = toRevisions([object('lobby-abc', 3, existingEncoding)]);
    expect(findEqualRevision([taken!], template('game:1'), NOTHING)).toBe(taken);
  });

  it.each([
    ['row 47: the newest is reused', [1, 2, 3], 'game:3', 'r3'],
    ['row 47: an older one is found again', [1, 2, 3], 'game:1', 'r1'],
    ['row 47: a new template has none', [1, 2, 3], 'game:4', undefined],
    ['row 47: the first ever has none', [], 'game:1', undefined],
  ])('%s', (_name, list, image, want) => {
    expect(findEqualRevision(numbers(list), template(image), NOTHING)?.name).toBe(want);
  });

  it('the oldest of several equal ones wins, even after it or another got a higher number', () => {
    const old = recorded('old', 4, 'game:1', '2026-01-01T00:00:00Z');
    const young = recorded('young', 2, 'game:1', '2026-01-02T00:00:00Z');
    const revisions = [young, recorded('x', 5, 'game:2'), old];
    expect(findEqualRevision(revisions, template('game:1'), NOTHING)).toBe(old);
  });

  it('pods stay where they are when a release learns that the newest equals an older one', () => {
    const newest = recorded('b', 2, 'game:1', '2026-01-02T00:00:00Z');
    expect(findEqualRevision([recorded('a', 1, 'game:1'), newest], template('game:1'), NOTHING)).toBe(newest);
  });
});

describe('a revision that is being deleted', () => {
  const kept = new Set(['r1']);
  const [one, two, three] = numbers([1, 2, 3]) as [RecordedRevision, RecordedRevision, RecordedRevision];

  it('is known by its timestamp, with the finalizers that hold it', () => {
    const metadata = { deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['example.com/backup'] };
    const [read] = toRevisions([object('a', 1, { spec: { template: template('game:1') } }, metadata)]);
    expect(read?.leaving).toEqual({ finalizers: ['example.com/backup'] });
  });

  it.each<[string, RecordedRevision[], ReadonlySet<string>, string | undefined]>([
    ['stands for its template where the workload stands on it', [leaving(one), two], kept, 'r1'],
    ['stands for nothing else: the template gets another one', [leaving(one), two], NOTHING, undefined],
    ['gives way to an equal one that stays', [leaving(one), recorded('x', 2, 'game:1')], kept, 'x'],
  ])('%s', (_name, revisions, standing, want) => {
    expect(findEqualRevision(revisions, template('game:1'), standing)?.name).toBe(want);
  });

  it.each<[string, RecordedRevision[], RecordedRevision, boolean]>([
    ['is let be, since it cannot become the newest', [leaving(one), two], leaving(one), true],
    ['is not the newest that another one would have to pass', [one, two, leaving(three)], two, true],
    ['does not make the newest of those that stay another one', [one, two, leaving(three)], one, false],
  ])('%s', (_name, revisions, revision, want) => {
    expect(isRecorded(revisions, revision)).toBe(want);
  });

  it('holds what moves to it, with one sentence; the stable one holds nothing', () => {
    expect(leavingBlocker(two, 'r1')).toBeNull();
    expect(leavingBlocker(leaving(two), 'r2')).toBeNull();
    expect(leavingBlocker(leaving(two), 'r1')?.message).toBe(
      'Revision r2 is being deleted and held by example.com/backup: no more pods move to it until it is gone and recorded again.',
    );
    expect(leavingBlocker({ ...two, leaving: { finalizers: [] } }, 'r1')?.message).toMatch(/ being deleted: no more /);
  });

  it('names that a workload stands on are those of its status and the stable one', () => {
    const status = { currentRevision: 'a', updateRevision: 'b', canary: { revision: 'a' } };
    expect(standingNames(status, 'c')).toEqual(new Set(['a', 'b', 'c']));
    expect(standingNames(undefined)).toEqual(new Set());
  });
});

describe('numbers', () => {
  it.each([
    ['the newest', 'r3', true],
    ['an older one: it is to be renumbered', 'r1', false],
    ['none', '', false],
  ])('recorded is %s', (_name, name, want) => {
    const revisions = numbers([1, 2, 3]);
    expect(isRecorded(revisions, revisions.find((revision) => revision.name === name) ?? null)).toBe(want);
  });

  it('a revision that is to be the newest gets the highest number plus one', () => {
    expect(nextRevisionNumber([])).toBe(1);
    expect(nextRevisionNumber([{ revision: 7 }, { revision: 2 }])).toBe(8);
  });

  it('row 48: pods carry rev 1 and rev 2: the lowest number is the current one', () => {
    expect(oldestLiveRevision(numbers([3, 2, 1]), new Set(['r2', 'r1']))?.name).toBe('r1');
    expect(oldestLiveRevision(numbers([1]), new Set())).toBeUndefined();
  });

  it.each([
    ['row 49: limit 1, revisions 1 to 3, live 2', [1, 2, 3], ['r2'], 1, ['r1']],
    [
      'row 51: limit 2, revisions 1 to 7, live 1, 2, 3 and 6',
      [7, 6, 5, 4, 3, 2, 1],
      ['r1', 'r2', 'r3', 'r6'],
      2,
      ['r4'],
    ],
    ['limit 0 keeps the live ones only', [1, 2, 3], ['r3'], 0, ['r1', 'r2']],
    ['below the limit nothing goes', [1, 2], ['r2'], 10, []],
  ])('%s', (_name, list, live, limit, want) => {
    expect(revisionsToDelete(numbers(list), new Set(live), limit).map(({ name }) => name)).toEqual(want);
  });
});

describe('the name of a revision', () => {
  it('is the workload and a hash', () => {
    expect(revisionName('lobby', template('game:1'), 0)).toMatch(/^lobby-[b-z2-9]{1,7}$/);
  });

  it('does not depend on how the same template is written', () => {
    const written = { ...template('game:1'), spec: { ...template('game:1').spec, restartPolicy: 'Always' } };
    expect(revisionName('lobby', written, 0)).toBe(revisionName('lobby', template('game:1'), 0));
  });

  it('changes with each collision', () => {
    const names = [0, 1, 2].map((collisions) => revisionName('lobby', template('game:1'), collisions));
    expect(new Set(names).size).toBe(3);
  });

  it.each([['a'.repeat(200)], [`${'a'.repeat(54)}-.-${'b'.repeat(40)}`]])('fits a label value: %s', (workload) => {
    const name = revisionName(workload, template('game:1'), 0);
    expect(name.length).toBeLessThanOrEqual(63);
    expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  });

  it('differs for two long workload names that begin alike', () => {
    const [one, two] = ['x', 'y'].map((end) => revisionName(`${'a'.repeat(80)}${end}`, template('game:1'), 0));
    expect(one).not.toBe(two);
  });
});

describe('a new ControllerRevision', () => {
  const workload = {
    apiVersion: 'tkex.tencent.com/v1alpha1',
    kind: 'GameDeployment',
    metadata: {
      namespace: 'games',
      name: 'lobby',
      uid: 'u1',
      annotations: {
        'kubernetes.io/change-cause': 'new map',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'holdfast.dev/resume': 'x/1',
      },
    },
    spec: { template: template('game:1') },
  };

  it('is found by the selector, owned by the workload, and reads back as the template', () => {
    const revision = newControllerRevision(workload, 4, 'lobby-bc2');
    expect(revision.metadata.labels).toMatchObject({ app: 'lobby' });
    expect(revision.metadata).toMatchObject({ name: 'lobby-bc2', labels: { 'controller.kubernetes.io/hash': 'bc2' } });
    expect(revision.metadata.ownerReferences).toMatchObject([{ kind: 'GameDeployment', uid: 'u1', controller: true }]);
    expect(revision.metadata.annotations).toEqual({
      'kubernetes.io/change-cause': 'new map',
      'holdfast.dev/kind': 'GameDeployment',
    });
    expect(templateOf(revision)).toEqual(template('game:1'));
    expect(revision.data).toMatchObject({ spec: { template: { $patch: 'replace' } } });
    const keys = Object.keys((revision.data as { spec: { template: object } }).spec.template);
    expect(keys).toEqual([...keys].sort());
    expect(revision.revision).toBe(4);
  });
});

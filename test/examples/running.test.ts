/** The examples beside a running operator: each gets its pods, and says so; what is not implemented is said instead. */
import { expect, test } from 'vitest';
import { notImplementedField, notImplementedHook } from '../../core/not-implemented.ts';
import type { GameWorkload } from '../../crds/game-workload.ts';
import type { Condition } from '../../crds/kubernetes.ts';
import { type Operator, withOperator } from '../../devstack/operator.ts';
import { eventually } from '../support/eventually.ts';
import { commandsOf, type Example, readExamples } from './read-examples.ts';
import { shell } from './shell.ts';

/** Forty pods come in four batches, each some seconds after the one before. */
const PATIENCE = { timeoutMs: 180_000, intervalMs: 1_000 };
const EXAMPLES = readExamples();

/** Nobody provides volumes here: they are made by hand, as many as there are replicas with claims. */
async function createVolumes({ stack }: Operator): Promise<void> {
  const workloads = EXAMPLES.flatMap((example) => example.workloads);
  const claims = workloads.flatMap(({ spec }) => ('volumeClaimTemplates' in spec ? Array(spec.replicas).fill('') : []));
  for (const index of claims.keys()) {
    const name = `volume-${index}`;
    const spec = { capacity: { storage: '10Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: `/tmp/${name}` } };
    const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
    await stack.api('POST', '/api/v1/persistentvolumes', volume);
  }
}

const wantReady = (workload: GameWorkload, { hookTemplates }: Example): string => {
  const missing = notImplementedField(workload) ?? notImplementedHook(workload, hookTemplates);
  return missing === null ? 'True AllPodsAvailable' : 'False NotImplemented';
};

async function readyOf(operator: Operator, { kind, metadata: { name } }: GameWorkload): Promise<string> {
  const { status } = JSON.parse(await shell(operator, `kubectl get ${kind} ${name} -o json`)) as GameWorkload;
  const ready = status?.conditions?.find(({ type }: Condition) => type === 'Ready');
  return `${ready?.status} ${ready?.reason}`;
}

test('every example gets its pods, or says what is not implemented', { timeout: 600_000 }, async () => {
  const options = { log: () => {}, userAgent: 'examples', signal: new AbortController().signal };
  await withOperator(options, async (operator) => {
    await createVolumes(operator);
    const applied = EXAMPLES.flatMap(({ readme }) => commandsOf(readme)).filter((line) =>
      line.startsWith('kubectl apply'),
    );
    for (const command of applied) await shell(operator, command);
    for (const example of EXAMPLES) {
      for (const workload of example.workloads) {
        const want = wantReady(workload, example);
        await eventually(`${workload.kind} ${workload.metadata.name} is ${want}`, () => readyOf(operator, workload), {
          ...PATIENCE,
          until: (seen) => seen === want,
        });
      }
    }
    const pods = await shell(operator, 'kubectl get pods -l app=bots -o json');
    const indexes = [...pods.matchAll(/"tkex.bkbcs.tencent.com\/gamedeployment-index-id": "(\d+)"/g)];
    expect(indexes.map(([, index]) => index).sort()).toEqual(['100', '101', '102', '103', '104', '105', '106', '107']);
  });
});

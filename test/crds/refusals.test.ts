/** The tables of nonsense and sense, judged by a real API server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CustomResourceServer, startCustomResourceServer } from './custom-resource-server.ts';
import { NONSENSE } from './nonsense.ts';
import {
  type Changes,
  change,
  type MakeManifest,
  type Manifest,
  makeGameDeployment,
  makeGameStatefulSet,
  makeHookRun,
  makeHookTemplate,
} from './objects.ts';
import { SENSE } from './sense.ts';

let server: CustomResourceServer;
beforeAll(async () => {
  server = await startCustomResourceServer();
});
afterAll(() => server?.stop());

interface Refusal {
  message: string;
  details?: { causes?: { field: string; message: string }[] };
}

/** Keys of maps stand in brackets where CEL speaks, and after a dot where OpenAPI does. */
const plainPath = (field: string): string => field.replace(/\[([^\]]*[^\]\d][^\]]*)\]/g, '.$1');

describe('nonsense is refused with the path of its field', () => {
  test.each(NONSENSE)('$name', async ({ object, set, wantPath, wantMessage = '' }) => {
    const { status, body } = await server.tryCreate(change(object(), set));
    expect(status).toBe(422);
    const causes = (body as Refusal).details?.causes?.map((cause) => ({ ...cause, field: plainPath(cause.field) }));
    expect(causes).toContainEqual(
      expect.objectContaining({ field: wantPath, message: expect.stringContaining(wantMessage) }),
    );
  });
});

describe('what is odd and legal is accepted', () => {
  test.each(SENSE)('$name', async ({ object, set }) => {
    expect(await server.tryCreate(change(object(), set))).toMatchObject({ status: 201 });
  });
});

describe('a field nobody knows', () => {
  const paths: [kind: string, path: string, object: MakeManifest][] = [
    ['GameDeployment', 'spec.replica', makeGameDeployment],
    ['GameDeployment', 'spec.updateStrategy.maxUnavailabel', makeGameDeployment],
    ['GameDeployment', 'spec.updateStrategy.inPlaceUpdateStrategy.gracePeriod', makeGameDeployment],
    ['GameDeployment', 'spec.preDeleteUpdateStrategy.hook.template', makeGameDeployment],
    ['HookTemplate', 'spec.metrics[0].sucessCondition', makeHookTemplate],
    ['HookTemplate', 'spec.metrics[0].provider.web.path', makeHookTemplate],
    ['HookRun', 'spec.activeDeadline', makeHookRun],
  ];

  test.each(paths)('%s: %s is named', async (_kind, path, object) => {
    const { status, body } = await server.tryCreate(change(object(), { [path]: 'x' }));
    expect(status).toBe(400);
    expect((body as Refusal).message).toContain(`unknown field "${path}"`);
  });
});

describe('the selector cannot be changed', () => {
  test.each([
    ['GameDeployment', makeGameDeployment],
    ['GameStatefulSet', makeGameStatefulSet],
  ])('of a %s', async (_kind, makeObject) => {
    const apply = (object: Manifest) => server.kubectl(['apply', '-f', '-'], JSON.stringify(object));
    const object = change(makeObject(), { 'metadata.name': 'fixed' });
    expect(await apply(object)).toMatchObject({ code: 0, stderr: '' });
    change(object, { 'spec.template.metadata.labels.tier': 'gold' });
    expect(await apply(object)).toMatchObject({ code: 0, stderr: '' });
    const refused = await apply(change(object, { 'spec.selector.matchLabels.tier': 'gold' }));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('spec.selector: Invalid value');
    expect(refused.stderr).toContain('The selector cannot be changed');
  });
});

describe('edits of a GameStatefulSet', () => {
  const claim = (name: string, storage = '1Gi') => ({
    metadata: { name },
    spec: { resources: { requests: { storage } } },
  });
  const CLAIMS = 'spec.volumeClaimTemplates';
  const DISKS = 'No claim template can be renamed or removed';
  const NAME = 'The service name cannot be changed';
  const apply = (object: Manifest) => server.kubectl(['apply', '-f', '-'], JSON.stringify(object));
  const start = (name: string): Manifest =>
    change(makeGameStatefulSet(), { 'metadata.name': name, [CLAIMS]: [claim('saves'), claim('logs')] });

  test.each<[name: string, set: Changes, path: string, message: string]>([
    ['a claim template is renamed', { [`${CLAIMS}[0].metadata.name`]: 'games' }, CLAIMS, DISKS],
    ['a claim template is removed', { [CLAIMS]: [claim('saves')] }, CLAIMS, DISKS],
    ['all claim templates are removed', { [CLAIMS]: undefined }, CLAIMS, DISKS],
    ['the service is another one', { 'spec.serviceName': 'galaxy' }, 'spec.serviceName', NAME],
    ['the service is none any more', { 'spec.serviceName': '' }, 'spec.serviceName', NAME],
  ])('refused: %s', async (_name, set, path, message) => {
    expect(await apply(start('fixed'))).toMatchObject({ code: 0, stderr: '' });
    const refused = await apply(change(start('fixed'), set));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`${path}: Invalid value`);
    expect(refused.stderr).toContain(message);
  });

  test.each<[name: string, set: Changes]>([
    ['a claim template is added', { [CLAIMS]: [claim('maps'), claim('saves'), claim('logs')] }],
    ['claims to come are larger', { [`${CLAIMS}[0]`]: claim('saves', '2Gi') }],
    ['pods are made all at once', { 'spec.podManagementPolicy': 'Parallel' }],
    ['pods get a name in DNS where they had none', { 'spec.serviceName': 'world' }],
  ])('taken: %s', async (name, set) => {
    const object = () => change(start(`edited-${name.split(' ').pop()}`), { 'spec.serviceName': '' });
    expect(await apply(object())).toMatchObject({ code: 0, stderr: '' });
    expect(await apply(change(object(), set))).toMatchObject({ code: 0, stderr: '' });
  });
});

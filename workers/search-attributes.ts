/** Search attributes: an unknown one blocks every workflow that sets it, so they are checked before a worker starts. */
import { setTimeout as delay } from 'node:timers/promises';
import { SEARCH_ATTRIBUTES } from '../workflows/search-attributes.ts';
import { CannotStart } from './startup-error.ts';
import type { TemporalConnections } from './temporal.ts';

type Target = Pick<TemporalConnections, 'connection' | 'namespace'>;
type AttributeType = (typeof SEARCH_ATTRIBUTES)[number]['type'];

/** Of `temporal.api.enums.v1.IndexedValueType`. */
const TYPE_NUMBER: Record<AttributeType, number> = { Keyword: 2, Int: 3, Bool: 5 };
const VISIBLE_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 200;

/** @throws CannotStart with the commands that register what is missing, or where one has another type. */
export async function checkSearchAttributes(target: Target): Promise<void> {
  const missing = await missingSearchAttributes(target);
  if (missing.length === 0) return;
  const commands = missing.map((name) => `  ${registerCommand(name, target.namespace)}`).join('\n');
  throw new CannotStart(`Temporal lacks search attributes of Holdfast: run \`holdfast install\`, or:\n${commands}`);
}

/** Registers what is missing and waits until it is visible; answers the names. */
export async function registerSearchAttributes(target: Target): Promise<string[]> {
  const missing = await missingSearchAttributes(target);
  if (missing.length === 0) return [];
  const { connection, namespace } = target;
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, TYPE_NUMBER[typeOf(name)]]));
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  const giveUpAt = performance.now() + VISIBLE_WITHIN_MS;
  while ((await missingSearchAttributes(target)).length > 0) {
    if (performance.now() > giveUpAt)
      throw new CannotStart('Temporal does not show yet the search attributes that it registered: run it again');
    await delay(LOOK_EVERY_MS);
  }
  return missing;
}

/** Names not registered yet. @throws CannotStart where one is registered with another type. */
async function missingSearchAttributes({ connection, namespace }: Target): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const wrong = SEARCH_ATTRIBUTES.find(({ name, type }) => {
    const found = customAttributes?.[name];
    return found !== undefined && found !== TYPE_NUMBER[type];
  });
  if (wrong) {
    const remove = `temporal operator search-attribute remove --namespace ${namespace} --name ${wrong.name}`;
    throw new CannotStart(
      `Temporal's search attribute ${wrong.name} is not of type ${wrong.type}: use another namespace, or, where nothing else needs it, \`${remove}\``,
    );
  }
  return SEARCH_ATTRIBUTES.filter(({ name }) => customAttributes?.[name] === undefined).map(({ name }) => name);
}

const typeOf = (name: string): AttributeType =>
  SEARCH_ATTRIBUTES.find((attribute) => attribute.name === name)?.type ?? 'Keyword';

const registerCommand = (name: string, namespace: string): string =>
  `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${typeOf(name)}`;

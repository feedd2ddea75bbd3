/**
 * The `web` provider: one request, and the value that a JSONPath finds in its answer (game-workloads §3.5). What may be said
 * about a failure: method, host and path, never query, headers or body.
 */
import { JsonPathError, parseJsonPath, readJsonPath } from '../../../core/hooks/json-path.ts';
import { type Renderer, templateRenderer } from '../../../core/hooks/template.ts';
import type { WebHeader, WebProvider } from '../../../crds/provider.ts';
import type { HttpQuestion, HttpReply } from '../http/exchange.ts';
import { askServer, parseHttpUrl, requestProblem } from './http-provider.ts';
import { type MeasureProvider, type ProviderAnswer, type ProviderContext, ProviderProblem } from './types.ts';

const DEFAULT_TIMEOUT_SECONDS = 10;
const URL_FIELD = 'provider.web.url';
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** One request; every failure of it is a ProviderProblem. */
export const measureWeb: MeasureProvider<WebProvider> = async (web, context) => {
  const question = await makeQuestion(web, context);
  const { tls, timeoutSeconds } = web;
  const asking = { urlField: URL_FIELD, tlsField: 'provider.web.tls', tls };
  const reply = await askServer(
    question,
    { ...asking, timeoutSeconds: timeoutSeconds || DEFAULT_TIMEOUT_SECONDS },
    context,
  );
  if (!isExpected(web, reply.status)) throw requestProblem(URL_FIELD, question, `HTTP status ${reply.status}`);
  if (!wantsBody(web)) return { value: String(reply.status) };
  return readValue(web, question, reply);
};

async function makeQuestion(web: WebProvider, { args, secrets }: ProviderContext): Promise<HttpQuestion> {
  const render = templateRenderer(args);
  const url = parseHttpUrl(URL_FIELD, render(web.url));
  const { method = 'GET', headers = [], body } = web;
  const pairs = await Promise.all(headers.map((header, index) => headerOf(header, index, { render, secrets })));
  return {
    ...{ method, url, headers: pairs.flat(), isSafe: SAFE_METHODS.has(method) },
    ...(body !== undefined && { body: render(body) }),
    wantsBody: (status) => wantsBody(web) && isExpected(web, status),
  };
}

type Filling = Pick<ProviderContext, 'secrets'> & { render: Renderer };

async function headerOf({ key, value = '', valueFrom }: WebHeader, index: number, { render, secrets }: Filling) {
  if (valueFrom === undefined) return [key, asBytes(render(value))];
  const field = `provider.web.headers[${index}].valueFrom.secretKeyRef`;
  return [key, asBytes(await secrets.read(field, valueFrom.secretKeyRef))];
}

/** Headers are sent byte by byte, one for each character: this way what the server gets is UTF-8, as by the existing operators. */
const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Always text, as existing conditions expect (`asInt(result)`); the whole answer where no path is given. */
function readValue(
  { jsonPath }: WebProvider,
  question: HttpQuestion,
  { text, contentType }: HttpReply,
): ProviderAnswer {
  const document = parseJson(text);
  if (document === undefined) throw requestProblem(URL_FIELD, question, `the answer is not JSON (${contentType})`);
  try {
    return { value: readJsonPath(parseJsonPath(jsonPath || '{$}'), document.json) };
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new ProviderProblem('provider.web.jsonPath', error.message);
  }
}

/** Where only the status was asked for, the body may be anything. */
function wantsBody({ method, jsonPath, expectedStatuses }: WebProvider): boolean {
  return method !== 'HEAD' && (Boolean(jsonPath) || expectedStatuses === undefined);
}

function isExpected({ expectedStatuses }: WebProvider, status: number): boolean {
  return expectedStatuses?.includes(status) ?? (status >= 200 && status <= 299);
}

function parseJson(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

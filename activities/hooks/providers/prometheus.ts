/**
 * The `prometheus` provider: one instant query (game-workloads §3.5). A scalar is a number for the conditions, a vector a list
 * of numbers. What Prometheus warns of stands beside the verdict.
 */
import { templateRenderer } from '../../../core/hooks/template.ts';
import type { PrometheusProvider } from '../../../crds/provider.ts';
import { basicAuthorization, type HttpQuestion, type HttpReply } from '../http/exchange.ts';
import { askServer, parseHttpUrl, requestProblem } from './http-provider.ts';
import {
  type MeasureProvider,
  type ProviderAnswer,
  type ProviderContext,
  ProviderProblem,
  type SecretValues,
} from './types.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;
const ADDRESS_FIELD = 'provider.prometheus.address';
const QUERY_FIELD = 'provider.prometheus.query';
const MAX_CLAUSE_LENGTH = 200;
/** More of them would not fit into a clause, however short they are. */
const MAX_CLAUSES = 100;
/** Prometheus says what is wrong with a query in the bodies of these. */
const ANSWERED: ReadonlySet<number> = new Set([200, 400, 422, 503]);

/** One query; every failure of it is a ProviderProblem. */
export const measurePrometheus: MeasureProvider<PrometheusProvider> = async (prometheus, context) => {
  const question = await makeQuestion(prometheus, context);
  const { tls, timeoutSeconds } = prometheus;
  const asking = { urlField: ADDRESS_FIELD, tlsField: 'provider.prometheus.tls', tls };
  const reply = await askServer(
    question,
    { ...asking, timeoutSeconds: timeoutSeconds || DEFAULT_TIMEOUT_SECONDS },
    context,
  );
  const answer = masked(parseAnswer(question, reply), context.secrets);
  if (answer.status !== 'success') {
    const error = clause([answer.errorType, answer.error]);
    throw new ProviderProblem(QUERY_FIELD, `Prometheus refuses the query: ${error}`);
  }
  return judgeSamples(prometheus, answer);
};

async function makeQuestion(prometheus: PrometheusProvider, context: ProviderContext): Promise<HttpQuestion> {
  const render = templateRenderer(context.args);
  const url = queryUrl(parseHttpUrl(ADDRESS_FIELD, render(prometheus.address ?? '')));
  const timeoutSeconds = prometheus.timeoutSeconds || DEFAULT_TIMEOUT_SECONDS;
  const query = render(prometheus.query ?? '');
  return {
    ...{ method: 'POST', url, isSafe: true, wantsBody: (status) => ANSWERED.has(status) },
    headers: ['content-type', 'application/x-www-form-urlencoded', ...(await authorization(prometheus, context))],
    body: new URLSearchParams({ query, timeout: `${timeoutSeconds}s` }).toString(),
  };
}

/** Below the path of the address, whatever stands behind that. */
function queryUrl(address: URL): URL {
  const path = address.pathname;
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  const url = new URL(address);
  [url.search, url.hash, url.pathname] = ['', '', `${path.slice(0, end)}/api/v1/query`];
  return url;
}

async function authorization({ bearerTokenSecret, basicAuth }: PrometheusProvider, { secrets }: ProviderContext) {
  if (bearerTokenSecret !== undefined) {
    const token = await secrets.read('provider.prometheus.bearerTokenSecret', bearerTokenSecret);
    return ['authorization', `Bearer ${token}`];
  }
  if (basicAuth === undefined) return [];
  const username = await secrets.read('provider.prometheus.basicAuth.username', basicAuth.username);
  const password = await secrets.read('provider.prometheus.basicAuth.password', basicAuth.password);
  const value = basicAuthorization(username, password);
  secrets.mask(value.slice('Basic '.length));
  return ['authorization', value];
}

/** As Prometheus answers; whatever else comes is taken for something else than Prometheus. */
interface QueryAnswer {
  status: 'success' | 'error';
  errorType?: string;
  error?: string;
  warnings?: string[];
  infos?: string[];
  data?: { resultType: string; result: unknown };
}

function parseAnswer(question: HttpQuestion, { status, contentType, text }: HttpReply): QueryAnswer {
  if (!ANSWERED.has(status)) throw requestProblem(ADDRESS_FIELD, question, `HTTP status ${status}`);
  const answer = parseObject(text);
  if (answer?.status === 'success' || answer?.status === 'error') return answer as QueryAnswer;
  const why = status === 200 ? `the answer is not that of a Prometheus (${contentType})` : `HTTP status ${status}`;
  throw requestProblem(ADDRESS_FIELD, question, why);
}

function parseObject(text: string): { status?: unknown } | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** What Prometheus says, free of secrets before anything of it is cut: half a secret is one, too. */
function masked({ data, ...answer }: QueryAnswer, { redact }: Pick<SecretValues, 'redact'>): QueryAnswer {
  const one = (text: unknown) => (typeof text === 'string' ? redact(text) : undefined);
  const all = (texts: unknown) => (Array.isArray(texts) ? texts.filter(isSaid).slice(0, MAX_CLAUSES).map(redact) : []);
  const { error, errorType, warnings, infos } = answer;
  return {
    ...answer,
    ...{ error: one(error), errorType: one(errorType), warnings: all(warnings), infos: all(infos) },
    ...(data !== undefined &&
      data !== null && { data: { result: data.result, resultType: one(data.resultType) ?? '' } }),
  };
}

/** A server may send anything in the place of a text. */
const isSaid = (text: unknown): text is string => typeof text === 'string' && text !== '';

function judgeSamples(prometheus: PrometheusProvider, answer: QueryAnswer): ProviderAnswer {
  const note = clause([...(answer.warnings ?? []), ...(answer.infos ?? [])]);
  const value = readSamples(answer);
  if (Array.isArray(value) && value.length === 0) return judgeEmpty(prometheus, note);
  if ([value].flat().some((sample) => Number.isNaN(sample))) {
    return { verdict: 'Inconclusive', message: joined('a value is not a number (NaN)', note), shown: shownOf(value) };
  }
  return { value, shown: shownOf(value), ...(note !== '' && { note }) };
}

/** No series is no number: a metric that vanished must not pass for a good one. */
function judgeEmpty({ emptyResult: verdict = 'Inconclusive' }: PrometheusProvider, note: string): ProviderAnswer {
  if (verdict === 'Evaluate') return { value: [], shown: '[]', ...(note !== '' && { note }) };
  return { verdict, message: joined('the query finds no series', note), shown: '[]' };
}

/** @throws ProviderProblem for anything but a scalar or a vector of plain numbers. */
function readSamples({ data }: QueryAnswer): number | number[] {
  if (data?.resultType === 'scalar') return sampleOf(data.result);
  if (data?.resultType === 'vector' && Array.isArray(data.result)) {
    return data.result.map((series: { value?: unknown } | null) => sampleOf(series?.value));
  }
  const type = clause([data?.resultType]);
  const what = type === '' ? 'nothing' : `a ${type}`;
  throw new ProviderProblem(QUERY_FIELD, `the query answers with ${what}, only scalar and vector can be judged`);
}

/** `[time, "text"]`; a native histogram has no number. */
function sampleOf(pair: unknown): number {
  const text: unknown = Array.isArray(pair) ? pair[1] : undefined;
  if (typeof text !== 'string')
    throw new ProviderProblem(QUERY_FIELD, 'a series has no plain number, as of a histogram');
  if (/^[+-]?Inf$/.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return text.trim() === '' ? Number.NaN : Number(text);
}

const shownOf = (value: number | number[]) => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value));

const joined = (sentence: string, note: string) => (note === '' ? sentence : `${sentence}; ${note}`);

/** What a server says, fit to stand in a sentence. */
function clause(texts: readonly (string | undefined)[]): string {
  return texts
    .filter(isSaid)
    .join('; ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, MAX_CLAUSE_LENGTH);
}

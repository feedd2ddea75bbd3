/** What is wrong with the provider of a metric, beyond what its schema can say. Pure. */

import type { Metric } from '../../crds/metric.ts';
import type {
  JobProvider,
  KubernetesProvider,
  MetricProvider,
  PrometheusProvider,
  ProviderTls,
  SecretKey,
  WebHeader,
  WebProvider,
} from '../../crds/provider.ts';
import { parseFieldPath, parsePatchPath } from './field-path.ts';
import { mapJobTexts } from './job-spec.ts';
import { parseJsonPath } from './json-path.ts';
import { isObjectName } from './object-name.ts';
import { attempt, type Complain, type Knowledge } from './problems.ts';

interface Checking extends Knowledge {
  path: string;
  complain: Complain;
}

type Check<P> = (provider: P, checking: Checking) => void;

const MAX_TIMEOUT_SECONDS = 600;
const HTTP_URL = /^https?:\/\/[^/?#]/i;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const CONTROL = /[^\t\P{Cc}]/u;

const CHECKS: { [Name in keyof MetricProvider]-?: Check<NonNullable<MetricProvider[Name]>> } = {
  web: checkWeb,
  prometheus: checkPrometheus,
  kubernetes: checkKubernetes,
  job: checkJob,
  exec: (_exec, { path, complain }) => complain(path, 'The provider exec is not implemented.', 'NotImplemented'),
};

/** Complains about the provider of `metric`, which stands at `path`. */
export function checkProvider(metric: Metric, path: string, complain: Complain, knowledge: Knowledge): void {
  const provider = metric.provider ?? {};
  const given = (Object.keys(CHECKS) as (keyof MetricProvider)[]).filter((name) => provider[name] !== undefined);
  const [name] = given;
  if (given.length !== 1 || name === undefined) {
    complain(path, `Exactly one provider is needed, not ${given.length}.`);
    return;
  }
  const check = CHECKS[name] as Check<unknown>;
  check(provider[name], { path: `${path}.${name}`, complain, ...knowledge });
}

function checkWeb(web: WebProvider, checking: Checking): void {
  const { path, complain } = checking;
  const { url = '', headers = [], method = 'GET', body, jsonPath, expectedStatuses, timeoutSeconds, tls } = web;
  checkUrl(url, { ...checking, path: `${path}.url` });
  for (const [index, header] of headers.entries())
    checkHeader(header, { ...checking, path: `${path}.headers[${index}]` });
  if (body !== undefined) checkTemplate(body, { ...checking, path: `${path}.body` });
  if (body !== undefined && (method === 'GET' || method === 'HEAD'))
    complain(`${path}.body`, `A ${method} has no body.`);
  if (jsonPath && method === 'HEAD') complain(`${path}.jsonPath`, 'The answer to a HEAD has no body to look at.');
  if (jsonPath) attempt(`${path}.jsonPath`, complain, () => parseJsonPath(jsonPath));
  if (expectedStatuses?.some((status) => status >= 300 && status <= 399) === true) {
    complain(`${path}.expectedStatuses`, 'A redirect is followed, it cannot be expected.');
  }
  checkTimeout(timeoutSeconds, path, complain);
  checkTls(tls, path, complain);
}

function checkHeader({ key, value, valueFrom }: WebHeader, checking: Checking): void {
  const { path, complain } = checking;
  if (!HEADER_NAME.test(key)) complain(`${path}.key`, `${JSON.stringify(key)} cannot be the name of a header.`);
  const known = value === undefined ? undefined : checkTemplate(value, { ...checking, path: `${path}.value` });
  if (known !== undefined && CONTROL.test(known)) {
    complain(`${path}.value`, 'A header cannot hold line breaks or other control characters.');
  }
  checkSecret(valueFrom?.secretKeyRef, `${path}.valueFrom.secretKeyRef`, complain);
}

function checkPrometheus(prometheus: PrometheusProvider, checking: Checking): void {
  const { path, complain } = checking;
  const { address = '', query = '', timeoutSeconds, bearerTokenSecret, basicAuth, tls } = prometheus;
  checkUrl(address, { ...checking, path: `${path}.address` });
  if (query === '') complain(`${path}.query`, 'A query is needed.');
  checkTemplate(query, { ...checking, path: `${path}.query` });
  checkSecret(bearerTokenSecret, `${path}.bearerTokenSecret`, complain);
  checkSecret(basicAuth?.username, `${path}.basicAuth.username`, complain);
  checkSecret(basicAuth?.password, `${path}.basicAuth.password`, complain);
  checkTimeout(timeoutSeconds, path, complain);
  checkTls(tls, path, complain);
}

function checkKubernetes(
  { function: verb, fields = [] }: KubernetesProvider,
  { path, complain, args }: Checking,
): void {
  if (fields.length === 0) complain(`${path}.fields`, 'At least one field is needed.');
  if (args !== undefined && !args.get('PodName')) {
    complain(path, 'The argument PodName, the name of the object to ask for, has no value.');
  }
  const parse = verb === 'patch' ? parsePatchPath : parseFieldPath;
  for (const [index, field] of fields.entries()) {
    attempt(`${path}.fields[${index}].path`, complain, () => parse(field.path ?? ''));
  }
}

function checkJob({ spec }: JobProvider, checking: Checking): void {
  const { path, complain } = checking;
  if (spec.ttlSecondsAfterFinished !== undefined) {
    const why = 'The Job is kept as long as its HookRun; set ttlSecondsAfterFinished of the HookTemplate.';
    complain(`${path}.spec.ttlSecondsAfterFinished`, why);
  }
  mapJobTexts(spec, (below, text) => {
    checkTemplate(text, { ...checking, path: `${path}.spec.${below}` });
    return text;
  });
}

/** While arguments are open only its beginning can be wrong. */
function checkUrl(url: string, checking: Checking): void {
  const known = checkTemplate(url, checking);
  const [start = ''] = url.split('{{', 1);
  const isRight = known === undefined ? mayBecomeUrl(start) : HTTP_URL.test(known) && URL.canParse(known);
  if (isRight) return;
  checking.complain(checking.path, url === '' ? 'A URL is needed.' : 'This is not a valid http or https URL.');
}

function mayBecomeUrl(start: string): boolean {
  const isPart = ['http://', 'https://'].some((scheme) => scheme.startsWith(start.toLowerCase()));
  return isPart || HTTP_URL.test(start);
}

/** The text with its arguments, where they are known. */
function checkTemplate(text: string, { path, complain, fill }: Checking): string | undefined {
  let known: string | undefined;
  attempt(path, complain, () => {
    known = fill(path, text);
  });
  return known;
}

function checkTls(tls: ProviderTls | undefined, path: string, complain: Complain): void {
  checkSecret(tls?.caSecret, `${path}.tls.caSecret`, complain);
}

function checkSecret(key: SecretKey | undefined, path: string, complain: Complain): void {
  if (key === undefined || isObjectName(key.name ?? '')) return;
  complain(`${path}.name`, `${JSON.stringify(key.name)} cannot be the name of a Secret.`);
}

function checkTimeout(seconds: number | undefined, path: string, complain: Complain): void {
  if (seconds === undefined || (seconds >= 0 && seconds <= MAX_TIMEOUT_SECONDS)) return;
  complain(`${path}.timeoutSeconds`, `Must be between 0 and ${MAX_TIMEOUT_SECONDS}.`);
}

/**
 * What one HTTP request asks of a Kubernetes API server, read from its method and URL alone: which resource, whether it
 * is a watch, whether it writes. Pure; knows nothing of bodies or answers.
 */

export interface ApiRequest {
  method: string;
  /** Path without the query. */
  path: string;
  query: URLSearchParams;
  /** Plural and subresource as audit policies spell them, e.g. `pods` or `pods/status`; empty for `/readyz` and the like. */
  resource: string;
  namespace: string | undefined;
  name: string | undefined;
  kind: 'watch' | 'write' | 'read';
}

const WRITING_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Reads the request line; `dryRun` requests count as reads because they change nothing. */
export function readApiRequest(method: string, url: string): ApiRequest {
  const { pathname, searchParams } = new URL(url, 'http://apiserver');
  const target = readPath(pathname);
  return { method, path: pathname, query: searchParams, ...target, kind: kindOf(method, searchParams) };
}

function kindOf(method: string, query: URLSearchParams): ApiRequest['kind'] {
  if (WRITING_METHODS.has(method)) return query.has('dryRun') ? 'read' : 'write';
  return ['true', '1'].includes(query.get('watch') ?? '') ? 'watch' : 'read';
}

function readPath(path: string): Pick<ApiRequest, 'resource' | 'namespace' | 'name'> {
  const segments = path.split('/').filter(Boolean).map(decodeURIComponent);
  const rest = afterGroupVersion(segments);
  const namespaced = rest[0] === 'namespaces' && rest.length > 2 && !isNamespaceSubresource(rest);
  const namespace = namespaced ? rest[1] : undefined;
  const [plural = '', name, ...subresource] = namespaced ? rest.slice(2) : rest;
  return { resource: [plural, ...subresource].filter(Boolean).join('/'), namespace, name };
}

function afterGroupVersion(segments: string[]): string[] {
  if (segments[0] === 'api') return segments.slice(2);
  if (segments[0] === 'apis') return segments.slice(3);
  return [];
}

/** `/api/v1/namespaces/NAME/status` and `…/finalize` name a namespace, not a resource within it. */
function isNamespaceSubresource(rest: string[]): boolean {
  return rest.length === 3 && (rest[2] === 'status' || rest[2] === 'finalize');
}

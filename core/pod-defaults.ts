/**
 * The defaults that the API gives to every pod, whatever the cluster (protocol §5): a template that spells them out asks
 * for the same pod. Defaults that admission plugins or the cluster's settings add are none of ours.
 */
import { type Fields, fieldsOf, isFields, mapField, mapItems, mapObject } from './plain-json.ts';

const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const LIFECYCLE = ['postStart', 'preStop'];

const POD = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
  securityContext: {},
  schedulerName: 'default-scheduler',
  enableServiceLinks: true,
};
const CONTAINER = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' };
const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const HTTP_GET = { path: '/', scheme: 'HTTP' };
const VOLUME_SOURCES: Record<string, Fields> = {
  secret: { defaultMode: FILE_MODE },
  configMap: { defaultMode: FILE_MODE },
  downwardAPI: { defaultMode: FILE_MODE },
  projected: { defaultMode: FILE_MODE },
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

/** The spec with the API's static defaults filled in. Expects a cleaned spec: no nulls, no values that mean "unset". */
export function withPodDefaults(spec: Fields): Fields {
  const { serviceAccount, ...rest } = spec;
  const named = serviceAccount === undefined ? rest : { serviceAccountName: serviceAccount, ...rest };
  const container = containerDefaults(spec.hostNetwork === true);
  const filled = ['containers', 'initContainers'].reduce(
    (fields: Fields, key) => mapField(fields, key, mapItems(container)),
    mapField(named, 'volumes', mapItems(volumeDefaults)),
  );
  return { ...POD, ...filled };
}

const containerDefaults =
  (hostNetwork: boolean) =>
  (container: Fields): Fields => {
    let filled = mapField(container, 'ports', mapItems(portDefaults(hostNetwork)));
    filled = mapField(filled, 'env', mapItems(envDefaults));
    filled = mapField(filled, 'resources', mapObject(requestsFromLimits));
    for (const probe of PROBES) filled = mapField(filled, probe, mapObject(probeDefaults));
    filled = mapField(filled, 'lifecycle', mapObject(lifecycleDefaults));
    return { ...CONTAINER, imagePullPolicy: pullPolicyOf(container.image), ...filled };
  };

/** No tag, or `latest`, is pulled at every start; a digest without a tag is not. */
export function pullPolicyOf(image: unknown): 'Always' | 'IfNotPresent' {
  const [name = '', digest] = String(image ?? '').split('@');
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  const isLatest = tag === 'latest' || (tag === undefined && digest === undefined);
  return isLatest ? 'Always' : 'IfNotPresent';
}

/** On the host's network a port of the container is a port of the host. */
const portDefaults = (hostNetwork: boolean) => (port: Fields) => ({
  protocol: 'TCP',
  ...(hostNetwork ? { hostPort: port.containerPort } : {}),
  ...port,
});

const envDefaults = (variable: Fields) => mapField(variable, 'valueFrom', mapObject(fieldSourceDefaults));

/** Of an environment variable and of a downward-API item alike. */
function fieldSourceDefaults(source: Fields): Fields {
  const withField = mapField(
    source,
    'fieldRef',
    mapObject((ref) => ({ apiVersion: 'v1', ...ref })),
  );
  return mapField(
    withField,
    'resourceFieldRef',
    mapObject((ref) => ({ divisor: '0n', ...ref })),
  );
}

/** A limit without a request is its own request. */
function requestsFromLimits(resources: Fields): Fields {
  if (!isFields(resources.limits)) return resources;
  return { ...resources, requests: { ...resources.limits, ...fieldsOf(resources.requests) } };
}

const handlerDefaults = (handler: Fields) =>
  mapField(
    handler,
    'httpGet',
    mapObject((get) => ({ ...HTTP_GET, ...get })),
  );

const probeDefaults = (probe: Fields) => ({
  ...PROBE,
  ...mapField(
    handlerDefaults(probe),
    'grpc',
    mapObject((grpc) => ({ service: '', ...grpc })),
  ),
});

const lifecycleDefaults = (lifecycle: Fields) =>
  LIFECYCLE.reduce((fields: Fields, key) => mapField(fields, key, mapObject(handlerDefaults)), lifecycle);

function volumeDefaults(volume: Fields): Fields {
  if (Object.keys(volume).every((key) => key === 'name')) return { ...volume, emptyDir: {} };
  let filled = volume;
  for (const [source, defaults] of Object.entries(VOLUME_SOURCES)) {
    filled = mapField(
      filled,
      source,
      mapObject((fields) => ({ ...defaults, ...fields })),
    );
  }
  filled = mapField(
    filled,
    'image',
    mapObject((image) => ({ pullPolicy: pullPolicyOf(image.reference), ...image })),
  );
  filled = mapField(filled, 'downwardAPI', mapObject(downwardDefaults));
  filled = mapField(
    filled,
    'projected',
    mapObject((fields) => mapField(fields, 'sources', mapItems(projectedDefaults))),
  );
  return mapField(filled, 'ephemeral', mapObject(ephemeralDefaults));
}

const downwardDefaults = (fields: Fields) => mapField(fields, 'items', mapItems(fieldSourceDefaults));

function projectedDefaults(source: Fields): Fields {
  const withToken = mapField(
    source,
    'serviceAccountToken',
    mapObject((token) => ({ expirationSeconds: TOKEN_SECONDS, ...token })),
  );
  return mapField(withToken, 'downwardAPI', mapObject(downwardDefaults));
}

const ephemeralDefaults = (ephemeral: Fields) =>
  mapField(
    ephemeral,
    'volumeClaimTemplate',
    mapObject((claim) =>
      mapField(
        claim,
        'spec',
        mapObject((spec) => ({ volumeMode: 'Filesystem', ...spec })),
      ),
    ),
  );

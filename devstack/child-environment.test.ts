import { expect, test } from 'vitest';
import { childEnvironment } from './child-environment.ts';

const own = { TEMPORAL_ADDRESS: '127.0.0.1:1234', KUBECONFIG: '/stack/kubeconfig' };

test.each([
  ...[
    'TEMPORAL_ADDRESS',
    'TEMPORAL_NAMESPACE',
    'TEMPORAL_API_KEY',
    'TEMPORAL_TLS_CLIENT_CERT_PATH',
    'TEMPORAL_PROFILE',
  ],
  ...['TEMPORAL_GRPC_META_X', 'KUBECONFIG', 'KUBECTL_KUBERC', 'KUBE_FEATURE_WatchListClient', 'ETCD_NAME'],
  ...['KWOK_KUBE_APISERVER', 'HOLDFAST_WRITE_QPS', 'HOLDFAST_LISTEN'],
])('%s of this machine does not count', (name) => {
  expect(childEnvironment(own, { [name]: 'elsewhere' })).toEqual({ ...own, KUBERC: 'off' });
});

test.each(['PATH', 'HOME', 'XDG_CACHE_HOME', 'TEMPORALITY', 'KUBERNETES_SERVICE_HOST', 'HOLDFAST_DEBUG'])(
  '%s is handed on',
  (name) => {
    expect(childEnvironment(own, { [name]: 'here' })).toMatchObject({ ...own, [name]: 'here' });
  },
);

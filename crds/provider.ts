/** Whom a metric asks: a web server, Prometheus, an object of the cluster, or a Job (game-workloads §3.5). */
import { z } from 'zod';
import { labelMap } from './label.ts';
import { podTemplateSchema } from './pod-template.ts';
import { count, objectName } from './primitives.ts';
import { withRules } from './rule.ts';

const text = z.string().max(65_536);
const templated = (schema: z.ZodString) => schema.meta({ description: 'May hold {{ args.NAME }}.' });

/** One key of a Secret in the namespace of the HookRun. */
const secretKeySchema = z.object({ name: objectName, key: z.string().min(1).max(253) });

const tlsSchema = z.object({
  ca: text.optional().meta({ description: 'Certificates in PEM that are trusted, instead of those of the system.' }),
  caSecret: secretKeySchema.optional().meta({ description: 'The same from a Secret.' }),
  insecureSkipVerify: z.boolean().optional().meta({ description: 'True: any certificate will do. For tests only.' }),
});

const headerShape = z.object({
  key: z.string().min(1).max(256),
  value: templated(text).optional(),
  valueFrom: z.object({ secretKeyRef: secretKeySchema }).optional(),
});

const headerSchema = withRules(headerShape, [
  {
    cel: 'has(self.value) != has(self.valueFrom)',
    message: 'A header needs either a value or valueFrom.',
    reason: 'FieldValueInvalid',
    isGood: ({ value, valueFrom }) => (value === undefined) !== (valueFrom === undefined),
  },
]);

const expectedStatus = withRules(z.int32().min(100).max(599), [
  {
    cel: 'self < 300 || self > 399',
    message: 'A redirect is followed, it cannot be expected.',
    reason: 'FieldValueInvalid',
    isGood: (status) => status < 300 || status > 399,
  },
]);

const webShape = z.object({
  url: templated(text.min(1)),
  method: z
    .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
    .optional()
    .meta({ description: 'GET when absent.' }),
  headers: z.array(headerSchema).max(64).optional(),
  body: templated(text).optional(),
  expectedStatuses: z
    .array(expectedStatus)
    .min(1)
    .max(32)
    .optional()
    .meta({ description: 'Good statuses, any 2xx when absent. Without a jsonPath the status then is the result.' }),
  timeoutSeconds: count.optional().meta({ description: 'Absent or 0 means 10.' }),
  jsonPath: z.string().max(4096).optional().meta({ description: "kubectl's syntax, such as {$.age}." }),
  tls: tlsSchema.optional(),
});

const webProviderSchema = withRules(webShape, [
  {
    cel: "!has(self.body) || (has(self.method) && !(self.method in ['GET', 'HEAD']))",
    message: 'A GET or HEAD has no body.',
    reason: 'FieldValueInvalid',
    fieldPath: '.body',
    isGood: ({ body, method = 'GET' }) => body === undefined || (method !== 'GET' && method !== 'HEAD'),
  },
  {
    cel: "!has(self.jsonPath) || self.jsonPath == '' || !has(self.method) || self.method != 'HEAD'",
    message: 'The answer to a HEAD has no body to look at.',
    reason: 'FieldValueInvalid',
    fieldPath: '.jsonPath',
    isGood: ({ jsonPath, method }) => !jsonPath || method !== 'HEAD',
  },
]);

const basicAuthSchema = z.object({ username: secretKeySchema, password: secretKeySchema });

const prometheusShape = z.object({
  address: templated(text).optional(),
  query: templated(text).optional(),
  timeoutSeconds: count.optional().meta({ description: 'Absent or 0 means 30.' }),
  bearerTokenSecret: secretKeySchema.optional(),
  basicAuth: basicAuthSchema.optional(),
  tls: tlsSchema.optional(),
  emptyResult: z.enum(['Inconclusive', 'Successful', 'Failed', 'Error', 'Evaluate']).optional().meta({
    description: 'What an answer without any series means; Inconclusive when absent. Evaluate: the conditions see [].',
  }),
});

const prometheusProviderSchema = withRules(prometheusShape, [
  {
    cel: '!(has(self.bearerTokenSecret) && has(self.basicAuth))',
    message: 'Either bearerTokenSecret or basicAuth, not both.',
    reason: 'FieldValueInvalid',
    isGood: ({ bearerTokenSecret, basicAuth }) => bearerTokenSecret === undefined || basicAuth === undefined,
  },
]);

const kubernetesProviderSchema = z.object({
  function: z.enum(['get', 'patch']),
  fields: z.array(z.object({ path: z.string().max(4096), value: text })).max(64),
});

const execProviderSchema = z.object({
  container: z.string().max(63).optional(),
  command: z.array(text).max(256).optional(),
});

const jobProviderSchema = z.object({
  metadata: z
    .object({
      labels: labelMap.optional(),
      annotations: z.record(z.string(), text).meta({ maxProperties: 64 }).optional(),
    })
    .optional(),
  spec: z.looseObject({ template: podTemplateSchema }).meta({
    description:
      'A JobSpec. {{ args.NAME }} may stand in command, args and values of env; restartPolicy is Never when absent.',
  }),
});

const providerShape = z.object({
  web: webProviderSchema.optional(),
  prometheus: prometheusProviderSchema.optional(),
  kubernetes: kubernetesProviderSchema.optional(),
  job: jobProviderSchema.optional(),
  exec: execProviderSchema.optional(),
});

/** Every provider by its field, in the order in which they are named to people. */
const PROVIDER_NAMES = ['web', 'prometheus', 'kubernetes', 'job', 'exec'] as const;

export const metricProviderSchema = withRules(providerShape, [
  {
    cel: `[${PROVIDER_NAMES.map((name) => `has(self.${name})`).join(', ')}].exists_one(given, given)`,
    message: 'A provider needs exactly one of web, prometheus, kubernetes, job and exec.',
    reason: 'FieldValueInvalid',
    isGood: (provider) => Object.values(provider).filter((given) => given !== undefined).length === 1,
  },
]);

export type SecretKey = z.infer<typeof secretKeySchema>;
export type ProviderTls = z.infer<typeof tlsSchema>;
export type WebHeader = z.infer<typeof headerShape>;
export type WebProvider = z.infer<typeof webShape>;
export type PrometheusProvider = z.infer<typeof prometheusShape>;
export type KubernetesProvider = z.infer<typeof kubernetesProviderSchema>;
export type JobProvider = z.infer<typeof jobProviderSchema>;
export type MetricProvider = z.infer<typeof metricProviderSchema>;

/**
 * docker-compose.yml as the Compose specification has it, as far as ours goes: a key that is missing here is either wrong or new,
 * and `docker compose config` would refuse the first.
 */
import { z } from 'zod';

const duration = z.string().regex(/^(\d+(us|ms|s|m|h))+$/);
const port = String.raw`\d{1,5}`;

const healthcheck = z.strictObject({
  test: z.array(z.string()).refine(([first = '']) => ['CMD', 'CMD-SHELL', 'NONE'].includes(first)),
  interval: duration,
  timeout: duration,
  retries: z.int().positive(),
  start_period: duration.optional(),
});

const condition = z.enum(['service_started', 'service_healthy', 'service_completed_successfully']);

const service = z.strictObject({
  image: z.string(),
  depends_on: z.record(z.string(), z.strictObject({ condition })).optional(),
  entrypoint: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  extra_hosts: z.array(z.string().regex(/^[\w.-]+:[\w.:-]+$/)).optional(),
  healthcheck: healthcheck.optional(),
  ports: z.array(z.string().regex(new RegExp(`^([\\d.]+:)?${port}:${port}$`))).optional(),
  restart: z
    .string()
    .regex(/^(no|always|unless-stopped|on-failure(:\d+)?)$/)
    .optional(),
  volumes: z.array(z.string().regex(/^[^:]+:\/[^:]+(:ro|:rw)?$/)).optional(),
});

/** Parts that begin with `x-` are the author's own. */
export const composeFile = z
  .object({
    name: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
    services: z.record(z.string(), service),
    volumes: z.record(z.string(), z.null()),
  })
  .catchall(z.unknown())
  .refine(
    (file) => Object.keys(file).every((key) => ['name', 'services', 'volumes'].includes(key) || key.startsWith('x-')),
    {
      error: 'a part that Compose does not know',
    },
  );

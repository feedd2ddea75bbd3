/**
 * Claim templates of a GameStatefulSet. Typed is only what Holdfast reads, the rest is kept as written (decision 3). Their names are
 * the names of volumes and of disks: one that is there stays, or the next pod would come up with an empty disk.
 */
import { z } from 'zod';
import { labelMap } from './label.ts';
import { dnsLabel, isDnsLabelInCel } from './primitives.ts';
import { type Rule, withRules } from './rule.ts';

const claimTemplateSchema = z.looseObject({
  metadata: z.looseObject({ name: dnsLabel, labels: labelMap.optional() }),
  spec: z.looseObject({}),
});

export type ClaimTemplate = z.infer<typeof claimTemplateSchema>;

export const claimTemplatesSchema = withRules(z.array(claimTemplateSchema).max(64), [
  {
    cel: 'self.all(one, self.exists_one(other, other.metadata.name == one.metadata.name))',
    message: 'No two claim templates have the same name.',
    reason: 'FieldValueInvalid',
    isGood: (templates) => new Set(templates.map(({ metadata }) => metadata?.name)).size === templates.length,
  },
]);

const IS_KEPT =
  'has(self.volumeClaimTemplates) && self.volumeClaimTemplates.exists(now, now.metadata.name == old.metadata.name)';

/** A rule of the spec, since the list may be taken out as a whole. A name that no volume can have may be put right. */
export const claimTemplatesStay: Rule<unknown> = {
  cel: `!has(oldSelf.volumeClaimTemplates) || oldSelf.volumeClaimTemplates.all(old, !${isDnsLabelInCel('old.metadata.name')} || (${IS_KEPT}))`,
  message:
    'No claim template can be renamed or removed, because the next pod would come up without the disk that is there.',
  reason: 'FieldValueInvalid',
  fieldPath: '.volumeClaimTemplates',
};

/** npm run demo: a canary rollout on real servers, from nothing to the end, with a pause for whoever watches. */
import { parseArgs } from 'node:util';
import { interruption } from '../interruption.ts';
import { onStage } from './stage.ts';
import { tellStory } from './story.ts';

const HELP = `Usage: npm run demo -- [options]

Starts real servers and the operator, brings up a lobby of 20 pods, changes its image and shows the rollout. At the pause it
prints the commands that go on, and waits for you. Builds the servers first where they are missing (about ten minutes, once).

  --yes    send the signal that goes on, and end with 0 when the rollout is completed
  --help   show this text
`;

const say = (line: string) => console.error(`demo: ${line}`);

async function main(): Promise<void> {
  const options = { yes: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args: process.argv.slice(2), options });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  await onStage(say, interruption(), async (stage) => {
    await tellStory(stage, values.yes);
    say('stopping the servers');
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);

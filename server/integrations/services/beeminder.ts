import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, md, time } from '../markdown.ts'

const goal = z.object({
  slug: z.string(),
  losedate: z.number().nullish(),
  limsum: z.string().nullish(),
  pledge: z.number().nullish(),
})

export const beeminder = integration({
  name: 'beeminder',
  title: 'Beeminder',
  category: 'Productivity',
  summary: 'Reminders of goals',
  logo: { letter: 'B', color: '#fed900' },
  steps: ['In Beeminder, open **Reminders** of the account, and paste the URL as webhook.'],
  sample: { payload: { goal: { slug: 'write', losedate: 1772442000, limsum: '+2 in 1 day', pledge: 5 } } },
  handle: on(z.object({ goal }), ({ goal }) => ({
    topic: 'beekeeper',
    content: md`The goal ${bold(goal.slug)} is lost at ${bold(time(goal.losedate))}. It needs ${bold(goal.limsum)}, and ${bold(`$${goal.pledge ?? 0}`)} are at stake.`,
  })),
})

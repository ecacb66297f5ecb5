import { z } from 'zod'
import { eventIn, integration, on } from '../integration.ts'
import { bold, md } from '../markdown.ts'

const text = z.string().nullish()

const member = z.object({
  data: z.object({
    member: z.object({
      memberCollective: z.object({ name: text, isIncognito: z.boolean().nullish() }),
      role: text,
    }),
    order: z.object({ formattedAmount: text, formattedAmountWithInterval: text }).nullish(),
  }),
})

export const opencollective = integration({
  name: 'opencollective',
  title: 'Open Collective',
  category: 'Finance',
  logo: { letter: 'O', color: '#297eff' },
  steps: [
    'In Open Collective, open **Webhooks** in the settings of the collective, and add the URL for **New member**.',
  ],
  eventOf: eventIn('type'),
  events: {
    'collective.member.created': on(member, ({ data: { member, order } }) => {
      const { name, isIncognito } = member.memberCollective
      const amount = order?.formattedAmount || order?.formattedAmountWithInterval
      return {
        topic: 'New Member',
        content: md`${bold(isIncognito ? 'Incognito' : name || 'Someone')} ${amount ? md`donated ${bold(amount)}` : 'joined'}! :tada:`,
      }
    }),
  },
})

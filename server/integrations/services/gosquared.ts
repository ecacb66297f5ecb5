import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, count, link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

const traffic = z.object({
  concurrents: z.number(),
  siteDetails: z.object({ acct: z.string(), domain: z.string() }),
})

const chat = z.object({
  message: z.object({ content: z.string(), private: z.boolean().nullish() }),
  person: z
    .object({ name: text, _anon: z.object({ name: text }).nullish(), anonymous: z.boolean().nullish() })
    .nullish(),
})

export const gosquared = integration({
  name: 'gosquared',
  title: 'GoSquared',
  category: 'Marketing',
  logo: { letter: 'G', color: '#0dc3b5' },
  steps: ['In GoSquared, open **Services** in the settings of the account, and add a **Webhook** with the URL.'],
  handle: on(z.union([traffic, chat]), (given) => {
    if ('concurrents' in given) {
      const { acct, domain } = given.siteDetails
      return {
        event: 'traffic_spike',
        topic: `GoSquared - ${domain}`,
        content: md`${link(domain, `https://www.gosquared.com/now/${encodeURIComponent(acct)}`)} has ${count(given.concurrents, 'visitor')} online.`,
      }
    }
    if (given.message.private) return null
    const name = given.person?.name || given.person?._anon?.name || 'a visitor'
    return {
      event: 'chat_message',
      topic: `Live chat session - ${name}`,
      content: paragraphs(md`${bold(name)} wrote:`, quote(given.message.content)),
    }
  }),
})

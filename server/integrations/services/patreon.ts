import { z } from 'zod'
import { ignore, integration, on } from '../integration.ts'
import { count, lines, md } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()

const payload = z.object({
  data: z.object({
    attributes: z.object({
      full_name: text,
      patron_status: text,
      will_pay_amount_cents: z.number().nullish(),
    }),
  }),
  included: z
    .array(
      z.object({
        type: text,
        attributes: z.object({ patron_count: z.number().nullish(), pay_per_name: text }).nullish(),
      }),
    )
    .nullish(),
})
type Payload = z.output<typeof payload>

const campaignOf = ({ included }: Payload) => included?.find(({ type }) => type === 'campaign')?.attributes

const amountOf = (cents: number | null | undefined) => `$${((cents ?? 0) / 100).toFixed(2)}`

const pledged = (words: string) =>
  on(payload, (given) => {
    const { full_name: name, will_pay_amount_cents: cents } = given.data.attributes
    const campaign = campaignOf(given)
    return {
      topic: 'membership notifications',
      content: lines(
        md`${name || 'Someone'} ${words} ${amountOf(cents)} per ${campaign?.pay_per_name || 'month'}.`,
        campaign?.patron_count == null ? null : md`The campaign has ${count(campaign.patron_count, 'patron')}.`,
      ),
    }
  })

const membership = (words: string) =>
  on(payload, (given) => {
    const { full_name: name, patron_status: status } = given.data.attributes
    return {
      topic: 'membership notifications',
      content: lines(md`${name || 'Someone'} ${words}.`, status && md`Their status is ${status.replaceAll('_', ' ')}.`),
    }
  })

export const patreon = integration({
  name: 'patreon',
  title: 'Patreon',
  category: 'Finance',
  logo: { letter: 'P', color: '#ff424d' },
  steps: ['In Patreon, open **My webhooks** in the developer portal, and add a webhook with the URL.'],
  verify: hmacSignature({ header: 'X-Patreon-Signature', algorithm: 'md5' }),
  eventHeader: 'X-Patreon-Event',
  events: {
    'members:create': membership('is a member now'),
    'members:update': membership('changed their membership'),
    'members:delete': membership('is no member any more'),
    'members:pledge:create': pledged('pledged'),
    'members:pledge:update': pledged('changed their pledge to'),
    'members:pledge:delete': membership('withdrew their pledge'),
    'posts:publish': ignore,
    'posts:update': ignore,
    'posts:delete': ignore,
  },
})

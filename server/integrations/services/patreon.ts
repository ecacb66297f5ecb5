import { z } from 'zod'
import { ignore, integration, on } from '../integration.ts'
import { count, type MarkdownValue, md } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const number = z.number().nullish()
const topic = 'membership notifications'

const delivery = z.object({
  data: z.object({
    attributes: z.object({
      full_name: text,
      patron_status: text,
      currently_entitled_amount_cents: number,
      will_pay_amount_cents: number,
      campaign_lifetime_support_cents: number,
      is_free_trial: z.boolean().nullish(),
    }),
  }),
  included: z
    .array(
      z.object({
        type: text,
        attributes: z
          .object({ patron_count: number, pay_per_name: text, title: text, amount_cents: number, url: text })
          .nullish(),
      }),
    )
    .nullish(),
})
type Delivery = z.output<typeof delivery>

const campaignOf = ({ included }: Delivery) => included?.find(({ type }) => type === 'campaign')?.attributes

const about = (wordsOf: (name: string, payload: Delivery) => MarkdownValue) =>
  on(delivery, (payload) => {
    const patrons = campaignOf(payload)?.patron_count
    const name = payload.data.attributes.full_name || 'Someone'
    const total = typeof patrons === 'number' && md` The campaign has ${count(patrons, 'patron')}.`
    return { topic, content: md`${wordsOf(name, payload)}.${total}` }
  })

const amount = (payload: Delivery) => {
  const { will_pay_amount_cents: next, currently_entitled_amount_cents: entitled } = payload.data.attributes
  const per = campaignOf(payload)?.pay_per_name
  return md`$${((next ?? entitled ?? 0) / 100).toFixed(2)}${per && md` per ${per}`}`
}

const STATUSES = new Map<string, string>(
  Object.entries({
    active_patron: 'is an active patron',
    declined_patron: 'is a patron whose payment was declined',
    former_patron: 'is a former patron',
  }),
)

const statusOf = ({ data: { attributes } }: Delivery) =>
  attributes.is_free_trial ? 'has a free trial' : (STATUSES.get(attributes.patron_status ?? '') ?? 'follows for free')

export const patreon = integration({
  name: 'patreon',
  title: 'Patreon',
  category: 'Finance',
  summary: 'Members and pledges',
  logo: { letter: 'P', color: '#ff424d' },
  steps: [
    'Open [your webhooks](https://www.patreon.com/portal/registration/register-webhooks) on Patreon.',
    'Paste the URL, and click **+**. Then choose the triggers.',
    'If you want deliveries to be verified, set the secret that Patreon shows for the bot.',
  ],
  sample: {
    headers: { 'X-Patreon-Event': 'members:pledge:create' },
    payload: {
      data: {
        attributes: {
          full_name: 'Ada',
          patron_status: 'active_patron',
          currently_entitled_amount_cents: 500,
          will_pay_amount_cents: 500,
        },
      },
      included: [
        {
          type: 'campaign',
          attributes: { patron_count: 42, pay_per_name: 'month', url: 'https://www.patreon.com/example' },
        },
      ],
    },
  },
  verify: hmacSignature({ header: 'X-Patreon-Signature', algorithm: 'md5' }),
  eventHeader: 'X-Patreon-Event',
  events: {
    'members:create': about((name, payload) => md`${name} became a member, and ${statusOf(payload)}`),
    'members:update': about((name, payload) => md`The membership of ${name} changed: ${name} ${statusOf(payload)}`),
    'members:delete': about((name) => md`${name} is no longer a member`),
    'members:pledge:create': about((name, payload) => md`${name} pledged ${amount(payload)}`),
    'members:pledge:update': about((name, payload) => md`${name} changed the pledge to ${amount(payload)}`),
    'members:pledge:delete': about((name) => md`${name} withdrew the pledge`),
    'posts:publish': ignore,
    'posts:update': ignore,
    'posts:delete': ignore,
  },
})

import { z } from 'zod'
import { integration, on, unknownEvent, type WebhookMessage } from '../integration.ts'
import { bullets, count, link, type MarkdownValue, md, paragraphs, time, valueText } from '../markdown.ts'
import { stripeSignature } from '../signatures.ts'

const text = z.string().nullish()
const number = z.number().nullish()
const plan = z
  .object({ id: text, amount: number, currency: text, interval: text, nickname: text, name: text, product: text })
  .nullish()

const object = z.object({
  id: text,
  object: text,
  amount: number,
  amount_due: number,
  amount_paid: number,
  amount_refunded: number,
  currency: text,
  customer: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]).nullish(),
  email: text,
  name: text,
  description: text,
  status: text,
  reason: text,
  number: text,
  paid: z.boolean().nullish(),
  charge: text,
  failure_message: text,
  last4: text,
  brand: text,
  quantity: number,
  plan,
  trial_end: number,
  billing: text,
  days_until_due: number,
  account_balance: number,
  balance: number,
  billing_reason: text,
  next_payment_attempt: number,
  percent_off: number,
  arrival_date: number,
  coupon: z
    .object({
      id: text,
      name: text,
      percent_off: number,
      amount_off: number,
      currency: text,
      duration: text,
      duration_in_months: number,
    })
    .nullish(),
  subscription: z.unknown().optional(),
})
type StripeObject = z.output<typeof object>

const event = z.object({
  type: z.string(),
  livemode: z.boolean().nullish(),
  data: z.object({ object, previous_attributes: z.record(z.string(), z.unknown()).nullish() }),
})
type Event = z.output<typeof event>

/** Currencies whose amounts are in their main unit rather than in hundredths. */
const WHOLE = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '))

function money(amount: number | null | undefined, currency: string | null | undefined): string {
  if (amount === null || amount === undefined) return 'an amount'
  const code = (currency ?? '').toUpperCase()
  const isWhole = WHOLE.has((currency ?? '').toLowerCase())
  const value = isWhole ? String(amount) : (amount / 100).toFixed(2)
  return code === 'USD' ? `$${value}` : `${value} ${code}`.trim()
}

/** The pages of the dashboard by the kind of object. */
const PAGES: Readonly<Record<string, string>> = {
  charge: 'charges',
  payment: 'payments',
  customer: 'customers',
  dispute: 'disputes',
  invoice: 'invoices',
  invoiceitem: 'invoiceitems',
  subscription: 'subscriptions',
  coupon: 'coupons',
  payout: 'payouts',
  payment_intent: 'payments',
  product: 'products',
  refund: 'refunds',
  card: 'cards',
  source: 'sources',
  topup: 'topups',
  transfer: 'transfers',
}

const pageOf = (page: string, id: string | null | undefined) =>
  id ? `https://dashboard.stripe.com/${page}/${id}` : null

function linked(given: StripeObject, label: string, kind = given.object ?? ''): MarkdownValue {
  // Payments are charges whose ids begin differently.
  const page = given.id?.startsWith('py_') ? 'payments' : PAGES[kind]
  return link(label, page === undefined ? null : pageOf(page, given.id))
}

/** Attributes of customers, accounts and the like, whose changes nobody needs to know. */
const QUIET =
  /^(?:updated|created|metadata|invoice_prefix|invoice_settings|next_invoice_sequence|default_source|sources|subscriptions|preferred_locales|status_transitions|webhooks_delivered_at|latest_invoice|pending_webhooks|object|livemode|items|lines|period_end|period_start|date|finalized_at|auto_advance|hosted_invoice_url|invoice_pdf|.*_at)$/

const words = (value: unknown): string =>
  value === null || value === '' ? 'nothing' : typeof value === 'object' ? 'something' : valueText(value)

/** Returns whether the value is a time between 2001 and 2286, in seconds. */
const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 1e9 && value < 1e10

/** Returns the changes of attributes, one for each line. */
function changes({ data }: Event, payload: unknown): MarkdownValue[] {
  const current =
    z.object({ data: z.object({ object: z.record(z.string(), z.unknown()) }) }).safeParse(payload).data?.data.object ??
    {}
  return Object.keys(data.previous_attributes ?? {})
    .filter(
      (name) => !QUIET.test(name) && !(data.object.object === 'invoiceitem' && /^(?:description|invoice)$/.test(name)),
    )
    .slice(0, 20)
    .map((name) => {
      const value = current[name]
      const isMoney = /amount|balance|total/.test(name) && typeof value === 'number'
      if (isMoney) return md`${capital(name)} is now ${money(value, data.object.currency)}`
      return md`${capital(name)} is now ${isTime(value) ? time(value) : words(value)}`
    })
}

const capital = (name: string) => {
  const spaced = name.replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

function planOf({ plan }: StripeObject): MarkdownValue {
  if (!plan) return null
  return md`Plan: ${link(plan.nickname ?? plan.name ?? plan.id ?? 'without a name', pageOf('plans', plan.id))}`
}

function charge(given: StripeObject, verb: string): MarkdownValue {
  return md`${linked(given, 'Charge', 'charge')} for ${money(given.amount, given.currency)} ${verb}${given.failure_message && md`: ${given.failure_message}`}`
}

/** Returns the topic and the text of an event; null if it is not worth a message, undefined if it is not known. */
function describe(payload: Event, raw: unknown): { topic: string; content: MarkdownValue } | null | undefined {
  const { type, data } = payload
  const { object } = data
  const [category = '', ...rest] = type.split('.')
  const action = rest.join('.')
  const customer = object.customer ?? object.id ?? 'Stripe'
  const verb = action.replaceAll('_', ' ')
  const details = changes(payload, raw)
  const isUpdate = action === 'updated' || action.endsWith('.updated')
  switch (category) {
    case 'account':
      if (isUpdate && details.length === 0) return null
      return { topic: 'account updates', content: paragraphs(md`The account was updated:`, bullets(details)) }
    case 'balance':
      return action === 'available' ? null : undefined
    case 'charge': {
      const topic = object.customer ?? 'charges'
      if (action.startsWith('dispute.')) {
        const state =
          action === 'dispute.closed'
            ? `closed. Current status: ${words(object.status)}`
            : action === 'dispute.created'
              ? `created. Current status: ${words(object.status).replaceAll('_', ' ')}`
              : action.slice(8).replaceAll('_', ' ')
        return {
          topic: 'disputes',
          content: md`${linked(object, 'Dispute', 'dispute')} for ${money(object.amount, object.currency)} ${state}.`,
        }
      }
      if (action.startsWith('refund.')) {
        const isPayment = object.charge?.startsWith('py_')
        const of = link(isPayment ? 'payment' : 'charge', pageOf(isPayment ? 'payments' : 'charges', object.charge))
        return {
          topic: 'refunds',
          content: md`${linked(object, 'Refund', 'refund')} of ${money(object.amount, object.currency)} for a ${of} ${action.slice(7)}.`,
        }
      }
      if (!['succeeded', 'failed', 'captured', 'expired', 'pending', 'refunded', 'updated'].includes(action))
        return undefined
      return { topic, content: md`${charge(object, action === 'pending' ? 'is pending' : action)}.` }
    }
    case 'checkout':
      return action === 'session.completed'
        ? { topic: object.customer ?? 'checkout', content: md`A checkout session was completed.` }
        : undefined
    case 'coupon':
      return {
        topic: 'coupons',
        content: md`${linked(object, `Coupon ${object.name ?? object.id ?? ''}`, 'coupon')} ${verb}.`,
      }
    case 'customer':
      return customerEvent(payload, action, details, customer)
    case 'file':
      return { topic: 'files', content: md`A file was ${verb}.` }
    case 'invoice': {
      if (action === 'upcoming')
        return {
          topic: customer,
          content: md`An invoice is coming up${object.amount_due ? md` (${money(object.amount_due, object.currency)})` : null}.`,
        }
      if (isUpdate) {
        const previous = data.previous_attributes ?? {}
        if (previous['paid'] === false && object.paid)
          return {
            topic: customer,
            content: md`${linked(object, 'Invoice', 'invoice')} of ${money(object.amount_paid ?? object.amount_due, object.currency)} is paid.`,
          }
        if (details.length === 0) return null
        return {
          topic: customer,
          content: paragraphs(md`${linked(object, 'Invoice', 'invoice')} changed:`, bullets(details)),
        }
      }
      const reason =
        object.billing_reason && action === 'created' ? md` (${object.billing_reason.replaceAll('_', ' ')})` : null
      const facts = [
        object.amount_due !== null &&
          object.amount_due !== undefined &&
          action === 'created' &&
          md`Amount due: ${money(object.amount_due, object.currency)}`,
      ]
      return {
        topic: customer,
        content: paragraphs(md`${linked(object, 'Invoice', 'invoice')} ${verb}${reason}.`, bullets(facts)),
      }
    }
    case 'invoiceitem':
      if (isUpdate && details.length === 0) return null
      return {
        topic: customer,
        content: paragraphs(
          md`${linked(object, 'Invoice item', 'invoiceitem')} for ${money(object.amount, object.currency)} ${verb}${details.length > 0 && isUpdate ? ':' : '.'}`,
          isUpdate && bullets(details),
        ),
      }
    case 'payment_intent':
    case 'payout':
    case 'transfer':
    case 'topup':
    case 'refund':
    case 'product':
    case 'source':
    case 'order': {
      const topics: Record<string, string> = {
        payment_intent: object.customer ?? 'payments',
        payout: 'payouts',
        transfer: 'transfers',
        topup: 'topups',
        refund: 'refunds',
        product: 'products',
        source: customer,
        order: 'orders',
      }
      const amount =
        object.amount === null || object.amount === undefined ? null : md` for ${money(object.amount, object.currency)}`
      const name = object.name ? ` ${object.name}` : ''
      return {
        topic: topics[category] ?? category,
        content: md`${linked(object, `${capital(category)}${name}`, category)}${amount} ${verb}.`,
      }
    }
    default:
      return undefined
  }
}

function customerEvent(
  { data: { object }, type }: Event,
  action: string,
  details: readonly MarkdownValue[],
  customer: string,
) {
  const topic = customer
  const verb = action.split('.').at(-1)?.replaceAll('_', ' ') ?? action
  const isUpdate = verb === 'updated'
  if (action.startsWith('discount.')) {
    const { coupon } = object
    const off = coupon?.percent_off
      ? `${coupon.percent_off}% off`
      : coupon?.amount_off
        ? `${money(coupon.amount_off, coupon.currency)} off`
        : 'a discount'
    const of = link(coupon?.name ?? coupon?.id ?? 'a coupon', pageOf('coupons', coupon?.id))
    return { topic, content: md`Discount ${verb}: ${of} (${off}${coupon?.duration && md`, ${coupon.duration}`}).` }
  }
  if (action.startsWith('subscription.')) {
    if (isUpdate && details.length === 0) return null
    const it = linked(object, 'Subscription', 'subscription')
    if (verb === 'trial will end') {
      return {
        topic,
        content: md`The trial of ${it} will end${object.trial_end ? md` at ${time(object.trial_end)}` : ' soon'}.`,
      }
    }
    const facts: MarkdownValue[] =
      verb === 'created'
        ? [
            planOf(object),
            object.quantity && md`Quantity: ${object.quantity}`,
            object.days_until_due && md`Days until due: ${count(object.days_until_due, 'day')}`,
          ]
        : isUpdate
          ? [...details]
          : []
    return { topic, content: paragraphs(md`${it} ${verb}.`, bullets(facts)) }
  }
  if (action.startsWith('source.') || action.startsWith('bank_account.') || action.startsWith('card.')) {
    if (isUpdate && details.length === 0) return null
    return {
      topic,
      content: md`A payment source${object.brand && md` (${object.brand} ${object.last4 ?? ''})`} was ${verb}.`,
    }
  }
  if (action.includes('.')) return unknownEvent(type)
  if (isUpdate && details.length === 0) return null
  const name = object.email ?? object.name
  return {
    topic,
    content: paragraphs(
      md`${linked(object, 'Customer', 'customer')}${name && md` ${name}`} ${verb}${isUpdate ? ':' : '.'}`,
      isUpdate && bullets(details),
    ),
  }
}

export const stripe = integration({
  name: 'stripe',
  title: 'Stripe',
  category: 'Finance',
  summary: 'Payments, invoices, customers, disputes',
  logo: { letter: 'S', color: '#635bff' },
  steps: [
    'In the dashboard of Stripe, open **Developers**, then **Webhooks**, and click **Add endpoint**.',
    'Paste the URL, choose the events to send, and click **Add endpoint**.',
    'If you want deliveries to be verified, set the signing secret that Stripe shows for the bot.',
  ],
  sample: {
    payload: {
      type: 'charge.succeeded',
      livemode: false,
      data: {
        object: {
          id: 'ch_42',
          object: 'charge',
          amount: 2500,
          currency: 'usd',
          customer: 'cus_1',
          status: 'succeeded',
        },
      },
    },
  },
  verify: stripeSignature,
  handle: (payload, request) =>
    on(event, (given): WebhookMessage | null => {
      const described = describe(given, payload)
      if (described === undefined) return unknownEvent(given.type)
      if (described === null) return null
      const { topic, content } = described
      return { event: given.type, topic, content: md`${content}` }
    })(payload, request),
})

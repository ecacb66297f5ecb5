import { z } from 'zod'
import { ignore, integration, on, parse } from '../integration.ts'
import { bold, link, type Markdown, md } from '../markdown.ts'

const text = z.string().nullish()
const amount = z.number().nullish()

const account = z.object({ name: text, slug: text, isIncognito: z.boolean().nullish() }).nullish()
type Account = z.output<typeof account>

const order = z
  .object({
    formattedAmountWithInterval: text,
    formattedAmount: text,
    totalAmount: amount,
    currency: text,
    amount,
    interval: text,
  })
  .nullish()
const expense = z
  .object({ description: text, formattedAmount: text, amount, currency: text, payoutMethod: z.unknown().optional() })
  .nullish()

const delivery = z.object({
  type: z.string(),
  data: z.object({
    member: z.object({ memberCollective: account, role: text }).nullish(),
    order,
    expense,
    transaction: z.object({ formattedAmount: text, amount, currency: text, description: text, type: text }).nullish(),
    fromCollective: account,
    collective: account,
    user: account,
    update: z.object({ title: text, slug: text }).nullish(),
    url: text,
  }),
})
type Delivery = z.output<typeof delivery>

function nameOf(given: Account): Markdown {
  if (!given?.name || given.isIncognito || given.name.toLowerCase() === 'incognito')
    return md`An ${bold('Incognito')} member`
  return link(
    bold(given.name),
    given.slug && `https://opencollective.com/${encodeURIComponent(given.slug.toWellFormed())}`,
  )
}

/** Returns an amount, which has the unit of its currency with two digits. */
function sum(
  given:
    | {
        formattedAmount?: string | null | undefined
        amount?: number | null | undefined
        currency?: string | null | undefined
      }
    | null
    | undefined,
): Markdown {
  if (given?.formattedAmount) return bold(given.formattedAmount)
  return typeof given?.amount === 'number'
    ? bold(`${(given.amount / 100).toFixed(2)} ${given.currency ?? ''}`.trim())
    : md`an unknown amount`
}

const about = (topic: string, contentOf: (data: Delivery['data']) => Markdown) =>
  on(delivery, ({ data }) => ({ topic, content: contentOf(data) }))

const onExpense = (verb: string) =>
  about('Expenses', ({ expense, user, fromCollective }) => {
    const by = user?.name ?? fromCollective?.name
    return md`The expense ${expense?.description ?? 'without a description'} of ${sum(expense)} was ${verb}${by && md` (${by})`}.`
  })

export const opencollective = integration({
  name: 'opencollective',
  title: 'Open Collective',
  category: 'Finance',
  summary: 'Donations and transactions',
  logo: { letter: 'O', color: '#1869f5' },
  steps: [
    'On Open Collective, open the settings of your collective, then **Webhooks**.',
    'Click **Add another webhook**, paste the URL, choose the activity, and click **Save**.',
  ],
  sample: {
    payload: {
      type: 'collective.transaction.created',
      data: {
        fromCollective: { name: 'Ada', slug: 'ada' },
        collective: { name: 'Atlas', slug: 'atlas' },
        transaction: {
          amount: 2500,
          currency: 'USD',
          formattedAmount: '$25.00',
          formattedAmountWithInterval: '$25.00 / month',
        },
      },
    },
  },
  eventOf: (payload) => parse(z.object({ type: z.string() }), payload).type,
  events: {
    'collective.member.created': about('New Member', ({ member, order }) => {
      const { formattedAmountWithInterval: full, formattedAmount, totalAmount, amount, currency } = order ?? {}
      if (!order) return md`${nameOf(member?.memberCollective)} joined as ${(member?.role ?? 'member').toLowerCase()}.`
      return md`${nameOf(member?.memberCollective)} gave ${sum({ formattedAmount: formattedAmount || full, amount: totalAmount ?? amount, currency })}. 🎉`
    }),
    'collective.transaction.created': about('Transactions', ({ transaction, fromCollective, collective }) => {
      const from = fromCollective?.name && md` from ${fromCollective.name}`
      const to = collective?.name && md` to ${collective.name}`
      return md`A transaction of ${sum(transaction)} was made${from}${to}${transaction?.description && md`: ${transaction.description}`}.`
    }),
    'order.processed': about(
      'Contributions',
      ({ order, fromCollective }) =>
        md`${nameOf(fromCollective)} contributed ${sum({ ...order, amount: order?.totalAmount ?? order?.amount })}.`,
    ),
    'subscription.canceled': about(
      'Contributions',
      ({ fromCollective }) => md`${nameOf(fromCollective)} ended the regular contribution.`,
    ),
    'collective.expense.created': onExpense('submitted'),
    'collective.expense.updated': onExpense('changed'),
    'collective.expense.deleted': onExpense('deleted'),
    'collective.expense.approved': onExpense('approved'),
    'collective.expense.unapproved': onExpense('unapproved'),
    'collective.expense.rejected': onExpense('rejected'),
    'collective.expense.paid': onExpense('paid'),
    'collective.update.published': about(
      'Updates',
      ({ update, url }) => md`The update ${link(update?.title ?? 'without a title', url)} was published.`,
    ),
    'collective.update.created': ignore,
    'collective.comment.created': ignore,
    'collective.monthly': ignore,
  },
})

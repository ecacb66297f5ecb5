import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { equalSecrets } from '#lib/secrets.ts'
import { integration, on } from '../integration.ts'
import { md } from '../markdown.ts'
import type { VerifySignature } from '../signatures.ts'

const text = z.string().nullish()
const percent = z.union([z.string(), z.number()]).transform(String).nullish()

const delivery = z.object({
  project: z.string(),
  resource: text,
  language: z.string(),
  translated: percent,
  reviewed: percent,
  proofread: percent,
  event: text,
})

/** Checks the signature of the URL, the time and the hash of the body. */
const urlSignature: VerifySignature = ({ headers, rawBody, secret }) => {
  const header = (name: string) => String(headers[name] ?? '')
  const hash = createHash('md5').update(rawBody).digest('hex')
  const signed = ['POST', header('x-tx-url'), header('date'), hash].join('\n')
  const expected = createHmac('sha256', secret).update(signed).digest('base64')
  return equalSecrets(header('x-tx-signature-v2'), expected)
}

export const transifex = integration({
  name: 'transifex',
  title: 'Transifex',
  category: 'Productivity',
  summary: 'Translations that were completed',
  logo: { letter: 'T', color: '#006f9f' },
  steps: [
    'In your project on Transifex, open **Settings**, then **Webhooks**, and click **Add Webhook**.',
    'Paste the URL, choose all events or a single one, and save. If you enter a secret key there, set it as the secret of the bot, too.',
  ],
  sample: {
    payload: {
      project: 'atlas',
      resource: 'website',
      language: 'de',
      translated: '100',
      event: 'translation_completed',
    },
  },
  verify: urlSignature,
  // Older deliveries have their fields in the URL or in a form.
  read: ({ body, query, rawBody }) =>
    /^\s*\{/.test(rawBody.toString('latin1', 0, 100)) ? null : Object.fromEntries([...query, ...body]),
  handle: on(delivery, ({ project, resource, language, event, ...done }) => {
    const topic = `${project} in ${language}`
    if (event === 'fillup_completed')
      return {
        event,
        topic,
        content: md`Translations were filled in for the resource ${resource ?? ''} from the memory.`,
      }
    const [verb, amount] = done.proofread
      ? ['proofread', done.proofread]
      : done.reviewed
        ? ['reviewed', done.reviewed]
        : ['translated', done.translated]
    const how = amount && !['100', 'True', 'true'].includes(amount) ? md`${verb} to ${amount} %` : md`fully ${verb}`
    return { event: event ?? verb, topic, content: md`The resource ${resource ?? ''} is ${how}.` }
  }),
})

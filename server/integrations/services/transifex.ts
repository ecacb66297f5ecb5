import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { md } from '../markdown.ts'

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

export const transifex = integration({
  name: 'transifex',
  title: 'Transifex',
  category: 'Productivity',
  summary: 'Translations that were completed',
  logo: { letter: 'T', color: '#006f9f' },
  steps: [
    'In your project on Transifex, open **Settings**, then **Webhooks**, and click **Add Webhook**.',
    'Paste the URL, choose all events or a single one, and save.',
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

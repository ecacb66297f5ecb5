import { z } from 'zod'
import { integration, need, on } from '../integration.ts'
import { md } from '../markdown.ts'

const field = z.union([z.string(), z.number()]).nullish()

const payload = z.object({
  project: z.string(),
  resource: z.string(),
  language: z.string(),
  translated: field,
  reviewed: field,
})

export const transifex = integration({
  name: 'transifex',
  title: 'Transifex',
  category: 'Productivity',
  logo: { letter: 'T', color: '#0064ab' },
  steps: ['In Transifex, open **Webhooks** in the settings of the project, and add the URL.'],
  read: ({ body }) => (body.has('project') ? Object.fromEntries(body) : null),
  handle: on(payload, ({ project, resource, language, translated, reviewed }) => ({
    event: translated == null ? 'reviewed' : 'translated',
    topic: `${project} in ${language}`,
    content: md`The resource ${resource} is fully ${need(translated ?? reviewed) && (translated == null ? 'reviewed' : 'translated')}.`,
  })),
})

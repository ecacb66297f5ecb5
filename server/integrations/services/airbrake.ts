import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

const payload = z.object({
  error: z.object({
    error_class: text,
    error_message: text,
    environment: text,
    project: z.object({ name: z.string() }),
  }),
  airbrake_error_url: text,
})

export const airbrake = integration({
  name: 'airbrake',
  title: 'Airbrake',
  category: 'Monitoring',
  summary: 'Errors of applications',
  logo: { letter: 'A', color: '#ff4f00' },
  steps: ['In Airbrake, open **Settings** of the project, then **Integrations**, and add **WebHooks** with the URL.'],
  sample: {
    payload: {
      error: {
        error_class: 'TimeoutError',
        error_message: 'The map did not load within 10 seconds',
        project: { name: 'atlas' },
      },
      airbrake_error_url: 'https://example.airbrake.io/projects/1/groups/42',
    },
  },
  handle: on(payload, ({ error, airbrake_error_url: url }) => ({
    topic: error.project.name,
    content: paragraphs(
      md`${link(error.error_class || 'An error', url)} occurred${error.environment ? md` in ${error.environment}` : null}:`,
      quote(error.error_message),
    ),
  })),
})

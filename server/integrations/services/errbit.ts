import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { code, count, link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

const problem = z.object({
  app_name: z.string(),
  environment: text,
  error_class: text,
  message: text,
  url: text,
  notices_count: z.number().nullish(),
  where: text,
})

export const errbit = integration({
  name: 'errbit',
  title: 'Errbit',
  category: 'Monitoring',
  summary: 'Errors of applications',
  logo: { letter: 'E', color: '#ff4a4a' },
  steps: ['In Errbit, edit the app, choose **WEBHOOK** as its notification service, and paste the URL.'],
  sample: {
    payload: {
      problem: {
        url: 'https://errbit.example.com/apps/1/problems/42',
        app_name: 'atlas',
        environment: 'production',
        error_class: 'TimeoutError',
        message: 'The map did not load within 10 seconds',
        notices_count: 3,
      },
    },
  },
  handle: on(z.object({ problem }), ({ problem: given }) => ({
    topic: `${given.app_name} / ${given.environment ?? 'unknown'}`,
    content: paragraphs(
      md`${link(given.error_class || 'An error', given.url)} occurred ${count(given.notices_count ?? 1, 'time')}${given.where && given.where !== 'unknown' ? md` in ${code(given.where)}` : null}:`,
      quote(given.message),
    ),
  })),
})

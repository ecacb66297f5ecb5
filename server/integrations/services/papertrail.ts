import { z } from 'zod'
import { badPayload, integration, on } from '../integration.ts'
import { bold, link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

const payload = z.object({
  events: z
    .array(z.object({ display_received_at: text, source_name: text, hostname: text, program: text, message: text }))
    .nullish(),
  counts: z.array(z.object({ source_name: text, timeseries: z.record(z.string(), z.number()).nullish() })).nullish(),
  saved_search: z.object({ name: text, html_search_url: text }),
})

/** The number of log lines that a message shows. */
const SHOWN = 4

export const papertrail = integration({
  name: 'papertrail',
  title: 'Papertrail',
  category: 'Monitoring',
  summary: 'Lines of logs that a search found',
  logo: { letter: 'P', color: '#006caf' },
  steps: ['In Papertrail, save a search, create an alert for it, choose **Webhook**, and paste the URL.'],
  sample: {
    payload: {
      saved_search: { name: 'Errors', html_search_url: 'https://papertrailapp.com/searches/42' },
      events: [
        {
          display_received_at: 'Mar 02 09:12:00',
          source_name: 'web-1',
          program: 'atlas',
          message: 'The map did not load',
        },
      ],
    },
  },
  handle: on(payload, ({ events, counts, saved_search: search }) => {
    if (events == null && counts == null) return badPayload()
    const found = events ?? []
    const counted = (counts ?? []).flatMap(({ timeseries }) => Object.values(timeseries ?? {}))
    const total = events ? found.length : counted.reduce((sum, number) => sum + number, 0)
    return {
      topic: 'logs',
      content: paragraphs(
        md`The search ${link(search.name || 'without a name', search.html_search_url)} found ${bold(total)} ${total === 1 ? 'match' : 'matches'}${found.length > 0 ? ':' : '.'}`,
        ...found
          .slice(0, SHOWN)
          .map((one) =>
            paragraphs(
              md`${[one.display_received_at, one.source_name ?? one.hostname, one.program].filter(Boolean).join(' - ')}:`,
              quote(one.message),
            ),
          ),
        found.length > SHOWN && link('See more', search.html_search_url),
      ),
    }
  }),
})

import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bareLink, bold, bullets, fact, lines, md, time } from '../markdown.ts'

const check = z.object({
  check_state_name: z.string(),
  request_url: z.string(),
  application_name: z.string().nullish(),
  http_status_code: z.number().nullish(),
  response_time: z.number().nullish(),
  request_start_time: z.string().nullish(),
})

export const insping = integration({
  name: 'insping',
  title: 'Insping',
  category: 'Monitoring',
  summary: 'Outages of websites',
  logo: { letter: 'I', color: '#2c8ff7' },
  steps: ['In Insping, add a webhook with the URL to the alerts of the application.'],
  sample: {
    payload: {
      webhook_event_data: {
        check_state_name: 'Available',
        request_url: 'https://www.example.com',
        response_time: 223,
        application_name: 'Website',
        request_start_time: '2026-03-02T09:12:00+00:00',
      },
    },
  },
  handle: on(z.object({ webhook_event_data: check }), ({ webhook_event_data: given }) => ({
    topic: 'insping',
    content: lines(
      md`${given.application_name || 'The site'} is ${bold(given.check_state_name)}${given.http_status_code ? md` (status ${given.http_status_code})` : null}.`,
      bullets([
        fact('URL', bareLink(given.request_url)),
        fact('Response time', given.response_time == null ? null : md`${given.response_time} ms`),
        fact('Timestamp', time(given.request_start_time)),
      ]),
    ),
  })),
})

import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, lines, link, md, paragraphs, valueText } from '../markdown.ts'

const text = z.string().nullish()

const payload = z.object({
  manage_url: text,
  memo: text,
  channel: text,
  time: text,
  additional_data: z.record(z.string(), z.unknown()).nullish(),
})

export const canarytoken = integration({
  name: 'canarytoken',
  title: 'Canarytokens',
  category: 'Monitoring',
  summary: 'Tokens that were used',
  logo: { letter: 'C', color: '#3eb649' },
  steps: ['In Canarytokens, create a token, and paste the URL as the webhook to notify.'],
  sample: {
    payload: {
      memo: 'The file passwords.docx was opened',
      channel: 'HTTP',
      time: '2026-03-02 09:12:00 (UTC)',
      additional_data: { src_ip: '192.0.2.7' },
      manage_url: 'https://canarytokens.org/manage',
    },
  },
  handle: on(payload, (given, { topic }) => ({
    topic: topic ?? 'canarytoken alert',
    content: paragraphs(
      bold(md`:alert: Canarytoken has been triggered on ${given.time ?? 'an unknown day'}!`),
      lines(
        given.memo,
        given.channel && md`Channel: ${given.channel}`,
        ...Object.entries(given.additional_data ?? {})
          .slice(0, 20)
          .map(([name, value]) => md`${name}: ${valueText(value)}`),
      ),
      given.manage_url ? link('Manage this token', given.manage_url) : null,
    ),
  })),
})

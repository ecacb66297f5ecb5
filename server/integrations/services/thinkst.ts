import { z } from 'zod'
import { integration, on, unknownEvent } from '../integration.ts'
import { bold, bullets, code, inline, type Markdown, md, paragraphs, valueText } from '../markdown.ts'

const text = z.string().nullish()
const scalar = z.union([z.string(), z.number()]).nullish()

const payload = z.object({
  AlertType: text,
  Intro: text,
  Description: text,
  Timestamp: text,
  CanaryName: text,
  CanaryIP: text,
  CanaryLocation: text,
  SourceIP: text,
  ReverseDNS: text,
  IncidentHash: text,
  Token: text,
  Triggered: scalar,
  Reminder: text,
  AdditionalDetails: z.array(z.array(z.unknown())).nullish(),
})

const labeled = (label: string, value: string | number | Markdown | null | undefined) =>
  value === null || value === undefined || value === '' ? null : md`${bold(`${label}:`)} ${value}`

const codeOf = (value: string | null | undefined) => (value ? code(value) : null)

export const thinkst = integration({
  name: 'thinkst',
  title: 'Thinkst Canary',
  category: 'Monitoring',
  summary: 'Incidents of canaries',
  logo: { letter: 'T', color: '#38b449' },
  steps: [
    'In the Canary console, open the global settings, then **Webhooks**, and add a generic webhook with the URL.',
  ],
  sample: {
    payload: {
      AlertType: 'CanaryIncident',
      Intro: 'An HTTP login attempt was detected',
      Description: 'HTTP Login Attempt',
      Timestamp: '2026-03-02 09:12:00 (UTC)',
      CanaryName: 'files',
      CanaryIP: '192.0.2.2',
      CanaryLocation: 'Office',
      SourceIP: '192.0.2.7',
      AdditionalDetails: [['User', 'admin']],
    },
  },
  handle: on(payload, (given) => {
    const isToken = given.AlertType === 'CanarytokenIncident' || given.CanaryName == null
    if (isToken && given.Reminder == null) return unknownEvent(given.AlertType ?? 'unknown')
    const details = (given.AdditionalDetails ?? []).slice(0, 40).map(([name, value]) => {
      const label = valueText(name)
      const isCode = valueText(value).includes('*')
      return labeled(label, isCode ? codeOf(valueText(value)) : inline(valueText(value)))
    })
    return {
      topic: isToken ? `canarytoken alert - ${given.Reminder}` : `canary alert - ${given.CanaryName}`,
      content: paragraphs(
        md`:alert: ${isToken ? 'Canarytoken' : 'Canary'} ${given.Reminder ?? given.CanaryName}: ${given.Intro ?? given.Description}`,
        bullets([
          labeled('Incident ID', codeOf(given.IncidentHash)),
          labeled('Token', codeOf(given.Token)),
          labeled('Kind', given.Description),
          labeled('Timestamp', given.Timestamp),
          labeled('Triggered', given.Triggered),
          labeled('Canary IP', codeOf(given.CanaryIP)),
          labeled('Canary location', given.CanaryLocation),
          labeled('Source IP', codeOf(given.SourceIP)),
          labeled('Reverse DNS', codeOf(given.ReverseDNS)),
          ...details,
        ]),
      ),
    }
  }),
})
